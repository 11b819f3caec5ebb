//! Generates random Standard ML programs, for comparisons of Heist's compiler with another compiler. The programs are well typed, terminate
//! and print their results.
//!
//! `cargo run --example generate -- SEED COUNT [forks]` prints a file with the programs of `COUNT` consecutive seeds.
//! The first seed is `SEED`. Each program is a structure. Each line of a program's output begins with `@` and the
//! program's seed (see `tools/pml-differential.sh`). With `forks`, the programs have parallel forms (see
//! `tools/pml-fuzz.sh forks` and the example `forks`).
//!
//! The programs use only features that all implementations have. Integers fit in 62 bits, except in operations that
//! overflow in all implementations.

use std::process::ExitCode;

#[path = "generate/expression.rs"]
mod expression;
#[path = "generate/fork.rs"]
mod fork;
#[path = "generate/program.rs"]
mod program;
#[path = "generate/random.rs"]
mod random;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let [seed, count] = numbers[..] else {
        eprintln!("usage: generate SEED COUNT [forks]");
        return ExitCode::from(2);
    };
    let forks = std::env::args().any(|word| word == "forks");
    println!("{}", program::prelude(forks));
    for seed in seed..seed + count {
        println!("{}", program::program(seed, forks));
    }
    ExitCode::SUCCESS
}
