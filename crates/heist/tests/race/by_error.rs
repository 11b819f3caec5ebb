//! Races in a scope whose cancellation returns an error.

use crate::{Census, Counted, fork_for_ever};
use heist::{CancelToken, Cancelled, Pool, try_race, try_race_hint};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Runs a search that has no result, and that never ends unless it is cancelled.
fn endless(census: &Census, hint: bool, depth: u32) -> Result<Option<()>, Cancelled> {
    let _value = census.counted();
    if depth == 0 {
        return Ok(None);
    }
    loop {
        let branch = || endless(census, hint, depth - 1);
        let found = if hint {
            try_race_hint(branch, branch)?
        } else {
            try_race(branch, branch)?
        };
        if depth < 10 {
            return Ok(found);
        }
    }
}

#[test]
fn results_and_errors() {
    let none = || Ok(None::<u32>);
    let pool = Pool::new(1).unwrap();
    for race in [0, 1] {
        let race = |a: fn() -> _, b: fn() -> _| match race {
            0 => try_race(a, b),
            _ => pool.install(|| try_race(a, b)),
        };
        assert_eq!(race(|| Ok(Some(1)), || Ok(None)), Ok(Some(1)));
        assert_eq!(race(none, || Ok(Some(2))), Ok(Some(2)));
        assert_eq!(race(none, none), Ok(None));
        // After an error it is unknown whether a result exists.
        assert_eq!(race(none, || Err(Cancelled)), Err(Cancelled));
        assert_eq!(race(|| Err(Cancelled), none), Err(Cancelled));
        assert_eq!(race(|| Ok(Some(1)), || Err(Cancelled)), Ok(Some(1)));
    }
    let begun = AtomicBool::new(false);
    let found = pool.install(|| {
        let right = || {
            begun.store(true, Ordering::Relaxed);
            Ok(None)
        };
        let failed = try_race(|| Err::<Option<()>, _>(Cancelled), right);
        (failed, try_race(|| Ok(Some(())), right))
    });
    assert_eq!(found, (Err(Cancelled), Ok(Some(()))));
    assert!(!begun.into_inner(), "what has not begun does not begin");
}

#[test]
fn a_branch_that_runs_may_win_after_the_other_has_failed() {
    let pool = Pool::new(2).unwrap();
    for _ in 0..100 {
        let begun = AtomicBool::new(false);
        let failed = AtomicBool::new(false);
        let found = pool.install(|| {
            try_race(
                || {
                    while !begun.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                    failed.store(true, Ordering::Relaxed);
                    Err(Cancelled)
                },
                || {
                    begun.store(true, Ordering::Relaxed);
                    while !failed.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                    Ok(Some(7))
                },
            )
        });
        assert_eq!(found, Ok(Some(7)));
    }
}

#[test]
fn a_cancelled_search_is_an_error_and_never_an_empty_result() {
    for workers in [1, 2, 4] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        for round in 0..100 {
            let token = CancelToken::new();
            thread::scope(|scope| {
                let ended = scope
                    .spawn(|| pool.install(|| token.run(|| endless(&census, round % 2 == 0, 12))));
                while census.alive() == 0 {
                    thread::yield_now();
                }
                token.cancel_and_wait();
                assert_eq!(census.alive(), 0);
                assert_eq!(ended.join().unwrap(), Ok(Err(Cancelled)));
            });
        }
    }
}

#[test]
fn losers_of_both_kinds_end() {
    let pool = Pool::new(2).unwrap();
    let census = Census::default();
    for round in 0..200 {
        let found = pool.install(|| {
            try_race(
                || {
                    match round % 3 {
                        0 => endless(&census, true, 12),
                        1 => endless(&census, false, 12),
                        _ => fork_for_ever(&census),
                    }
                    .map(|_| None)
                },
                || Ok(Some(2)),
            )
        });
        assert_eq!((found, census.alive()), (Ok(Some(2)), 0));
    }
}

#[test]
fn a_panic_wins() {
    for workers in [1, 2] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        let fall = || -> Result<Option<()>, Cancelled> { resume_unwind(Box::new("planted")) };
        let searches: [&(dyn Fn() -> Result<Option<()>, Cancelled> + Sync); 2] =
            [&|| try_race(fall, || endless(&census, false, 12)), &|| {
                try_race(|| Ok(None), fall)
            }];
        for search in searches {
            let panicked = catch_unwind(AssertUnwindSafe(|| pool.install(search)));
            let payload = panicked.unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"planted"));
        }
        assert_eq!(census.alive(), 0);
    }
}

/// Returns the next pseudo-random number (xorshift), for the shapes of trees.
fn next(seed: u64) -> u64 {
    let seed = seed ^ (seed << 13);
    let seed = seed ^ (seed >> 7);
    seed ^ (seed << 17)
}

/// Returns the seeds of the branches of a node.
fn branches(seed: u64) -> [u64; 2] {
    [next(seed ^ 0x9e37_79b9), next(seed ^ 0x7f4a_7c15)]
}

/// Returns true if any leaf of a tree has a result.
fn has_any(seed: u64, depth: u32) -> bool {
    if depth == 0 {
        return seed % 61 == 0;
    }
    branches(seed)
        .into_iter()
        .any(|seed| has_any(seed, depth - 1))
}

/// Searches the tree of [`has_any`] in parallel. The leaves count the visits.
fn search<'a>(
    census: &'a Census,
    visits: &AtomicU64,
    seed: u64,
    depth: u32,
) -> Result<Option<Counted<'a>>, Cancelled> {
    let _value = census.counted();
    if depth == 0 {
        visits.fetch_add(1, Ordering::Relaxed);
        return Ok((seed % 61 == 0).then(|| census.counted()));
    }
    let held = census.counted();
    let [left, right] = branches(seed);
    let left = || {
        let _held = held;
        search(census, visits, left, depth - 1)
    };
    let right = || search(census, visits, right, depth - 1);
    match seed % 4 {
        0 => try_race(left, right),
        1 => try_race_hint(left, right),
        2 => {
            let (a, b) = heist::try_join(left, right)?;
            Ok(a.or(b))
        }
        // This join unwinds if it is cancelled.
        _ => {
            let (a, b) = heist::join(left, right);
            Ok(a?.or(b?))
        }
    }
}

#[test]
fn random_trees_that_are_cancelled_at_random_tell_no_lies() {
    for workers in [1, 2, 8] {
        let pool = Pool::new(workers).unwrap();
        let census = Census::default();
        let mut stopped = 0;
        for round in 1..=600_u64 {
            let seed = next(round * 0x2545_f491);
            let depth = (round % 9) as u32;
            let token = CancelToken::new();
            let visits = AtomicU64::new(0);
            let ended = AtomicBool::new(false);
            let found = thread::scope(|scope| {
                if round % 2 == 0 {
                    scope.spawn(|| {
                        while visits.load(Ordering::Relaxed) < seed % (1 << depth)
                            && !ended.load(Ordering::Relaxed)
                        {
                            std::hint::spin_loop();
                        }
                        token.cancel();
                    });
                }
                let found = pool.install(|| token.run(|| search(&census, &visits, seed, depth)));
                ended.store(true, Ordering::Relaxed);
                found
            });
            match found {
                Ok(Ok(found)) => {
                    assert_eq!(found.is_some(), has_any(seed, depth), "{seed} {depth}")
                }
                Err(Cancelled) | Ok(Err(Cancelled)) => {
                    assert!(token.is_cancelled(), "{seed} {depth}");
                    stopped += 1;
                }
            }
            assert_eq!(census.alive(), 0, "{seed} {depth}");
        }
        assert!(stopped > 0);
    }
}
