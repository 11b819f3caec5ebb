//! Free blocks of one size, kept by workers in *magazines* (Bonwick and Adams, "Magazines and
//! Vmem", USENIX 2001).
//!
//! A worker that only runs tasks collects free blocks, and a worker that only spawns tasks needs free blocks. Workers of the two kinds
//! exchange full magazines through a depot. So workers take a lock once in [`ROUNDS`] tasks, and rarely call the allocator. A magazine is
//! an array of addresses, not a list through the blocks. A block that another worker has freed is in that worker's cache. So a read of a
//! link in a block would miss the cache, whereas a write to the block need not wait.

use std::alloc::{Layout, dealloc};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of blocks in a magazine.
pub(super) const ROUNDS: usize = 64;
/// Number of full magazines that a depot keeps; blocks of further full magazines return to the
/// allocator.
pub(super) const KEEP: usize = 1024;

type Rounds = Box<[MaybeUninit<NonNull<u8>>; ROUNDS]>;

fn empty() -> Rounds {
    Box::new([MaybeUninit::uninit(); ROUNDS])
}

/// The magazines that no worker uses now.
#[derive(Debug)]
pub(super) struct Depot {
    layout: Layout,
    spare: Mutex<Spare>,
}

#[derive(Debug, Default)]
struct Spare {
    full: Vec<Rounds>,
    empty: Vec<Rounds>,
}

// SAFETY: the blocks are free memory that is not bound to a thread and to which no other code
// refers, and a lock protects the lists of magazines.
unsafe impl Send for Depot {}
// SAFETY: the blocks are free memory that is not bound to a thread and to which no other code
// refers, and a lock protects the lists of magazines.
unsafe impl Sync for Depot {}

impl Depot {
    /// Creates a depot for blocks of layout `layout`.
    pub(super) fn new(layout: Layout) -> Self {
        Depot {
            layout,
            spare: Mutex::default(),
        }
    }

    fn spare(&self) -> MutexGuard<'_, Spare> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges an empty magazine for a full magazine. Returns false if the depot has no full
    /// magazine.
    fn full_for(&self, empty: &mut Rounds) -> bool {
        let mut spare = self.spare();
        let Some(full) = spare.full.pop() else {
            return false;
        };
        spare.empty.push(std::mem::replace(empty, full));
        true
    }

    /// Exchanges a full magazine for an empty magazine.
    fn empty_for(&self, full: &mut Rounds) {
        let mut spare = self.spare();
        if spare.full.len() < KEEP {
            let empty = spare.empty.pop().unwrap_or_else(empty);
            spare.full.push(std::mem::replace(full, empty));
        } else {
            drop(spare);
            // SAFETY: the magazine is full.
            unsafe { self.release(full, ROUNDS) };
        }
    }

    /// Gives the first `count` blocks back to the allocator.
    ///
    /// # Safety
    /// The first `count` places must contain free blocks that no other code uses.
    unsafe fn release(&self, rounds: &Rounds, count: usize) {
        for block in &rounds[..count] {
            // SAFETY: by contract, the places contain free blocks, which were allocated with this layout
            // (`Magazines::put`).
            unsafe { dealloc(block.assume_init().as_ptr(), self.layout) };
        }
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        let full = std::mem::take(&mut self.spare().full);
        for rounds in &full {
            // SAFETY: these magazines are full, and are dropped after this call.
            unsafe { self.release(rounds, ROUNDS) };
        }
    }
}

/// One worker's magazines. The type is not thread-safe: only its worker uses it.
#[derive(Debug)]
pub(super) struct Magazines {
    loaded: Rounds,
    /// Number of blocks in the loaded magazine. The free blocks are in the magazine's first places.
    len: usize,
    /// The previous magazine, either full or empty. With a second magazine, a worker that alternately spawns and runs does not access the
    /// depot each time.
    previous: Rounds,
    previous_is_full: bool,
    depot: Arc<Depot>,
}

