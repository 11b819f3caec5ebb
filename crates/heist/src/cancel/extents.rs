//! The extents of a worker. The extents determine the scope of each of the worker's forks.

use super::Node;
use super::orders;
use crate::platform::shim::{AtomicPtr, AtomicU32, Ordering};
use std::cell::Cell;
use std::ptr::null_mut;

/// Number of extents in a block.
const BLOCK: usize = if cfg!(heist_model) { 2 } else { 32 };
/// The height that marks an extent as ended.
const ENDED: u32 = u32::MAX;

/// An extent: the forks from height `from` up to the next extent. All forks of an extent belong to one scope.
#[derive(Debug)]
struct Extent {
    from: AtomicU32,
    /// The scope of the extent's forks; null if they belong to no scope.
    node: AtomicPtr<Node>,
}

#[derive(Debug)]
struct Block {
    extents: [Extent; BLOCK],
    /// The next block. The owner appends the next block once, and never replaces it.
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

/// The extents of a worker: the scopes that the worker is in, from the outermost to the innermost. The owner adds and
/// removes extents at the end of the list. A thief may read the list while the owner changes it.
///
/// All accesses are relaxed: the claim of a fork orders all writes that its thief needs. See the section *Which scope a stolen fork belongs
/// to* in `cancel/README.md`.
#[derive(Debug)]
pub(crate) struct Extents {
    first: Block,
    /// Number of extents. Only the owner uses this field.
    depth: Cell<usize>,
}

impl Extents {
    pub(crate) fn new() -> Self {
        Extents {
            first: Block::new(),
            depth: Cell::new(0),
        }
    }

    /// Returns the `nth` block, and allocates it if it does not exist yet. Only the owner may call this function.
    fn block(&self, nth: usize) -> &Block {
        let mut block = &self.first;
        for _ in 0..nth {
            let mut next = block.next.load(Ordering::Relaxed);
            if next.is_null() {
                next = Box::into_raw(Box::new(Block::new()));
                // Release publishes the block's contents to a thief that finds the block, and pairs with the Acquire
                // in `find`.
                block.next.store(next, Ordering::Release);
            }
            // SAFETY: the block was allocated above, in this call or an earlier one, and is freed when the extents are
            // dropped.
            block = unsafe { &*next };
        }
        block
    }

    fn at(&self, place: usize) -> &Extent {
        &self.block(place / BLOCK).extents[place % BLOCK]
    }

    /// Adds an extent (E1): from now on, new forks at `height` or above belong to `node`. Only the owner may call this function.
    pub(crate) fn push(&self, height: u32, node: *const Node) {
        let place = self.depth.get();
        self.depth.set(place + 1);
        let extent = self.at(place);
        extent.node.store(node.cast_mut(), Ordering::Relaxed);
        extent.from.store(height, Ordering::Relaxed);
    }

    /// Ends the newest extent (E3). Only the owner may call this function, after all forks of the extent have ended.
    pub(crate) fn pop(&self) {
        let place = self.depth.get() - 1;
        self.depth.set(place);
        if orders::ERASES {
            self.at(place).from.store(ENDED, Ordering::Relaxed);
        }
    }

    /// Returns the scope of the fork at `index` (T2). The caller must be a thief that has claimed this fork and has not completed it. The
    /// scope does not end before the fork ends.
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
            // SAFETY: the owner only appends blocks, and the extents free them when they are dropped.
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
            // SAFETY: `block` allocated the block from a `Box`, and no other pointer to it is used
            // from now on.
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
        // The last two extents begin at the same height, with no fork in between.
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
