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

/// Number of cells that share a lock and a queue.
const BLOCK: usize = if cfg!(heist_model) { 4 } else { 64 };

/// The bits of a block whose cells are all loud, because no cell has been put yet. A waiting reader of such a block need not [make
/// sure](Cells::make_sure).
const ALL: u64 = u64::MAX;

/// Before a reader waits, it checks a cell this number of times if the cell's neighbours are being put. The checks take about 300 ns. A
/// wait takes about as long as all checks together. During the checks, the writer moves on to other cells, so it no longer writes to the
/// cache lines that the reader will read.
const LOOKS: u32 = 16;

/// The values of a cell's word.
mod word {
    pub(super) const EMPTY: u32 = 0;
    pub(super) const FULL: u32 = 1;
    pub(super) const BROKEN: u32 = 2;
}

struct Cell<T> {
    word: AtomicU32,
    /// The value. The value is written before the word becomes `FULL`, and read only while the word is `FULL`.
    value: UnsafeCell<MaybeUninit<T>>,
}

/// State shared by `BLOCK` neighbouring cells.
struct Block {
    /// A bit for each cell: whether the cell's writer must look for waiters. Only a thread that holds the lock writes this field.
    loud: AtomicU64,
    /// The waiters, each tagged with the index of its cell.
    waiting: Locked<Queue>,
}

/// The cells of an I-structure, and the state of their blocks.
pub(super) struct Cells<T> {
    cells: Box<[Cell<T>]>,
    blocks: Box<[Block]>,
    made: &'static Location<'static>,
}

// SAFETY: a single thread has the right to put a value, and writes it before the word is `FULL`. Other threads read the value only after
// they have read `FULL`, and the thread that drops the last reference drops the value.
unsafe impl<T: Send> Send for Cells<T> {}
// SAFETY: the same protocol orders all accesses to a value. Its readers share a `&T`, which `T: Sync` allows.
unsafe impl<T: Send + Sync> Sync for Cells<T> {}

impl<T> fmt::Debug for Cells<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells")
            .field("len", &self.cells.len())
            .field("made", &self.made)
            .finish_non_exhaustive()
    }
}

/// The reason why a cell has no value and will not get one: its writer was dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dropped;

/// Allocates zeroed memory for the cells. The allocation need not access the memory. So each page of a large table is first accessed by the
/// writer of its part, and the system maps the pages of several writers in parallel.
#[cfg(not(heist_model))]
fn empty_cells<T>(len: usize) -> Box<[Cell<T>]> {
    const { assert!(word::EMPTY == 0) };
    let Ok(layout) = Layout::array::<Cell<T>>(len) else {
        panic!("heist: an I-structure of {len} cells is larger than any memory");
    };
    if len == 0 {
        return Box::default();
    }
    // SAFETY: the layout has a size greater than 0, because there is at least one cell, and each cell has a word.
    let memory = unsafe { alloc_zeroed(layout) }.cast::<Cell<T>>();
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    // SAFETY: the memory has been allocated with the layout of a boxed slice of `len` cells. A word of zero is `EMPTY`, and an
    // uninitialised value may have any bytes.
    unsafe { Box::from_raw(slice_from_raw_parts_mut(memory, len)) }
}

