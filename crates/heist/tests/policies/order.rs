//! Tests of the order of execution, of the number of unfinished tasks, and of the choice of a policy.

use super::*;

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
        // A scope in the middle of the body runs only its own tasks.
        finish_with(SpawnPolicy::WorkSharing, |g| {
            g.spawn(|_| seen.lock().unwrap().push(100));
        });
    });
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen, [100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
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
        // The unfinished tasks are those that run on other workers.
        assert!(peak.into_inner() < 2 * threads, "{threads}");
        for policy in ALL {
            let [ran, standing, most] = [const { AtomicUsize::new(0) }; 3];
            pool.finish_with(policy, |f| chain(f, 100_000, [&ran, &standing, &most]));
            assert_eq!(ran.into_inner(), 100_001, "{policy}");
            // Each unfinished task has a stack.
            assert!(most.into_inner() <= 1025 * threads, "{policy} on {threads}");
        }
    }
}

#[test]
fn pools_have_policies() {
    for policy in ALL {
        // SAFETY: no code of these tests keeps a value that belongs to a thread across a spawn.
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
        // SAFETY: no code of these tests keeps a value that belongs to a thread across a spawn.
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
