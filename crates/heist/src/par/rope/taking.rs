//! The zipper that moves items out of a consumed rope.

use super::Rope;
use super::leaf::{Leaf, Shown};
use super::tree::{Cat, End, Tree};
use crate::par::sources::OwnedSource;
use std::mem::take;

/// An unvisited part of a rope.
enum Unvisited<'a, T> {
    /// A subtree that belongs to no other rope.
    Owned(&'a mut Tree<T>),
    /// A subtree that another rope may share.
    Shared(&'a Tree<T>),
    /// The first items of a leaf that a split has cut.
    Cut(Front<'a, T>),
}

/// The content of a subtree: the two sides of a node, or the items of a leaf.
enum Opened<'a, T> {
    Sides(Unvisited<'a, T>, Unvisited<'a, T>),
    Leaf(Front<'a, T>),
}

impl<'a, T> Unvisited<'a, T> {
    fn tree(&self) -> Option<&Tree<T>> {
        match self {
            Unvisited::Owned(tree) => Some(tree),
            Unvisited::Shared(tree) => Some(tree),
            Unvisited::Cut(_) => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Unvisited::Owned(tree) => tree.len(),
            Unvisited::Shared(tree) => tree.len(),
            Unvisited::Cut(front) => front.len(),
        }
    }

    fn open(self) -> Opened<'a, T> {
        match self {
            Unvisited::Owned(Tree::Cat(cat)) => {
                if !cat.is_owned() {
                    return Opened::shared(cat);
                }
                let [left, right] = cat.sides_mut();
                Opened::Sides(Unvisited::Owned(left), Unvisited::Owned(right))
            }
            Unvisited::Owned(Tree::Leaf(leaf)) => Opened::Leaf(Front::of(leaf)),
            Unvisited::Shared(Tree::Cat(cat)) => Opened::shared(cat),
            Unvisited::Shared(Tree::Leaf(leaf)) => Opened::Leaf(Front::Cloned(leaf.items())),
            Unvisited::Cut(front) => Opened::Leaf(front),
        }
    }
}

impl<'a, T> Opened<'a, T> {
    fn shared(cat: &'a Cat<T>) -> Self {
        let [left, right] = cat.sides();
        Opened::Sides(Unvisited::Shared(left), Unvisited::Shared(right))
    }
}

/// The remaining items of one leaf.
pub enum Front<'a, T> {
    /// Items to move out.
    Moved(OwnedSource<'a, T>),
    /// Items to clone, because another rope may share them.
    Cloned(&'a [T]),
}

impl<'a, T> Front<'a, T> {
    fn of(leaf: &'a mut Leaf<T>) -> Self {
        match leaf.show() {
            Shown::Owned(array, count) => Front::Moved(OwnedSource::of_last(array, count)),
            Shown::Shared(items) => Front::Cloned(items),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Front::Moved(items) => items.len(),
            Front::Cloned(items) => items.len(),
        }
    }

    /// Keeps the first `at` items, and returns the remaining items.
    #[inline]
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        match self {
            Front::Moved(items) => {
                let (left, right) = items.divide(at);
                *items = left;
                Front::Moved(right)
            }
            Front::Cloned(items) => {
                let (left, right) = items.split_at(at);
                *items = left;
                Front::Cloned(right)
            }
        }
    }
}

/// The remaining part of a traversal of a consumed rope. The traversal is a [zipper](super::zipper::Zipper) with exclusive
/// references to the subtrees that no other rope shares. So the traversal can move items out of these subtrees.
///
/// The tree and its arrays stay in place until the traversal ends. So neither a step nor a split frees memory or counts references. Items
/// that the traversal has not taken are dropped with the tree.
pub(crate) struct Taking<'a, T> {
    /// The remaining items of the current leaf. The field is empty only if no items are left in the traversal.
    front: Front<'a, T>,
    /// Number of items left.
    len: usize,
    /// The subtrees behind the current leaf. The traversal visits the last subtree of this list next.
    siblings: Vec<Unvisited<'a, T>>,
}

impl<'a, T> Taking<'a, T> {
    /// Returns a traversal of a whole rope. The traversal borrows the rope, so no other code uses the rope until the traversal
    /// ends. Takes O(log n).
    pub(crate) fn new(rope: &'a mut Rope<T>) -> Self {
        let mut taking = Taking::empty();
        if let Some(root) = &mut rope.root {
            taking.len = root.len();
            taking.enter(Unvisited::Owned(root));
        }
        taking
    }

