//! Results, nesting, panics, and work that is not cancelled.

use crate::{Census, fib, fork_for_ever, until};
use heist::{CancelToken, Cancelled, Pool, cancellable};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[test]
fn results_come_back() {
    assert_eq!(cancellable(|_| fib(15)), Ok(610));
    // Work that ends normally returns its value, even if its scope was cancelled.
    assert_eq!(
        cancellable(|token| {
            token.cancel();
            7
        }),
        Ok(7)
    );
    assert!(!heist::is_cancelled());
    heist::check_cancelled();
}

#[test]
fn a_token_may_be_used_before_and_after() {
    let token = CancelToken::new();
    assert_eq!(token.run(|| 1), Ok(1));
    assert_eq!(token.run(|| 2), Ok(2));
    assert!(!token.is_cancelled());
    assert!(token.cancel());
    assert!(!token.cancel() && token.is_cancelled());
    assert_eq!(token.run(|| unreachable!()), Err::<(), _>(Cancelled));
    assert!(!token.cancel_and_wait());
    let kept = Mutex::new(None);
    assert_eq!(
        cancellable(|token| *kept.lock().unwrap() = Some(token.clone())),
        Ok(())
    );
    let token = kept.into_inner().unwrap().unwrap();
    assert!(token.cancel_and_wait());
}

#[test]
fn a_token_stops_all_that_it_runs() {
    let token = CancelToken::new();
    let census = Census::default();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(token.run(|| fork_for_ever(&census, 9)), Err(Cancelled)));
        }
        until("three", || census.alive() >= 3);
        token.cancel();
    });
    assert_eq!(census.alive(), 0);
}

#[test]
fn an_inner_scope_leaves_the_outer_alone() {
    let result = cancellable(|outer| {
        let (inner, beside) = heist::join(
            || {
                cancellable(|inner| {
                    assert!(!outer.is_cancelled());
                    inner.cancel();
                    fork_for_ever(&Census::default(), 9);
                })
            },
            || fib(16),
        );
        assert_eq!(inner, Err(Cancelled));
        assert!(!heist::is_cancelled() && !outer.is_cancelled());
        beside + fib(10)
    });
    assert_eq!(result, Ok(987 + 55));
}

#[test]
fn an_outer_scope_ends_the_inner_ones() {
    let census = Census::default();
    let went_on = AtomicBool::new(false);
    let result = cancellable(|outer| {
        let inner = cancellable(|inner| {
            heist::join(
                || fork_for_ever(&census, 9),
                || {
                    let deep = cancellable(|_| {
                        outer.cancel();
                        assert!(inner.is_cancelled() && heist::is_cancelled());
                        fork_for_ever(&census, 9);
                    });
                    went_on.store(true, Ordering::Relaxed);
                    deep
                },
            )
        });
        went_on.store(true, Ordering::Relaxed);
        inner.is_ok()
    });
    assert_eq!(result, Err(Cancelled));
    assert!(!went_on.into_inner());
    assert_eq!(census.alive(), 0);
}

fn text(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    (*payload.downcast::<&str>().unwrap()).to_owned()
}

#[test]
fn a_panic_wins() {
    for threads in [1, 2, 3] {
        let pool = Pool::new(threads).unwrap();
        for round in 0..20 {
            // The left or the right side panics, either before or after the cancellation.
            let told = text(|| {
                let _ = pool.cancellable(|token| {
                    heist::join(
                        || {
                            token.cancel();
                            if round % 2 == 0 {
                                panic!("left");
                            }
                            fork_for_ever(&Census::default(), 9);
                        },
                        || (),
                    )
                });
                if round % 2 == 1 {
                    panic!("left");
                }
            });
            assert_eq!(told, "left");
        }
    }
    // The right side panics on another thread while the cancellation unwinds the left side.
    let pool = Pool::new(2).unwrap();
    let (begun, go) = (AtomicBool::new(false), AtomicBool::new(false));
    let told = text(|| {
        let _ = pool.cancellable(|token| {
            heist::join(
                || {
                    until("the theft", || begun.load(Ordering::Acquire));
                    token.cancel();
                    go.store(true, Ordering::Release);
                    heist::check_cancelled();
                },
                || {
                    begun.store(true, Ordering::Release);
                    until("the cancellation", || go.load(Ordering::Acquire));
                    panic!("right");
                },
            )
        });
    });
    assert_eq!(told, "right");
    // A task of a scope panics while other tasks are cancelled.
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        let told = text(|| {
            let _ = pool.cancellable(|token| {
                heist::finish(|f| {
                    f.spawn(|_| ());
                    f.spawn(|_| {
                        token.cancel();
                        panic!("a task")
                    });
                    f.spawn(|_| ());
                    heist::check_cancelled();
                });
            });
        });
        assert_eq!(told, "a task");
    }
}

