//! Measures the speed of the simulator: `cargo run --profile measure -p heist-sim --example speed [-- FIB WORKERS]`.

use heist_sim::{Machine, Protocol, generate, simulate};
use std::time::Instant;

fn main() {
    let words: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let (n, workers) = match words[..] {
        [n, workers] => (n as u32, workers),
        _ => (35, 16),
    };
    let program = generate::fib(n, 2_000, 3_000);
    let sum = program.summary();
    println!(
        "{} forks in {} MB, parallelism {:.0}",
        sum.forks,
        program.bytes() >> 20,
        sum.parallelism()
    );
    for (name, protocol) in Protocol::ALL {
        let began = Instant::now();
        let machine = Machine::new(workers, protocol);
        match simulate(&program, &machine, 1) {
            Ok(outcome) => println!(
                "{name:<15} {:6.2} s for {:8.3} ms, speed-up {:.1}, {} steals, {} failed, {:.1} ns a fork",
                began.elapsed().as_secs_f64(),
                outcome.time as f64 * 1e-9,
                sum.work as f64 / outcome.time as f64,
                outcome.steals,
                outcome.failed,
                began.elapsed().as_secs_f64() * 1e9 / sum.forks as f64,
            ),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}
