//! Ranges of more integers than `usize` can count, and predicates whose answers change.

use heist::Pool;
use heist::par::{Eager, Innermost, Structural, prelude::*};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

const THREADS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 8] };

fn everywhere(test: impl Fn() + Sync) {
    for &threads in THREADS {
        Pool::new(threads).unwrap().install(&test);
    }
}

#[test]
fn they_can_be_searched() {
    everywhere(|| {
        let all = 0..=u64::MAX;
        assert_eq!(all.par().find_first(|x| *x > 5000), Some(5001));
        assert_eq!(all.par().find_map_first(|x| x.checked_sub(777)), Some(0));
        assert!(all.par().find_any(|x| x % 1000 == 7).unwrap() % 1000 == 7);
        assert!(all.par().any(|x| x == 100) && !all.par().all(|x| x != 100));
        let signed = i64::MIN..=i64::MAX;
        assert_eq!(
            signed.par().find_first(|x| x % 100 == 0),
            Some(-9_223_372_036_854_775_800)
        );
        let wide = 5..u128::MAX;
        assert_eq!(wide.par().find_first(|x| x % 4096 == 0), Some(4096));
        let wide = 0..=u128::MAX;
        assert_eq!(wide.par().find_first(|x| *x == 3333), Some(3333));
        let signed = i128::MIN..i128::MAX;
        let found = signed.par().find_first(|x| x % 1000 == 0).unwrap();
        assert_eq!(found, i128::MIN + (i128::MAX % 1000 + 1));
        // The first range is one integer too long for `usize`, and the other ranges have the greatest length that fits.
        let just = 0..(usize::MAX as u128 + 1);
        assert_eq!(just.par().find_first(|x| *x == 9), Some(9));
        let fits = 0..usize::MAX as u128;
        assert_eq!(
            fits.par().enumerate().find_first(|x| x.1 == 9),
            Some((9, 9))
        );
    });
}

#[test]
fn other_adapters_and_policies_pass_them_on() {
    everywhere(|| {
        let all = || (0..=u64::MAX).par();
        let odd = all().filter(|x| x % 2 == 1).map(|x| x + 1);
        assert_eq!(odd.find_first(|x| *x > 500), Some(502));
        let nested = (0..3).par().flat_map(|_| 0..=u64::MAX);
        assert_eq!(nested.find_first(|x| *x > 50), Some(51));
        let behind = (0..7_u64).par().chain(0..=u64::MAX);
        assert_eq!(behind.find_first(|x| *x > 50), Some(51));
        // The length of each range fits a `usize`, but the sum of the lengths does not.
        let both = (0..u64::MAX).par().chain(0..u64::MAX);
        assert_eq!(both.find_first(|x| *x > 50), Some(51));
        assert_eq!(all().splitting(Innermost).find_first(|x| *x > 50), Some(51));
        assert_eq!(
            all().splitting(Structural).find_first(|x| *x > 50),
            Some(51)
        );
        let eager = all().splitting(Eager(1000));
        assert_eq!(eager.find_first(|x| *x > 50), Some(51));
        let while_some = all().map(|x| (x < 2000).then_some(x)).while_some();
        assert_eq!(
            while_some.collect::<Vec<_>>(),
            (0..2000).collect::<Vec<_>>()
        );
    });
}

#[test]
fn folds_of_them_end_at_the_first_failure() {
    everywhere(|| {
        let all = || (0..=u64::MAX).par();
        let check = |x: u64| if x == 1234 { Err(x) } else { Ok(()) };
        assert_eq!(all().try_for_each(check), Err(1234));
        let sum = all().map(|x| if x < 100 { Ok(x) } else { Err(x) });
        assert_eq!(sum.collect::<Result<Vec<_>, _>>(), Err(100));
        let sum = all().map(|x| (x < 1000).then_some(x));
        assert_eq!(sum.try_reduce(|| 0, |a, b| a.checked_add(b)), None);
        let panics = AssertUnwindSafe(|| all().for_each(|x| assert!(x != 99, "at {x}")));
        let text = catch_unwind(panics).unwrap_err().downcast::<String>();
        assert_eq!(*text.unwrap(), "at 99");
    });
}

#[test]
fn what_needs_a_length_says_so() {
    let no_length =
        "heist: a range of more than usize::MAX items has neither a length nor positions";
    let refused = |operation: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(operation)).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&no_length));
    };
    refused(&|| {
        let _ = (0..=u64::MAX).par().len();
    });
    refused(&|| {
        let _ = (0..u128::MAX).par().enumerate().find_any(|_| true);
    });
    refused(&|| {
        let _ = (i128::MIN..0).par().rev().find_any(|_| true);
    });
    refused(&|| {
        let _ = (0..=u64::MAX).par().position_first(|_| true);
    });
    refused(&|| (0..=u64::MAX).par().skip(1).for_each(drop));
    assert_eq!((1..=u64::MAX).par().len(), usize::MAX);
    assert_eq!((i64::MIN..i64::MAX).par().len(), usize::MAX);
    let (low, high) = (5_u64, 3_u64);
    assert_eq!((low..=high).par().len() + (low..high).par().len(), 0);
}

#[test]
fn runs_of_a_predicate_that_changes_its_mind_do_not_meet_when_they_can_be_changed() {
    everywhere(|| {
        for seed in 0..if cfg!(miri) { 2 } else { 50 } {
            let calls = AtomicU64::new(seed);
            let fickle = || {
                let call = calls.fetch_add(1, Ordering::Relaxed);
                call.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 != 0
            };
            let mut xs = vec![0_u32; if cfg!(miri) { 100 } else { 20_000 }];
            let len = xs.len();
            let places = xs.as_ptr().addr();
            let place = |first: &u32| (std::ptr::from_ref(first).addr() - places) / 4;
            // Each element is in exactly one run, and the runs are in order.
            let runs = xs.par_chunk_by_mut(|_, _| fickle());
            let runs: Vec<_> = runs
                .map(|run| {
                    run.iter_mut().for_each(|x| *x += 1);
                    (place(&run[0]), run.len())
                })
                .collect();
            let end = runs.iter().fold(0, |end, (at, len)| {
                assert!(*at == end && *len > 0);
                at + len
            });
            assert_eq!(end, len);
            assert!(xs.iter().all(|x| *x == 1));
            xs.par_split_mut(|_| fickle())
                .for_each(|piece| piece.iter_mut().for_each(|x| *x += 1));
            assert!(xs.iter().all(|x| *x <= 2));
            xs.par_split_inclusive_mut(|_| fickle())
                .for_each(|piece| piece.iter_mut().for_each(|x| *x |= 4));
            assert!(xs.iter().all(|x| x & 4 == 4));
            // The method on shared slices promises only that the pieces are nonempty parts of the slice.
            xs.par_chunk_by(|_, _| fickle()).for_each(|run| {
                assert!(!run.is_empty() && place(&run[0]) + run.len() <= len);
            });
            xs.par_split(|_| fickle())
                .for_each(|piece| assert!(piece.len() <= len));
        }
    });
}
