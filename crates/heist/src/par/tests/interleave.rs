//! Checks alternating sequences and interspersed items.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{pool, ropes, same, under_all};
use crate::par::prelude::*;
use std::panic::catch_unwind;

/// Returns the items of two iterators alternately.
fn in_turn<T>(
    a: impl IntoIterator<Item = T>,
    b: impl IntoIterator<Item = T>,
    shortest: bool,
) -> Vec<T> {
    let (mut a, mut b) = (a.into_iter().fuse(), b.into_iter().fuse());
    let mut all = Vec::new();
    loop {
        let (first, second) = (a.next(), if shortest { None } else { b.next() });
        let (first, second) = match (first, second, shortest) {
            (None, _, true) => return all,
            (Some(first), _, true) => (Some(first), b.next()),
            (first, second, _) => (first, second),
        };
        let is_over = second.is_none() && (shortest || first.is_none());
        all.extend(first);
        all.extend(second);
        if is_over {
            return all;
        }
    }
}

same!(
    in_turn_with_fewer_and_with_more,
    |xs, n| [0, n / 3, n, n + 1, 2 * n].map(|m| {
        let xs = xs.clone().copied();
        xs.interleave((0..m as i64).par()).collect::<Vec<_>>()
    }),
    [0, n / 3, n, n + 1, 2 * n].map(|m| in_turn(xs.clone().copied(), 0..m as i64, false))
);
same!(
    in_turn_up_to_the_end_of_one,
    |xs, n| [0, n / 3, n, n + 1, 2 * n].map(|m| {
        let xs = xs.clone().copied();
        let all = xs.interleave_shortest((0..m as i64).par());
        all.collect::<Vec<_>>()
    }),
    [0, n / 3, n, n + 1, 2 * n].map(|m| in_turn(xs.clone().copied(), 0..m as i64, true))
);
same!(
    in_turn_from_behind_and_cut,
    |xs, n| [n / 3, n, 2 * n].map(|m| {
        let xs = xs.clone().copied();
        let all = xs.interleave((0..m as i64).par()).skip(n / 5).rev();
        all.enumerate().step_by(3).collect::<Vec<_>>()
    }),
    [n / 3, n, 2 * n].map(|m| {
        let all = in_turn(xs.clone().copied(), 0..m as i64, false);
        let all = all.into_iter().skip(n / 5).rev();
        all.enumerate().step_by(3).collect::<Vec<_>>()
    })
);
same!(
    something_comes_between,
    |xs, n| {
        let words = xs.map(|x| x.to_string()).intersperse(",".to_string());
        (
            words.clone().rev().skip(1).collect::<Vec<_>>(),
            words.reduce(String::new, |a, b| a + &b),
        )
    },
    {
        let words: Vec<_> = xs.map(|x| x.to_string()).collect();
        let all = words.join(",");
        let mut parts = Vec::new();
        for word in words {
            parts.extend([",".to_string(), word]);
        }
        (parts.into_iter().skip(1).rev().skip(1).collect(), all)
    }
);

/// The test interleaves two ropes with leaves of different lengths, and takes items from both ends.
#[test]
fn ropes_in_turn() {
    let (xs, ys) = (super::items(60), super::items(45));
    let theirs = in_turn(&xs, &ys, false);
    let behind: Vec<_> = theirs.iter().rev().copied().collect();
    let shifted = in_turn(&ys, xs.iter().skip(7), false);
    for (left, right) in ropes(&xs).iter().zip(ropes(&ys).iter().rev()) {
        under_all!(|policy| {
            let all = || left.par().splitting(policy).interleave(right);
            assert_eq!(all().collect::<Vec<_>>(), theirs);
            assert_eq!(all().rev().collect::<Vec<_>>(), behind);
            let all = right.par().interleave(left.par().skip(7));
            assert_eq!(all.splitting(policy).collect::<Vec<_>>(), shifted);
        });
    }
}

#[test]
fn lengths_are_compared() {
    let _quiet = super::panics::Quiet::new();
    let pairs: Vec<_> = (0..9).par().zip_eq(1..10).collect();
    assert_eq!(pairs, (0..9).zip(1..10).collect::<Vec<_>>());
    let outcome = catch_unwind(|| {
        let planted = (0..9).par();
        planted.zip_eq(0..8).count()
    });
    let payload = outcome.unwrap_err();
    let text = payload.downcast_ref::<String>().unwrap();
    assert_eq!(text, "heist: sequences of 9 and of 8 items");
    let too_long = (0..usize::MAX).par().interleave(0..1);
    assert!(catch_unwind(move || too_long.len()).is_err());
}

#[test]
fn all_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let half = |from| (0..LEN / 2).map(move |i| census.bear(2 * i + from));
        let (evens, odds): (Vec<_>, Vec<_>) = (half(0).collect(), half(1).collect());
        let more: Vec<_> = (0..5).map(|i| census.bear(LEN + i)).collect();
        let all = evens.into_par().splitting(policy).interleave(odds);
        let all = all.interleave_shortest(more.into_par().map(|item| census.bear(item.value)));
        let values: Vec<_> = all
            .map(|item| {
                stop_at(at, item.value);
                item.value
            })
            .collect();
        // The sequence ends where the shorter side ends. Items behind that point would panic.
        assert_eq!(
            values,
            [0, LEN, 1, LEN + 1, 2, LEN + 2, 3, LEN + 3, 4, LEN + 4, 5]
        );
        if at < LEN && at > 5 {
            panic!("planted");
        }
    }));
}

/// A value whose clones are counted.
struct Comma<'c>(&'c Census, super::drops::Counted<'c>);

impl Clone for Comma<'_> {
    fn clone(&self) -> Self {
        stop_at(self.1.value, LEN + 1);
        Comma(self.0, self.0.bear(LEN))
    }
}

#[test]
fn clones_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let all: Vec<_> = (0..LEN).map(|i| Comma(census, census.bear(i))).collect();
        let comma = Comma(census, census.bear(LEN));
        let all = all.into_par().splitting(policy).intersperse(comma);
        let all: Vec<_> = all
            .map(|item| {
                stop_at(at, item.1.value);
                item
            })
            .collect();
        assert_eq!(all.len(), 2 * LEN - 1);
        let is_in_place =
            |(i, comma): (usize, &Comma<'_>)| comma.1.value == if i % 2 == 0 { i / 2 } else { LEN };
        assert!(all.iter().enumerate().all(is_in_place));
    }));
}

#[test]
fn items_without_a_size_are_interleaved() {
    pool(2).install(|| {
        let units = vec![(); 1000].into_par().interleave(vec![(); 500]);
        assert_eq!(units.intersperse(()).collect::<Vec<_>>().len(), 2999);
    });
}
