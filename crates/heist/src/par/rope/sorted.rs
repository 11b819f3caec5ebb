//! Sorting of ropes.

use super::Rope;
use crate::par::ParSort;
use crate::par::prelude::*;
use std::cmp::Ordering;

/// Sorts ropes on the workers of a pool, as [`ParSort`] sorts slices. The items go into one array: they are moved out of arrays
/// that no other rope shares, and cloned from others. The array is sorted, and its items are moved into leaves of the same size.
/// All steps run in parallel, and take memory for n more items.
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
/// Rethrows the panic of a comparison, of a key function, or of `T::clone`. A comparison that is not a total order may cause one.
impl<T: Clone + Send + Sync> Rope<T> {
    /// Returns all items in order; the sort is stable. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort())
    }

    /// Returns all items in the order of `compare`; the sort is stable. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_by(compare))
    }

    /// Returns all items in the order of a key that is computed for each comparison; the sort is stable. Computes O(n log n) keys.
    #[must_use]
    pub fn par_sorted_by_key<K, F>(self, key: F) -> Self
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_key(key))
    }

    /// Returns all items in the order of a key that is computed once for each item; the sort is stable. Use it if computing a key
    /// takes long.
    #[must_use]
    pub fn par_sorted_by_cached_key<K, F>(self, key: F) -> Self
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        self.through_slice(|items| items.par_sort_by_cached_key(key))
    }

    /// Returns all items in order; equal items may change their order. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable(self) -> Self
    where
        T: Ord,
    {
        self.through_slice(|items| items.par_sort_unstable())
    }

    /// Returns all items in the order of `compare`; equal items may change their order. O(n log n) comparisons.
    #[must_use]
    pub fn par_sorted_unstable_by<F>(self, compare: F) -> Self
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        self.through_slice(|items| items.par_sort_unstable_by(compare))
    }

    /// Returns all items in the order of a key that is computed for each comparison; items with equal keys may change their order. O(n
    /// log n) keys.
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
