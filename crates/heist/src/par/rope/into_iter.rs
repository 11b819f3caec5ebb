//! The iterator that consumes a rope.

use super::leaf::{Copier, Leaf};
use super::tree::{End, Tree};
use std::collections::VecDeque;
use std::fmt;
use std::iter::FusedIterator;
use std::vec;

/// An iterator over the items of a consumed [`Rope`](super::Rope), in order. The iterator moves items out of arrays that no other
/// rope shares, and clones the items of shared arrays.
pub struct RopeIntoIter<T> {
    first: Items<T>,
    /// The trees between the leaves of `first` and `last`, in order.
    between: VecDeque<Tree<T>>,
    last: Items<T>,
    /// Number of items in `between`.
    len: usize,
}

/// The remaining items of a leaf.
enum Items<T> {
    Owned(vec::IntoIter<T>),
    /// A leaf, the index of its first remaining item, and the index behind its last remaining item.
    Shared(Leaf<T>, usize, usize),
}

impl<T> Items<T> {
    fn of(leaf: Leaf<T>) -> Self {
        match leaf.take() {
            Ok(items) => Items::Owned(items.into_iter()),
            Err(leaf) => {
                let len = leaf.len();
                Items::Shared(leaf, 0, len)
            }
        }
    }

    fn none() -> Self {
        Items::Owned(Vec::new().into_iter())
    }

    fn len(&self) -> usize {
        match self {
            Items::Owned(items) => items.len(),
            Items::Shared(_, start, end) => end - start,
        }
    }
}

impl<T: Clone> Items<T> {
    #[inline]
    fn take(&mut self, from: End) -> Option<T> {
        match (self, from) {
            (Items::Owned(items), End::First) => items.next(),
            (Items::Owned(items), End::Last) => items.next_back(),
            (Items::Shared(_, start, end), _) if start == end => None,
            // The index advances after the clone, because the clone may panic.
            (Items::Shared(leaf, start, _), End::First) => {
                let item = leaf.items()[*start].clone();
                *start += 1;
                Some(item)
            }
            (Items::Shared(leaf, _, end), End::Last) => {
                let item = leaf.items()[*end - 1].clone();
                *end -= 1;
                Some(item)
            }
        }
    }
}

impl<T> RopeIntoIter<T> {
    pub(super) fn new(root: Option<Tree<T>>) -> Self {
        RopeIntoIter {
            first: Items::none(),
            len: root.as_ref().map_or(0, Tree::len),
            between: root.into_iter().collect(),
            last: Items::none(),
        }
    }

    /// Takes the leaf at one end of the remaining items.
    fn take_leaf(&mut self, end: End) -> Option<Leaf<T>> {
        loop {
            let tree = match end {
                End::First => self.between.pop_front(),
                End::Last => self.between.pop_back(),
            };
            match (tree?, end) {
                (Tree::Leaf(leaf), _) => {
                    self.len -= leaf.len();
                    return Some(leaf);
                }
                (Tree::Cat(cat), End::First) => {
                    let [left, right] = cat.into_sides();
                    self.between.push_front(right);
                    self.between.push_front(left);
                }
                (Tree::Cat(cat), End::Last) => {
                    let [left, right] = cat.into_sides();
                    self.between.push_back(left);
                    self.between.push_back(right);
                }
            }
        }
    }
}

/// Returns all items of a tree in one array.
pub(super) fn into_vec<T>(root: Option<Tree<T>>, copy: Copier<T>) -> Vec<T> {
    let mut rest = RopeIntoIter::new(root);
    let mut items = match rest.take_leaf(End::First).map(Leaf::take) {
        None => return Vec::new(),
        Some(Ok(items)) => items,
        Some(Err(shared)) => {
            let mut items = Vec::with_capacity(shared.len() + rest.len);
            shared.move_to(&mut items, Some(copy));
            items
        }
    };
    items.reserve_exact(rest.len);
    while let Some(leaf) = rest.take_leaf(End::First) {
        leaf.move_to(&mut items, Some(copy));
    }
    items
}

impl<T: Clone> Iterator for RopeIntoIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.first.take(End::First) {
                return Some(item);
            }
            match self.take_leaf(End::First) {
                Some(leaf) => self.first = Items::of(leaf),
                None => return self.last.take(End::First),
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.first.len() + self.len + self.last.len();
        (len, Some(len))
    }
}

impl<T: Clone> DoubleEndedIterator for RopeIntoIter<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.last.take(End::Last) {
                return Some(item);
            }
            match self.take_leaf(End::Last) {
                Some(leaf) => self.last = Items::of(leaf),
                None => return self.first.take(End::Last),
            }
        }
    }
}

impl<T: Clone> ExactSizeIterator for RopeIntoIter<T> {}
impl<T: Clone> FusedIterator for RopeIntoIter<T> {}

impl<T> fmt::Debug for RopeIntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.first.len() + self.len + self.last.len();
        f.debug_struct("RopeIntoIter").field("len", &len).finish()
    }
}
