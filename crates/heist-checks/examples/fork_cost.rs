//! Measures the cost of a fork that no worker steals. Valgrind counts the instructions of a fork, and every run gives the same count.
//! Serial and forked runs alternate on one worker, and the difference of each pair of runs gives the nanoseconds of a fork.
//!
//! `cargo run --profile measure -p heist-checks --example fork_cost [-- --check]`
//!
//! With `--check` the program fails if a fork takes more instructions than its limit, so that the fork path does not grow unnoticed. To
//! leave out start-up, the program counts the instructions of fib(18) and of fib(24). The program divides the difference of the two counts
//! by the difference of the two numbers of forks.

use heist_checks::instructions;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// The maximum number of instructions per fork, including the instructions of fib itself.
const LIMITS: [(&str, f64); 3] = [("join", 41.0), ("hint", 35.5), ("wide", 99.0)];

fn serial(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    serial(n - 1) + serial(n - 2)
}

fn join(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| join(n - 1), || join(n - 2));
    a + b
}

fn hint(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join_hint(|| hint(n - 1), || hint(n - 2));
    a + b
}

/// Computes fib with closures of seven words, as in a merge sort.
fn wide(n: u64) -> u64 {
    fn go(n: u64, x: &[u64], y: &[u64], z: &[u64]) -> u64 {
        if n < 2 {
            return x[n as usize] + y[n as usize] - z[n as usize];
        }
        let (a, b) = heist::join(move || go(n - 1, x, y, z), move || go(n - 2, x, y, z));
        a + b
    }
    let words: &[u64] = &black_box([0, 1]);
    go(n, words, words, words)
}

fn function(name: &str) -> Option<fn(u64) -> u64> {
    match name {
        "serial" => Some(serial),
        "join" => Some(join),
        "hint" => Some(hint),
        "wide" => Some(wide),
        _ => None,
    }
}

/// Returns the number of forks of fib(n), which is fib(n + 1) - 1.
fn forks(n: u64) -> f64 {
    (serial(n + 1) - 1) as f64
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pool = heist::Pool::builder()
        .threads(1)
        .pin(true)
        .build()
        .expect("a pool");
    if let [run, name, n] = &words[..]
        && run == "run"
        && let (Some(function), Ok(n)) = (function(name), n.parse())
    {
        println!("{}", pool.install(|| function(black_box(n))));
        return ExitCode::SUCCESS;
    }
    let check = words.iter().any(|word| word == "--check");
    let mut grown = false;
    for (name, limit) in LIMITS {
        match (instructions(name, 24), instructions(name, 18)) {
            (Ok(large), Ok(small)) => {
                let each = (large - small) / (forks(24) - forks(18));
                println!("{name:<7} {each:6.2} instructions a fork in all (limit {limit})");
                grown |= each > limit;
            }
            (Err(error), _) | (_, Err(error)) => {
                eprintln!("fork_cost: {error}");
                grown = true;
            }
        }
    }
    let n = 30;
    let time = |function: fn(u64) -> u64| {
        let start = Instant::now();
        black_box(function(black_box(n)));
        start.elapsed().as_nanos() as f64
    };
    // Serial and forked runs alternate on the same worker, and each pair of runs gives one difference.
    for (name, function) in [("join", join as fn(u64) -> u64), ("hint", hint)] {
        let mut each: Vec<f64> = (0..51)
            .map(|_| pool.install(|| (time(function) - time(serial)) / forks(n)))
            .collect();
        each.sort_by(f64::total_cmp);
        println!(
            "{name:<7} {:6.2} ns a fork above the serial elision",
            each[25]
        );
    }
    if check && grown {
        eprintln!("fork_cost: the fork path has grown, or could not be counted");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
