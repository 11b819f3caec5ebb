//! Parallel sequences.

mod folds;
mod looks;
mod partitions;
mod scratch;

use super::adapters::{
    Chain, Cloned, Clones, Copied, Filter, FilterMap, FlatMap, FlatMapIter, Flatten, FlattenIter,
    Inspect, Map, MapInit, MapWith, Progress, Split, Update, WhileSome, until,
};
use super::ask::{Origin, ask};
use super::collect::{FromPar, ParExtend};
use super::job::Job;
use super::jobs;
use super::limit::Scope;
use super::rope::Rope;
use super::splitting::Splitting;
use super::{IntoPar, Outcome};
use either::Either;
use folds::folds;
use looks::looks;
use partitions::partitions;
use scratch::scratch;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

/// A parallel sequence: like an [`Iterator`], but several workers may process its items in parallel.
///
/// A sequence and its adapters run no function before an operation requests a result. An operation has the same result as on an iterator,
/// in the same order, under every schedule. For example, maps keep positions, and searches find the first item. If a function panics for
/// several items, the operation rethrows the leftmost panic, with the exceptions that [`par`](mod@super) states.
///
/// This trait is sealed. Sequences come from [`IntoPar`], [`ToPar`](super::ToPar) and [`ToParMut`](super::ToParMut). Other crates
/// make sequences from a [`Producer`](super::Producer).
#[doc(alias = "ParallelIterator")]
#[must_use = "a parallel sequence does nothing until it is asked for a result"]
pub trait Par: Sized + Send {
    /// The type of the items.
    type Item: Send;
    /// The splitting policy of the sequence.
    type Policy: Splitting;

    #[doc(hidden)]
    fn policy(&self) -> Self::Policy;

    /// Returns the number of positions that the sequence has. A filtered sequence may yield fewer items than it has positions, and a
    /// flattened sequence may yield any number of items.
    #[doc(hidden)]
    fn bound(&self) -> usize;

    /// Returns the number of items if each position yields exactly one item, and otherwise `None`.
    #[doc(hidden)]
    fn exact_len(&self) -> Option<usize>;

    /// Works like [`exact_len`](Self::exact_len), but also accepts a sequence that may end early, if each position before the end yields
    /// one item. For such a sequence, returns the number of positions.
    #[doc(hidden)]
    fn full_len(&self) -> Option<usize> {
        self.exact_len()
    }