/// Allocates cells one by one, because zeroed bytes are not valid atomics of loom.
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

    /// Returns the value of a cell, or the reason why it will never have a value. Returns `None` if the cell is empty.
    ///
    /// # Panics
    /// Panics if the I-structure has no cell `index`.
    #[inline]
    #[track_caller]
    pub(super) fn get(&self, index: usize) -> Option<Result<&T, Dropped>> {
        let Some(cell) = self.cells.get(index) else {
            self.refuse(index);
        };
        match cell.word.load(orders::IS_THERE) {
            // SAFETY: the value was written before the word became `FULL`, and no code writes it again while the cells exist.
            word::FULL => Some(Ok(unsafe { (*cell.value.get()).assume_init_ref() })),
            word::BROKEN => Some(Err(Dropped)),
            _ => None,
        }
    }

    fn block(&self, index: usize) -> &Block {
        &self.blocks[index / BLOCK]
    }

    /// Returns a cell and its block, without a check of the index.
    ///
    /// # Safety
    /// `index` must be less than the number of cells.
    #[inline]
    unsafe fn at(&self, index: usize) -> (&Cell<T>, &Block) {
        // SAFETY: by this function's contract the cell exists, and each cell has a block.
        unsafe {
            let cell = self.cells.get_unchecked(index);
            (cell, self.blocks.get_unchecked(index / BLOCK))
        }
    }

    /// Returns the lock and the queue of a cell's waiters.
    pub(super) fn waiting(&self, index: usize) -> &Locked<Queue> {
        &self.block(index).waiting
    }

    /// Returns the bit of a cell in its block.
    fn bit(index: usize) -> u64 {
        1 << (index % BLOCK)
    }

    /// Checks for about 300 ns whether a cell is put. Returns immediately if no cell of its block has been put.
    pub(super) fn look_for(&self, index: usize) {
        let block = self.block(index);
        for _ in 0..LOOKS {
            // Relaxed, because the value only helps to guess.
            let fresh = block.loud.load(Ordering::Relaxed) == ALL;
            if cfg!(heist_model) || fresh || self.is_put(index) {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Sets a cell's bit, so that its writer looks for waiters. Returns true if the writer may have put the cell without looking. If the
    /// result is true, the calling thread must [make sure](Self::make_sure). The caller must hold the lock.
    pub(super) fn disturb(&self, index: usize, queue: &Queue) -> bool {
        let block = self.block(index);
        // Both accesses are relaxed: threads write the word under the lock, and the fences order these writes for readers without the lock.
        let loud = block.loud.load(Ordering::Relaxed);
        // If no waiter has the tag of a set bit, the getter that set the bit may have left before it made sure, because its waker
        // panicked.
        let trusted = loud == ALL || queue.has_tag(index as u64);
        let quiet = loud & Self::bit(index) == 0 || !trusted;
        if quiet {
            block.loud.store(loud | Self::bit(index), Ordering::Relaxed);
        }
        quiet
    }

    /// Serves those waiters of the block whose cells have been put. The putter may have missed such a waiter while the cell's bit
    /// was clear.
    #[cold]
    pub(super) fn make_sure(&self, index: usize) {
        if orders::QUIET_FENCE {
            // Pairs with the light fence in `tell`.
            heavy_fence();
        }
        serve_all(self.waiting(index), |queue| {
            queue.serve_where(|tag| self.is_put(tag as usize))
        });
    }

    /// Returns true if the cell has been put or broken.
    #[inline]
    pub(super) fn is_put(&self, index: usize) -> bool {
        // Relaxed, because the caller does not read the value.
        self.cells[index].word.load(Ordering::Relaxed) != word::EMPTY
    }

    /// Puts the value of a cell. If the cell has been put before, returns false and changes nothing.
    ///
    /// # Safety
    /// The caller must pass an `index` that is less than the number of cells. The caller must be the only thread that may put this
    /// cell.
    #[inline]
    pub(super) unsafe fn put(&self, index: usize, value: T) -> bool {
        // SAFETY: by this function's contract the cell exists.
        let (cell, block) = unsafe { self.at(index) };
        // Relaxed: if the cell has been put, either the caller itself has put it, or the thread that has put it has passed the right to put
        // the cell on to the caller.
        if cell.word.load(Ordering::Relaxed) != word::EMPTY {
            return false;
        }
        // SAFETY: by this function's contract this is the only writer, and no thread reads the value before the word is `FULL`.
        unsafe { (*cell.value.get()).write(value) };
        self.tell(index, cell, block, word::FULL);
        true
    }

    /// Breaks a cell, unless the cell has been put. A broken cell will never have a value.
    ///
    /// # Safety
    /// The caller must keep the contract of [`put`](Self::put).
    pub(super) unsafe fn break_off(&self, index: usize) {
        // SAFETY: by this function's contract the cell exists.
        let (cell, block) = unsafe { self.at(index) };
        // Relaxed: if the cell has been put, either the caller itself has put it, or the thread that has put it has passed the right to put
        // the cell on to the caller.
        if cell.word.load(Ordering::Relaxed) == word::EMPTY {
            self.tell(index, cell, block, word::BROKEN);
        }
    }

    /// Sets the word of a cell. If the cell may have waiters, wakes them.
    #[inline]
    fn tell(&self, index: usize, cell: &Cell<T>, block: &Block, word: u32) {
        cell.word.store(word, orders::THERE);
        // Pairs with the heavy fence of a waiter: either the waiter sees that the cell has been put, or this thread sees that the
        // cell is loud.
        light_fence();
        // Relaxed, because the fences order this read.
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
            // Bits may be cleared only if the heavy fence is available. A getter finds a bit clear under the same lock, so the
            // fence is ready for that getter, too.
            if waker.is_none() && fence_is_ready() {
                // Both accesses are relaxed, because this thread has the lock.
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
        // Relaxed: no other reference is left, and the drop of the last reference orders this read after all writes.
        if needs_drop::<T>() && self.word.load(Ordering::Relaxed) == word::FULL {
            // SAFETY: the cell is full, so the value is initialised. The cells have a single owner, which drops each value once.
            unsafe { (*self.value.get()).assume_init_drop() };
        }
    }
}
