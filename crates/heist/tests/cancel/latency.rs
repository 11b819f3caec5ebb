//! Measures the time from `cancel` until no code of the scope runs any more.

use heist::{CancelToken, Pool};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Returns the number of ways to place queens on the remaining rows. Computes this number of solutions by a tree of forks.
fn queens(n: u32, columns: u32, left: u32, right: u32) -> u64 {
    let all = (1 << n) - 1;
    if columns == all {
        return 1;
    }
    place(n, columns, left, right, all & !(columns | left | right))
}

/// Forks a branch for each free column.
fn place(n: u32, columns: u32, left: u32, right: u32, free: u32) -> u64 {
    if free == 0 {
        return 0;
    }
    let bit = free & free.wrapping_neg();
    let (a, b) = heist::join(
        || queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1),
        || place(n, columns, left, right, free & !bit),
    );
    a + b
}

/// Measures the time from the cancellation of a search for 14 queens until the search has ended:
/// `cargo test --release -p heist --test cancel latency -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn of_fourteen_queens() {
    let pool = Pool::new(2).unwrap();
    assert_eq!(pool.install(|| queens(8, 0, 0, 0)), 92);
    let mut times: Vec<Duration> = (0..201)
        .map(|round| {
            let token = CancelToken::new();
            let began = AtomicU64::new(0);
            thread::scope(|scope| {
                scope.spawn(|| {
                    began.store(1, Ordering::Release);
                    pool.install(|| token.run(|| queens(14, 0, 0, 0)))
                });
                while began.load(Ordering::Acquire) == 0 {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_micros(1000 + 7 * round));
                let since = Instant::now();
                token.cancel_and_wait();
                since.elapsed()
            })
        })
        .collect();
    times.sort();
    println!(
        "n-queens 14 on 2 workers, cancelled and gone: median {:?}, least {:?}, 95 of 100 {:?}",
        times[100], times[0], times[190]
    );
}
