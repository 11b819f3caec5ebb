//! Spawn policies: the same programs under each of them.

use heist::{Fibers, Finish, Pool, SpawnPolicy, finish, finish_with, join};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

const ALL: [SpawnPolicy; 4] = [
    SpawnPolicy::HelpFirst,
    SpawnPolicy::WorkFirst,
    SpawnPolicy::WorkSharing,
    SpawnPolicy::Adaptive,
];
const SIZES: [usize; 4] = [1, 2, 3, 8];

fn pool(threads: usize) -> Pool {
    // SAFETY: nothing in these tests keeps what belongs to a thread across a spawn.
    let builder = unsafe { Pool::builder().threads(threads).fibers(Fibers::new()) };
    builder.build().unwrap()
}

/// Every policy on pools of every size.
fn everywhere(test: impl Fn(&Pool, SpawnPolicy)) {
    for threads in SIZES {
        let pool = pool(threads);
        for policy in ALL {
            test(&pool, policy);
            assert_eq!(pool.install(|| 5), 5, "{policy} on {threads}");
        }
    }
}

/// Not inlined: see `Builder::fibers`.
#[inline(never)]
fn here() -> ThreadId {
    thread::current().id()
}

/// Long enough for a hungry worker to take what it can get.
fn nap() {
    thread::sleep(Duration::from_micros(300));
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

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
                            // From both sides of a join, through the task's own handle.
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

/// Which of these panic: the body before it spawns, task by task, tasks of tasks, the body at its end.
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
                // A panic in the middle of the body is after all that it had spawned.
                at("middle".to_owned());
            }
        }
        at("end".to_owned());
    });
}

#[test]
fn the_leftmost_panic_wins_in_every_position() {
    // Who panics, who wins, and how many places are reached.
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
fn one_worker_runs_work_first_tasks_in_program_order() {
    fn go<'s>(f: &Finish<'s>, name: u32, depth: u32, seen: &'s Mutex<Vec<u32>>) {
        seen.lock().unwrap().push(name);
        for i in 1..=3 {
            if depth > 0 {
                f.spawn(move |f| go(f, 10 * name + i, depth - 1, seen));
            }
        }
        seen.lock().unwrap().push(10 * name);
    }
    fn serial(name: u32, depth: u32, seen: &mut Vec<u32>) {
        seen.push(name);
        for i in 1..=3 {
            if depth > 0 {
                serial(10 * name + i, depth - 1, seen);
            }
        }
        seen.push(10 * name);
    }
    let mut expected = Vec::new();
    serial(1, 5, &mut expected);
    let seen = Mutex::new(Vec::new());
    pool(1).finish_with(SpawnPolicy::WorkFirst, |f| go(f, 1, 5, &seen));
    assert_eq!(seen.into_inner().unwrap(), expected);
}

