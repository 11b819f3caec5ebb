//! Measures the time for which a program waits for its first parallel call, and for the end of its pool. Each figure comes from a
//! new process, because the slow part of the first call happens once in a process. On a loaded machine a single figure means
//! nothing. So the test requires only that some of the figures are small.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time within which a first parallel call should end. With several threads, `membarrier` alone would take 8 to 18 ms.
const FIRST_CALL: Duration = Duration::from_millis(2);
/// The time within which a pool should end after work. A typical drop takes 0.3 ms. If each drop included a nap of 1 ms, nine of
/// ten drops would take at least 1.2 ms.
const DROP: Duration = Duration::from_micros(900);
/// The maximum number of processes that the test starts until one of them is fast.
const PROCESSES: u32 = 100;
/// The maximum time until joins no longer take the lock in a process that had several threads before its first call of Heist.
const CHANGE: Duration = Duration::from_secs(20);

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Makes the first parallel call of this process, and returns its time.
fn first_call() -> Duration {
    let began = Instant::now();
    let pool = heist::Pool::new(2).unwrap();
    assert_eq!(pool.install(|| heist::join(|| 1, || 2)), (1, 2));
    let took = began.elapsed();
    std::mem::forget(pool);
    took
}

/// Starts threads, as a program may before its first call of Heist.
fn have_threads() {
    for _ in 0..3 {
        thread::spawn(|| {
            loop {
                thread::park();
            }
        });
    }
}

/// Forks before, during and after the moment at which the fence becomes available. Checks that joins no longer need the lock once the fence
/// is available.
fn change_over() {
    have_threads();
    let pool = heist::Pool::new(2).unwrap();
    let began = Instant::now();
    // In the first loops, each join takes the lock. In a later loop, only the few joins that met a thief take the lock.
    let mut locked = false;
    loop {
        let before = pool.counters().barrier_hits;
        assert_eq!(pool.install(|| fib(18)), 2584);
        let hits = pool.counters().barrier_hits - before;
        locked |= hits > 4000;
        if hits < 400 {
            break;
        }
        assert!(began.elapsed() < CHANGE, "{hits} joins still take the lock");
    }
    println!("{}", u64::from(locked));
    assert!(heist::asymmetric_fence_available());
}

/// Does the work of a child process, and prints its result as a number.
fn child(what: &str) {
    match what {
        "alone" => println!("{}", first_call().as_micros()),
        "threads" => {
            have_threads();
            println!("{}", first_call().as_micros());
        }
        "change" => change_over(),
        "busy" => {
            // In this case the fence becomes available while other threads of the program compute.
            static OVER: AtomicBool = AtomicBool::new(false);
            let other = thread::spawn(|| {
                while !OVER.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            change_over();
            OVER.store(true, Ordering::Relaxed);
            other.join().unwrap();
        }
        what => panic!("no such child: {what}"),
    }
}

fn run(what: &str) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .env("HEIST_TEST_CHILD", what)
        .output()
        .unwrap();
    assert!(output.status.success(), "{what}: {output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

fn first_calls(what: &str) {
    let mut least = Duration::MAX;
    for _ in 0..PROCESSES {
        least = least.min(Duration::from_micros(run(what)));
        if least < FIRST_CALL {
            println!("{what}: the first parallel call took {least:?}");
            return;
        }
    }
    panic!("{what}: the first parallel call of {PROCESSES} processes took {least:?} at least");
}

/// Drops pools immediately after work, in several rounds. In at least one round, most drops should be short.
fn drops() {
    const ROUNDS: Duration = Duration::from_secs(30);
    const DROPS: usize = 30;
    let mut medians = Vec::new();
    let since = Instant::now();
    while since.elapsed() < ROUNDS {
        let mut times = Vec::new();
        for _ in 0..DROPS {
            let pool = heist::Pool::new(4).unwrap();
            assert_eq!(pool.install(|| fib(15)), 610);
            let began = Instant::now();
            drop(pool);
            times.push(began.elapsed());
        }
        times.sort_unstable();
        let median = times[DROPS / 2];
        if median < DROP {
            println!("to drop a pool took {median:?} in the median");
            return;
        }
        medians.push(median);
    }
    medians.sort_unstable();
    panic!(
        "to drop a pool takes {:?} and more in the median",
        medians[0]
    );
}

fn main() {
    if let Ok(what) = std::env::var("HEIST_TEST_CHILD") {
        child(&what);
        return;
    }
    first_calls("alone");
    first_calls("threads");
    drops();
    if heist::asymmetric_fence_available() {
        // At least one process must find that joins take the lock before the change.
        for what in ["change", "busy"] {
            assert!(
                (0..PROCESSES).any(|_| run(what) == 1),
                "{what}: no join took the lock"
            );
        }
    }
}
