//! Sorting.

use super::Rope;
use crate::par::ParSort;
use crate::par::prelude::*;
use std::cmp::Ordering;

/// Sorting on the workers of a pool, as [`ParSort`] does: the items are moved out of arrays that no other rope shares, and cloned from
/// others, into one array; that is sorted, and moved into leaves of the same size. All of it is parallel, and takes memory for n items
/// more.
///
/// ```
/// use heist::par::{Rope, prelude::*};
///
/// let words: Rope<&str> = ["pear", "fig", "apple"].into_par().collect();
/// let by_length = words.clone().par_sorted_by_key(|word| word.len());
/// assert!(by_length.iter().eq(&["fig", "pear", "apple"]));
/// assert!(words.par_sorted().iter().eq(&["apple", "fig", "pear"]));
/// ```
///
/// # Panics
/// Rethrows the panic of a comparison, of a key function, or of `T::clone`. A comparison that gives no total order may lead to one.
impl<T: Clone + Send + Sync> Rope<T> {
    /// All items in order; equal ones keep theirs. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort())
    }

    /// All items in the order of `compare`; equal ones keep theirs. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_by(compare))
    }

    /// All items in the order of a key that is found anew for each comparison; those of equal keys keep theirs. O(n log n) keys.
    #[must_use]
    pub fn par_sorted_by_key<K, F>(self, key: F) -> Self
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_key(key))
    }

    /// All items in the order of a key that is found once for each; those of equal keys keep theirs. For keys that take long.
    #[must_use]
    pub fn par_sorted_by_cached_key<K, F>(self, key: F) -> Self
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_cached_key(key))
    }

    /// All items in order; equal ones may change theirs. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort_unstable())
    }

    /// All items in the order of `compare`; equal ones may change theirs. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_unstable_by(compare))
    }

    /// All items in the order of a key that is found anew for each comparison; those of equal keys may change theirs. O(n log n) keys.
    #[must_use]
    pub fn par_sorted_unstable_by_key<K, F>(self, key: F) -> Self
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_unstable_by_key(key))
    }

    fn through_slice(self, order: impl FnOnce(&mut [T])) -> Self {
        let leaf = self.max;
        let mut items: Vec<T> = self.into_par().collect();
        order(&mut items);
        items.into_par().collect_rope(leaf)
    }
}
