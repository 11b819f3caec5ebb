//! Checks that operations that may fail return the leftmost of several failures, and do no more work than needed.

use super::drops::{Census, Counted, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, forced, pool, same, under_all, under_eager};
use crate::par::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Returns an error for some items.
fn odd(x: &i64) -> Result<i64, i64> {
    if x.rem_euclid(40) == 7 {
        Err(*x)
    } else {
        Ok(*x)
    }
}

same!(
    each_is_tried,
    |xs, n| xs.try_for_each(|x| odd(x).map(drop)),
    {
        let mut xs = xs;
        xs.try_for_each(|x| odd(x).map(drop))
    }
);
same!(
    each_is_tried_for_an_option,
    |xs, n| xs.try_for_each(|x| odd(x).ok().map(drop)),
    {
        let mut xs = xs;
        xs.try_for_each(|x| odd(x).ok().map(drop))
    }
);
same!(
    each_is_tried_to_break,
    |xs, n| xs.enumerate().try_for_each(|(i, x)| if *x == 11 {
        ControlFlow::Break(i)
    } else {
        ControlFlow::Continue(())
    }),
    {
        let mut xs = xs.enumerate();
        xs.try_for_each(|(i, x)| {
            if *x == 11 {
                ControlFlow::Break(i)
            } else {
                ControlFlow::Continue(())
            }
        })
    }
);
same!(
    options_are_collected,
    |xs, n| xs
        .map(|x| (*x < 50).then_some(x))
        .collect::<Option<Vec<_>>>(),
    xs.map(|x| (*x < 50).then_some(x))
        .collect::<Option<Vec<_>>>()
);
same!(
    results_are_collected_into_maps,
    |xs, n| xs
        .map(|x| odd(x).map(|x| (x, n)))
        .collect::<Result<HashMap<_, _>, _>>(),
    xs.map(|x| odd(x).map(|x| (x, n)))
        .collect::<Result<HashMap<_, _>, _>>()
);
same!(
    results_are_collected_into_nothing,
    |xs, n| xs
        .filter(|x| **x != 7)
        .map(|x| odd(x).map(drop))
        .collect::<Result<(), _>>(),
    {
        let mut xs = xs.filter(|x| **x != 7);
        xs.try_for_each(|x| odd(x).map(drop))
    }
);
same!(
    results_within_options_are_collected,
    |xs, n| xs
        .map(|x| Some(odd(x)))
        .collect::<Option<Result<Vec<_>, _>>>(),
    xs.map(|x| Some(odd(x)))
        .collect::<Option<Result<Vec<_>, _>>>()
);
same!(
    nested_results_are_collected,
    |xs, n| xs
        .flat_map(|x| (0..x.rem_euclid(9)).par().map(move |i| odd(&(i * x))))
        .collect::<Result<Vec<_>, _>>(),
    xs.flat_map(|x| (0..x.rem_euclid(9)).map(move |i| odd(&(i * x))))
        .collect::<Result<Vec<_>, _>>()
);
same!(
    errors_of_items_end_a_reduction,
    |xs, n| xs
        .map(|x| odd(x).map(|x| x.to_string()))
        .try_reduce(String::new, |a, b| Ok(a + &b)),
    {
        let mut xs = xs.map(|x| odd(x).map(|x| x.to_string()));
        xs.try_fold(String::new(), |a, b| b.map(|b| a + &b))
    }
);
same!(
    a_fold_fails_at_the_first,
    |xs, n| xs.try_fold_reduce(
        Vec::new,
        |mut all, x| {
            all.push(odd(x)?);
            Ok(all)
        },
        |mut a, b| {
            a.extend(b);
            Ok(a)
        }
    ),
    xs.map(odd).collect::<Result<Vec<_>, i64>>()
);
same!(
    nested_folds_fail_at_the_first,
    |xs, n| xs
        .flat_map(|x| (0..x.rem_euclid(9)).par().map(move |i| i * x))
        .try_fold_reduce(
            Vec::new,
            |mut all, x| {
                all.push(odd(&x)?);
                Ok(all)
            },
            |mut a, b| {
                a.extend(b);
                Ok(a)
            }
        ),
    xs.flat_map(|x| (0..x.rem_euclid(9)).map(move |i| odd(&(i * x))))
        .collect::<Result<Vec<_>, i64>>()
);

/// A run of items: its start and its end.
type Run = (usize, usize);

/// Combines two neighbours. Fails if `fails` returns true for at least one of them.
fn put_together(left: Run, right: Run, fails: impl Fn(Run) -> bool) -> Result<Run, (Run, Run)> {
    assert_eq!(left.1, right.0, "not neighbours");
    if fails(left) || fails(right) {
        return Err((left, right));
    }
    Ok((left.0, right.1))
}

