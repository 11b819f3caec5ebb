//! A stack of the subtrees that a paused traversal still has to visit.

use super::leaf::Leaf;
use super::tree::{End, Tree};
use crate::platform::prefetch;

/// Number of subtrees for which the stack needs no allocation. This number suffices for a rope of 2^22 leaves with one item each, or of
/// 2^31 items in leaves of 512.
const INLINE: usize = 24;

/// A stack of unvisited subtrees: the siblings of the nodes on the path down to a leaf.
pub(super) struct Pending<'a, T> {
    inline: [Option<&'a Tree<T>>; INLINE],
    len: usize,
    deeper: Vec<&'a Tree<T>>,
}

impl<T> Clone for Pending<'_, T> {
    fn clone(&self) -> Self {
        Pending {
            inline: self.inline,
            len: self.len,
            deeper: self.deeper.clone(),
        }
    }
}

impl<'a, T> Pending<'a, T> {
    pub(super) fn new() -> Self {
        Pending {
            inline: [None; INLINE],
            len: 0,
            deeper: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, tree: &'a Tree<T>) {
        match self.inline.get_mut(self.len) {
            Some(place) => *place = Some(tree),
            None => self.deeper.push(tree),
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<&'a Tree<T>> {
        self.len = self.len.checked_sub(1)?;
        if self.len < INLINE {
            self.inline[self.len]
        } else {
            self.deeper.pop()
        }
    }

    /// Prefetches the start of the next leaf, or its end if the traversal goes backwards. Leaves may be anywhere in memory, so no processor
    /// can predict the address of the next leaf. Without the prefetch, a sum over a rope takes a third longer.
    #[inline]
    pub(super) fn look_ahead(&self, end: End) {
        const LINES: usize = 4;
        const LINE: usize = 64;
        let next = self.len.checked_sub(1).and_then(|at| self.inline.get(at));
        let Some(Some(tree)) = next else {
            return;
        };
        let items = tree.end_leaf(end).items();
        let start = match end {
            End::First => items.as_ptr(),
            End::Last => items.as_ptr_range().end.wrapping_byte_sub(LINES * LINE),
        };
        for line in 0..LINES {
            prefetch(start.wrapping_byte_add(line * LINE));
        }
    }

    /// Returns the subtrees in the order in which the traversal visits them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a Tree<T>> {
        let inline = self.inline.iter().take(self.len).rev().flatten().copied();
        self.deeper.iter().rev().copied().chain(inline)
    }

    /// Walks down to the leaf at one end of `tree` and pushes the siblings that it passes.
    #[inline]
    pub(super) fn descend(&mut self, mut tree: &'a Tree<T>, end: End) -> &'a Leaf<T> {
        loop {
            match tree {
                Tree::Leaf(leaf) => return leaf,
                Tree::Cat(cat) => {
                    let sides = cat.sides();
                    self.push(&sides[end.other() as usize]);
                    tree = &sides[end as usize];
                }
            }
        }
    }
}
