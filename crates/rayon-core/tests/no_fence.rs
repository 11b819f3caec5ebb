//! Tests of pools without the asymmetric fence, as in a process that had several threads before its
//! first pool.

use rayon_core::{ThreadPoolBuilder, join};
use std::thread;
use std::time::Duration;

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Checks a worker that stops searching and sets the request words of the other workers. One of these was a thread of
/// the program, which has ended. Its stack is larger than the stacks that the C library caches, so its memory is
/// unmapped.
#[test]
fn workers_look_at_no_words_of_a_thread_that_has_ended() {
    // SAFETY: this test is alone in its process, which has no other thread that uses the environment.
    unsafe { std::env::set_var("HEIST_NO_MEMBARRIER", "1") };
    for threads in [2, 8] {
        let adopted = move || {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .use_current_thread()
                .build()
                .unwrap();
            (pool.install(|| fib(10)), pool)
        };
        let adopted = thread::Builder::new().stack_size(256 << 20).spawn(adopted);
        let (first, pool) = adopted.unwrap().join().unwrap();
        assert_eq!(first, 55);
        // Each time the timer wakes a worker, the worker finds a side of the join to run, and sets the
        // request words of the other workers.
        let side = || thread::sleep(Duration::from_millis(8));
        for _ in 0..20 {
            thread::sleep(Duration::from_millis(1));
            pool.install(|| join(side, side));
        }
    }
}