/// Returns the result of a reduction in which some items or some calls of the operator fail.
fn reduced(
    len: usize,
    every: usize,
    policy: impl crate::par::Splitting,
) -> [Result<Option<Run>, (Run, Run)>; 2] {
    let both = move |left: Option<Run>, right: Option<Run>| match (left, right) {
        (Some(left), Some(right)) => {
            put_together(left, right, |run| run.0 % every == every - 1).map(Some)
        }
        (left, right) => Ok(left.or(right)),
    };
    let runs = move || (0..len).par().splitting(policy).map(|i| (i, i + 1));
    [
        runs().map(|run| Ok(Some(run))).try_reduce(|| None, both),
        runs().try_fold_reduce(
            || None,
            |all, run| {
                if run.0 % (2 * every) == every {
                    return Err((run, run));
                }
                both(all, Some(run))
            },
            both,
        ),
    ]
}

#[test]
fn a_reduction_returns_the_same_failure_on_every_schedule() {
    for &len in LENGTHS {
        for every in [2, 7, 64, 300, 5000] {
            let must = pool(1).install(|| reduced(len, every, forced(0)));
            under_all!(|policy| assert_eq!(reduced(len, every, policy), must, "{len} {every}"));
        }
        let must = pool(1).install(|| reduced(len, 90, forced(0)));
        under_eager!(|policy| assert_eq!(reduced(len, 90, policy), must, "{len}"));
    }
}

#[test]
fn items_are_dropped_once_if_the_last_fails() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all = || -> Vec<_> { (0..LEN).map(|i| census.bear(i)).collect() };
        let sum = all().into_par().splitting(policy).try_fold_reduce(
            || census.bear(0),
            |sum, item| {
                stop_at(at, item.value);
                let sum = census.bear(sum.value + item.value);
                if item.value == LEN - 1 {
                    Err(sum)
                } else {
                    Ok(sum)
                }
            },
            |a, b| Ok(census.bear(a.value + b.value)),
        );
        assert!(sum.is_err());
        let kept = all().into_par().splitting(policy).map(|item| {
            stop_at(at, item.value);
            if item.value == LEN - 1 {
                Err(item)
            } else {
                Ok(item)
            }
        });
        let kept: Result<Vec<_>, _> = kept.collect();
        assert!(kept.is_err_and(|item| item.value == LEN - 1));
        let last = all().into_par().splitting(policy).find_last(|item| {
            stop_at(at, item.value);
            item.value == 0
        });
        assert_eq!(last.map(|item| item.value), Some(0));
    }));
}

#[test]
fn items_are_dropped_once_if_any_fails() {
    under_all!(|policy| for at in 0..LEN {
        let census = Census::default();
        let all = || -> Vec<_> { (0..LEN).map(|i| census.bear(i)).collect() };
        let fails = |item: &Counted<'_>| item.value >= at;
        let tried = all()
            .into_par()
            .splitting(policy)
            .try_for_each(|item| if fails(&item) { Err(item) } else { Ok(()) });
        assert!(tried.is_err_and(|item| item.value == at));
        let items = || all().into_par().splitting(policy);
        let kept: Result<Vec<_>, _> = items()
            .map(|item| if fails(&item) { Err(item) } else { Ok(item) })
            .collect();
        assert!(kept.is_err_and(|item| item.value == at));
        let kept: Option<std::collections::VecDeque<_>> = items()
            .map(|item| (!fails(&item)).then_some(item))
            .collect();
        assert!(kept.is_none());
        let sum = items().map(Ok).try_reduce(
            || census.bear(0),
            |_, b| if fails(&b) { Err(b) } else { Ok(b) },
        );
        assert!(sum.is_err_and(|item| item.value == at));
        let found = items().find_last(|item| !fails(item));
        assert_eq!(found.map(|item| item.value), at.checked_sub(1));
        let found = items().find_map_first(|item| fails(&item).then_some(item));
        assert_eq!(found.map(|item| item.value), Some(at));
        census.assert_extinct();
    });
}

#[test]
fn units_are_tried() {
    under_all!(|policy| {
        let units = || vec![(); 500].into_par().splitting(policy);
        assert_eq!(units().try_for_each(Some), Some(()));
        assert_eq!(
            units().map(Some).collect::<Option<Vec<_>>>(),
            Some(vec![(); 500])
        );
        assert_eq!(
            units().map(Err::<u8, _>).try_reduce(|| 0, |a, _| Ok(a)),
            Err(())
        );
    });
}

