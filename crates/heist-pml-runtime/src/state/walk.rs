//! The walk over the frames of a strand, and the marks on return addresses.
//!
//! A collection overwrites some return addresses with a *mark*, the address of code that removes the mark and continues at the original
//! address (or at a landing; see `fork/publish.rs`). Frames older than a mark have not run since the mark was set, so the next collection
//! need not scan them. With marks, the collector scans the frames of a deep recursion only once.

use crate::state::switch;
use crate::value::object::WORD;

/// A frame that has called a function, and the return address of that call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The frame's pointer.
    pub pointer: usize,
    /// The address at which the frame continues when the callee returns: the return address of the call, or its landing.
    pub address: usize,
    /// The slot in which the callee keeps the return address.
    pub slot: *mut usize,
    /// Whether the slot holds a mark or a return barrier. Neither this frame nor an older frame has run since that mark or barrier was set.
    pub marked: bool,
}

/// A walk from the newest frame to the oldest frame.
pub struct Walk<'a> {
    at: usize,
    marks: &'a [usize],
}

impl<'a> Walk<'a> {
    /// Begins a walk whose first frame is the caller of the frame at `at`. `marks` are the return addresses that marks have overwritten,
    /// the oldest first.
    ///
    /// # Safety
    /// `at` must be a frame pointer of a compiled function or thunk that has not returned, or 0. No code may run on the stack during the
    /// walk.
    #[must_use]
    pub unsafe fn new(at: usize, marks: &'a [usize]) -> Walk<'a> {
        Walk { at, marks }
    }

    /// Begins a walk after a frame that another walk has found. `marks` are the marks that the other walk had not reached.
    ///
    /// # Safety
    /// `at` must be the frame pointer of that frame, which has not returned. No code may run on the stack during the walk.
    #[must_use]
    pub unsafe fn go_on(at: usize, marks: &'a [usize]) -> Walk<'a> {
        Walk { at, marks }
    }

    /// Returns the number of marks that are older than the walk's latest frame.
    #[must_use]
    pub fn marks_left(&self) -> usize {
        self.marks.len()
    }
}

impl Iterator for Walk<'_> {
    type Item = Frame;

    #[inline]
    fn next(&mut self) -> Option<Frame> {
        if self.at == 0 {
            return None;
        }
        let slot = (self.at + WORD) as *mut usize;
        // SAFETY: `at` is the frame pointer of a frame that has not returned: `at` was given to `new` or `go_on`, or was read from the
        // frame's callee. At `at`, compiled code keeps its caller's frame pointer and return address. `enter` sets the frame pointer to 0
        // below the oldest frame, which ends the walk.
        let (pointer, mut address) = unsafe { (*(self.at as *const usize), *slot) };
        if pointer == 0 {
            return None;
        }
        let marked = address == mark() || address == barrier();
        if marked {
            let (last, rest) = self.marks.split_last().expect("a mark for each");
            (address, self.marks) = (*last, rest);
        }
        self.at = pointer;
        Some(Frame {
            pointer,
            address,
            slot,
            marked,
        })
    }
}

/// Returns the address of the return barrier. The runtime writes this address in place of a return address to the frame of a published
/// fork, to detect the return to that frame.
#[must_use]
pub fn barrier() -> usize {
    switch::passed as *const () as usize
}

/// Returns the address of the mark, which is written in place of the return address of a marked frame.
#[must_use]
pub fn mark() -> usize {
    switch::marked as *const () as usize
}
