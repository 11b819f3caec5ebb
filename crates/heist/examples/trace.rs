//! Writes a trace of two workers for <https://ui.perfetto.dev>: what each thread ran, stole and waited for.
//!
//! ```text
//! cargo run --release -p heist --example trace -- trace.json
//! ```

use heist::par::prelude::*;
use std::io::{BufWriter, Write};

/// Does some work for the trace: a loop, a fork, and tasks that wait for each other.
fn work() -> u64 {
    let steps = |mut n: u64| {
        let mut steps = 0_u64;
        while n > 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    let sum: u64 = (1..20_000_u64).par().map(steps).sum();
    let (left, right) = heist::join(|| steps(837_799), || steps(626_331));
    let later = heist::sync::future(move || left + right);
    sum + later.get()
}

/// Runs `work` on two workers, and writes the trace. Returns the result of the work.
pub fn run(out: impl Write) -> std::io::Result<u64> {
    let pool = heist::Pool::builder()
        .threads(2)
        .name("demo")
        .build()
        .map_err(std::io::Error::other)?;
    pool.start_trace(65_536); // the newest events of each thread are kept
    let result = pool.install(work);
    let trace = pool.stop_trace().expect("a trace was started");
    if trace.dropped() > 0 {
        eprintln!("{} events did not fit: ask for more", trace.dropped());
    }
    trace.write_chrome(BufWriter::new(out))?;
    let counters = pool.counters();
    println!("{} steals, {} requests", counters.steals, counters.requests);
    Ok(result)
}

/// Runs the example.
pub fn main() -> std::io::Result<()> {
    let file = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "trace.json".to_owned());
    println!("{}", run(std::fs::File::create(&file)?)?);
    println!("open {file} at https://ui.perfetto.dev");
    Ok(())
}
