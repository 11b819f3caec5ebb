//! The same programs under each policy.

use super::*;

#[test]
fn tasks_run_once_and_may_borrow() {
    everywhere(|pool, policy| {
        for tasks in [0, 1, 2, 7, 8, 9, 100, 5_000] {
            let mut runs = vec![0_usize; tasks];
            let sum = pool.finish_with(policy, |f| {
                let mut sum = 0;
                for (i, run) in runs.iter_mut().enumerate() {
                    f.spawn(move |_| *run += i);
                    sum += i;
                }
                sum
            });
            assert!(
                runs.iter().enumerate().all(|(i, &run)| run == i),
                "{policy}"
            );
            assert_eq!(sum, (0..tasks).sum());
        }
    });
}

fn tree<'s>(f: &Finish<'s>, depth: usize, leaves: &'s AtomicUsize) {
    if depth == 0 {
        count(leaves);
        return;
    }
    f.spawn(move |f| tree(f, depth - 1, leaves));
    f.spawn(move |f| tree(f, depth - 1, leaves));
}

#[test]
fn tasks_spawn_tasks() {
    everywhere(|pool, policy| {
        for _ in 0..5 {
            let leaves = AtomicUsize::new(0);
            pool.finish_with(policy, |f| tree(f, 12, &leaves));
            assert_eq!(leaves.into_inner(), 1 << 12, "{policy}");
        }
    });
}

fn fib(policy: SpawnPolicy, n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (mut a, mut b) = (0, 0);
    finish_with(policy, |f| {
        f.spawn(|_| a = fib(policy, n - 1));
        b = fib(policy, n - 2);
    });
    a + b
}

#[test]
fn scopes_nest() {
    everywhere(|pool, policy| {
        assert_eq!(pool.install(|| fib(policy, 16)), 987, "{policy}");
    });
}

#[test]
fn scopes_of_all_policies_nest_in_each_other() {
    everywhere(|pool, outer| {
        let ran = AtomicUsize::new(0);
        pool.finish_with(outer, |f| {
            for _ in 0..10 {
                let ran = &ran;
                f.spawn(move |f| {
                    for inner in ALL {
                        finish_with(inner, |g| {
                            for _ in 0..10 {
                                g.spawn(move |_| count(ran));
                                f.spawn(move |_| count(ran));
                            }
                            count(ran);
                        });
                    }
                });
            }
        });
        assert_eq!(ran.into_inner(), 10 * 4 * 21, "{outer}");
    });
}

#[test]
fn scopes_in_joins_and_joins_in_tasks() {
    everywhere(|pool, policy| {
        let ran = AtomicUsize::new(0);
        fn split(depth: usize, leaf: &(impl Fn() + Sync)) {
            if depth == 0 {
                leaf();
            } else {
                join(|| split(depth - 1, leaf), || split(depth - 1, leaf));
            }
        }
        pool.install(|| {
            split(5, &|| {
                finish_with(policy, |f| {
                    for _ in 0..5 {
                        let ran = &ran;
                        f.spawn(move |f| {
                            // Both sides of a join spawn tasks, through the task's own handle.
                            join(
                                || split(2, &|| f.spawn(move |_| count(ran))),
                                || f.spawn(move |_| count(ran)),
                            );
                            f.spawn(move |_| count(ran));
                        });
                    }
                });
            });
        });
        assert_eq!(ran.into_inner(), 32 * 5 * 6, "{policy}");
    });
}

/// Runs a scope that panics at the places in `bad`: in its tasks, in tasks of tasks, in the middle
/// of the body and at its end.
fn panics(policy: SpawnPolicy, bad: &(dyn Fn(&str) -> bool + Sync), ran: &AtomicUsize) {
    let at = |place: String| {
        count(ran);
        if bad(&place) {
            resume_unwind(Box::new(place));
        }
    };
    finish_with(policy, |f| {
        for i in 0..12 {
            f.spawn(move |f| {
                for j in 0..3 {
                    f.spawn(move |_| at(format!("{i}.{j}")));
                }
                at(format!("{i}"));
            });
            if i == 5 {
                // A panic in the middle of the body counts as later than the panics of all tasks that the body had spawned.
                at("middle".to_owned());
            }
        }
        at("end".to_owned());
    });
}

