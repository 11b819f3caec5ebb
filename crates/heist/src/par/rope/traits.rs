//! Implements the standard traits for ropes.

use super::into_iter::into_vec;
use super::{Rope, RopeBuilder, RopeIntoIter, RopeIter};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Index;

/// Clones the rope in O(1): both ropes share all nodes and leaves.
impl<T> Clone for Rope<T> {
    fn clone(&self) -> Self {
        Rope {
            root: self.root.clone(),
            max: self.max,
        }
    }
}

impl<T> Default for Rope<T> {
    fn default() -> Self {
        Rope::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Rope<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// Returns the item at an index. Takes O(log n).
///
/// # Panics
/// Panics if the rope has no item at this index.
impl<T> Index<usize> for Rope<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(item) => item,
            None => panic!("heist: no item {index}: the rope has {}", self.len()),
        }
    }
}

/// Two ropes are equal if their items are equal, even if their trees have different shapes.
impl<T: PartialEq> PartialEq for Rope<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<T: Eq> Eq for Rope<T> {}

impl<T: PartialOrd> PartialOrd for Rope<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<T: Ord> Ord for Rope<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

impl<T: Hash> Hash for Rope<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        // Each item is hashed separately. The hash of a slice may differ from that of its items, and equal ropes may have different
        // leaves.
        self.iter().for_each(|item| item.hash(state));
    }
}

impl<T> FromIterator<T> for Rope<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut builder = RopeBuilder::new();
        builder.extend(items);
        builder.finish()
    }
}

/// Moves the items into leaves of [`DEFAULT_LEAF`](super::DEFAULT_LEAF) items. Takes O(n), or O(1) if the items fit into one leaf.
///
/// The conversion is serial, because the items need not be [`Send`]. The parallel form moves the items, too:
///
/// ```
/// use heist::par::{Rope, prelude::*};
/// let items: Vec<u32> = (0..10_000).collect();
/// let rope: Rope<u32> = items.into_par().collect();
/// let items: Vec<u32> = rope.into_par().collect();
/// assert_eq!(items.len(), 10_000);
/// ```
impl<T> From<Vec<T>> for Rope<T> {
    fn from(items: Vec<T>) -> Self {
        let mut builder = RopeBuilder::new();
        builder.push_vec(items);
        builder.finish()
    }
}

/// Moves items out of leaves that no other rope shares, and clones the items of shared leaves. Takes O(n), or O(1) for a single
/// leaf that is not shared with another rope.
///
/// The conversion is serial, because the items need not be [`Send`]. `rope.into_par().collect::<Vec<_>>()` moves and clones the same items
/// in parallel.
impl<T: Clone> From<Rope<T>> for Vec<T> {
    fn from(rope: Rope<T>) -> Self {
        into_vec(rope.root, Vec::extend_from_slice)
    }
}

/// Builds a rope of the new items and [concatenates](Rope::concat) it to this rope. If the iterator panics, this rope is unchanged.
/// If `T::clone` panics, this rope is empty.
impl<T: Clone> Extend<T> for Rope<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let mut builder = RopeBuilder::with_leaf(self.max);
        builder.extend(items);
        let more = builder.finish();
        *self = std::mem::take(self).concat(more);
    }
}

impl<'a, T> IntoIterator for &'a Rope<T> {
    type Item = &'a T;
    type IntoIter = RopeIter<'a, T>;

    fn into_iter(self) -> RopeIter<'a, T> {
        self.iter()
    }
}

impl<T: Clone> IntoIterator for Rope<T> {
    type Item = T;
    type IntoIter = RopeIntoIter<T>;

    fn into_iter(self) -> RopeIntoIter<T> {
        RopeIntoIter::new(self.root)
    }
}