#[test]
fn a_failure_ends_early() {
    const MANY: usize = 10_000_000;
    for threads in [1, 2, 8] {
        pool(threads).install(|| {
            let looked = AtomicUsize::new(0);
            let look = |i: usize| {
                looked.fetch_add(1, Relaxed);
                if i % 1000 == 999 { Err(i) } else { Ok(i) }
            };
            let numbers = || (0..MANY).par();
            assert_eq!(numbers().try_for_each(|i| look(i).map(drop)), Err(999));
            let all: Result<Vec<_>, _> = numbers().map(look).collect();
            assert_eq!(all, Err(999));
            let all: Option<Vec<_>> = numbers().map(|i| look(i).ok()).collect();
            assert_eq!(all, None);
            let sum = numbers().map(look).try_reduce(|| 0, |a, b| Ok(a + b));
            assert_eq!(sum, Err(999));
            let sum =
                numbers().try_fold_reduce(|| 0, |a, i| look(i).map(|i| a + i), |a, b| Ok(a + b));
            assert_eq!(sum, Err(999));
            assert!(looked.load(Relaxed) < MANY, "{looked:?} of {}", 5 * MANY);
        });
    }
}

/// A collection that is the sum of its items. The sum is a fold, which cuts the input into leaves.
#[derive(PartialEq, Debug)]
struct Total(usize);

impl FromPar<usize> for Total {
    fn from_par<P: IntoPar<Item = usize>>(sequence: P) -> Self {
        Total(sequence.into_par().sum())
    }
}

#[test]
fn one_worker_looks_at_nothing_right_of_a_failure() {
    const MANY: usize = if cfg!(miri) { 70 } else { 5000 };
    pool(1).install(|| {
        for at in [0, 1, MANY / 7, MANY - 1] {
            let looked = AtomicUsize::new(0);
            let look = |i: usize| {
                looked.fetch_add(1, Relaxed);
                if i >= at { Err(i) } else { Ok(i) }
            };
            macro_rules! check {
                ($policy:expr) => {
                    let numbers = || (0..MANY).par().splitting($policy);
                    assert_eq!(numbers().try_for_each(|i| look(i).map(drop)), Err(at));
                    let all: Result<Vec<_>, _> = numbers().map(look).collect();
                    assert_eq!(all, Err(at));
                    let all: Result<Total, _> = numbers().map(look).collect();
                    assert_eq!(all, Err(at));
                    let sum = numbers().map(look).try_reduce(|| 0, |a, b| Ok(a + b));
                    assert_eq!(sum, Err(at));
                    let last = numbers().rev().find_map_first(|i| look(MANY - 1 - i).err());
                    assert_eq!(last, Some(at));
                    let any = numbers().find_any(|i| look(*i).is_err());
                    assert_eq!(any, Some(at));
                    let any = numbers().position_any(|i| look(i).is_err());
                    assert_eq!(any, Some(at));
                    assert_eq!(numbers().find_map_any(|i| look(i).err()), Some(at));
                    assert_eq!(looked.swap(0, Relaxed), 8 * (at + 1));
                };
            }
            for way in 0..super::WAYS {
                check!(forced(way));
            }
            check!(crate::par::Lazy);
            check!(crate::par::Innermost);
            check!(crate::par::Eager(usize::MAX));
        }
    });
}

#[test]
fn parts_cut_short_by_a_failure_are_not_combined() {
    let parts = |left: usize| match left {
        64 => Some(32),
        32 => Some(30),
        _ => None,
    };
    let result = pool(4).install(|| {
        let numbers = (0..64_usize).par();
        numbers.splitting(super::Forced(&parts)).try_fold_reduce(
            || None,
            |run: Option<Run>, i| {
                // The left half fails when the right half has processed an odd number of whole leaves and all of the part of a leaf
                // at its end.
                let wait = match i {
                    0 => 100,
                    32..62 => 20,
                    _ => 0,
                };
                std::thread::sleep(std::time::Duration::from_millis(wait));
                if i == 0 {
                    return Err(());
                }
                assert!(run.is_none_or(|run| run.1 == i), "not neighbours");
                Ok(Some((run.map_or(i, |run| run.0), i + 1)))
            },
            |left, right| match (left, right) {
                (Some(left), Some(right)) => {
                    assert_eq!(left.1, right.0, "not neighbours");
                    Ok(Some((left.0, right.1)))
                }
                (left, right) => Ok(left.or(right)),
            },
        )
    });
    assert_eq!(result, Err(()));
}

#[test]
fn an_operator_that_fails_ends_nested_sequences() {
    const MANY: usize = 10_000;
    pool(1).install(|| {
        let looked = AtomicUsize::new(0);
        let sum = (0..MANY)
            .par()
            .flat_map(|_| {
                looked.fetch_add(1, Relaxed);
                [Some(100_u8)]
            })
            .try_reduce(|| 0, |a, b| a.checked_add(b));
        assert_eq!((sum, looked.into_inner()), (None, 3));
    });
}

#[test]
fn a_collection_that_fails_early_needs_no_room_for_all_items() {
    let all: Result<Vec<u64>, u64> = (0..u64::MAX / 2)
        .par()
        .map(|x| if x < 5 { Ok(x) } else { Err(x) })
        .collect();
    assert_eq!(all, Err(5));
}
