//! Checks that an early end of a nested operation also ends the enclosing operations, and that no result to the right of this end counts.

use super::{pool, under_all};
use crate::par::{FromPar, IntoPar, once, prelude::*};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const LEN: usize = if cfg!(miri) { 4 } else { 7 };

type Both = Option<Result<Vec<usize>, usize>>;

/// Returns the item at position `at`: an inner failure at position `inner`, an outer failure at position `outer`, and a success at all
/// other positions.
fn item(at: usize, inner: usize, outer: usize) -> Option<Result<usize, usize>> {
    match at {
        _ if at == outer => None,
        _ if at == inner => Some(Err(at)),
        _ => Some(Ok(at)),
    }
}

/// Calls a function with each pair of an inner and an outer position of a failure.
fn at_each(each: impl Fn(usize, usize)) {
    (0..=LEN).for_each(|inner| (0..=LEN).for_each(|outer| each(inner, outer)));
}

#[test]
fn of_failures_within_each_other_the_leftmost_wins() {
    under_all!(|policy| at_each(|inner, outer| {
        let theirs: Both = (0..LEN).map(|at| item(at, inner, outer)).collect();
        let all = || (0..LEN).par().splitting(policy);
        let ours: Both = all().map(|at| item(at, inner, outer)).collect();
        assert_eq!(ours, theirs, "{inner}, {outer}");
        let each = |at| once(item(at, inner, outer));
        assert_eq!(all().flat_map(each).collect::<Both>(), theirs);
    }));
}

#[test]
fn of_failures_in_chains_the_leftmost_wins() {
    under_all!(|policy| at_each(|inner, outer| {
        let theirs: Both = (0..LEN).map(|at| item(at, inner, outer)).collect();
        let first = (0..LEN / 2).par().splitting(policy);
        let ours = first.chain(LEN / 2..LEN).map(|at| item(at, inner, outer));
        assert_eq!(ours.collect::<Both>(), theirs, "{inner}, {outer}");
        let first = (0..LEN / 2).par().splitting(policy).filter(|_| true);
        let ours = first.chain(LEN / 2..LEN).map(|at| item(at, inner, outer));
        assert_eq!(ours.collect::<Both>(), theirs, "{inner}, {outer}");
    }));
}

/// A collection that records whether the items include a 3.
#[derive(Debug, PartialEq)]
struct Three(bool);

impl FromPar<usize> for Three {
    fn from_par<P: IntoPar<Item = usize>>(sequence: P) -> Self {
        Three(sequence.into_par().any(|x| x == 3))
    }
}

#[test]
fn a_failure_right_of_an_early_end_does_not_count() {
    under_all!(|policy| for fails in 0..=LEN {
        let all = (0..LEN).par().splitting(policy);
        let ours = all.map(|at| if at == fails { Err(at) } else { Ok(at) });
        let theirs = if fails <= 3 {
            Err(fails)
        } else {
            Ok(Three(true))
        };
        assert_eq!(ours.collect::<Result<Three, _>>(), theirs, "{fails}");
    });
}

/// Runs an operation on a very long sequence, and returns the number of items that the operation checks.
fn looked(each: impl FnOnce(&(dyn Fn(usize) -> usize + Sync))) -> usize {
    let looked = AtomicUsize::new(0);
    each(&|i| {
        looked.fetch_add(1, Relaxed);
        i
    });
    looked.into_inner()
}

macro_rules! ends {
    (|$n:ident, $see:ident| $($name:ident: $ours:expr;)*) => {
        /// Checks that each operation ends at the item 4, on one worker.
        #[test]
        fn an_early_end_in_a_nested_sequence_ends_the_outer_loop() {
            let $n = if cfg!(miri) { 2000 } else { 1_000_000 };
            pool(1).install(|| {
                $(
                    let seen = looked(|$see| {
                        let _ = $ours;
                    });
                    // The first chunk may have up to this number of items.
                    assert!((5..600).contains(&seen), "{}: {seen}", stringify!($name));
                )*
            });
        }
    };
}

fn failing(i: usize) -> Option<Result<usize, usize>> {
    Some(if i == 4 { Err(i) } else { Ok(i) })
}

ends! {
    |n, see|
    result_while_some: (0..n).par().flat_map(|i| once(failing(see(i)))).while_some()
        .collect::<Result<Vec<_>, _>>();
    try_for_each_while_some: (0..n).par().flat_map(|i| once(failing(see(i)))).while_some()
        .try_for_each(|x| x.map(drop));
    result_in_option: (0..n).par().flat_map(|i| once(failing(see(i)))).collect::<Both>();
    deeper: (0..n).par().flat_map(|i| (0..1).par().flat_map(move |_| once(failing(see(i)))))
        .collect::<Both>();
    bridged: (0..).par_bridge().flat_map(|i| once(failing(see(i)))).while_some()
        .collect::<Result<Vec<_>, _>>();
    first_in_a_chain: (0..10).par().chain(10..n).map(see).find_first(|i| *i == 4);
    first_of_some_in_a_chain: (0..10).par().chain(10..n).map(see).map(Some).while_some()
        .find_first(|i| *i == 4);
    any_of_some_in_a_chain: (0..10).par().chain(10..n).map(see).map(Some).while_some()
        .find_any(|i| *i == 4);
    result_in_a_chain: (0..10).par().chain(10..n).map(|i| failing(see(i))).while_some()
        .collect::<Result<Vec<_>, _>>();
    first_in_a_chain_of_chains: (0..10).par().chain(10..20).chain(20..n).map(see).map(Some)
        .while_some().find_first(|i| *i == 4);
    first_in_nested_chains: (0..n).par()
        .flat_map(|i| (i..i + 1).par().chain(i + 1..i + 2).map(see)).map(Some).while_some()
        .find_first(|i| *i == 4);
}

#[test]
fn an_early_nested_end_ends_an_endless_loop_on_many_workers() {
    for threads in [2, 8] {
        pool(threads).install(|| {
            let some = (0..).par_bridge().flat_map(|i| once(failing(i)));
            assert_eq!(some.while_some().collect::<Result<Vec<_>, _>>(), Err(4));
        });
    }
}