impl Magazines {
    /// Creates empty magazines that exchange blocks with `depot`.
    pub(super) fn new(depot: &Arc<Depot>) -> Self {
        Magazines {
            loaded: empty(),
            len: 0,
            previous: empty(),
            previous_is_full: false,
            depot: Arc::clone(depot),
        }
    }

    /// Takes a free block, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<NonNull<u8>> {
        if self.len == 0 && !self.reload() {
            return None;
        }
        self.len -= 1;
        // SAFETY: `len` is at most `ROUNDS` and was not 0, and the first `len` places are filled.
        Some(unsafe { self.loaded.get_unchecked(self.len).assume_init() })
    }

    /// Loads a full magazine in place of the empty magazine. Returns false if there is no full magazine.
    #[cold]
    fn reload(&mut self) -> bool {
        if self.previous_is_full {
            std::mem::swap(&mut self.loaded, &mut self.previous);
            self.previous_is_full = false;
        } else if !self.depot.full_for(&mut self.loaded) {
            return false;
        }
        self.len = ROUNDS;
        true
    }

    /// Keeps a free block.
    ///
    /// # Safety
    /// The block must have been allocated with the depot's layout. The caller must not use the block
    /// any more.
    #[inline]
    pub(super) unsafe fn put(&mut self, block: NonNull<u8>) {
        if self.len == ROUNDS {
            self.unload();
        }
        // SAFETY: `len` is below `ROUNDS` now.
        unsafe { self.loaded.get_unchecked_mut(self.len).write(block) };
        self.len += 1;
    }

    /// Loads an empty magazine in place of the full magazine.
    #[cold]
    fn unload(&mut self) {
        if self.previous_is_full {
            self.depot.empty_for(&mut self.previous);
        }
        std::mem::swap(&mut self.loaded, &mut self.previous);
        self.previous_is_full = true;
        self.len = 0;
    }
}

impl Drop for Magazines {
    fn drop(&mut self) {
        // SAFETY: each magazine contains that number of free blocks in its first places.
        unsafe {
            self.depot.release(&self.loaded, self.len);
            if self.previous_is_full {
                self.depot.release(&self.previous, ROUNDS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Depot, KEEP, Layout, Magazines, NonNull, ROUNDS};
    use std::collections::HashSet;

    const LAYOUT: Layout = Layout::new::<[u64; 8]>();

    fn depot() -> Arc<Depot> {
        Arc::new(Depot::new(LAYOUT))
    }

    fn take(from: &mut Magazines) -> NonNull<u8> {
        from.take().unwrap_or_else(|| {
            // SAFETY: the layout is not empty.
            NonNull::new(unsafe { std::alloc::alloc(LAYOUT) }).unwrap()
        })
    }

    #[test]
    fn blocks_come_back_from_a_worker_that_only_frees() {
        let depot = depot();
        let (mut spawner, mut runner) = (Magazines::new(&depot), Magazines::new(&depot));
        let mut seen = HashSet::new();
        for _ in 0..100 {
            let blocks: Vec<_> = (0..ROUNDS).map(|_| take(&mut spawner)).collect();
            for block in blocks {
                seen.insert(block);
                // SAFETY: the block came from `take` of this depot's magazines, and is not used any
                // more.
                unsafe { runner.put(block) };
            }
        }
        // The bound counts blocks that are in transit, in loaded magazines, and in previous
        // magazines.
        assert!(seen.len() <= 4 * ROUNDS, "{} blocks", seen.len());
    }

    #[test]
    fn no_block_is_given_out_twice() {
        let depot = depot();
        let mut lists = Magazines::new(&depot);
        let count = if cfg!(miri) { 300 } else { (KEEP + 3) * ROUNDS };
        for _ in 0..2 {
            let blocks: Vec<_> = (0..count).map(|_| take(&mut lists)).collect();
            assert_eq!(blocks.iter().collect::<HashSet<_>>().len(), count);
            for block in blocks {
                // SAFETY: the block came from `take` of this depot's magazines, and is not used any
                // more.
                unsafe { lists.put(block) };
            }
            assert!(depot.spare().full.len() <= KEEP);
        }
    }
}
