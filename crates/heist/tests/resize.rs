//! Pools that change their size while they work.

#![cfg(not(miri))]

#[path = "../examples/jobserver.rs"]
mod jobserver;

use heist::Pool;
use heist::par::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Waits until `holds` returns true, for 30 s at most.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs some jobs of 2 ms, and returns the maximum number that ran at the same time.
fn width(pool: &Pool) -> usize {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool.finish(|scope| {
        for _ in 0..24 {
            scope.spawn(|_| {
                let others = now.fetch_add(1, Ordering::SeqCst);
                most.fetch_max(others + 1, Ordering::SeqCst);
                // This loop does not wait, so no worker gives its slot away.
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(2) {
                    thread::yield_now();
                }
                now.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    most.into_inner()
}

#[test]
fn so_many_workers_work() {
    let pool = Pool::builder().threads(1).max_threads(4).build().unwrap();
    assert_eq!((pool.size(), pool.threads()), (1, 4));
    assert_eq!(pool.install(|| fib(18)), 2584);
    // Threads that have not retired yet may take a job.
    eventually("one", || width(&pool) == 1);
    for size in [4, 2, 3, 1, 4] {
        pool.resize(size);
        assert_eq!(pool.size(), size);
        eventually("the size", || width(&pool) == size);
        // A thread that had not retired yet may have come late to the last round.
        eventually("it stays", || (0..5).all(|_| width(&pool) <= size));
    }
    assert_eq!((pool.resize(0), pool.resize(99), pool.size()), (4, 1, 4));
}

#[test]
fn a_worker_in_its_start_handler_is_not_the_only_one() {
    // The stage is 0 before the first handler begins, 1 while it waits, and 2 when it may return.
    let stage = Arc::new(AtomicUsize::new(0));
    let first = stage.clone();
    let pool = Pool::builder()
        .threads(2)
        .start_handler(move |_| {
            let begins = first.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
            while begins.is_ok() && first.load(Ordering::SeqCst) != 2 {
                thread::sleep(Duration::from_millis(1));
            }
        })
        .build()
        .unwrap();
    let pool = Arc::new(pool);
    eventually("a handler", || stage.load(Ordering::SeqCst) == 1);
    pool.resize(1);
    // If the handler of this worker were not waiting, the worker would retire during this sleep.
    thread::sleep(Duration::from_millis(50));
    let (runs, result) = (pool.clone(), mpsc::channel());
    thread::spawn(move || result.0.send(runs.install(|| fib(12))));
    let early = result.1.recv_timeout(Duration::from_secs(20));
    stage.store(2, Ordering::SeqCst);
    assert_eq!(early, Ok(144), "a worker is left that runs jobs");
    // After that, one of the two workers retires.
    eventually("one", || width(&pool) == 1);
}

#[test]
fn what_is_queued_is_handed_over() {
    for _ in 0..50 {
        let pool = Arc::new(Pool::new(3).unwrap());
        let done = Arc::new(AtomicU64::new(0));
        let (resizing, counted) = (pool.clone(), done.clone());
        // The tasks are in the deque of the worker that spawns them. This worker may retire before they have run.
        pool.install(move || {
            for _ in 0..1000 {
                let counted = counted.clone();
                heist::spawn_detached(move || {
                    counted.fetch_add(1, Ordering::Relaxed);
                });
            }
            resizing.resize(1);
        });
        eventually("all have run", || done.load(Ordering::Relaxed) == 1000);
    }
}

#[test]
fn broadcasts_reach_all() {
    let pool = Pool::new(4).unwrap();
    for round in 0..200 {
        pool.resize(1 + round % 4);
        let all = pool.broadcast(|index| index);
        assert_eq!(all, [0, 1, 2, 3]);
    }
}

#[test]
fn pools_end_at_any_size() {
    for size in 1..5 {
        let pool = Pool::new(4).unwrap();
        pool.resize(size);
        let (sender, receiver) = mpsc::channel();
        for i in 0..20 {
            let sender = sender.clone();
            pool.spawn_detached(move || sender.send(i).unwrap());
        }
        drop((pool, sender));
        assert_eq!(receiver.into_iter().sum::<i32>(), 190);
    }
}

#[test]
fn waiters_and_spares_go_on() {
    let pool = Pool::new(3).unwrap();
    pool.resize(1);
    // More tasks than workers wait, until the last one arrives.
    let latch = Arc::new(heist::sync::Barrier::new(8));
    let tasks: Vec<_> = (0..8)
        .map(|i| {
            let latch = latch.clone();
            pool.spawn(move || {
                latch.wait();
                fib(10) + i
            })
        })
        .collect();
    pool.resize(2);
    let sum: u64 = tasks.into_iter().map(|task| task.join().unwrap()).sum();
    assert_eq!(sum, 8 * 55 + 28);
}

#[test]
fn sizes_at_random_under_load() {
    let seconds = if cfg!(debug_assertions) { 10 } else { 3 };
    let pool = Arc::new(Pool::new(4).unwrap());
    let over = Arc::new(AtomicBool::new(false));
    let rounds = Arc::new(AtomicU64::new(0));
    let loads: Vec<_> = (0..3)
        .map(|kind| {
            let (pool, over, rounds) = (pool.clone(), over.clone(), rounds.clone());
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    match kind {
                        0 => assert_eq!(pool.install(|| fib(16)), 987),
                        1 => {
                            let sum: u64 = pool.install(|| (0..10_000_u64).par().sum());
                            assert_eq!(sum, 49_995_000);
                        }
                        _ => {
                            let count = AtomicU64::new(0);
                            pool.finish(|scope| {
                                for _ in 0..100 {
                                    scope.spawn(|_| {
                                        count.fetch_add(fib(5), Ordering::Relaxed);
                                    });
                                }
                            });
                            assert_eq!(count.into_inner(), 500);
                            assert_eq!(pool.broadcast(|index| index).len(), 4);
                        }
                    }
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let begin = Instant::now();
    let mut random = 1_u64;
    let (mut before, mut changes) = (0, 0);
    while begin.elapsed() < Duration::from_secs(seconds) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        pool.resize(1 + (random % 4) as usize);
        changes += 1;
        thread::sleep(Duration::from_micros(random >> 8 & 1023));
        if changes % 1000 == 0 {
            let now = rounds.load(Ordering::Relaxed);
            assert!(now > before, "no load ends a round any more");
            before = now;
        }
    }
    over.store(true, Ordering::Relaxed);
    for load in loads {
        load.join().unwrap();
    }
}

#[test]
fn the_variable_is_followed() {
    // The test runs in a separate process, because it changes an environment variable.
    const CHILD: &str = "HEIST_RESIZE_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_variable_is_followed", "--test-threads", "1"])
            .env(CHILD, "1")
            .env("HEIST_NUM_THREADS", "2")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let pool = Pool::builder()
        .max_threads(6)
        .follow_cpus(Duration::from_millis(2))
        .build()
        .unwrap();
    assert_eq!((pool.size(), pool.threads()), (2, 6));
    for (value, size) in [("5", 5), ("64", 6), ("1", 1)] {
        // SAFETY: no other thread of this process changes the environment, and Rust's own readers of it take its lock.
        unsafe { std::env::set_var("HEIST_NUM_THREADS", value) };
        eventually("the size follows", || pool.size() == size);
        assert_eq!(pool.install(|| fib(12)), 144);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn tokens_of_a_jobserver_come_back() {
    use std::io::{Read, Write};
    const CHILD: &str = "HEIST_JOBSERVER_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        jobserver::main().unwrap();
        return;
    }
    let path = std::env::temp_dir().join(format!("heist-jobserver-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let mut pipe = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    pipe.write_all(b"ab").unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tokens_of_a_jobserver_come_back", "--nocapture"])
        .env(CHILD, "1")
        .env(
            "MAKEFLAGS",
            format!(" -j3 --jobserver-auth=fifo:{}", path.display()),
        )
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("tokens were held"), "{text}");
    let mut tokens = [0; 2];
    pipe.read_exact(&mut tokens).unwrap();
    tokens.sort_unstable();
    assert_eq!(&tokens, b"ab");
    std::fs::remove_file(path).unwrap();
}
