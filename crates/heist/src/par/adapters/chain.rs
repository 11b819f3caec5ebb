//! One sequence after another.

use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;

/// [`Indexed::chain`].
#[derive(Clone, Debug)]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

sequence_of_source!(
    [A: Indexed, B: Indexed<Item = A::Item>] Chain<A, B>, A::Item, A::Policy, |this| this.a.policy()
);

impl<A: Indexed, B: Indexed<Item = A::Item>> Indexed for Chain<A, B> {
    type Source<'a>
        = Chained<A::Source<'a>, B::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.a
            .len()
            .checked_add(self.b.len())
            .expect("heist: a sequence must not be longer than usize::MAX")
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        // Not too long for one number.
        let _ = self.len();
        Chained {
            a: Some(self.a.source()),
            b: Some(self.b.source()),
        }
    }
}

/// What is left of one sequence and of one after it, or a chunk of one of the two or of both, or an iterator; `None` is
/// nothing.
#[derive(Debug)]
pub struct Chained<A, B> {
    a: Option<A>,
    b: Option<B>,
}

impl<A: Source, B: Source<Item = A::Item>> Chained<A, B> {
    #[inline]
    fn a_len(&self) -> usize {
        self.a.as_ref().map_or(0, Source::len)
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for Chained<A, B> {
    type Item = A::Item;
    type Chunk = Chained<A::Chunk, B::Chunk>;

    #[inline]
    fn len(&self) -> usize {
        self.a_len() + self.b.as_ref().map_or(0, Source::len)
    }

    fn reach(&self, at_most: usize) -> usize {
        let a_len = self.a_len();
        let in_a = self.a.as_ref().map_or(0, |a| a.reach(at_most));
        if in_a < a_len {
            return in_a;
        }
        a_len + self.b.as_ref().map_or(0, |b| b.reach(at_most - a_len))
    }

    fn reach_back(&self, at_most: usize) -> usize {
        let b_len = self.b.as_ref().map_or(0, Source::len);
        let in_b = self.b.as_ref().map_or(0, |b| b.reach_back(at_most));
        if in_b < b_len {
            return in_b;
        }
        b_len + self.a.as_ref().map_or(0, |a| a.reach_back(at_most - b_len))
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let from_a = count.min(self.a_len());
        let from_b = count - from_a;
        let take_a = self.a.as_mut().filter(|_| from_a > 0);
        let take_b = self.b.as_mut().filter(|_| from_b > 0);
        Chained {
            a: take_a.map(|a| a.take_front(from_a)),
            b: take_b.map(|b| b.take_front(from_b)),
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let a_len = self.a_len();
        if at < a_len {
            return Chained {
                a: self.a.as_mut().map(|a| a.split_off(at)),
                b: self.b.take(),
            };
        }
        Chained {
            a: None,
            b: self.b.as_mut().map(|b| b.split_off(at - a_len)),
        }
    }

    fn cleft(&self) -> Option<usize> {
        let (a, b) = (self.a_len(), self.b.as_ref().map_or(0, Source::len));
        match (a, b) {
            (0, _) => self.b.as_ref()?.cleft(),
            (_, 0) => self.a.as_ref()?.cleft(),
            _ => Some(a),
        }
    }
}

impl<A: Chunk, B: Chunk<Item = A::Item>> Chunk for Chained<A, B> {
    type Item = A::Item;
    type Iter = Chained<A::Iter, B::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.a.as_ref().map_or(0, Chunk::len) + self.b.as_ref().map_or(0, Chunk::len)
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let from_a = count.min(self.a.as_ref().map_or(0, Chunk::len));
        let from_b = count - from_a;
        let cut_a = self.a.as_mut().filter(|_| from_a > 0);
        let cut_b = self.b.as_mut().filter(|_| from_b > 0);
        Chained {
            a: cut_a.map(|a| a.cut(from_a)),
            b: cut_b.map(|b| b.cut(from_b)),
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        Chained {
            a: self.a.map(Chunk::into_iter),
            b: self.b.map(Chunk::into_iter),
        }
    }
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for Chained<A, B> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        if let Some(a) = &mut self.a {
            if let Some(item) = a.next() {
                return Some(item);
            }
            self.a = None;
        }
        self.b.as_mut()?.next()
    }

    // Else steps over it would take in each item.
    #[inline]
    fn nth(&mut self, mut n: usize) -> Option<A::Item> {
        while let Some(a) = &mut self.a {
            // As many are there for sure, and the last of them is passed over in one step.
            let sure = a.size_hint().0.max(1);
            match a.nth(n.min(sure - 1)) {
                Some(item) if n < sure => return Some(item),
                Some(_) => n -= sure,
                None => self.a = None,
            }
        }
        self.b.as_mut()?.nth(n)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let of_a = self.a.as_ref().map_or((0, Some(0)), A::size_hint);
        let of_b = self.b.as_ref().map_or((0, Some(0)), B::size_hint);
        let at_most = of_a.1.zip(of_b.1).and_then(|(a, b)| a.checked_add(b));
        (of_a.0.saturating_add(of_b.0), at_most)
    }

    #[inline]
    fn fold<X, F: FnMut(X, A::Item) -> X>(self, mut acc: X, mut fold: F) -> X {
        if let Some(a) = self.a {
            acc = a.fold(acc, &mut fold);
        }
        if let Some(b) = self.b {
            acc = b.fold(acc, &mut fold);
        }
        acc
    }
}

impl<A: Reversible, B: Reversible<Item = A::Item>> Reversible for Chained<A, B> {
    type Back = Chained<B::Back, A::Back>;

    #[inline]
    fn into_back(self) -> Self::Back {
        Chained {
            a: self.b.map(Reversible::into_back),
            b: self.a.map(Reversible::into_back),
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Chained;
    use proptest::prelude::*;

    /// Takes the `n`th of what is left, for each `n`, and at last all that is left.
    fn taken(
        mut items: impl Iterator<Item = u32>,
        steps: &[usize],
    ) -> (Vec<Option<u32>>, Vec<u32>) {
        let taken = steps.iter().map(|n| items.nth(*n)).collect();
        (taken, items.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_nth_is_that_of_an_iterator(
            a in 0..20_u32,
            b in 0..20_u32,
            c in 0..20_u32,
            steps in prop::collection::vec(0..12_usize, 0..8),
        ) {
            // Of the filtered ones nobody knows how many there are.
            let some = |n: u32| (0..n).filter(|x| x % 3 != 1);
            let ours = Chained {
                a: Some(Chained { a: Some(0..a), b: Some(some(b)) }),
                b: Some(100..100 + c),
            };
            let theirs = (0..a).chain(some(b)).chain(100..100 + c);
            prop_assert_eq!(taken(ours, &steps), taken(theirs, &steps));
            let ours = Chained { a: Some(some(a)), b: Some(some(b)) };
            let theirs = some(a).chain(some(b));
            prop_assert_eq!(taken(ours, &steps), taken(theirs, &steps));
        }
    }
}
