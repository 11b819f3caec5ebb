//! Frames: work on the stack of the thread that waits for it.

use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use crate::cancel::Payload;

/// Drops a user's value where no code may unwind. If the value's destructor panics, the panic hook reports the panic, and this function
/// discards the panic.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        // The drop of the panic's payload may panic in turn.
        std::mem::forget(payload);
    }
}

/// The first field of each entry of a deque. The header contains the function that runs the entry.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    execute: unsafe fn(*mut Header),
}

impl Header {
    /// Creates the header of a job. `execute` runs the job, given the header's address, and must not unwind.
    pub const fn new(execute: unsafe fn(*mut Header)) -> Self {
        Header { execute }
    }

    /// Runs the work. Never unwinds.
    ///
    /// # Safety
    /// `this` must point to a live frame or node. The caller must have taken the frame or node from a deque or a queue, so that no other
    /// thread runs it. The work of the frame or node must neither have run nor been dropped.
    pub unsafe fn execute(this: *mut Header) {
        // SAFETY: the header is live by contract; the function belongs to the type that embeds this header.
        unsafe { ((*this).execute)(this) }
    }
}

/// The right-hand side of a fork.
pub(crate) trait Side<R>: Sized {
    /// True if the side runs even if the left side has panicked.
    const ALWAYS: bool = false;
    /// True if the side's join returns an error in a cancelled scope, instead of unwinding.
    const RETURNS: bool = false;

    /// Runs the side on the forker's thread, after the thread has taken the side back.
    fn run_here(self) -> R;

    /// Runs the side on the thread that took it from the deque.
    fn run_taken(self) -> R;

    /// Drops the side, and returns the result of a cancelled side. Called only if the side [returns](Self::RETURNS).
    fn stop(self) -> R {
        self.run_here()
    }
}

impl<R, F: FnOnce() -> R> Side<R> for F {
    #[inline(always)]
    fn run_here(self) -> R {
        self()
    }

    #[inline(always)]
    fn run_taken(self) -> R {
        self()
    }
}

/// The frame of a [`join`](crate::join): the right-hand closure and the place for its result.
///
/// The forker keeps a bitwise copy of the closure and calls this copy if no thief steals the frame,
/// so that the common path never reads the frame back. Exactly one of the two copies is used.
#[repr(C)]
pub(crate) struct JoinFrame<B, RB> {
    header: Header,
    work: ManuallyDrop<B>,
    result: UnsafeCell<MaybeUninit<Result<RB, Payload>>>,
}

impl<B, RB> JoinFrame<B, RB>
where
    B: Side<RB>,
{
    /// Creates a frame that shares the closure with the caller.
    ///
    /// # Safety
    /// The caller has two copies of the closure now. The caller must use at most one copy, and must forget the other copy.
    #[inline(always)]
    pub(crate) unsafe fn sharing(work: &ManuallyDrop<B>) -> Self {
        JoinFrame {
            header: Header::new(Self::execute),
            // SAFETY: this makes a bitwise copy; by contract, the caller uses at most one of the
            // two copies.
            work: unsafe { std::ptr::read(work) },
            result: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Returns the address that is written into the deque.
    #[inline(always)]
    pub(crate) fn header(&self) -> *mut Header {
        // The pointer is to the whole frame, not to its first field, because a thief casts it back.
        std::ptr::from_ref(self).cast_mut().cast()
    }

    unsafe fn execute(this: *mut Header) {
        let this = this.cast::<Self>();
        // SAFETY: the thief owns the frame's closure from its claim on, and the forker does not
        // return before the record says DONE, so the frame exists until then.
        let work = unsafe { ManuallyDrop::into_inner(std::ptr::read(&raw const (*this).work)) };
        let result = catch_unwind(AssertUnwindSafe(|| work.run_taken()));
        // SAFETY: the thief owns the place of the frame's result until DONE; the forker reads the
        // result only after that.
        unsafe { (*(*this).result.get()).write(result) };
    }

    /// Returns the result that a thief left.
    ///
    /// # Safety
    /// A thief must have run the frame, and the caller must have seen in the frame's record that the run is complete. The caller must call
    /// this function only once.
    pub(crate) unsafe fn take_result(&self) -> Result<RB, Payload> {
        // SAFETY: `execute` wrote the result before the completion that the caller saw.
        unsafe { (*self.result.get()).assume_init_read() }
    }
}