#[test]
fn the_leftmost_panic_wins_in_every_position() {
    // Each case has the places that panic, the place whose panic wins, and the number of places that run.
    let cases: [(&[&str], &str, usize); 8] = [
        (&["end"], "end", 50),
        (&["3"], "3", 50),
        (&["7.1"], "7.1", 50),
        (&["end", "11", "4.2", "4"], "4.2", 50),
        (&["4", "4.2", "5.0"], "4.2", 50),
        (&["middle"], "middle", 25),
        (&["middle", "5.2", "end"], "5.2", 25),
        (&["0.0", "0", "middle"], "0.0", 25),
    ];
    everywhere(|pool, policy| {
        for _ in 0..5 {
            for (bad, first, reached) in cases {
                let ran = AtomicUsize::new(0);
                let bad = |place: &str| bad.contains(&place);
                let payload = catch_unwind(AssertUnwindSafe(|| {
                    pool.install(|| panics(policy, &bad, &ran));
                }))
                .unwrap_err();
                assert_eq!(*payload.downcast::<String>().unwrap(), first, "{policy}");
                assert_eq!(ran.into_inner(), reached, "{policy}: {first}");
            }
        }
    });
}

#[test]
fn tasks_wait_for_futures_and_locks() {
    everywhere(|pool, policy| {
        let lock = heist::sync::Mutex::new(0);
        pool.finish_with(policy, |f| {
            let lock = &lock;
            for i in 0..20_u64 {
                f.spawn(move |f| {
                    let future = heist::spawn(move || i);
                    f.spawn(move |_| *lock.lock() += 1);
                    *lock.lock() += future.join().unwrap();
                });
            }
        });
        assert_eq!(*lock.lock(), 190 + 20, "{policy}");
    });
}

#[test]
fn scopes_in_fibers_and_suspending_tasks_in_scopes() {
    everywhere(|pool, policy| {
        let all: Vec<_> = (0..20)
            .map(|_| pool.spawn_fiber(move || fib(policy, 8)))
            .collect();
        for fiber in all {
            assert_eq!(*fiber.get(), 21, "{policy}");
        }
        // The bodies of these scopes wait, but occupy no thread.
        let handovers = pool.counters().handovers;
        let barrier = Arc::new(heist::sync::Barrier::new(20));
        let all: Vec<_> = (0..20)
            .map(|_| {
                let barrier = Arc::clone(&barrier);
                pool.spawn_fiber(move || {
                    finish_with(policy, |f| {
                        f.spawn(|_| ());
                        barrier.wait();
                    });
                })
            })
            .collect();
        all.iter().for_each(|fiber| *fiber.get());
        assert_eq!(pool.counters().handovers, handovers, "{policy}");
        let barrier = heist::sync::Barrier::new(30);
        let ran = AtomicUsize::new(0);
        pool.finish_with(policy, |f| {
            for _ in 0..10 {
                let (barrier, ran) = (&barrier, &ran);
                f.spawn_async(async move {
                    barrier.wait_async().await;
                    count(ran);
                });
                f.spawn_fiber(move || {
                    barrier.wait();
                    finish(|f| f.spawn(move |_| count(ran)));
                });
                f.spawn(move |f| {
                    f.spawn_async(async move {
                        barrier.wait_async().await;
                        count(ran);
                    });
                });
            }
        });
        assert_eq!(ran.into_inner(), 30, "{policy}");
    });
}

#[test]
fn asyncs_stand_in_the_order_of_spawns() {
    everywhere(|pool, policy| {
        let payload = catch_unwind(AssertUnwindSafe(|| {
            pool.finish_with(policy, |f| {
                f.spawn(|_| ());
                f.spawn_async(async { resume_unwind(Box::new(1)) });
                f.spawn(|_| resume_unwind(Box::new(2)));
            });
        }))
        .unwrap_err();
        assert_eq!(*payload.downcast::<i32>().unwrap(), 1, "{policy}");
    });
}
