//! Checks results, losing branches, panics and scopes of races.

use crate::{Census, fork_for_ever};
use heist::{Cancelled, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn the_leftmost_result_wins_on_one_worker() {
    let pool = Pool::new(1).unwrap();
    pool.install(|| {
        assert_eq!(heist::race(|| Some(1), || Some(2)), Some(1));
        assert_eq!(heist::race(|| None, || Some(2)), Some(2));
        assert_eq!(heist::race(|| Some(1), || None), Some(1));
        assert_eq!(heist::race(|| None::<u32>, || None), None);
    });
}

#[test]
fn a_branch_does_not_begin_after_another_has_a_result() {
    let pool = Pool::new(1).unwrap();
    let begun = AtomicBool::new(false);
    let found = pool.install(|| {
        heist::race(
            || Some(1),
            || {
                begun.store(true, Ordering::Relaxed);
                None
            },
        )
    });
    assert_eq!(found, Some(1));
    assert!(!begun.into_inner());
}

#[test]
fn the_right_one_stops_the_left_one_and_the_left_one_the_right_one() {
    let pool = Pool::new(2).unwrap();
    let census = Census::default();
    for _ in 0..100 {
        let right = pool.install(|| heist::race(|| fork_for_ever(&census), || Some(2)));
        assert_eq!((right, census.alive()), (Some(2), 0));
        let begun = AtomicBool::new(false);
        let left = pool.install(|| {
            heist::race(
                || {
                    while !begun.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                    Some(1)
                },
                || {
                    begun.store(true, Ordering::Relaxed);
                    fork_for_ever(&census)
                },
            )
        });
        assert_eq!((left, census.alive()), (Some(1), 0));
    }
}

#[test]
fn waits_of_losers_end() {
    let pool = Pool::new(2).unwrap();
    let (_never, answer) = heist::sync::promise::<u32>();
    let found = pool.install(|| heist::race(|| Some(*answer.get()), || Some(2)));
    assert_eq!(found, Some(2));
}

#[test]
fn loops_of_losers_end() {
    use heist::par::prelude::*;
    let pool = Pool::new(2).unwrap();
    let found = pool.install(|| {
        heist::race(
            || (0..u64::MAX / 2).par().map(std::hint::black_box).max(),
            || Some(2),
        )
    });
    assert_eq!(found, Some(2));
}

#[test]
fn a_panic_wins() {
    for workers in [1, 2, 8] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        let text = |work: &(dyn Fn() -> Option<u32> + Sync)| {
            let payload = catch_unwind(AssertUnwindSafe(|| pool.install(work))).unwrap_err();
            *payload.downcast_ref::<&str>().unwrap()
        };
        assert_eq!(
            text(&|| heist::race(|| panic!("left"), || fork_for_ever(&census))),
            "left"
        );
        if workers > 1 {
            assert_eq!(
                text(&|| heist::race(|| fork_for_ever(&census), || panic!("right"))),
                "right"
            );
        }
        assert_eq!(text(&|| heist::race(|| None, || panic!("right"))), "right");
        assert_eq!(census.alive(), 0);
    }
}

#[test]
fn the_left_panic_wins_over_the_right_one() {
    let pool = Pool::new(2).unwrap();
    for _ in 0..100 {
        // Both branches have begun when the first of them panics.
        let both = Barrier::new(2);
        let race = || -> Option<()> {
            heist::race(
                || {
                    both.wait();
                    resume_unwind(Box::new("left"))
                },
                || {
                    both.wait();
                    resume_unwind(Box::new("right"))
                },
            )
        };
        let payload = catch_unwind(AssertUnwindSafe(|| pool.install(race))).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"left"));
    }
}

#[test]
fn a_scope_around_it_cancels_all_of_it() {
    let census = Census::default();
    let work = heist::with_timeout(Duration::from_millis(20), |_| {
        heist::race(|| fork_for_ever(&census), || fork_for_ever(&census)) as Option<()>
    });
    assert_eq!((work, census.alive()), (Err(Cancelled), 0));
}

#[test]
fn a_race_inside_leaves_the_rest_alone() {
    let found = heist::cancellable(|token| {
        let found = heist::race(|| heist::race(|| None, || Some(1)), || None);
        heist::check_cancelled();
        assert!(!token.is_cancelled());
        heist::join(|| (), || ());
        found
    });
    assert_eq!(found, Ok(Some(1)));
}

#[test]
fn threads_that_are_no_workers_race_and_tasks_race() {
    assert_eq!(heist::race(|| None, || Some(3)), Some(3));
    let task = heist::spawn_async(async { heist::race(|| None, || Some(4)) });
    assert_eq!(*task.get(), Some(4));
}

#[test]
fn a_fiber_races() {
    // SAFETY: no code of this test keeps a reference to a thread-local value across a wait.
    let builder = unsafe { Pool::builder().threads(2).fibers(heist::Fibers::new()) };
    let pool = builder.build().unwrap();
    let fiber = pool.spawn_fiber(|| {
        heist::race(
            || {
                let (promise, value) = heist::sync::promise();
                heist::spawn_detached(move || promise.set(5));
                Some(*value.get())
            },
            || None,
        )
    });
    assert_eq!(*fiber.get(), Some(5));
}

#[test]
fn more_than_two_branches() {
    assert_eq!(heist::race!(None, None, Some(3)), Some(3));
    assert_eq!(heist::race!(None, None, None, Some(4), None), Some(4));
    let none: Option<u32> = None;
    let of_twelve = heist::race!(
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        none,
        Some(12)
    );
    assert_eq!(of_twelve, Some(12));
    let of_nine = heist::race!(none, none, none, none, none, none, none, none, none);
    assert_eq!(of_nine, None);
    for n in 0..20_u32 {
        let found = heist::race_all((0..n).map(|i| move || (i == 17).then_some(i)));
        assert_eq!(found, (n > 17).then_some(17));
    }
}

#[test]
fn results_that_fail() {
    let failed: Result<(), _> = heist::race_ok(|| Err(1), || Err("two"));
    assert_eq!(failed, Err((1, "two")));
    assert_eq!(heist::race_ok(|| Ok::<_, u8>(1), || Err("two")), Ok(1));
}

#[test]
fn a_search_from_many_threads_that_are_no_workers() {
    let census = Census::default();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for i in 0..50 {
                    let held = census.counted();
                    let found = heist::race(
                        move || {
                            let _held = held;
                            None
                        },
                        || (i % 3 != 0).then(|| census.counted()),
                    );
                    assert_eq!(found.is_some(), i % 3 != 0);
                }
            });
        }
    });
    assert_eq!(census.alive(), 0);
}

#[test]
fn pools_of_each_protocol_race() {
    use heist::policy::{Delivery, Protocol};
    let protocols = [
        Protocol::ReturnBarrier(Delivery::Fence),
        #[cfg(feature = "policies")]
        Protocol::StopVictim,
        #[cfg(feature = "policies")]
        Protocol::Polled(Delivery::Polling),
        #[cfg(feature = "policies")]
        Protocol::The,
        #[cfg(feature = "policies")]
        Protocol::ChaseLev,
    ];
    for protocol in protocols {
        let pool = Pool::builder()
            .threads(2)
            .protocol(protocol)
            .build()
            .unwrap();
        let census = Census::default();
        for _ in 0..50 {
            let found = pool.install(|| heist::race(|| fork_for_ever(&census), || Some(2)));
            assert_eq!((found, census.alive()), (Some(2), 0));
        }
    }
}
