//! Extents: which forks of a worker belong to which scope.

use super::Node;
use super::orders;
use crate::platform::shim::{AtomicPtr, AtomicU32, Ordering};
use std::cell::Cell;
use std::ptr::null_mut;

/// Number of extents in a block.
const BLOCK: usize = if cfg!(heist_model) { 2 } else { 32 };
/// The height from which on an extent reaches that has ended.
const ENDED: u32 = u32::MAX;

/// Forks from this height on belong to that scope, up to the next extent.
#[derive(Debug)]
struct Extent {
    from: AtomicU32,
    /// The scope; null if these forks belong to no scope.
    node: AtomicPtr<Node>,
}

#[derive(Debug)]
struct Block {
    extents: [Extent; BLOCK],
    /// The next block. The owner appends it once, and it stays.
    next: AtomicPtr<Block>,
}

impl Block {
    fn new() -> Self {
        Block {
            extents: std::array::from_fn(|_| Extent {
                from: AtomicU32::new(ENDED),
                node: AtomicPtr::new(null_mut()),
            }),
            next: AtomicPtr::new(null_mut()),
        }
    }
}

/// The scopes that a worker is in, from the outermost to the innermost. The owner adds and removes at the end. A thief
/// reads while it does.
///
/// Relaxed throughout: the claim of a fork orders all that its thief needs. See the essay, *Which scope a stolen fork
/// belongs to*.
#[derive(Debug)]
pub(crate) struct Extents {
    first: Block,
    /// Number of extents; the owner's.
    depth: Cell<usize>,
}

impl Extents {
    pub(crate) fn new() -> Self {
        Extents {
            first: Block::new(),
            depth: Cell::new(0),
        }
    }

    /// The `nth` block, which is made if it is not there yet. Called by the owner.
    fn block(&self, nth: usize) -> &Block {
        let mut block = &self.first;
        for _ in 0..nth {
            let mut next = block.next.load(Ordering::Relaxed);
            if next.is_null() {
                next = Box::into_raw(Box::new(Block::new()));
                // Release: its contents, to a thief that finds it. Pairs with the Acquire in `find`.
                block.next.store(next, Ordering::Release);
            }
            // SAFETY: made above, now or before, and freed when the extents are dropped.
            block = unsafe { &*next };
        }
        block
    }

    fn at(&self, place: usize) -> &Extent {
        &self.block(place / BLOCK).extents[place % BLOCK]
    }

    /// Owner, E1: forks from `height` on belong to `node`.
    pub(crate) fn push(&self, height: u32, node: *const Node) {
        let place = self.depth.get();
        self.depth.set(place + 1);
        let extent = self.at(place);
        extent.node.store(node.cast_mut(), Ordering::Relaxed);
        extent.from.store(height, Ordering::Relaxed);
    }

    /// Owner, E3: the newest extent ends. Called when none of its forks is left.
    pub(crate) fn pop(&self) {
        let place = self.depth.get() - 1;
        self.depth.set(place);
        if orders::ERASES {
            self.at(place).from.store(ENDED, Ordering::Relaxed);
        }
    }

    /// Thief, T2: the scope of the fork at `index`, which it has claimed, and not completed yet. The scope does not end
    /// before that fork does.
    pub(crate) fn find(&self, index: u32) -> *const Node {
        let mut found = null_mut();
        let mut block = &self.first;
        loop {
            for extent in &block.extents {
                if extent.from.load(Ordering::Relaxed) > index {
                    return found;
                }
                found = extent.node.load(Ordering::Relaxed);
            }
            let next = block.next.load(Ordering::Acquire);
            // SAFETY: the owner appends blocks, and the extents keep them until they are dropped.
            let Some(next) = (unsafe { next.as_ref() }) else {
                return found;
            };
            block = next;
        }
    }
}

impl Drop for Extents {
    fn drop(&mut self) {
        let mut next = self.first.next.load(Ordering::Relaxed);
        while !next.is_null() {
            // SAFETY: made by `block`, and the only pointer to it that is used from here on.
            let block = unsafe { Box::from_raw(next) };
            next = block.next.load(Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{BLOCK, Extents};
    use crate::cancel::Node;
    use std::ptr::{null, without_provenance};

    #[test]
    fn a_fork_belongs_to_the_innermost_extent_that_began_before_it() {
        let node = |n: usize| without_provenance::<Node>(16 * (n + 1));
        let extents = Extents::new();
        assert_eq!(extents.find(0), null());
        // Two begin at one height, with no fork in between.
        for (nth, height) in [(0, 2), (1, 5), (2, 5)] {
            extents.push(height, node(nth));
        }
        let found = |index| extents.find(index);
        assert_eq!([1, 2, 4].map(found), [null(), node(0), node(0)]);
        assert_eq!([5, 9].map(found), [node(2); 2]);
        extents.pop();
        assert_eq!(found(5), node(1));
        extents.push(6, null());
        assert_eq!([5, 6].map(found), [node(1), null()]);
        for _ in 0..3 {
            extents.pop();
        }
        assert_eq!(found(9), null());
        for nth in 0..3 * BLOCK {
            extents.push(nth as u32, node(nth));
        }
        for nth in 0..3 * BLOCK {
            assert_eq!(found(nth as u32), node(nth));
        }
    }
}