    /// Splits the sequence by `policy`, runs the job, and returns the state of the whole sequence.
    #[doc(hidden)]
    fn drive<X, J>(self, policy: X, job: &J, origin: Origin<'_>) -> J::State
    where
        X: Splitting,
        J: Job<Self::Item>;

    /// Runs the job on this thread, piece by piece, and leaves the sequence empty. This method takes the sequence by reference, because a
    /// copy of the sequence in memory took longer than a short loop. The processor wrote the copy in small parts and then read it in wider
    /// words, and such a read must wait for the writes.
    #[doc(hidden)]
    fn whole<J>(&mut self, job: &J) -> J::Output
    where
        J: Job<Self::Item>;

    /// Runs the job on this thread, within a chunk of `scope`. Adds the items to `state`, and leaves the sequence empty. `state`
    /// must be new, unless the job [absorbs items](Job::absorbs_items).
    #[doc(hidden)]
    fn flat<J>(&mut self, job: &J, state: &mut J::State, scope: Scope<'_>)
    where
        J: Job<Self::Item>;

    /// Selects `policy` as the splitting policy, instead of [`Lazy`](super::Lazy). If a chain of adapters sets several policies, the last
    /// of these policies applies.
    ///
    /// ```
    /// use heist::par::{Eager, prelude::*};
    /// let sum: u64 = (0..1000).par().splitting(Eager(128)).sum();
    /// assert_eq!(sum, 499_500);
    /// ```
    fn splitting<X: Splitting>(self, policy: X) -> Split<Self, X> {
        Split::new(self, policy)
    }

    /// Applies a function to each item.
    #[inline]
    fn map<F, U>(self, map: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> U + Send + Sync,
        U: Send,
    {
        Map::new(self, map)
    }

    scratch!();

    looks!();

    /// Keeps the items for which `keep` returns true.
    fn filter<F>(self, keep: F) -> Filter<Self, F>
    where
        F: Fn(&Self::Item) -> bool + Send + Sync,
    {
        Filter::new(self, keep)
    }

    /// Applies a function to each item, and keeps the values that are `Some`.
    fn filter_map<F, U>(self, map: F) -> FilterMap<Self, F>
    where
        F: Fn(Self::Item) -> Option<U> + Send + Sync,
        U: Send,
    {
        FilterMap::new(self, map)
    }

    /// Maps each item to a parallel sequence, and concatenates these sequences. Each nested sequence runs in parallel, too, to any depth of
    /// nesting.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let triangle: Vec<_> = (0..4).par().flat_map(|i| 0..i).collect();
    /// assert_eq!(triangle, [0, 0, 1, 0, 1, 2]);
    /// ```
    fn flat_map<F, I>(self, map: F) -> FlatMap<Self, F>
    where
        F: Fn(Self::Item) -> I + Send + Sync,
        I: IntoPar,
    {
        FlatMap::new(self, map)
    }

    /// Maps each item to a serial iterator, and concatenates these iterators.
    fn flat_map_iter<F, I>(self, map: F) -> FlatMapIter<Self, F>
    where
        F: Fn(Self::Item) -> I + Send + Sync,
        I: IntoIterator,
        I::Item: Send,
    {
        FlatMapIter::new(self, map)
    }

    /// Concatenates a sequence of parallel sequences.
    fn flatten(self) -> Flatten<Self>
    where
        Self::Item: IntoPar,
    {
        FlatMap::new(self, std::convert::identity)
    }

    /// Concatenates a sequence of serial iterators.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let all: Vec<_> = [Some(1), None, Some(3)].into_par().flatten_iter().collect();
    /// assert_eq!(all, [1, 3]);
    /// ```
    fn flatten_iter(self) -> FlattenIter<Self>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        FlatMapIter::new(self, std::convert::identity)
    }

    /// Concatenates this sequence and `other`. The result splits like this sequence: the [policy](Self::splitting) of `other` has
    /// no effect. If the items of both sequences have indices, the items of the result have indices, too.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let odd = (0..4).par().filter(|x| x % 2 == 1);
    /// assert_eq!(odd.chain(7..9).collect::<Vec<_>>(), [1, 3, 7, 8]);
    /// ```
    ///
    /// # Panics
    /// Operations that need the length or positions panic if both sequences together have more than `usize::MAX` items.
    fn chain<C>(self, other: C) -> Chain<Self, C::Par>
    where
        C: IntoPar<Item = Self::Item>,
    {
        Chain::new(self, other.into_par())
    }

    /// Yields the values before the first `None` from the left. Ends early at the `None`, and checks few items behind it. If a
    /// [`fold_reduce`](Self::fold_reduce) or a similar operation follows this adapter, the identity of the fold must be neutral, because
    /// the schedule decides how many leaves have no items.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let digits = "12 monkeys, 3".as_bytes().par().map(|byte| byte.is_ascii_digit().then(|| byte - b'0'));
    /// assert_eq!(digits.while_some().collect::<Vec<_>>(), [1, 2]);
    /// ```
    fn while_some<T>(self) -> WhileSome<Self>
    where
        Self: Par<Item = Option<T>>,
        T: Send,
    {
        WhileSome::new(self)
    }

    /// Copies the items behind references.
    fn copied<'t, T>(self) -> Copied<Self>
    where
        Self: Par<Item = &'t T>,
        T: Copy + Send + Sync + 't,
    {
        Copied::new(self)
    }

    /// Clones the items behind references.
    fn cloned<'t, T>(self) -> Cloned<Self>
    where
        Self: Par<Item = &'t T>,
        T: Clone + Send + Sync + 't,
    {
        Cloned::new(self)
    }

    /// Calls a function with each item, in no fixed order across workers.
    fn for_each<F>(self, each: F)
    where
        F: Fn(Self::Item) + Send + Sync,
    {
        ask(self, jobs::ForEach(each));
    }

    /// Calls a function with each item, in no fixed order across workers. Returns the first failure from the left. Ends early at
    /// this failure, and checks few items behind it.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let check = |xs: &[i32]| xs.par().try_for_each(|x| if *x < 0 { Err(*x) } else { Ok(()) });
    /// assert_eq!(check(&[1, 2, 3]), Ok(()));
    /// assert_eq!(check(&[1, -2, -3]), Err(-2));
    /// ```
    fn try_for_each<F, R>(self, each: F) -> R
    where
        F: Fn(Self::Item) -> R + Send + Sync,
        R: Outcome<Value = ()>,
    {
        match until(self.map(each), |units| units.for_each(|()| ())) {
            Ok(()) => R::of(()),
            Err(failure) => R::failed(failure),
        }
    }

    /// Collects all items, in order. [`Result`]s and [`Option`]s can be collected into a result or an option of a collection. An
    /// operation that collects a result or an option ends early at the first failure from the left.
    ///
    /// If the number of items is known beforehand, the workers write each item of a vector directly to its final place, even for a vector
    /// within a result or an option. Otherwise, and for strings, the operation gathers the items in pieces, a few for each steal, and then
    /// moves each item once into the result.
    fn collect<C>(self) -> C
    where
        C: FromPar<Self::Item>,
    {
        C::from_par(self)
    }

    /// Collects all items, in order, into a rope with leaves of at most `leaf` items. The ropes that [`collect`](Self::collect)
    /// makes have leaves of [`DEFAULT_LEAF`](super::DEFAULT_LEAF) items.
    ///
    /// If the number of items is known beforehand, all leaves but the last are full. Otherwise the schedule decides where leaves begin, and
    /// any two adjacent leaves together have more than `leaf` items.
    ///
    /// # Panics
    /// Panics if `leaf` is 0 or more than [`MAX_LEAF`](super::MAX_LEAF).
    fn collect_rope(self, leaf: usize) -> Rope<Self::Item>
    where
        Self::Item: Sync,
    {
        // If the sequence may end early, `exact` is the number of its items without an early end.
        let exact = self.full_len();
        ask(self, jobs::Build { leaf, exact })
    }

    /// Counts the items.
    fn count(self) -> usize {
        ask(self, jobs::Count)
    }

    folds!();

    /// Returns the least item. If several items are equal, returns the first of them.
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.min_by(Ord::cmp)
    }

    /// Returns the greatest item. If several items are equal, returns the last of them.
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.max_by(Ord::cmp)
    }

