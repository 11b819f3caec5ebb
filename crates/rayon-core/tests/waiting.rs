//! Tests of the jobs that a waiting worker may run. Users of rayon have reported three faults. These faults cannot
//! occur if a waiter runs only descendants of the job for which it waits. Each test fails on rayon-core's own
//! scheduler.

use rayon_core::{ThreadPool, ThreadPoolBuilder, current_thread_index, join, spawn};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Runs `work` on a new thread. Returns false if `work` has not ended after the time `within`. In this case the thread continues to run.
fn ends(within: Duration, work: impl FnOnce() + Send + 'static) -> bool {
    let (done, end) = channel();
    let worker = thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    match end.recv_timeout(within) {
        Ok(()) => {
            worker.join().unwrap();
            true
        }
        Err(RecvTimeoutError::Disconnected) => {
            worker.join().unwrap();
            false
        }
        Err(RecvTimeoutError::Timeout) => false,
    }
}

/// Runs many jobs from outside on four workers. Each job calls `around` with a join whose right side other workers
/// steal.
fn jobs_that_join(around: impl Fn(&dyn Fn()) + Sync) {
    let around = &around;
    pool(4).in_place_scope(|scope| {
        for _ in 0..500 {
            scope.spawn(move |_| {
                around(&|| {
                    join(
                        || thread::sleep(Duration::from_micros(50)),
                        || thread::sleep(Duration::from_micros(300)),
                    );
                });
            });
        }
    });
}

/// Checks jobs that hold a lock of their thread across a join, while other jobs of the pool need the same lock. In
/// programs, a `RefCell` in thread-local storage may take the place of the lock. A waiter that ran one of the other
/// jobs would wait for its own lock (rayon issue 592).
#[test]
fn a_lock_held_across_a_join_is_no_deadlock() {
    assert!(ends(Duration::from_secs(60), || {
        let locks = [const { Mutex::new(0) }; 4];
        jobs_that_join(|join| {
            let mut held = locks[current_thread_index().unwrap()].lock().unwrap();
            join();
            *held += 1;
        });
        let all: i32 = locks.map(|lock| lock.into_inner().unwrap()).iter().sum();
        assert_eq!(all, 500);
    }));
}

/// Checks that waiters do not run unrelated jobs on top of waiting jobs: otherwise stacks would grow with the number of
/// jobs (rayon issue 751).
#[test]
fn stolen_work_does_not_pile_up_on_stacks() {
    thread_local! {
        static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }
    let deepest = AtomicUsize::new(0);
    jobs_that_join(|join| {
        DEPTH.set(DEPTH.get() + 1);
        deepest.fetch_max(DEPTH.get(), Ordering::Relaxed);
        join();
        DEPTH.set(DEPTH.get() - 1);
    });
    assert_eq!(deepest.into_inner(), 1, "jobs on top of one that waits");
}

/// Checks a join whose sides end while another job runs for a long time (rayon issue 1054): the join must not wait
/// for that job.
#[test]
fn a_join_does_not_wait_for_a_strangers_job() {
    let pool = pool(2);
    let once = || {
        let (ended, end) = channel();
        let took = pool.install(move || {
            let stolen = AtomicBool::new(false);
            let since = Instant::now();
            join(
                || {
                    while !stolen.load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                    // The thread that waits for the other side of the join finds this job.
                    spawn(move || {
                        thread::sleep(Duration::from_millis(300));
                        ended.send(()).unwrap();
                    });
                },
                || {
                    stolen.store(true, Ordering::Release);
                    thread::sleep(Duration::from_millis(20));
                },
            );
            since.elapsed()
        });
        end.recv().unwrap();
        took
    };
    // The loop counts five short joins. A join that waits for the long job takes 300 ms, but so may a join during which
    // the machine is stopped, so the test allows fewer than half of the joins to be long.
    let (mut short, mut long) = (0, Vec::new());
    while short < 5 {
        match once() {
            took if took < Duration::from_millis(200) => short += 1,
            took => long.push(took),
        }
        assert!(
            long.len() < 5,
            "joins of 20 ms took {long:?}, and only {short} were short"
        );
    }
}
