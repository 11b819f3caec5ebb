//! Checks concatenations of sequences of unknown length.

use super::panics::Quiet;
use super::ways::{FEW, WAYS, assert_same, forced, under_every_schedule};
use super::{POOLS, pool};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use crate::par::{Rope, split};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

fn is_odd(x: &i64) -> bool {
    x % 2 != 0
}

/// Returns the odd numbers among the `n` numbers from `from` on, as a filtered sequence.
fn some(n: usize, from: i64, by: Forced<'_>) -> impl Par<Item = i64> {
    (from..from + n as i64).par().splitting(by).filter(is_odd)
}

fn some_iter(n: usize, from: i64) -> impl DoubleEndedIterator<Item = i64> {
    (from..from + n as i64).filter(is_odd)
}

/// Compares the result of an operation on chained sequences with the result of an operation on an iterator over the same items.
macro_rules! check {
    ($n:expr, $by:expr, |$xs:ident| $($operation:expr => $theirs:expr),* $(,)?) => {
        $(
            let ours = {
                let $xs = some($n, 0, $by).chain(some(3, 10, $by));
                $operation
            };
            let theirs = {
                let $xs = some_iter($n, 0).chain(some_iter(3, 10));
                $theirs
            };
            assert_same(&ours, &theirs);
        )*
    };
}

fn check(n: usize, by: Forced<'_>) {
    check!(n, by, |xs|
        xs.collect::<Vec<_>>() => xs.collect::<Vec<_>>(),
        xs.collect_rope(2).into_iter().collect::<Vec<_>>() => xs.collect::<Vec<_>>(),
        xs.count() => xs.count(),
        xs.sum::<i64>() => xs.sum::<i64>(),
        xs.map(|x| x.to_string()).reduce(String::new, |a, b| a + &b) => xs.map(|x| x.to_string()).collect::<String>(),
        xs.max_by_key(|x| x % 3) => xs.max_by_key(|x| x % 3),
        xs.find_first(|x| x % 3 == 0) => { let mut xs = xs; xs.find(|x| x % 3 == 0) },
        xs.find_last(|x| x % 3 == 2) => { let mut xs = xs; xs.rfind(|x| x % 3 == 2) },
        xs.find_any(|x| *x == 11) => { let mut xs = xs; xs.find(|x| *x == 11) },
        xs.map(|x| (x != 11).then_some(x)).while_some().collect::<Vec<_>>() => xs.take_while(|x| *x != 11).collect::<Vec<_>>(),
        xs.map(|x| if x == 11 { Err(x) } else { Ok(x) }).collect::<Result<Vec<_>, _>>()
            => xs.map(|x| if x == 11 { Err(x) } else { Ok(x) }).collect::<Result<Vec<_>, _>>(),
        xs.map_init(|| 7, |with, x| *with + x).collect::<Vec<_>>() => xs.map(|x| x + 7).collect::<Vec<_>>(),
        xs.flat_map(|x| some(2, x, by).chain([x])).collect::<Vec<_>>()
            => xs.flat_map(|x| some_iter(2, x).chain([x])).collect::<Vec<_>>(),
    );
}

#[test]
fn at_every_place() {
    pool(1).install(|| {
        for n in 0..=FEW.min(4) {
            under_every_schedule("chain", n, &mut |by| check(n, by));
        }
    });
}

#[test]
fn on_several_workers() {
    for threads in POOLS {
        pool(*threads).install(|| {
            for n in [0, 1, 20, 100] {
                for way in 0..WAYS {
                    check(n, forced(way));
                }
            }
        });
    }
}

#[test]
fn of_any_kind() {
    let digits = (0..9).par().map(|x| (x < 4).then_some(x)).while_some();
    let words = "4 5\n6 7\n".par_split_whitespace();
    let halved = split(10..13, |range: Range<u32>| {
        let middle = range.start + range.len() as u32 / 2;
        if range.len() > 1 {
            (range.start..middle, Some(middle..range.end))
        } else {
            (range, None)
        }
    });
    let all: Vec<u32> = digits
        .chain(words.map(|word| word.parse().unwrap()))
        .chain((8..10).par_bridge())
        .chain(halved.flatten())
        .chain(Some(13))
        .chain((14..300).collect::<Rope<_>>())
        .collect();
    assert!(all.into_iter().eq(0..300));
}

/// Applies the same operation to equal sequences that are composed in different ways. The results for these sequences must be equal.
#[test]
fn sums_of_floats_have_the_same_bits() {
    let of = |len: usize, from: usize| (from..from + len).par().map(|i| 1.0 / (1 + i) as f64);
    for (a, b, c) in [
        (0, 1, 2),
        (5000, 3, if cfg!(debug_assertions) { 9000 } else { 70_000 }),
        (4095, 4097, 1),
        (33, 12_288, 5),
    ] {
        let all = of(a + b + c, 0).sum::<f64>().to_bits();
        let odd = |i: &f64| i.to_bits() % 2 == 1;
        let mut of_odd = None;
        for threads in [1, 2, 3, 8, 64] {
            pool(threads).install(|| {
                let chained = || of(a, 0).chain(of(b, a)).chain(of(c, a + b));
                assert_eq!(chained().sum::<f64>().to_bits(), all, "{a}, {b}, {c}");
                let enumerated = chained().enumerate().map(|(_, x)| x);
                assert_eq!(enumerated.sum::<f64>().to_bits(), all, "{a}, {b}, {c}");
                for way in 0..WAYS {
                    let by = forced(way);
                    assert_eq!(chained().splitting(by).sum::<f64>().to_bits(), all);
                    let some = of(a, 0)
                        .splitting(by)
                        .filter(odd)
                        .chain(of(b, a))
                        .chain(of(c, a + b).filter(odd));
                    let some = some.sum::<f64>().to_bits();
                    assert_eq!(*of_odd.get_or_insert(some), some, "{a}, {b}, {c}");
                }
            });
        }
    }
}

