//! Measurements, printed by `cargo test --release -p
//! heist --lib -- --ignored --nocapture --test-threads 1
//! fiber::measures`.

use super::{Coroutine, FiberLabel, Resumed, StackCache, Stacks, Suspender, stacks};
use std::hint::black_box;
use std::panic::Location;
use std::ptr::null_mut;
use std::time::Instant;

const SIZE: usize = 64 << 10;

#[track_caller]
fn label() -> FiberLabel {
    FiberLabel {
        name: None,
        spawned: Location::caller(),
    }
}

fn make(stacks: &Stacks, body: impl FnOnce(&Suspender, *mut ()) + 'static) -> Coroutine {
    // SAFETY: the bodies own the values that they use, and stay on one thread.
    unsafe { Coroutine::new(stacks.take().unwrap(), label(), body) }
}

/// Returns a coroutine that suspends until it gets an input that is not null.
fn waiting(stacks: &Stacks) -> Coroutine {
    make(stacks, |suspender, mut input| {
        while input.is_null() {
            // SAFETY: this runs on the coroutine's own stack.
            input = unsafe { suspender.suspend() };
        }
    })
}

fn finish(mut coroutine: Coroutine) {
    let one = std::ptr::without_provenance_mut(1);
    assert_eq!(coroutine.resume(one), Resumed::Finished);
}

/// Returns the number of kilobytes in the line `key` of the process's status.
fn status(key: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns the shortest time of several runs, in nanoseconds for each of `count` steps.
fn least(count: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_nanos() as f64 / count as f64);
    }
    best
}

#[test]
#[ignore = "prints figures"]
fn a_switch_there_and_back() {
    const TIMES: usize = 10_000_000;
    let stacks = stacks(SIZE).unwrap();
    let mut coroutine = waiting(&stacks);
    let nanoseconds = least(TIMES, || {
        for _ in 0..TIMES {
            let _ = black_box(coroutine.resume(null_mut()));
        }
    });
    finish(coroutine);
    println!("resume and suspend, one coroutine: {nanoseconds:.2} ns");
}

#[test]
#[ignore = "prints figures"]
fn switches_among_many() {
    let stacks = stacks(SIZE).unwrap();
    for count in [1, 4, 8, 12, 16, 32, 64, 128, 512, 2048, 8192] {
        let mut all: Vec<_> = (0..count).map(|_| waiting(&stacks)).collect();
        let rounds = 2_000_000 / count;
        let nanoseconds = least(rounds * count, || {
            for _ in 0..rounds {
                for coroutine in &mut all {
                    let _ = black_box(coroutine.resume(null_mut()));
                }
            }
        });
        all.into_iter().for_each(finish);
        println!("resume and suspend, round robin among {count:5}: {nanoseconds:6.2} ns");
    }
}

fn lives(stacks: &Stacks, times: usize) {
    for _ in 0..times {
        let mut coroutine = make(stacks, |_, input| {
            black_box(input);
        });
        let _ = black_box(coroutine.resume(null_mut()));
    }
}

#[test]
#[ignore = "prints figures"]
fn a_life() {
    const TIMES: usize = 1_000_000;
    let stacks = stacks(SIZE).unwrap();
    let nanoseconds = least(TIMES, || lives(&stacks, TIMES));
    println!("take a stack, make, run to the end, drop: {nanoseconds:.1} ns");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let nanoseconds = least(TIMES, || {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| lives(&stacks, TIMES));
            }
        });
    });
    println!("the same on {threads} threads at a time: {nanoseconds:.1} ns");
    let nanoseconds = least(TIMES, || {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let mut cache = StackCache::new(stacks.clone());
                scope.spawn(move || {
                    for _ in 0..TIMES {
                        // SAFETY: the body owns the values that it uses, and stays on one thread.
                        let mut coroutine = unsafe {
                            Coroutine::new(cache.take().unwrap(), label(), |_, input| {
                                black_box(input);
                            })
                        };
                        let _ = black_box(coroutine.resume(null_mut()));
                        cache.give(coroutine.into_stack());
                    }
                });
            }
        });
    });
    println!("the same with a cache on each thread: {nanoseconds:.1} ns");
    const BURST: usize = 100_000;
    let start = Instant::now();
    let mut all: Vec<_> = (0..BURST).map(|_| waiting(&stacks)).collect();
    let fresh = start.elapsed().as_nanos() as usize / BURST;
    let start = Instant::now();
    all.drain(..).for_each(finish);
    let ended = start.elapsed().as_nanos() as usize / BURST;
    let start = Instant::now();
    all.extend((0..BURST).map(|_| waiting(&stacks)));
    let again = start.elapsed().as_nanos() as usize / BURST;
    all.into_iter().for_each(finish);
    println!(
        "{BURST} at a time, each: {fresh} ns to make on fresh stacks, {ended} ns to end, {again} ns to make again"
    );
}

#[test]
#[ignore = "prints figures"]
fn memory_of_suspended_ones() {
    const COUNT: usize = 100_000;
    let stacks = stacks(SIZE).unwrap();
    let mut all = Vec::with_capacity(COUNT);
    let before = [status("VmRSS"), status("VmPTE")];
    for _ in 0..COUNT {
        let mut coroutine = waiting(&stacks);
        assert_eq!(coroutine.resume(null_mut()), Resumed::Suspended);
        all.push(coroutine);
    }
    let [resident, tables] = [status("VmRSS") - before[0], status("VmPTE") - before[1]];
    println!(
        "{COUNT} suspended: {} bytes resident and {} of page tables each, of these {} the handle",
        (resident << 10) / COUNT,
        (tables << 10) / COUNT,
        size_of::<Coroutine>()
    );
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    println!("mappings of the process: {}", maps.lines().count());
    all.into_iter().for_each(finish);
    let idle = status("VmRSS") - before[0];
    println!("after all have ended: {} KiB resident", idle);
    assert!((resident << 10) / COUNT <= 4300, "more than a page each");
}
