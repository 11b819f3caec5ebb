//! I-structures: arrays of futures.
//!
//! `README.md` in the same folder describes the states and the steps, and explains why they are correct.

mod cells;
mod writer;

pub use writer::CellWriter;

use super::monitor::{Condition, Locked, Queue, Wait};
use cells::{Cells, Dropped};
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// An array of futures. Each cell is put once. Readers may request the value of a cell before the cell is put.
///
/// The type is the *I-structure* of Arvind, Nikhil and Pingali (ACM TOPLAS 11(4), 1989). A [`Future`](super::Future) for each element would
/// cost an allocation and a task. A cell takes only the size of its value plus four bytes (rounded up to the cell's alignment). Handles are
/// cheap to clone. The values live until the last handle is dropped.
///
/// ```
/// use heist::sync::i_structure;
///
/// // Fibonacci numbers by tasks that start in no order at all.
/// let (writer, cells) = i_structure(50);
/// let tasks = writer.chunks(1).map(|mut one| {
///     let cells = cells.clone();
///     heist::spawn_async(async move {
///         let n = one.range().start;
///         let value = match n {
///             0 | 1 => n as u64,
///             _ => *cells.get_async(n - 1).await + *cells.get_async(n - 2).await,
///         };
///         one.put(n, value);
///     })
/// });
/// drop(tasks.collect::<Vec<_>>());
/// assert_eq!(*cells.get(49), 7_778_742_049);
/// ```
pub struct IStructure<T>(Arc<Cells<T>>);

impl<T> Clone for IStructure<T> {
    fn clone(&self) -> Self {
        IStructure(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for IStructure<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IStructure")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

/// Creates an I-structure of `len` empty cells, and the writer of all its cells.
#[track_caller]
pub fn i_structure<T>(len: usize) -> (CellWriter<T>, IStructure<T>) {
    let cells = Arc::new(Cells::new(len, Location::caller()));
    (CellWriter::of_all(Arc::clone(&cells)), IStructure(cells))
}

impl<T> IStructure<T> {
    /// Returns the number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the I-structure has no cells.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a cell, if it has been put.
    ///
    /// # Panics
    /// Panics if the I-structure has no cell `index`, or if the cell is broken because its [`CellWriter`] was dropped.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn try_get(&self, index: usize) -> Option<&T> {
        Some(self.value(index, self.0.get(index)?))
    }

    /// Waits for the value of a cell and returns it. During the wait, a worker gives its slot to another thread. A fiber is
    /// suspended instead.
    ///
    /// # Panics
    /// Panics like [`try_get`](Self::try_get).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> &T {
        match self.try_get(index) {
            Some(value) => value,
            None => self.wait_for(index),
        }
    }

    /// Returns a future that waits for the value of a cell, for async code.
    ///
    /// # Panics
    /// Panics if the I-structure has no cell `index`. The future panics if the cell is broken.
    #[inline]
    #[track_caller]
    pub fn get_async(&self, index: usize) -> GettingCell<'_, T> {
        if index >= self.len() {
            self.0.refuse(index);
        }
        GettingCell {
            cells: self,
            index,
            began: Location::caller(),
            wait: None,
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn wait_for(&self, index: usize) -> &T {
        Wait::new(Put::new(&self.0, index)).block();
        self.expect(index)
    }

    /// Returns the value of a cell after a wait has ended.
    fn expect(&self, index: usize) -> &T {
        self.try_get(index)
            .unwrap_or_else(|| unreachable!("the wait ends when it is there"))
    }

    #[inline]
    fn value<'a>(&'a self, index: usize, found: Result<&'a T, Dropped>) -> &'a T {
        match found {
            Ok(value) => value,
            Err(Dropped) => self.tell_broken(index),
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_broken(&self, index: usize) -> ! {
        let made = self.0.made();
        panic!(
            "heist: cell {index} of the I-structure made at {made} was not put before its writer was dropped"
        );
    }
}

/// A wait until a cell has been put.
#[derive(Debug)]
struct Put<'a, T> {
    cells: &'a Cells<T>,
    index: usize,
    /// True if the cell's bit was clear when this wait joined the queue.
    unsure: bool,
}

impl<'a, T> Put<'a, T> {
    fn new(cells: &'a Cells<T>, index: usize) -> Self {
        Put {
            cells,
            index,
            unsure: false,
        }
    }
}

impl<T> Condition for Put<'_, T> {
    const BY_TAG: bool = true;

    type State = Queue;
    type Output = ();

    fn state(&self) -> &Locked<Queue> {
        self.cells.waiting(self.index)
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"IStructure", self.cells.made())
    }

    fn begin(&mut self) {
        self.cells.look_for(self.index);
    }

    fn attempt(&mut self, queue: &mut Queue) -> Result<(), u64> {
        if self.cells.get(self.index).is_some() {
            return Ok(());
        }
        self.unsure = self.cells.disturb(self.index, queue);
        Err(self.index as u64)
    }

    fn announce(&mut self) -> bool {
        if self.unsure {
            self.cells.make_sure(self.index);
        }
        self.unsure
    }

    fn queue<'s>(&self, state: &'s mut Queue) -> &'s mut Queue {
        state
    }

    fn served(&mut self) {}

    fn forfeit(&mut self) {}
}

/// The future that [`IStructure::get_async`] returns.
#[derive(Debug)]
#[must_use = "a wait does nothing unless it is awaited"]
pub struct GettingCell<'a, T> {
    cells: &'a IStructure<T>,
    index: usize,
    began: &'static Location<'static>,
    /// The wait for the cell. The field is `Some` after the cell was found empty. The wait is created late because in most cases the cell
    /// is full at the first poll, and because a wait takes many words.
    wait: Option<Wait<Put<'a, T>>>,
}

impl<'a, T> Future for GettingCell<'a, T> {
    type Output = &'a T;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<&'a T> {
        match self.cells.try_get(self.index) {
            Some(value) => Poll::Ready(value),
            None => self.wait(context),
        }
    }
}

impl<'a, T> GettingCell<'a, T> {
    #[cold]
    #[inline(never)]
    fn wait(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<&'a T> {
        // SAFETY: only `wait` is structurally pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        let (cells, index) = (this.cells, this.index);
        let wait = this
            .wait
            .get_or_insert_with(|| Wait::at(Put::new(&cells.0, index), this.began));
        // SAFETY: `wait` belongs to the pinned `self`, and is not moved before it is dropped in place.
        unsafe { Pin::new_unchecked(wait) }
            .poll(context)
            .map(|()| cells.expect(index))
    }
}