    /// Returns the least item by the order `compare`. If several items are equal, returns the first of them.
    fn min_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item, &Self::Item) -> Ordering + Send + Sync,
    {
        self.best(move |kept, new| compare(kept, new).is_gt())
    }

    /// Returns the greatest item by the order `compare`. If several items are equal, returns the last of them.
    fn max_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item, &Self::Item) -> Ordering + Send + Sync,
    {
        self.best(move |kept, new| compare(kept, new).is_le())
    }

    /// Returns the item with the least key. If several items have this key, returns the first of them.
    fn min_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Fn(&Self::Item) -> K + Send + Sync,
    {
        let keyed = self.map(move |item| (key(&item), item));
        keyed.min_by(|a, b| a.0.cmp(&b.0)).map(without_key)
    }

    /// Returns the item with the greatest key. If several items have this key, returns the last of them.
    fn max_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Fn(&Self::Item) -> K + Send + Sync,
    {
        let keyed = self.map(move |item| (key(&item), item));
        keyed.max_by(|a, b| a.0.cmp(&b.0)).map(without_key)
    }

    #[doc(hidden)]
    fn best<F>(self, better: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item, &Self::Item) -> bool + Send + Sync,
    {
        ask(self, jobs::Best(better))
    }

    /// Returns true if some item satisfies the condition. Ends as soon as the result is known.
    fn any<F>(self, is: F) -> bool
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        self.map(is).find_any(|&is| is).is_some()
    }

    /// Returns true if all items satisfy the condition. Ends as soon as the result is known.
    fn all<F>(self, is: F) -> bool
    where
        F: Fn(Self::Item) -> bool + Send + Sync,
    {
        !self.any(move |item| !is(item))
    }

    /// Returns any item that satisfies the condition. The schedule decides which item is returned. Ends as soon as an item is
    /// found.
    fn find_any<F>(self, is: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item) -> bool + Send + Sync,
    {
        ask(self, jobs::Find { is, first: false })
    }

    /// Returns the first item that satisfies the condition. Checks only few items behind this item.
    fn find_first<F>(self, is: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item) -> bool + Send + Sync,
    {
        ask(self, jobs::Find { is, first: true })
    }

    /// Returns the last item that satisfies the condition.
    ///
    /// After a match is found, no worker begins an item to the left of this match. But each worker processes its items from left to right,
    /// so in a pool with one worker this search checks every item. If the items have indices, use [`rev`](super::Indexed::rev) and
    /// [`find_first`](Self::find_first). That search checks only few items beyond the match.
    fn find_last<F>(self, is: F) -> Option<Self::Item>
    where
        F: Fn(&Self::Item) -> bool + Send + Sync,
    {
        ask(self, jobs::FindLast(is))
    }

    /// Returns the value of any item for which `map` returns `Some`. The schedule decides which value is returned. Ends as soon as
    /// a value is found.
    fn find_map_any<F, U>(self, map: F) -> Option<U>
    where
        F: Fn(Self::Item) -> Option<U> + Send + Sync,
        U: Send,
    {
        self.filter_map(map).find_any(|_| true)
    }

    /// Returns the value of the first item for which `map` returns `Some`. Checks only few items behind this item.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let number = ["lazy", "7", "x", "8"].par().find_map_first(|word| word.parse::<u32>().ok());
    /// assert_eq!(number, Some(7));
    /// ```
    fn find_map_first<F, U>(self, map: F) -> Option<U>
    where
        F: Fn(Self::Item) -> Option<U> + Send + Sync,
        U: Send,
    {
        self.filter_map(map).find_first(|_| true)
    }

    /// Returns the value of the last item for which `map` returns `Some`. See [`find_last`](Self::find_last).
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let number = ["lazy", "7", "x", "8"].par().find_map_last(|word| word.parse::<u32>().ok());
    /// assert_eq!(number, Some(8));
    /// ```
    fn find_map_last<F, U>(self, map: F) -> Option<U>
    where
        F: Fn(Self::Item) -> Option<U> + Send + Sync,
        U: Send,
    {
        self.filter_map(map).find_last(|_| true)
    }

    partitions!();

    /// Groups items with equal keys. The items of each group keep their order.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let by_length = ["a", "lazy", "tree"].par().copied().group_by(|word| word.len());
    /// assert_eq!(by_length[&4], ["lazy", "tree"]);
    /// ```
    fn group_by<K, F>(self, key: F) -> HashMap<K, Vec<Self::Item>>
    where
        K: Eq + Hash + Send,
        F: Fn(&Self::Item) -> K + Send + Sync,
    {
        ask(self, jobs::GroupBy(key))
    }

    /// Counts the items in each of `buckets` buckets. `bucket` returns the index of an item's bucket.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// assert_eq!([3, 1, 4, 1, 5].par().histogram(4, |x| x % 4), [1, 3, 0, 1]);
    /// ```
    ///
    /// # Panics
    /// Panics if `bucket` returns an index that is not less than `buckets`.
    fn histogram<F>(self, buckets: usize, bucket: F) -> Vec<u64>
    where
        F: Fn(Self::Item) -> usize + Send + Sync,
    {
        ask(self.map(bucket), jobs::Histogram(buckets))
    }
}

/// Drops the key, and returns the item. If the key's destructor panics, drops the item, too.
fn without_key<K, T>((key, item): (K, T)) -> T {
    drop(key);
    item
}
