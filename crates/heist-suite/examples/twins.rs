//! Runs a twin of a program in Parallel ML. Prints the checksum of the twin's result. Also prints, on standard error, the time of each run
//! and the processor time of all threads, in seconds.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example twins                                    # lists the programs
//! cargo run --profile measure -p heist-suite --example twins -- bfs heist 2 200000 3            # threads, size, runs
//! ```

use heist_suite::twins::{On, twins};
use heist_suite::{Runner, memory};
use std::time::Instant;

/// Returns the processor time, in seconds, that this process has used, or 0 if the system does not report it.
#[cfg(target_os = "linux")]
fn processor_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists in every kernel since 2.6.12, and the call writes only `time`, which is a local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> f64 {
    0.0
}

fn main() -> Result<(), String> {
    memory::keep_freed();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(name) = words.first() else {
        for twin in twins() {
            println!("{:14} {:>9}  {}", twin.name, twin.size, twin.about);
        }
        return Ok(());
    };
    let twin = twins().iter().find(|twin| twin.name == name);
    let twin = twin.ok_or_else(|| format!("there is no program {name}"))?;
    let on = match words.get(1).map(String::as_str) {
        Some("serial") => On::Serial,
        Some("heist") => On::Heist,
        Some("rayon") => On::Rayon,
        other => return Err(format!("serial, heist or rayon, not {other:?}")),
    };
    let number = |at: usize, default: usize| match words.get(at) {
        None => Ok(default),
        Some(word) => word
            .parse()
            .map_err(|_| format!("{word} is no number of this kind")),
    };
    let (threads, size, runs) = (number(2, 1)?, number(3, twin.size)?, number(4, 1)?);
    let runner = Runner::new(threads).map_err(|error| error.to_string())?;
    let mut running = (twin.prepare)(size);
    let mut checksum = None;
    for _ in 0..runs {
        let (start, before) = (Instant::now(), processor_time());
        running.run(on, &runner);
        let time = start.elapsed().as_secs_f64();
        eprintln!("kernel {time:.6} {:.6}", processor_time() - before);
        let this = running.checksum();
        if checksum.is_some_and(|checksum| checksum != this) {
            return Err(String::from("two runs with different results"));
        }
        checksum = Some(this);
    }
    println!("{:X}", checksum.unwrap_or_default());
    Ok(())
}
