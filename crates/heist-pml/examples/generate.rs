//! Random Standard ML programs that are well typed and terminate, and print their results, to compare this compiler with another.
//!
//! `cargo run --example generate -- SEED COUNT [forks]` prints a file with the programs of `COUNT` seeds from the given one on, each a structure.
//! Each line that they print begins with `@` and the program's seed. See `tools/pml-differential.sh`. With `forks`, they have parallel
//! forms: see `tools/pml-fuzz.sh forks`, and the example `forks`.
//!
//! They use only features that implementations have in common: ints are small or stay within 62 bits, unless they overflow in all of
//! them.

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
