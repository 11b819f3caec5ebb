//! The cells of an I-structure, and their waiters.

use super::super::monitor::{Locked, Queue, serve_all};
use super::super::orders;
use crate::platform::shim::{AtomicU32, AtomicU64, Ordering};
use crate::platform::{fence_is_ready, heavy_fence, light_fence, prepare_fence};
#[cfg(not(heist_model))]
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::{MaybeUninit, needs_drop};
use std::panic::Location;
#[cfg(not(heist_model))]
use std::ptr::slice_from_raw_parts_mut;

/// Cells that share a lock and a queue.
const BLOCK: usize = if cfg!(heist_model) { 4 } else { 64 };

/// All cells of a block are loud, as none has been put yet: a reader that asks for one then need not make sure.
const ALL: u64 = u64::MAX;

/// Number of looks for a cell whose neighbours are being put before the reader waits: some 300 ns. A wait takes that
/// long, and the writer gets ahead meanwhile, out of the cache lines that are read here.
const LOOKS: u32 = 16;

/// Parts of the word of a cell.
mod word {
    pub(super) const EMPTY: u32 = 0;
    pub(super) const FULL: u32 = 1;
    pub(super) const BROKEN: u32 = 2;
}

struct Cell<T> {
    word: AtomicU32,
    /// Written before the word is `FULL`, only read after.
    value: UnsafeCell<MaybeUninit<T>>,
}

/// State shared by `BLOCK` neighbours.
struct Block {
    /// A bit for each cell: whether its writer must look for waiters. Written under the lock.
    loud: AtomicU64,
    /// The waiters, by the number of the cell.
    waiting: Locked<Queue>,
}

/// All cells.
pub(super) struct Cells<T> {
    cells: Box<[Cell<T>]>,
    blocks: Box<[Block]>,
    made: &'static Location<'static>,
}

// SAFETY: one thread has the right to put a value, and writes it before the word says so; other threads read it only
// after that, and the holder of the last reference drops it.
unsafe impl<T: Send> Send for Cells<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Cells<T> {}

impl<T> fmt::Debug for Cells<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells")
            .field("len", &self.cells.len())
            .field("made", &self.made)
            .finish_non_exhaustive()
    }
}

/// Reason why a cell has no value and will not get one: its writer was dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropped;

/// Memory that the system has zeroed need not be touched before the cells are put: a large table is mapped in by
/// its writers, each its own part.
#[cfg(not(heist_model))]
fn empty_cells<T>(len: usize) -> Box<[Cell<T>]> {
    const { assert!(word::EMPTY == 0) };
    let Ok(layout) = Layout::array::<Cell<T>>(len) else {
        panic!("heist: an I-structure of {len} cells is larger than any memory");
    };
    if len == 0 {
        return Box::default();
    }
    // SAFETY: the layout is not empty: each cell has a word.
    let memory = unsafe { alloc_zeroed(layout) }.cast::<Cell<T>>();
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: allocated as a box of so many would be; a word of zero is `EMPTY`, and any bytes will do as a
    // value that is not there.
    unsafe { Box::from_raw(slice_from_raw_parts_mut(memory, len)) }
}

/// loom's atomics are more than their bytes.
#[cfg(heist_model)]
fn empty_cells<T>(len: usize) -> Box<[Cell<T>]> {
    let cell = |_| Cell {
        word: AtomicU32::new(word::EMPTY),
        value: UnsafeCell::new(MaybeUninit::uninit()),
    };
    (0..len).map(cell).collect()
}

