//! Measures two times: the time of a race without a thief, and the time from the moment at which a branch has won until both
//! branches have ended.

use crate::queens::{is_placement, queens};
use heist::{CancelToken, Pool};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Runs a tree of races. No branch has a result, so the search visits all nodes.
fn vain(n: u32, columns: u32, left: u32, right: u32) -> Option<()> {
    let all = (1 << n) - 1;
    if columns == all {
        return None;
    }
    vain_row(n, columns, left, right, all & !(columns | left | right))
}

fn vain_row(n: u32, columns: u32, left: u32, right: u32, free: u32) -> Option<()> {
    if free == 0 {
        return None;
    }
    let bit = free & free.wrapping_neg();
    heist::race_hint(
        || vain(n, columns | bit, (left | bit) << 1, (right | bit) >> 1),
        || vain_row(n, columns, left, right, free & !bit),
    )
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[times.len() * part / 100];
    println!(
        "{what}: median {:?}, least {:?}, 95 of 100 {:?}",
        at(50),
        times[0],
        at(95)
    );
}

/// Measures the two times of the module's documentation in searches for 14 queens:
/// `cargo test --release -p heist --test race latency -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn of_fourteen_queens() {
    let pool = Pool::new(2).unwrap();
    assert!(is_placement(
        14,
        &pool.install(|| queens(14, 0, 0, 0)).unwrap()
    ));

    let cancelled = (0..201).map(|round| {
        let token = CancelToken::new();
        let began = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                began.store(true, Ordering::Release);
                pool.install(|| token.run(|| vain(14, 0, 0, 0)))
            });
            while !began.load(Ordering::Acquire) {
                thread::yield_now();
            }
            thread::sleep(Duration::from_micros(1000 + 7 * round));
            let since = Instant::now();
            token.cancel_and_wait();
            since.elapsed()
        })
    });
    tell(
        "races for 14 queens on 2 workers, cancelled and gone",
        cancelled.collect(),
    );

    let won = (0..201).map(|round| {
        let at = Mutex::new(None);
        pool.install(|| {
            heist::race(
                || vain(14, 0, 0, 0),
                || {
                    let until = Instant::now() + Duration::from_micros(1000 + 7 * round);
                    while Instant::now() < until {
                        std::hint::spin_loop();
                    }
                    *at.lock().unwrap() = Some(Instant::now());
                    Some(())
                },
            )
        });
        let end = Instant::now();
        end - at.into_inner().unwrap().unwrap()
    });
    tell(
        "a race for 14 queens that the other branch wins, until it returns",
        won.collect(),
    );
}
