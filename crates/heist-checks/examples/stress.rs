//! Runs all constructs together on pools of 1, 2, 3, 8 and 64 workers, for a given time, and checks every result.
//!
//! `cargo run --profile measure -p heist-checks --example stress -- 30` (total time in minutes; default 1)
//!
//! If the program hangs, a watchdog aborts it, so that a core dump or a debugger shows where it hangs.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// Returns the next number of a splitmix64 generator. A given seed gives the same constructs in every run, whatever the schedule.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn busy(n: u64) -> u64 {
    (0..n).fold(n, |x, i| black_box(x.wrapping_mul(31).wrapping_add(i)))
}

/// Computes a value by an irregular tree of all constructs. The value does not depend on the schedule.
fn tree(seed: u64, depth: u32, parallel: bool) -> u64 {
    let mut state = seed;
    let kind = next(&mut state) % 16;
    if depth == 0 || kind == 0 {
        return busy(next(&mut state) % 200) ^ seed;
    }
    let (a, b) = (next(&mut state), next(&mut state));
    let left = || tree(a, depth - 1, parallel);
    let right = || tree(b, depth - 1, parallel);
    if !parallel {
        return left().wrapping_mul(3).wrapping_add(right());
    }
    let (l, r) = match kind {
        1..=7 => heist::join(left, right),
        8..=11 => heist::join_hint(left, right),
        12..=13 => {
            let (l, r) = (AtomicU64::new(0), AtomicU64::new(0));
            heist::finish(|f| {
                f.spawn(|f| {
                    f.spawn(|_| r.store(tree(b, depth - 1, true), Ordering::Relaxed));
                    l.store(tree(a, depth - 1, true), Ordering::Relaxed);
                });
            });
            (l.into_inner(), r.into_inner())
        }
        14 => {
            let (l, r) = (Mutex::new(0), Mutex::new(0));
            heist::finish_fifo(|f| {
                f.spawn(|_| *l.lock().unwrap() = tree(a, depth - 1, true));
                *r.lock().unwrap() = tree(b, depth - 1, true);
            });
            (l.into_inner().unwrap(), r.into_inner().unwrap())
        }
        _ => {
            let task = heist::spawn(move || tree(b, depth - 1, true));
            let l = left();
            (l, task.join().unwrap())
        }
    };
    l.wrapping_mul(3).wrapping_add(r)
}

fn panics(seed: u64, depth: u32) -> Result<u64, u64> {
    fn go(seed: u64, depth: u32) -> u64 {
        let mut state = seed;
        if depth == 0 {
            let value = next(&mut state);
            if value.is_multiple_of(97) {
                std::panic::resume_unwind(Box::new(seed));
            }
            return value;
        }
        let (a, b) = (next(&mut state), next(&mut state));
        let (l, r) = heist::join(|| go(a, depth - 1), || go(b, depth - 1));
        l ^ r
    }
    catch_unwind(AssertUnwindSafe(|| go(seed, depth)))
        .map_err(|payload| *payload.downcast::<u64>().unwrap())
}

fn panics_serially(seed: u64, depth: u32) -> Result<u64, u64> {
    let mut state = seed;
    if depth == 0 {
        let value = next(&mut state);
        return if value.is_multiple_of(97) {
            Err(seed)
        } else {
            Ok(value)
        };
    }
    let (a, b) = (next(&mut state), next(&mut state));
    Ok(panics_serially(a, depth - 1)? ^ panics_serially(b, depth - 1)?)
}

fn blocking(rounds: u64) {
    for _ in 0..rounds {
        let (sender, receiver) = mpsc::channel();
        let (got, ()) = heist::join(
            move || receiver.recv().unwrap(),
            move || sender.send(41).unwrap(),
        );
        assert_eq!(got, 41);
    }
}

fn locks(tasks: u64) {
    let lock = Mutex::new(0);
    heist::finish(|f| {
        for _ in 0..tasks {
            f.spawn(|_| {
                let mut held = lock.lock().unwrap();
                let (a, b) = heist::join(|| busy(20) | 1, || busy(30) | 1);
                *held += (a & 1) + (b & 1);
            });
        }
    });
    assert_eq!(lock.into_inner().unwrap(), 2 * tasks);
}

fn main() {
    let minutes: f64 = match std::env::args().nth(1).map(|text| text.parse()) {
        None => 1.0,
        Some(Ok(minutes)) if minutes > 0.0 => minutes,
        Some(_) => {
            eprintln!("stress: the argument is a number of minutes above 0, such as 30 or 0.5");
            std::process::exit(2);
        }
    };
    static ROUNDS: AtomicU64 = AtomicU64::new(0);
    std::thread::spawn(|| {
        let mut last = (ROUNDS.load(Ordering::Relaxed), Instant::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = ROUNDS.load(Ordering::Relaxed);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() > Duration::from_secs(120) {
                eprintln!("stress: no round ended for two minutes (round {now}): a hang");
                std::process::abort();
            }
        }
    });
    let sizes = [1, 2, 3, 8, 64];
    let share = Duration::from_secs_f64(minutes * 60.0 / sizes.len() as f64);
    let mut checksum = 0_u64;
    for threads in sizes {
        let mut pool = heist::Pool::new(threads).expect("a pool");
        let start = Instant::now();
        let mut rounds = 0_u64;
        let mut totals = heist::Counters::default();
        while start.elapsed() < share {
            let seed = rounds.wrapping_mul(0xA076_1D64_78BD_642F) ^ threads as u64;
            let depth = 6 + (rounds % 8) as u32;
            let value = pool.install(|| tree(seed, depth, true));
            assert_eq!(
                value,
                tree(seed, depth, false),
                "round {rounds} on {threads} workers"
            );
            checksum = checksum.rotate_left(1) ^ value;
            assert_eq!(pool.install(|| panics(seed, 7)), panics_serially(seed, 7));
            if threads > 1 {
                // In this test, the left side of a join waits for the right side, which needs a second worker.
                pool.install(|| blocking(3));
            }
            pool.install(|| locks(50));
            pool.spawn_detached(|| {
                black_box(busy(100));
            });
            rounds += 1;
            ROUNDS.fetch_add(1, Ordering::Relaxed);
            if rounds.is_multiple_of(500) {
                // Test shutdown and start, too.
                totals = pool.counters();
                pool = heist::Pool::new(threads).expect("a pool");
            }
        }
        println!("{threads:2} workers: {rounds} rounds, all right; the last pool: {totals:?}");
    }
    println!("checksum {checksum:016x}");
}
