//! Sorting of ropes.

use super::Rope;
use crate::par::ParSort;
use crate::par::prelude::*;
use std::cmp::Ordering;

/// Sorts of ropes on the workers of a pool, as [`ParSort`] sorts slices. A sort first gathers the items in one array. The sort moves items
/// out of leaves that no other rope shares, and clones the items of shared leaves. Then the sort orders the array, and moves the items into
/// leaves of the same size as before. All steps run in parallel. The sort takes memory for n more items.
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
/// Rethrows the panic of a comparison, of a key function, or of `T::clone`. A sort may also panic if the order is not total.
impl<T: Clone + Send + Sync> Rope<T> {
    /// Returns a rope of all items in order. The sort is stable. Takes O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort())
    }

    /// Returns a rope of all items in the order of `compare`. The sort is stable. Takes O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_by(compare))
    }

    /// Returns a rope of all items in the order of a key that is computed for each comparison. The sort is stable. Computes O(n log
    /// n) keys.
    #[must_use]
    pub fn par_sorted_by_key<K, F>(self, key: F) -> Self
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_key(key))
    }

    /// Returns a rope of all items in the order of a key that is computed once for each item. The sort is stable. Use this method
    /// if computing a key takes long.
    #[must_use]
    pub fn par_sorted_by_cached_key<K, F>(self, key: F) -> Self
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_cached_key(key))
    }

    /// Returns a rope of all items in order. Equal items may change their order. Takes O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort_unstable())
    }

    /// Returns a rope of all items in the order of `compare`. Equal items may change their order. Takes O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_unstable_by(compare))
    }

    /// Returns a rope of all items in the order of a key that is computed for each comparison. Items with equal keys may change
    /// their order. Computes O(n log n) keys.
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
