//! Parallel sequences whose items have indices.

use super::adapters::{
    ByFold, Chunks, Clones, Enumerate, FoldChunks, FoldChunksWith, InChunks, Interleave,
    InterleaveShortest, Intersperse, Positions, Rev, Skip, StepBy, Take, ToVec, Zip,
};
use super::collect::{ParExtend, fill_both};
use super::rope::{Rope, RopeBuilder};
use super::source::{Reversible, Source};
use super::{IntoPar, Par, jobs};
use std::cmp::Ordering;

/// A parallel sequence whose items have indices: item `i` is at position `i`.
#[doc(alias = "IndexedParallelIterator")]
pub trait Indexed: Par {
    #[doc(hidden)]
    type Source<'a>: Source<Item = Self::Item, Chunk: Reversible>
    where
        Self: 'a;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Returns true if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all remaining items out of the sequence, as a source that can be cut.
    #[doc(hidden)]
    fn source(&mut self) -> Self::Source<'_>;

    /// Pairs each item with its index.
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate::new(self)
    }

    /// Pairs the items that have the same index in the two sequences. The result is as long as the shorter of the two sequences.
    /// The result splits like this sequence: the [policy](Par::splitting) of `other` has no effect.
    fn zip<Z>(self, other: Z) -> Zip<Self, Z::Par>
    where
        Z: IntoPar,
        Z::Par: Indexed,
    {
        Zip::new(self, other.into_par())
    }

    /// Pairs the items at the same index of two sequences, which must have the same length.
    ///
    /// # Panics
    /// Panics if the lengths differ. The message states both lengths.
    fn zip_eq<Z>(self, other: Z) -> Zip<Self, Z::Par>
    where
        Z: IntoPar,
        Z::Par: Indexed,
    {
        let other = other.into_par();
        let (left, right) = (self.len(), other.len());
        assert!(
            left == right,
            "heist: sequences of {left} and of {right} items"
        );
        Zip::new(self, other)
    }

    /// Alternates the items of the two sequences. After one sequence ends, yields the remaining items of the other sequence.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!((0..2).par().interleave(5..9).collect::<Vec<_>>(), [0, 5, 1, 6, 7, 8]);
    /// ```
    fn interleave<Z>(self, other: Z) -> Interleave<Self, Z::Par>
    where
        Z: IntoPar<Item = Self::Item>,
        Z::Par: Indexed,
    {
        Interleave::new(self, other.into_par())
    }

    /// Alternates the items of the two sequences. Ends when the sequence that should yield the next item has no items left.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!((0..2).par().interleave_shortest(5..9).collect::<Vec<_>>(), [0, 5, 1, 6]);
    /// assert_eq!((0..9).par().interleave_shortest(5..6).collect::<Vec<_>>(), [0, 5, 1]);
    /// ```
    fn interleave_shortest<Z>(self, other: Z) -> InterleaveShortest<Self, Z::Par>
    where
        Z: IntoPar<Item = Self::Item>,
        Z::Par: Indexed,
    {
        Interleave::shortest(self, other.into_par())
    }

    /// Inserts a clone of `item` between each pair of adjacent items.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let words = ["lazy", "tree"].into_par().intersperse(" ");
    /// assert_eq!(words.collect::<String>(), "lazy tree");
    /// ```
    fn intersperse(self, item: Self::Item) -> Intersperse<Self>
    where
        Self::Item: Clone + Sync,
    {
        Intersperse::new(self, item)
    }

    /// Groups the items into vectors of `size` adjacent items. The last vector may have fewer items. For a slice, use
    /// [`par_chunks`](super::ParSlice::par_chunks), which moves no items.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!((0..5).par().chunks(2).collect::<Vec<_>>(), [vec![0, 1], vec![2, 3], vec![4]]);
    /// ```
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn chunks(self, size: usize) -> Chunks<Self> {
        InChunks::new(self, size, ToVec)
    }

    /// Folds each group of `size` adjacent items, beginning with `identity`. The last group may be smaller.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!((0..5).par().fold_chunks(2, || 0, |a, b| a + b).collect::<Vec<_>>(), [1, 5, 4]);
    /// ```
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn fold_chunks<A, I, F>(self, size: usize, identity: I, fold: F) -> FoldChunks<Self, I, F>
    where
        A: Send,
        I: Fn() -> A + Send + Sync,
        F: Fn(A, Self::Item) -> A + Send + Sync,
    {
        InChunks::new(self, size, ByFold::new(identity, fold))
    }

    /// Folds each group of `size` adjacent items, beginning with a clone of `with`. The last group may be smaller.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn fold_chunks_with<W, F>(self, size: usize, with: W, fold: F) -> FoldChunksWith<Self, W, F>
    where
        W: Clone + Send,
        F: Fn(W, Self::Item) -> W + Send + Sync,
    {
        InChunks::new(self, size, ByFold::new(Clones::of(with), fold))
    }

    /// Skips the first `count` items.
    fn skip(self, count: usize) -> Skip<Self> {
        Skip::new(self, count)
    }

    /// Takes the first `count` items.
    fn take(self, count: usize) -> Take<Self> {
        Take::new(self, count)
    }

    /// Reverses the sequence. If an operation groups items by position, as a reduction of floats does (see [`reduce`](Par::reduce)), the
    /// operation uses the positions in the reversed sequence.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([1, 2, 3].par().rev().enumerate().collect::<Vec<_>>(), [(0, &3), (1, &2), (2, &1)]);
    /// assert_eq!((0..1000).par().rev().find_first(|x| x % 7 == 0), Some(994));
    /// ```
    fn rev(self) -> Rev<Self> {
        Rev::new(self)
    }

    /// Yields the first item, and every `step`th item after it. The functions of adapters before `step_by` may also be called for
    /// some of the skipped items.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!((0..10).par().step_by(4).collect::<Vec<_>>(), [0, 4, 8]);
    /// ```
    ///
    /// # Panics
    /// Panics if `step` is 0.
    fn step_by(self, step: usize) -> StepBy<Self> {
        StepBy::new(self, step)
    }

    /// Returns true if both sequences have the same length, and items at the same index are equal. Ends as soon as the result is
    /// known.
    fn eq<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialEq<Z::Item>,
    {
        let other = other.into_par();
        self.len() == other.len() && self.zip(other).all(|(a, b)| a == b)
    }

    /// Compares the first pair of items that differ, or the lengths if no items differ. Ends as soon as the result is known.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert!([1, 2, 4].par().cmp(&[1, 3]).is_lt());
    /// ```
    fn cmp<Z>(self, other: Z) -> Ordering
    where
        Z: IntoPar<Item = Self::Item>,
        Z::Par: Indexed,
        Self::Item: Ord,
    {
        let other = other.into_par();
        let lengths = self.len().cmp(&other.len());
        let unequal =
            |(a, b): (Self::Item, Self::Item)| Some(a.cmp(&b)).filter(|order| order.is_ne());
        self.zip(other).find_map_first(unequal).unwrap_or(lengths)
    }

    /// Works like [`cmp`](Self::cmp), but for items that have a partial order. Returns `None` if the first two items that differ
    /// have no order.
    fn partial_cmp<Z>(self, other: Z) -> Option<Ordering>
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialOrd<Z::Item>,
    {
        let other = other.into_par();
        let lengths = self.len().cmp(&other.len());
        let orders = self.zip(other).map(|(a, b)| a.partial_cmp(&b));
        let unequal = orders.find_first(|order| *order != Some(Ordering::Equal));
        unequal.unwrap_or(Some(lengths))
    }

    /// Returns true if [`eq`](Self::eq) returns false. Ends as soon as the result is known.
    fn ne<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialEq<Z::Item>,
    {
        !self.eq(other)
    }

    /// Returns true if [`partial_cmp`](Self::partial_cmp) returns `Less`. Ends as soon as the result is known.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert!([1.0, 2.0].par().lt(&[1.0, 3.0]) && !(0..0).par().lt(0..0));
    /// ```
    fn lt<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialOrd<Z::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// Returns true if [`partial_cmp`](Self::partial_cmp) returns `Less` or `Equal`. Ends as soon as the result is known.
    fn le<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialOrd<Z::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_le)
    }

    /// Returns true if [`partial_cmp`](Self::partial_cmp) returns `Greater`. Ends as soon as the result is known.
    fn gt<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialOrd<Z::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_gt)
    }

    /// Returns true if [`partial_cmp`](Self::partial_cmp) returns `Greater` or `Equal`. Ends as soon as the result is known.
    fn ge<Z>(self, other: Z) -> bool
    where
        Z: IntoPar,
        Z::Par: Indexed,
        Self::Item: PartialOrd<Z::Item>,
    {
        self.partial_cmp(other).is_some_and(Ordering::is_ge)
    }

    /// Returns the inclusive prefixes. The prefix at an index is the fold of the items up to and including this index. `op` must be
    /// associative. Use [`inclusive_scan_rope`](Self::inclusive_scan_rope) to get a rope.
    ///
    /// The grouping of the items depends only on the length, as in [`reduce`](Par::reduce). A scan makes one pass over the items on one
    /// worker, and at most two passes on several workers.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([1, 2, 3, 4].par().copied().inclusive_scan(|a, b| a + b), [1, 3, 6, 10]);
    /// ```
    fn inclusive_scan<F>(self, op: F) -> Vec<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        jobs::scan(self, None, &op)
    }

    /// Returns the exclusive prefixes and the fold of all items. The prefix at an index is the fold of all items before it,
    /// beginning with `first`. Use [`exclusive_scan_rope`](Self::exclusive_scan_rope) to get a rope.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let (before, all) = [1, 2, 3, 4].par().copied().exclusive_scan(0, |a, b| a + b);
    /// assert_eq!((before, all), (vec![0, 1, 3, 6], 10));
    /// ```
    fn exclusive_scan<F>(self, first: Self::Item, op: F) -> (Vec<Self::Item>, Self::Item)
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        let mut prefixes = jobs::scan(self, Some(first), &op);
        let all = prefixes.pop().expect("the first is there at least");
        (prefixes, all)
    }

    /// Returns the prefixes of [`inclusive_scan`](Self::inclusive_scan) as a rope with leaves of at most `leaf` items. The items of the
    /// rope have the same bits as the items of `inclusive_scan`'s vector.
    ///
    /// ```
    /// use heist::par::{DEFAULT_LEAF, prelude::*};
    /// let sums = [1, 2, 3, 4].par().copied().inclusive_scan_rope(DEFAULT_LEAF, |a, b| a + b);
    /// assert!(sums.iter().eq(&[1, 3, 6, 10]));
    /// ```
    ///
    /// # Panics
    /// Panics if `leaf` is 0 or more than [`MAX_LEAF`](super::MAX_LEAF).
    fn inclusive_scan_rope<F>(self, leaf: usize, op: F) -> Rope<Self::Item>
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        jobs::scan_rope(self, leaf, None, &op).finish()
    }

    /// Returns the prefixes of [`exclusive_scan`](Self::exclusive_scan) as a rope with leaves of at most `leaf` items.
    ///
    /// ```
    /// use heist::par::{DEFAULT_LEAF, prelude::*};
    /// let (before, all) = [1, 2, 3, 4].par().copied().exclusive_scan_rope(DEFAULT_LEAF, 0, |a, b| a + b);
    /// assert!(before.iter().eq(&[0, 1, 3, 6]));
    /// assert_eq!(all, 10);
    /// ```
    ///
    /// # Panics
    /// Panics if `leaf` is 0 or more than [`MAX_LEAF`](super::MAX_LEAF).
    fn exclusive_scan_rope<F>(
        self,
        leaf: usize,
        first: Self::Item,
        op: F,
    ) -> (Rope<Self::Item>, Self::Item)
    where
        Self::Item: Sync,
        F: Fn(&Self::Item, &Self::Item) -> Self::Item + Send + Sync,
    {
        let prefixes = jobs::scan_rope(self, leaf, Some(&first), &op);
        let mut all = RopeBuilder::with_leaf(leaf);
        all.push(first);
        all.append(prefixes);
        let (before, all) = all.finish_but_last();
        (before, all.expect("the first is there at least"))
    }

    /// Returns the first index whose item satisfies the condition. The search ends early, so it checks only few items behind this index.
    fn position_first<F>(self, is: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        let found = self.enumerate().map(move |(at, item)| (at, is(item)));
        found.find_first(|&(_, is)| is).map(|(at, _)| at)
    }

    /// Returns the index of any item that satisfies the condition. The schedule decides which index is returned. Ends as soon as an
    /// index is found.
    fn position_any<F>(self, is: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        let found = self.enumerate().map(move |(at, item)| (at, is(item)));
        found.find_any(|&(_, is)| is).map(|(at, _)| at)
    }

    /// Returns the last index whose item satisfies the condition. The search begins at the end and ends early, so it checks only few items
    /// before this index.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([3, 1, 4, 1, 5].par().position_last(|x| *x == 1), Some(3));
    /// ```
    fn position_last<F>(self, is: F) -> Option<usize>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        let len = self.len();
        let from_behind = self.rev().position_first(is);
        from_behind.map(|at| len - 1 - at)
    }

    /// Yields the indices whose items satisfy the condition, in order.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([3, 1, 4, 1, 5].par().positions(|x| *x == 1).collect::<Vec<_>>(), [1, 3]);
    /// ```
    fn positions<F>(self, is: F) -> Positions<Enumerate<Self>, F>
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        Positions::new(self.enumerate(), is)
    }

    /// Writes all items into `target`, which must have the same length.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    fn write_to(self, target: &mut [Self::Item]) {
        assert_eq!(self.len(), target.len(), "heist: lengths differ");
        self.zip(target).for_each(|(item, place)| *place = item);
    }

    /// Replaces the items of a vector with those of the sequence, and reuses the vector's memory. The vector is empty after a panic.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut squares = vec![7; 100];
    /// (0..4).par().map(|x| x * x).collect_into_vec(&mut squares);
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// ```
    fn collect_into_vec(self, target: &mut Vec<Self::Item>) {
        target.clear();
        target.par_extend(self);
    }

    /// Replaces the items of two vectors with the left and right halves of the pairs, and reuses the vectors' memory. The vectors are empty
    /// after a panic.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    /// (0..2).par().map(|x| (x, x.to_string())).unzip_into_vecs(&mut numbers, &mut texts);
    /// assert_eq!((numbers, texts), (vec![0, 1], vec!["0".to_string(), "1".to_string()]));
    /// ```
    fn unzip_into_vecs<A, B>(self, left: &mut Vec<A>, right: &mut Vec<B>)
    where
        Self: Par<Item = (A, B)>,
        A: Send,
        B: Send,
    {
        left.clear();
        right.clear();
        let len = self.len();
        fill_both(left, right, self, len);
    }
}
