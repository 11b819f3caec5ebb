//! Free blocks of one size, kept by workers in *magazines* (Bonwick and Adams, "Magazines and
//! Vmem", USENIX 2001).
//!
//! Workers that only spawn and workers that only run exchange full magazines through a depot: they take a
//! lock once in [`ROUNDS`] tasks, and never call the allocator. A magazine is an array of addresses, not a
//! list through the blocks. A block from another worker is in that worker's cache: reading a link out of it
//! would wait for it, while writing to it does not.

use std::alloc::{Layout, dealloc};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of blocks in a magazine.
pub(super) const ROUNDS: usize = 64;
/// Number of full magazines that a depot keeps; the blocks of more return to the allocator.
pub(super) const KEEP: usize = 1024;

type Rounds = Box<[MaybeUninit<NonNull<u8>>; ROUNDS]>;

fn empty() -> Rounds {
    Box::new([MaybeUninit::uninit(); ROUNDS])
}

/// Magazines that no worker has in use.
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

// SAFETY: the blocks are free memory to which no other code refers, and they are under a lock.
unsafe impl Send for Depot {}
// SAFETY: as above.
unsafe impl Sync for Depot {}

impl Depot {
    /// A depot for blocks of this layout.
    pub(super) fn new(layout: Layout) -> Self {
        Depot {
            layout,
            spare: Mutex::default(),
        }
    }

    fn spare(&self) -> MutexGuard<'_, Spare> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges an empty magazine for a full one, if there is one.
    fn full_for(&self, empty: &mut Rounds) -> bool {
        let mut spare = self.spare();
        let Some(full) = spare.full.pop() else {
            return false;
        };
        spare.empty.push(std::mem::replace(empty, full));
        true
    }

    /// Exchanges a full magazine for an empty one.
    fn empty_for(&self, full: &mut Rounds) {
        let mut spare = self.spare();
        if spare.full.len() < KEEP {
            let empty = spare.empty.pop().unwrap_or_else(empty);
            spare.full.push(std::mem::replace(full, empty));
        } else {
            drop(spare);
            // SAFETY: it is full.
            unsafe { self.release(full, ROUNDS) };
        }
    }

    /// Gives the first `count` blocks back to the allocator.
    ///
    /// # Safety
    /// The first `count` places hold blocks.
    unsafe fn release(&self, rounds: &Rounds, count: usize) {
        for block in &rounds[..count] {
            // SAFETY: there by contract, free, and allocated with this layout (`Magazines::put`).
            unsafe { dealloc(block.assume_init().as_ptr(), self.layout) };
        }
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        let full = std::mem::take(&mut self.spare().full);
        for rounds in &full {
            // SAFETY: these are full.
            unsafe { self.release(rounds, ROUNDS) };
        }
    }
}

/// One worker's magazines. Not thread-safe by itself: only its worker uses it.
#[derive(Debug)]
pub(super) struct Magazines {
    loaded: Rounds,
    /// Number of blocks in the loaded magazine: the first of its places.
    len: usize,
    /// The previous magazine, either full or empty, so that a worker that spawns and runs in turn
    /// does not access the depot each time.
    previous: Rounds,
    previous_is_full: bool,
    depot: Arc<Depot>,
}

impl Magazines {
    /// Empty magazines that exchange with `depot`.
    pub(super) fn new(depot: &Arc<Depot>) -> Self {
        Magazines {
            loaded: empty(),
            len: 0,
            previous: empty(),
            previous_is_full: false,
            depot: Arc::clone(depot),
        }
    }

    /// A free block, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<NonNull<u8>> {
        if self.len == 0 && !self.reload() {
            return None;
        }
        self.len -= 1;
        // SAFETY: `len` is at most `ROUNDS`, was not 0, and so many places are filled.
        Some(unsafe { self.loaded.get_unchecked(self.len).assume_init() })
    }

    /// Loads a full magazine instead of the empty one. Returns false if there is none.
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
    /// It was allocated with the depot's layout, and the caller gives it up.
    #[inline]
    pub(super) unsafe fn put(&mut self, block: NonNull<u8>) {
        if self.len == ROUNDS {
            self.unload();
        }
        // SAFETY: `len` is below `ROUNDS` now.
        unsafe { self.loaded.get_unchecked_mut(self.len).write(block) };
        self.len += 1;
    }

    /// Loads an empty magazine instead of the full one.
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
        // SAFETY: so many are in each.
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
            // SAFETY: not empty.
            NonNull::new(unsafe { std::alloc::alloc(LAYOUT) }).unwrap()
        })
    }

    #[test]
    fn blocks_come_back_from_who_only_frees() {
        let depot = depot();
        let (mut spawner, mut runner) = (Magazines::new(&depot), Magazines::new(&depot));
        let mut seen = HashSet::new();
        for _ in 0..100 {
            let blocks: Vec<_> = (0..ROUNDS).map(|_| take(&mut spawner)).collect();
            for block in blocks {
                seen.insert(block);
                // SAFETY: from `take`.
                unsafe { runner.put(block) };
            }
        }
        // On their way, loaded, and previous.
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
                // SAFETY: from `take`.
                unsafe { lists.put(block) };
            }
            assert!(depot.spare().full.len() <= KEEP);
        }
    }
}