#[test]
fn a_time_limit_cancels() {
    use heist::{with_deadline, with_timeout};
    use std::time::{Duration, Instant};
    let census = Census::default();
    let begin = Instant::now();
    let result = with_timeout(Duration::from_millis(20), |_| fork_for_ever(&census, 9));
    assert_eq!(result, Err(Cancelled));
    assert!(begin.elapsed() >= Duration::from_millis(20));
    assert_eq!(census.alive(), 0);
    // In the first case the inner limit is shorter than the outer one, and in the second case it is longer.
    let inner = with_timeout(Duration::MAX, |_| {
        with_timeout(Duration::from_millis(5), |_| fork_for_ever(&census, 9))
    });
    assert_eq!(inner, Ok(Err(Cancelled)));
    let outer = with_timeout(Duration::from_millis(5), |_| {
        with_timeout(Duration::from_secs(1000), |_| fork_for_ever(&census, 9))
    });
    assert_eq!(outer, Err(Cancelled));
    let past = with_deadline(begin, |_| unreachable!());
    assert_eq!(past, Err::<(), _>(Cancelled));
    assert_eq!(
        with_timeout(Duration::from_secs(1000), |_| fib(12)),
        Ok(144)
    );
    assert_eq!(census.alive(), 0);
}

#[test]
fn a_caught_cancellation_comes_again() {
    let caught = AtomicBool::new(false);
    let result = cancellable(|token| {
        token.cancel();
        let stopped = catch_unwind(heist::check_cancelled);
        caught.store(stopped.is_err(), Ordering::Relaxed);
        fib(10)
    });
    assert_eq!(result, Err(Cancelled));
    assert!(caught.into_inner());
}

#[test]
fn destructors_may_fork() {
    struct Forks<'a>(&'a Mutex<Vec<u64>>, &'a Pool);
    impl Drop for Forks<'_> {
        fn drop(&mut self) {
            use heist::par::prelude::*;
            let sum = AtomicU64::new(fib(12));
            heist::finish(|f| {
                for _ in 0..100 {
                    f.spawn(|_| {
                        sum.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
            let more: u64 = (0..10_000_u64).par().map(|i| i % 2).sum();
            let inner = cancellable(|_| fib(10));
            let elsewhere = self.1.install(|| fib(10));
            let all = sum.into_inner() + more + inner.unwrap() + elsewhere;
            self.0.lock().unwrap().push(all);
        }
    }
    let other = Pool::new(1).unwrap();
    for threads in [1, 2, 2, 2, 2, 3] {
        let seen = Mutex::new(Vec::new());
        let result = Pool::new(threads).unwrap().cancellable(|token| {
            let _forks = Forks(&seen, &other);
            token.cancel();
            fork_for_ever(&Census::default(), 9);
        });
        assert_eq!(result, Err(Cancelled));
        assert_eq!(seen.into_inner().unwrap(), [144 + 100 + 5000 + 55 + 55]);
    }
}

#[test]
fn work_beside_the_scope_is_not_stopped() {
    let pool = Pool::new(2).unwrap();
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let (sum, cancelled) = pool.install(|| {
            heist::join(
                || fib(14),
                || {
                    cancellable(|token| {
                        heist::join(|| fork_for_ever(&Census::default(), 9), || token.cancel())
                    })
                    .is_err()
                },
            )
        });
        assert_eq!((sum, cancelled), (377, true));
    }
}

#[test]
fn a_task_belongs_to_the_scope_of_its_finish() {
    let done = AtomicBool::new(false);
    heist::finish(|f| {
        let inner = cancellable(|token| {
            f.spawn(|_| {
                assert!(!heist::is_cancelled());
                assert_eq!(fib(10), 55);
                done.store(true, Ordering::Relaxed);
            });
            token.cancel();
            heist::check_cancelled();
        });
        assert_eq!(inner, Err(Cancelled));
    });
    assert!(done.into_inner());
}

#[test]
#[should_panic(expected = "would wait for its own end")]
fn work_does_not_wait_for_its_own_end() {
    let _ = cancellable(|outer| cancellable(|_| outer.cancel_and_wait()));
}

#[test]
fn an_error_that_is_thrown_elsewhere_is_a_panic() {
    let caught = catch_unwind(|| {
        let _ = cancellable(|_| std::panic::resume_unwind(Box::new(Cancelled)));
    });
    assert!(caught.unwrap_err().is::<Cancelled>());
}