#[test]
fn the_second_sequence_is_not_visited_after_a_match_in_the_first() {
    let unwanted = |_: &u32| -> bool { panic!("looked at") };
    for way in 0..WAYS {
        pool(1).install(|| {
            let by = forced(way);
            let chained = || {
                (0..5)
                    .par()
                    .splitting(by)
                    .filter(|_| true)
                    .chain((0..50).par().filter(unwanted))
            };
            assert_eq!(chained().find_first(|x| *x == 4), Some(4));
            assert_eq!(chained().find_any(|x| *x == 4), Some(4));
            // A search over two sequences whose items have indices also skips the second sequence.
            let mapped = || {
                (0..5).par().splitting(by).chain((0..50).par().map(|x| {
                    unwanted(&x);
                    x
                }))
            };
            assert_eq!(mapped().position_first(|x| x == 4), Some(4));
            assert_eq!(
                mapped().try_for_each(|x| if x < 4 { Ok(()) } else { Err(x) }),
                Err(4)
            );
            let nested = [0, 1].par().splitting(by).flat_map(|_| chained());
            assert_eq!(nested.find_first(|x| *x == 4), Some(4));
        });
    }
}

#[test]
fn of_panics_in_both_the_leftmost_wins() {
    let _quiet = Quiet::new();
    let step = |x: u32| -> u32 {
        if x % 10 == 7 {
            resume_unwind(Box::new(x))
        } else {
            x
        }
    };
    for threads in POOLS {
        pool(*threads).install(|| {
            for way in 0..WAYS {
                let by = forced(way);
                for (a, b) in [(20, 20), (5, 20), (0, 10), (30, 0)] {
                    let kept = || (0..a).par().splitting(by).chain(100..100 + b);
                    let some = || kept().filter(|x| x % 2 == 1);
                    let panic =
                        catch_unwind(AssertUnwindSafe(|| kept().map(step).collect::<Vec<_>>()))
                            .unwrap_err();
                    let of_some =
                        catch_unwind(AssertUnwindSafe(|| some().map(step).count())).unwrap_err();
                    let first = if a > 7 { 7 } else { 107 };
                    assert_eq!(*panic.downcast::<u32>().unwrap(), first);
                    assert_eq!(*of_some.downcast::<u32>().unwrap(), first);
                }
            }
        });
    }
}

/// A value that is counted while it is alive.
struct Alive<'c>(&'c AtomicUsize);

impl<'c> Alive<'c> {
    fn new(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Alive(count)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn all_are_dropped_once() {
    let _quiet = Quiet::new();
    let alive = AtomicUsize::new(0);
    let some = |n: usize| (0..n).map(|i| (i, Alive::new(&alive))).collect::<Vec<_>>();
    for threads in POOLS {
        pool(*threads).install(|| {
            for way in 0..WAYS {
                let chained = || {
                    some(30)
                        .into_par()
                        .splitting(forced(way))
                        .filter(|(i, _)| i % 2 == 0)
                        .chain(some(20))
                };
                assert_eq!(chained().collect::<Vec<_>>().len(), 35);
                assert_eq!(alive.load(Ordering::Relaxed), 0);
                assert!(chained().find_any(|(i, _)| *i == 8).is_some());
                assert!(chained().find_first(|(i, _)| *i == 19).is_some());
                drop(chained());
                assert_eq!(alive.load(Ordering::Relaxed), 0);
                for place in [0, 4, 19, 28] {
                    let at = |(i, one)| {
                        if i == place {
                            resume_unwind(Box::new(()))
                        }
                        (i, one)
                    };
                    assert!(
                        catch_unwind(AssertUnwindSafe(|| chained().map(at).collect::<Vec<_>>()))
                            .is_err()
                    );
                    assert!(
                        catch_unwind(AssertUnwindSafe(|| chained().map(at).collect_rope(4)))
                            .is_err()
                    );
                    let kept = some(30).into_par().splitting(forced(way)).chain(some(20));
                    assert!(
                        catch_unwind(AssertUnwindSafe(|| kept.map(at).collect::<Vec<_>>()))
                            .is_err()
                    );
                    assert_eq!(alive.load(Ordering::Relaxed), 0);
                }
            }
        });
    }
}

#[test]
#[should_panic(expected = "heist: a sequence must not be longer than usize::MAX")]
fn too_long_a_sequence_has_no_length() {
    let all = (0..usize::MAX).par().chain(0..2);
    all.enumerate().for_each(|_| unreachable!());
}

#[test]
fn too_long_a_sequence_can_be_searched() {
    let all = || (0..usize::MAX).par().chain(0..2);
    assert_eq!(all().find_first(|x| *x == 100), Some(100));
    assert!(all().any(|x| x == 1));
}
