//! Checks races and cancel scopes that are small enough for Miri. `cancel.rs` and `race.rs` have the larger tests.

use heist::par::prelude::*;
use heist::{CancelToken, Cancelled, Pool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A value that is counted while it is alive.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(alive: &'a AtomicUsize) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        Counted(alive)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs a tree of races without a winner. The branches borrow and own values.
fn nest<'a>(depth: u32, alive: &'a AtomicUsize, names: &[String]) -> Option<Counted<'a>> {
    let own = Counted::new(alive);
    if depth == 0 {
        assert_eq!(names.len(), 3);
        return None;
    }
    let found = heist::race(
        || nest(depth - 1, alive, names),
        || nest(depth - 1, alive, names),
    );
    drop(own);
    found
}

fn names() -> Vec<String> {
    ["a", "b", "c"].map(String::from).into()
}

#[test]
fn the_losers_of_a_race_are_gone_when_it_returns() {
    let pool = Pool::new(2).unwrap();
    let alive = AtomicUsize::new(0);
    for winner in [0, 1] {
        let names = names();
        let branch = |number: usize| {
            if number == winner {
                nest(2, &alive, &names);
                return Some(number);
            }
            loop {
                nest(3, &alive, &names);
                heist::check_cancelled();
            }
        };
        // With one worker, only a winner on the left would end the race.
        let found = pool.install(|| heist::race(|| branch(0), || branch(1)));
        assert_eq!(found, Some(winner));
        assert_eq!(alive.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_late_result_is_dropped() {
    let pool = Pool::new(2).unwrap();
    let alive = AtomicUsize::new(0);
    let began = AtomicUsize::new(0);
    let found = pool.install(|| {
        let branch = || {
            began.fetch_add(1, Ordering::Relaxed);
            while began.load(Ordering::Relaxed) < 2 {
                std::hint::spin_loop();
            }
            Some(Counted::new(&alive))
        };
        heist::race(branch, branch)
    });
    assert_eq!(alive.load(Ordering::Relaxed), 1);
    drop(found);
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

#[test]
fn a_panic_wins_the_race() {
    let pool = Pool::new(2).unwrap();
    let alive = AtomicUsize::new(0);
    let names = names();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| {
            heist::race(
                || loop {
                    nest(2, &alive, &names)?;
                    heist::check_cancelled();
                },
                || -> Option<Counted<'_>> {
                    let _value = Counted::new(&alive);
                    std::panic::resume_unwind(Box::new(7_i32));
                },
            )
            .is_some()
        })
    }));
    assert_eq!(outcome.unwrap_err().downcast_ref::<i32>(), Some(&7));
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

#[test]
fn races_that_return_errors() {
    let pool = Pool::new(2).unwrap();
    let found = pool.install(|| heist::try_race(|| Ok(None), || Ok(Some(3))));
    assert_eq!(found, Ok(Some(3)));
    let cancelled = pool.cancellable(|token| {
        token.cancel();
        heist::try_race(|| Ok(Some(1)), || Ok(None))
    });
    assert!(matches!(cancelled, Err(Cancelled) | Ok(Err(Cancelled))));
}

#[test]
fn a_scope_cancelled_from_outside_leaves_nothing() {
    let pool = Pool::new(2).unwrap();
    let alive = AtomicUsize::new(0);
    let token = CancelToken::new();
    let begun = AtomicBool::new(false);
    let outcome = std::thread::scope(|threads| {
        let search = threads.spawn(|| {
            let names = names();
            pool.install(|| {
                token.run(|| {
                    begun.store(true, Ordering::Relaxed);
                    loop {
                        heist::join(|| nest(1, &alive, &names), || nest(1, &alive, &names));
                        heist::finish(|f| f.spawn(|_| drop(Counted::new(&alive))));
                        let _: u64 = (0..10_u64).par().map(|x| x + names.len() as u64).sum();
                    }
                })
            })
        });
        while !begun.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        assert!(token.cancel_and_wait());
        assert_eq!(alive.load(Ordering::Relaxed), 0);
        search.join().unwrap()
    });
    let outcome: Result<(), Cancelled> = outcome;
    assert_eq!(outcome, Err(Cancelled));
}

#[test]
fn a_child_is_cancelled_with_its_parent_and_not_the_other_way_round() {
    let pool = Pool::new(2).unwrap();
    let (inner, outer) = pool.install(|| {
        let outer = heist::cancellable(|_| {
            let inner = heist::cancellable(|token| {
                token.cancel();
                heist::check_cancelled();
            });
            heist::check_cancelled();
            inner
        });
        let both = heist::cancellable(|token| {
            let _ = heist::cancellable(|_| {
                token.cancel();
                heist::check_cancelled();
            });
            unreachable!("the inner scope unwinds with the outer one");
        });
        (outer, both)
    });
    assert_eq!(inner, Ok(Err(Cancelled)));
    let outer: Result<(), Cancelled> = outer;
    assert_eq!(outer, Err(Cancelled));
}
