//! Checks spawners that continue on another thread, and spawners that must stay on their thread.

use super::*;

/// A scope's body and its task wait for each other, so each of the two needs a thread.
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

/// At each level, a task waits for the code after its spawn, so a thief must steal this continuation.
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

/// A body that spawns inside of the poll of a future stays on its thread, even if thieves request work.
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
            // A scope that begins during the unwinding also stays on the thread.
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
fn a_broadcast_in_a_task_stays() {
    let pool = pool(2);
    for _ in 0..20 {
        let ran = AtomicUsize::new(0);
        pool.finish_with(SpawnPolicy::WorkFirst, |f| {
            let (ran, caller) = (&ran, here());
            pool.broadcast(|_| {
                // On the other worker, no code depends on the thread, so the spawner may continue there.
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