    /// Returns a traversal of no items.
    pub(crate) fn empty() -> Self {
        Taking {
            front: Front::Cloned(&[]),
            len: 0,
            siblings: Vec::new(),
        }
    }

    /// Returns the number of items left.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of remaining items in the current leaf.
    #[inline]
    pub(crate) fn front_len(&self) -> usize {
        self.front.len()
    }

    /// Returns the number of remaining items in the last leaf. Takes O(log n).
    pub(crate) fn back_len(&self) -> usize {
        match self.siblings.first() {
            Some(last) => match last.tree() {
                Some(tree) => tree.end_leaf(End::Last).len(),
                None => last.len(),
            },
            None => self.front.len(),
        }
    }

    /// Takes the next `count` items, which must all be in the current leaf. If the current leaf is then empty, moves to the next
    /// leaf. Takes amortised O(1).
    ///
    /// # Panics
    /// Panics if the current leaf has fewer than `count` items.
    #[inline]
    pub(crate) fn take_front(&mut self, count: usize) -> Front<'a, T> {
        let rest = self.front.split_off(count);
        let taken = std::mem::replace(&mut self.front, rest);
        self.len -= count;
        if self.front.len() == 0 {
            self.advance();
        }
        taken
    }

    /// Moves to the next leaf.
    fn advance(&mut self) {
        if let Some(next) = self.siblings.pop() {
            self.enter(next);
        }
    }

    /// Moves to the first leaf of `next`, which must be the next subtree.
    fn enter(&mut self, mut next: Unvisited<'a, T>) {
        loop {
            match next.open() {
                Opened::Sides(left, right) => {
                    self.siblings.push(right);
                    next = left;
                }
                Opened::Leaf(front) => {
                    self.front = front;
                    return;
                }
            }
        }
    }

    /// Keeps the first `at` items, and returns the remaining items. Takes O(log n). Moves no items out of an array. But if a leaf shows
    /// only a part of its array, items may move within the array.
    ///
    /// # Panics
    /// Panics if fewer than `at` items are left.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        assert!(at <= self.len, "heist: a split at {at} of {}", self.len);
        let mut rest = Taking {
            len: self.len - at,
            ..Taking::empty()
        };
        self.len = at;
        if at < self.front.len() {
            rest.front = self.front.split_off(at);
            rest.siblings = take(&mut self.siblings);
            return rest;
        }
        let mut behind = at - self.front.len();
        rest.siblings = take(&mut self.siblings);
        while let Some(next) = rest.siblings.pop() {
            if next.len() > behind {
                rest.enter_at(next, behind, &mut self.siblings);
                break;
            }
            behind -= next.len();
            self.siblings.push(next);
        }
        self.siblings.reverse();
        rest
    }

    /// Moves to the `at`th item of the subtree `next`. Appends the parts of `next` before that item to `before`, in order.
    fn enter_at(
        &mut self,
        mut next: Unvisited<'a, T>,
        mut at: usize,
        before: &mut Vec<Unvisited<'a, T>>,
    ) {
        loop {
            match next.open() {
                Opened::Sides(left, right) if at < left.len() => {
                    self.siblings.push(right);
                    next = left;
                }
                Opened::Sides(left, right) => {
                    at -= left.len();
                    before.push(left);
                    next = right;
                }
                Opened::Leaf(mut front) => {
                    self.front = front.split_off(at);
                    if at > 0 {
                        before.push(Unvisited::Cut(front));
                    }
                    return;
                }
            }
        }
    }

    /// Returns the position at which to divide the remaining items without cutting a subtree: the number of items before the deepest
    /// unvisited subtree, or before the last of these subtrees if several are equally deep. Both parts are nonempty. Returns `None` if only
    /// items of the current leaf are left. Takes O(log n).
    pub(crate) fn split_point(&self) -> Option<usize> {
        let mut before = self.front.len();
        let mut split_point = None;
        for sibling in self.siblings.iter().rev() {
            let depth = sibling.tree().map_or(0, Tree::depth);
            if split_point.is_none_or(|(deepest, _)| depth >= deepest) {
                split_point = Some((depth, before));
            }
            before += sibling.len();
        }
        split_point.map(|(_, before)| before)
    }
}
