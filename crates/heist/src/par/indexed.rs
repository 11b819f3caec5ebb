//! Parallel sequences whose items have indices.

use super::adapters::{Chain, Enumerate, Skip, Take, Zip};
use super::source::Source;
use super::{IntoPar, Par, jobs};

/// A sequence whose items have indices: item `i` stands at position `i`.
pub trait Indexed: Par {
    #[doc(hidden)]
    type Source<'a>: Source<Item = Self::Item>
    where
        Self: 'a;

    /// How many items there are.
    fn len(&self) -> usize;

    #[doc(hidden)]
    fn lies_together(&self) -> bool;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes out all that is there, to be split.
    #[doc(hidden)]
    fn source(&mut self) -> Self::Source<'_>;

    /// Pairs with their indices.
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Pairs of items at the same index; as long as the shorter of both.
    fn zip<Z>(self, other: Z) -> Zip<Self, Z::Par>
    where
        Z: IntoPar,
        Z::Par: Indexed,
    {
        Zip::new(self, other.into_par())
    }

    /// All items of this one, and then all of the other one.
    fn chain<C>(self, other: C) -> Chain<Self, C::Par>
    where
        C: IntoPar<Item = Self::Item>,
        C::Par: Indexed,
    {
        Chain::new(self, other.into_par())
    }

    /// All but the first `count`.
    fn skip(self, count: usize) -> Skip<Self> {
        Skip::new(self, count)
    }

    /// The first `count`.
    fn take(self, count: usize) -> Take<Self> {
        Take::new(self, count)
    }

    /// Inclusive prefixes: at each index what all items up to it come to, by an associative `op`.
    ///
    /// The shape depends on the length alone, as of [`reduce`](Par::reduce). Takes one pass on one worker, and up to two
    /// on many.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([1, 2, 3, 4].par().copied().scan(|a, b| a + b), [1, 3, 6, 10]);
    /// ```
    fn scan<F>(self, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        jobs::scan(self, None, &op)
    }

    /// Exclusive prefixes: at each index what all items before it come to, beginning with `first`; and what all of
    /// them come to.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let (before, all) = [1, 2, 3, 4].par().copied().scan_exclusive(0, |a, b| a + b);
    /// assert_eq!((before, all), (vec![0, 1, 3, 6], 10));
    /// ```
    fn scan_exclusive<F>(self, first: Self::Item, op: F) -> (Vec<Self::Item>, Self::Item)
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        let mut prefixes = jobs::scan(self, Some(first), &op);
        let all = prefixes.pop().expect("the first is there at least");
        (prefixes, all)
    }

    /// The first index whose item is such. Looks at nothing much to the right of it.
    fn position_first<F>(self, is: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        let found = self.enumerate().map(move |(at, item)| (at, is(item)));
        found.find_first(|&(_, is)| is).map(|(at, _)| at)
    }

    /// The index of some item that is such; which one depends on the schedule. Ends as soon as one is found.
    fn position_any<F>(self, is: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        let found = self.enumerate().map(move |(at, item)| (at, is(item)));
        found.find_any(|&(_, is)| is).map(|(at, _)| at)
    }

    /// Writes all items into `target`, which is as long.
    ///
    /// # Panics
    /// If it is not.
    fn write_to(self, target: &mut [Self::Item]) {
        assert_eq!(self.len(), target.len(), "heist: lengths differ");
        self.zip(target).for_each(|(item, place)| *place = item);
    }
}
