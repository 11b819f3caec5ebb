//! The zipper: a traversal that can be paused. The remaining part of the traversal can be divided.

use super::Rope;
use super::pending::Pending;
use super::tree::{End, Tree};

/// The remaining part of a traversal from left to right.
///
/// The traversal is Huet's zipper as Rainey uses it for *lazy tree splitting* (thesis, section 4.1.1), without the visited elements. The
/// zipper's focus is the remaining part of a leaf. Its context is the stack of unvisited right siblings on the path to this leaf.
/// [`split_off`](Self::split_off) has the effect of `splitCtx` in Rainey's thesis and of a split of the resulting rope, but does not build
/// this rope.
pub(crate) struct Zipper<'a, T> {
    /// The remaining elements of the current leaf. The field is empty only if no elements are left in the traversal.
    front: &'a [T],
    /// Number of remaining elements. The remaining elements are the first `len` elements of the concatenation of `front` and the siblings.
    /// After a split, the siblings may also contain later elements, which this traversal never visits.
    len: usize,
    siblings: Pending<'a, T>,
}

impl<T> Clone for Zipper<'_, T> {
    fn clone(&self) -> Self {
        Zipper {
            siblings: self.siblings.clone(),
            ..*self
        }
    }
}

#[cfg_attr(
    any(not(test), heist_model),
    allow(dead_code, reason = "for the parallel operations over ropes")
)]
impl<'a, T> Zipper<'a, T> {
    /// Returns a traversal of a whole rope. Takes O(log n).
    pub(crate) fn new(rope: &'a Rope<T>) -> Self {
        let mut zipper = Zipper {
            front: &[],
            len: rope.len(),
            siblings: Pending::new(),
        };
        if let Some(root) = &rope.root {
            zipper.enter(root);
        }
        zipper
    }

    /// Returns the number of elements left.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the remaining elements of the current leaf. The slice is not empty if elements are left.
    #[inline]
    pub(crate) fn front(&self) -> &'a [T] {
        self.front
    }

    /// Returns the number of remaining elements in the last leaf. Takes O(log n).
    pub(crate) fn back_len(&self) -> usize {
        let mut before = self.front.len();
        if self.len <= before {
            return self.len;
        }
        let last = self.len - 1;
        for sibling in self.siblings.iter() {
            if last - before < sibling.len() {
                let (_, index) = sibling.find(last - before);
                return index + 1;
            }
            before += sibling.len();
        }
        unreachable!("what is left is of the current leaf or its siblings")
    }

    /// Takes the next `count` elements, which must all be in the current leaf. If the current leaf is then empty, moves to the next
    /// leaf. Takes amortised O(1).
    ///
    /// # Panics
    /// Panics if `front` has fewer than `count` elements.
    #[inline]
    pub(crate) fn take_front(&mut self, count: usize) -> &'a [T] {
        let (taken, rest) = self.front.split_at(count);
        self.front = rest;
        self.len -= count;
        if rest.is_empty() {
            self.advance();
        }
        taken
    }

    /// Moves to the next leaf.
    fn advance(&mut self) {
        if self.len == 0 {
            return;
        }
        if let Some(next) = self.siblings.pop() {
            self.enter(next);
        }
    }

    /// Moves to the first leaf of `tree`, which must be the next subtree.
    fn enter(&mut self, tree: &'a Tree<T>) {
        let leaf = self.siblings.descend(tree, End::First);
        self.siblings.look_ahead(End::First);
        self.focus(leaf.items());
    }

    /// Makes `leaf` the current leaf, without the elements that this traversal will not visit.
    fn focus(&mut self, leaf: &'a [T]) {
        self.front = &leaf[..leaf.len().min(self.len)];
    }

    /// Keeps the first `at` elements, and returns a traversal of the remaining elements. Takes O(log n). Copies no elements.
    ///
    /// # Panics
    /// Panics if fewer than `at` elements are left.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        assert!(at <= self.len, "heist: a split at {at} of {}", self.len);
        let mut rest = Zipper {
            len: self.len - at,
            ..self.clone()
        };
        self.len = at;
        if at < self.front.len() {
            (self.front, rest.front) = self.front.split_at(at);
        } else {
            rest.front = &[];
            rest.skip(at - self.front.len());
        }
        rest
    }

    /// Moves to the element at index `at` among the elements behind the current leaf.
    fn skip(&mut self, mut at: usize) {
        while self.len > 0 {
            let Some(mut tree) = self.siblings.pop() else {
                return;
            };
            if at >= tree.len() {
                at -= tree.len();
                continue;
            }
            while let Tree::Cat(cat) = tree {
                let [left, right] = cat.sides();
                if at < left.len() {
                    self.siblings.push(right);
                    tree = left;
                } else {
                    at -= left.len();
                    tree = right;
                }
            }
            if let Tree::Leaf(leaf) = tree {
                self.focus(&leaf.items()[at..]);
            }
            return;
        }
    }

    /// Returns the position at which to divide the remaining elements without cutting a subtree: the number of elements before the topmost
    /// unvisited sibling. Both parts are nonempty. Returns `None` if only elements of the current leaf are left. Takes O(log n).
    pub(crate) fn split_point(&self) -> Option<usize> {
        let mut before = self.front.len();
        let mut split_point = None;
        for sibling in self.siblings.iter() {
            if before >= self.len {
                break;
            }
            split_point = Some(before);
            before += sibling.len();
        }
        split_point
    }
}