#[test]
fn adaptive_scopes_queue_a_few_tasks_and_run_the_rest_at_once() {
    let (begun, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    pool(1).finish_with(SpawnPolicy::Adaptive, |f| {
        for spawned in 1..=1000 {
            let begun = &begun;
            f.spawn(move |_| count(begun));
            most.fetch_max(spawned - begun.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    });
    assert_eq!(begun.into_inner(), 1000);
    assert_eq!(most.into_inner(), 8);
}

#[test]
fn work_sharing_starts_the_oldest_first() {
    let seen = Mutex::new(Vec::new());
    pool(1).finish_with(SpawnPolicy::WorkSharing, |f| {
        for i in 0..10 {
            let seen = &seen;
            f.spawn(move |_| seen.lock().unwrap().push(i));
        }
        // A scope in the midst takes nothing but its own.
        finish_with(SpawnPolicy::WorkSharing, |g| {
            g.spawn(|_| seen.lock().unwrap().push(100));
        });
    });
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen, [100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

/// Body and task meet: each needs a thread.
#[test]
fn the_rest_of_a_body_is_stolen() {
    let pool = pool(2);
    for policy in [SpawnPolicy::WorkFirst, SpawnPolicy::Adaptive] {
        for round in 0..50 {
            let meet = Barrier::new(2);
            let meet = &meet;
            let filled = if policy == SpawnPolicy::Adaptive {
                20
            } else {
                0
            };
            let task = Mutex::new(None);
            let (before, after) = pool.finish_with(policy, |f| {
                let before = here();
                for _ in 0..filled {
                    f.spawn(|_| ());
                }
                f.spawn(|_| {
                    *task.lock().unwrap() = Some(here());
                    meet.wait();
                });
                meet.wait();
                (before, here())
            });
            let task = task.into_inner().unwrap().unwrap();
            if policy == SpawnPolicy::WorkFirst {
                assert_eq!(task, before, "round {round}: the task began elsewhere");
            }
            assert_ne!(task, after, "round {round}: on one thread at a time");
        }
    }
}

/// Each level's spawner is stolen, and its task waits for it.
#[test]
fn spawners_part_at_every_depth() {
    fn go<'s>(f: &Finish<'s>, meet: &'s [Barrier], ran: &'s AtomicUsize) {
        if let Some((first, rest)) = meet.split_first() {
            f.spawn(move |f| {
                first.wait();
                go(f, rest, ran);
            });
            first.wait();
        }
        count(ran);
    }
    for threads in [2, 3, 8] {
        let pool = pool(threads);
        for _ in 0..20 {
            let meet: Vec<_> = (0..6).map(|_| Barrier::new(2)).collect();
            let ran = AtomicUsize::new(0);
            pool.finish_with(SpawnPolicy::WorkFirst, |f| go(f, &meet, &ran));
            assert_eq!(ran.into_inner(), 7);
        }
    }
}

#[test]
fn long_bodies_and_long_chains_take_little_memory() {
    fn chain<'s>(f: &Finish<'s>, left: usize, counts: [&'s AtomicUsize; 3]) {
        let [ran, standing, most] = counts;
        count(ran);
        if left > 0 {
            most.fetch_max(
                1 + standing.fetch_add(1, Ordering::Relaxed),
                Ordering::Relaxed,
            );
            f.spawn(move |f| chain(f, left - 1, counts));
            standing.fetch_sub(1, Ordering::Relaxed);
        }
    }
    for threads in [1, 2] {
        let pool = pool(threads);
        let ran = AtomicUsize::new(0);
        let peak = AtomicUsize::new(0);
        pool.finish_with(SpawnPolicy::WorkFirst, |f| {
            for i in 0..1_000_000 {
                let ran = &ran;
                f.spawn(move |_| count(ran));
                let waiting = i + 1 - ran.load(Ordering::Relaxed);
                peak.fetch_max(waiting, Ordering::Relaxed);
            }
        });
        assert_eq!(ran.into_inner(), 1_000_000);
        // Those that run on other workers.
        assert!(peak.into_inner() < 2 * threads, "{threads}");
        for policy in ALL {
            let [ran, standing, most] = [const { AtomicUsize::new(0) }; 3];
            pool.finish_with(policy, |f| chain(f, 100_000, [&ran, &standing, &most]));
            assert_eq!(ran.into_inner(), 100_001, "{policy}");
            // Each has a stack.
            assert!(most.into_inner() <= 1025 * threads, "{policy} on {threads}");
        }
    }
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

/// A wait that is polled where it is keeps the spawner on its thread, whoever is hungry.
#[test]
fn a_poll_stays_on_its_thread() {
    let pool = pool(2);
    for _ in 0..50 {
        let ran = AtomicUsize::new(0);
        pool.finish_with(SpawnPolicy::WorkFirst, |f| {
            let ran = &ran;
            let before = here();
            let value = heist::block_on(async {
                for _ in 0..10 {
                    f.spawn(move |_| {
                        nap();
                        count(ran);
                    });
                }
                assert_eq!(here(), before);
                heist::spawn_async(async { 7 }).await
            });
            assert_eq!((value, here()), (7, before));
        });
        assert_eq!(ran.into_inner(), 10);
    }
}

#[test]
fn sections_and_panics_stay_on_their_thread() {
    struct Spawns<'a, 's>(&'a Finish<'s>, &'s AtomicUsize, ThreadId);
    impl Drop for Spawns<'_, '_> {
        fn drop(&mut self) {
            let ran = self.1;
            for _ in 0..10 {
                self.0.spawn(move |_| {
                    nap();
                    count(ran);
                });
            }
            assert_eq!(here(), self.2);
            // In a scope that begins here too.
            finish_with(SpawnPolicy::WorkFirst, |f| {
                f.spawn(move |_| count(ran));
                assert_eq!(here(), self.2);
            });
        }
    }
    let pool = pool(2);
    for _ in 0..50 {
        let ran = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.finish_with(SpawnPolicy::WorkFirst, |f| {
                let ran = &ran;
                heist::sync::isolated(|| {
                    let before = here();
                    for _ in 0..10 {
                        f.spawn(move |_| {
                            nap();
                            count(ran);
                        });
                    }
                    assert_eq!(here(), before);
                });
                let _spawns = Spawns(f, ran, here());
                resume_unwind(Box::new("out"));
            });
        }));
        assert_eq!(*result.unwrap_err().downcast::<&str>().unwrap(), "out");
        assert_eq!(ran.into_inner(), 21);
    }
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
        // Their bodies wait, and hold no thread.
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

#[test]
fn pools_have_policies() {
    for policy in ALL {
        // SAFETY: as above.
        let builder = unsafe { Pool::builder().threads(1).fibers(Fibers::new()) };
        let pool = builder.spawn_policy(policy).build().unwrap();
        let order = Mutex::new(Vec::new());
        let run = |scope: &dyn Fn(&Mutex<Vec<u32>>)| {
            scope(&order);
            std::mem::take(&mut *order.lock().unwrap())
        };
        let from_outside = run(&|order| {
            pool.finish(|f| {
                f.spawn(|_| order.lock().unwrap().push(1));
                order.lock().unwrap().push(2);
            });
        });
        let from_inside = run(&|order| {
            pool.install(|| {
                finish(|f| {
                    f.spawn(|_| order.lock().unwrap().push(1));
                    order.lock().unwrap().push(2);
                });
            });
        });
        let expected = if policy == SpawnPolicy::WorkFirst {
            [1, 2]
        } else {
            [2, 1]
        };
        assert_eq!(
            (from_outside, from_inside),
            (expected.into(), expected.into())
        );
        let in_place = run(&|order| {
            pool.install(|| {
                heist::finish_in_place(|f| {
                    f.spawn(|_| order.lock().unwrap().push(1));
                    order.lock().unwrap().push(2);
                });
            });
        });
        assert_eq!(in_place, [2, 1], "{policy}");
    }
}

#[test]
fn what_needs_fibers_says_so() {
    for policy in [SpawnPolicy::WorkFirst, SpawnPolicy::Adaptive] {
        // SAFETY: as above.
        let pinned = unsafe { Pool::builder().fibers(Fibers::new().pinned()) };
        for builder in [Pool::builder(), pinned] {
            let error = builder.threads(1).spawn_policy(policy).build().unwrap_err();
            let line = error.to_string();
            assert!(
                line.contains(&policy.to_string()) && line.contains("Builder::fibers"),
                "{line}"
            );
        }
        let plain = Pool::new(1).unwrap();
        let payload =
            catch_unwind(AssertUnwindSafe(|| plain.finish_with(policy, |_| ()))).unwrap_err();
        let line = payload.downcast::<String>().unwrap();
        assert!(
            line.contains(&policy.to_string()) && !line.contains('\n'),
            "{line}"
        );
    }
    let plain = Pool::builder()
        .threads(2)
        .spawn_policy(SpawnPolicy::WorkSharing);
    let ran = AtomicUsize::new(0);
    plain.build().unwrap().finish(|f| f.spawn(|_| count(&ran)));
    assert_eq!(ran.into_inner(), 1);
}

#[test]
fn a_broadcast_in_a_task_stays() {
    let pool = pool(2);
    for _ in 0..20 {
        let ran = AtomicUsize::new(0);
        pool.finish_with(SpawnPolicy::WorkFirst, |f| {
            let (ran, caller) = (&ran, here());
            pool.broadcast(|_| {
                // On the other worker there is nothing to keep.
                if here() == caller {
                    for _ in 0..10 {
                        f.spawn(move |_| {
                            nap();
                            count(ran);
                        });
                        assert_eq!(here(), caller);
                    }
                }
            });
        });
        assert_eq!(ran.into_inner(), 10);
    }
}