impl<T> Cells<T> {
    pub(super) fn new(len: usize, made: &'static Location<'static>) -> Self {
        prepare_fence();
        let block = |_| Block {
            loud: AtomicU64::new(ALL),
            waiting: Locked::new(Queue::new()),
        };
        Cells {
            cells: empty_cells(len),
            blocks: (0..len.div_ceil(BLOCK)).map(block).collect(),
            made,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn made(&self) -> &'static Location<'static> {
        self.made
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn refuse(&self, index: usize) -> ! {
        let len = self.len();
        panic!("heist: there is no cell {index}: the I-structure has {len}");
    }

    /// The value of a cell, if it is known by now what becomes of it.
    ///
    /// # Panics
    /// Panics if there is no such cell.
    #[inline]
    #[track_caller]
    pub(super) fn get(&self, index: usize) -> Option<Result<&T, Dropped>> {
        let Some(cell) = self.cells.get(index) else {
            self.refuse(index);
        };
        match cell.word.load(orders::IS_THERE) {
            // SAFETY: it was written before the word became `FULL`, and is not written any more.
            word::FULL => Some(Ok(unsafe { (*cell.value.get()).assume_init_ref() })),
            word::BROKEN => Some(Err(Dropped)),
            _ => None,
        }
    }

    fn block(&self, index: usize) -> &Block {
        &self.blocks[index / BLOCK]
    }

    /// # Safety
    /// There is such a cell.
    #[inline]
    unsafe fn at(&self, index: usize) -> (&Cell<T>, &Block) {
        // SAFETY: by contract, and there is a block for each cell.
        unsafe {
            let cell = self.cells.get_unchecked(index);
            (cell, self.blocks.get_unchecked(index / BLOCK))
        }
    }

    /// The lock and the queue of that cell's waiters.
    pub(super) fn waiting(&self, index: usize) -> &Locked<Queue> {
        &self.block(index).waiting
    }

    /// The bit of a cell in its block.
    fn bit(index: usize) -> u64 {
        1 << (index % BLOCK)
    }

    /// Looks for a moment whether a cell comes, if others of its block have been put.
    pub(super) fn look_for(&self, index: usize) {
        let block = self.block(index);
        for _ in 0..LOOKS {
            // Relaxed: a guess.
            let fresh = block.loud.load(Ordering::Relaxed) == ALL;
            if cfg!(heist_model) || fresh || self.is_put(index) {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Has the cell's writer look for waiters. True if it may have been put without a look, so that this
    /// thread must [make sure](Self::make_sure). Under the lock.
    pub(super) fn disturb(&self, index: usize, queue: &Queue) -> bool {
        let block = self.block(index);
        // Relaxed, both: written under the lock; the fences order it for readers without the lock.
        let loud = block.loud.load(Ordering::Relaxed);
        // A bit for which no waiter stands may have been set by a getter whose waker panicked before the getter made
        // sure.
        let trusted = loud == ALL || queue.has_tag(index as u64);
        let quiet = loud & Self::bit(index) == 0 || !trusted;
        if quiet {
            block.loud.store(loud | Self::bit(index), Ordering::Relaxed);
        }
        quiet
    }

    /// Serves all waiters of a cell that was put while it was quiet.
    #[cold]
    pub(super) fn make_sure(&self, index: usize) {
        if orders::QUIET_FENCE {
            // Pairs with the light fence of `tell`.
            heavy_fence();
        }
        serve_all(self.waiting(index), |queue| {
            queue.serve_where(|tag| self.is_put(tag as usize))
        });
    }

    /// Whether the cell has been put, or broken.
    #[inline]
    pub(super) fn is_put(&self, index: usize) -> bool {
        // Relaxed: the value is not looked at.
        self.cells[index].word.load(Ordering::Relaxed) != word::EMPTY
    }

    /// Puts the value of a cell. False, and nothing is done, if it has been put.
    ///
    /// # Safety
    /// There is such a cell, and the caller alone may put it.
    #[inline]
    pub(super) unsafe fn put(&self, index: usize, value: T) -> bool {
        // SAFETY: by contract.
        let (cell, block) = unsafe { self.at(index) };
        // Relaxed: the caller has put it, or got its right from the thread that has.
        if cell.word.load(Ordering::Relaxed) != word::EMPTY {
            return false;
        }
        // SAFETY: the only writer, and no thread reads before the word is `FULL`.
        unsafe { (*cell.value.get()).write(value) };
        self.tell(index, cell, block, word::FULL);
        true
    }

    /// Says that there will be no value, if there is none.
    ///
    /// # Safety
    /// Like [`put`](Self::put).
    pub(super) unsafe fn break_off(&self, index: usize) {
        // SAFETY: by contract.
        let (cell, block) = unsafe { self.at(index) };
        // Relaxed: as above.
        if cell.word.load(Ordering::Relaxed) == word::EMPTY {
            self.tell(index, cell, block, word::BROKEN);
        }
    }

    /// Sets the word of a cell and wakes its waiters, if there can be any.
    #[inline]
    fn tell(&self, index: usize, cell: &Cell<T>, block: &Block, word: u32) {
        cell.word.store(word, orders::THERE);
        // Pairs with the heavy fence of a waiter: either the waiter sees the cell, or this thread sees that it is loud.
        light_fence();
        // Relaxed: ordered by the fences.
        if block.loud.load(Ordering::Relaxed) & Self::bit(index) != 0 {
            self.serve(index);
        }
    }

    #[cold]
    #[inline(never)]
    fn serve(&self, index: usize) {
        let block = self.block(index);
        serve_all(&block.waiting, |queue| {
            let waker = queue.serve_tagged(index as u64);
            // Only a fence lets cells be quiet. A getter that finds one quiet has seen that under the lock: it has the
            // fence, too.
            if waker.is_none() && fence_is_ready() {
                // Relaxed, both: under the lock.
                let awaited = match block.loud.load(Ordering::Relaxed) {
                    ALL => queue
                        .tags()
                        .fold(0, |bits, tag| bits | Self::bit(tag as usize)),
                    loud => loud & !Self::bit(index),
                };
                block.loud.store(awaited, Ordering::Relaxed);
            }
            waker
        });
    }
}

impl<T> Drop for Cell<T> {
    fn drop(&mut self) {
        // Relaxed: no other reference is left, which dropping the last reference has ordered.
        if needs_drop::<T>() && self.word.load(Ordering::Relaxed) == word::FULL {
            // SAFETY: full, and dropped once, by the holder of the last reference.
            unsafe { (*self.value.get()).assume_init_drop() };
        }
    }
}
