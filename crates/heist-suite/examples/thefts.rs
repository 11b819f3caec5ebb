//! Measures the cost of a steal under each protocol: the time that the thief waits, and the time that the victim loses.
//!
//! `cargo run --profile measure -p heist-suite --example thefts [-- --check]`
//!
//! - *from a forking victim*: the victim forks every few nanoseconds. A thief steals a few hundred nanoseconds of work, does this work, and
//!   steals again immediately;
//! - *from a long leaf*: the victim forks once and then neither forks nor joins for 200 us.
//!
//! *Latency* is the time from the thief's request until the thief has the work. A free steal has no latency, because it makes no request.
//! *Lost* is the time, by the victim's clock, during which thieves stop the victim, or during which the victim makes frames public. The
//! program runs two workers, which are pinned.
//!
//! With `--check`, the program fails if the median latency of the default protocol is above 300 ns from a forking victim, or above 15 us
//! from a long leaf.

use heist::policy::{
    ChaseLev, Delivery, ForkPath, Polled, Protocol, ReturnBarrier, StopVictim, The,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The length of the measurement in which a thief steals from a forking worker.
const RAID: Duration = Duration::from_millis(400);
/// The number of long leaves, and the length of each.
const LEAVES: usize = 1000;
const LEAF: Duration = Duration::from_micros(200);
/// The maximum median latencies that `--check` accepts.
const FORKING: Duration = Duration::from_nanos(300);
const LONG_LEAF: Duration = Duration::from_micros(15);

fn pool(protocol: Protocol) -> heist::Pool {
    heist::Pool::builder()
        .threads(2)
        .pin(true)
        .protocol(protocol)
        .timed(true)
        .build()
        .expect("a pool of two workers")
}

/// Does several hundred nanoseconds of work without forks.
fn little(seed: u64) -> u64 {
    (0..60).fold(seed, |x, _| {
        (x ^ (x >> 29)).wrapping_mul(6_364_136_223_846_793_005)
    })
}

fn fib<P: ForkPath>(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = P::join(|| fib::<P>(n - 1), || fib::<P>(n - 2));
    a + b
}

/// Prints the result of a measurement, and returns the median latency.
fn report(what: &str, protocol: Protocol, pool: &heist::Pool) -> Option<Duration> {
    let (counters, latency) = (pool.counters(), pool.steal_latency());
    let ns = |ticks: u64| ticks as f64 / heist::ticks_per_second() * 1e9;
    let at = |share| {
        latency
            .quantile(share)
            .map_or("-".to_owned(), |time| format!("{:.0}", time.as_nanos()))
    };
    println!(
        "{what:<16} {:<24} {:>9} {:>6.1} {:>9} {:>9} {:>9} {:>9.1}",
        format!("{protocol:?}"),
        counters.steals,
        100.0 * counters.free_steals as f64 / counters.steals.max(1) as f64,
        at(0.1),
        at(0.5),
        at(0.9),
        ns(counters.lost_ticks) / counters.steals.max(1) as f64,
    );
    latency.quantile(0.5)
}

fn forking<P: ForkPath>(protocol: Protocol) -> Option<Duration> {
    let pool = pool(protocol);
    pool.install(|| {
        let start = Instant::now();
        while start.elapsed() < RAID {
            for seed in 0..100 {
                black_box(P::join(|| fib::<P>(black_box(8)), || little(seed)));
            }
        }
    });
    report("who forks", protocol, &pool)
}

fn long_leaf<P: ForkPath>(protocol: Protocol) -> Option<Duration> {
    let pool = pool(protocol);
    let leaf = || {
        let start = Instant::now();
        while start.elapsed() < LEAF {
            std::hint::spin_loop();
        }
    };
    pool.install(|| {
        for _ in 0..LEAVES {
            // The first fork may answer a request that a hungry thief has already made. The second fork does not.
            P::join(
                || P::join(leaf, || black_box(little(1))),
                || black_box(little(2)),
            );
        }
    });
    report("a long leaf", protocol, &pool)
}

fn main() {
    let check = std::env::args().any(|arg| arg == "--check");
    println!(
        "{:<16} {:<24} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "a theft from", "protocol", "thefts", "free", "latency", "", "", "lost a"
    );
    println!(
        "{:<16} {:<24} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9}",
        "", "", "", "%", "10% ns", "50% ns", "90% ns", "theft ns"
    );
    let default = Protocol::default();
    let medians = [
        (forking::<ReturnBarrier>(default), FORKING),
        (long_leaf::<ReturnBarrier>(default), LONG_LEAF),
    ];
    for delivery in [Delivery::Signal, Delivery::Polling] {
        forking::<ReturnBarrier>(Protocol::ReturnBarrier(delivery));
        long_leaf::<ReturnBarrier>(Protocol::ReturnBarrier(delivery));
    }
    forking::<StopVictim>(Protocol::StopVictim);
    long_leaf::<StopVictim>(Protocol::StopVictim);
    for delivery in [Delivery::Polling, Delivery::Signal, Delivery::Fence] {
        forking::<Polled>(Protocol::Polled(delivery));
        long_leaf::<Polled>(Protocol::Polled(delivery));
    }
    forking::<ChaseLev>(Protocol::ChaseLev);
    long_leaf::<ChaseLev>(Protocol::ChaseLev);
    forking::<The>(Protocol::The);
    long_leaf::<The>(Protocol::The);
    for (median, allowed) in medians {
        if check && median.is_none_or(|median| median > allowed) {
            eprintln!("thefts: the median is {median:?}; {allowed:?} are allowed");
            std::process::exit(1);
        }
    }
}
