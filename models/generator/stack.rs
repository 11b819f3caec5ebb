//! Stacks with a guard page, which serve again.

use std::cell::RefCell;
use std::ptr;

use corosensei::stack::{Stack, StackPointer};

/// The least size, in bytes: also the message of a panic is made on such a stack.
const LEAST: usize = 256 << 10;

/// More than a page has on any machine that loom runs on, and a multiple of it.
const GUARD: usize = 64 << 10;

thread_local! {
    /// Free stacks, which no generator of this thread uses.
    static IDLE: RefCell<Vec<Mapped>> = const { RefCell::new(Vec::new()) };
}

/// Pages of this process, the lowest of which cannot be written to.
pub(crate) struct Mapped {
    lowest: *mut libc::c_void,
    bytes: usize,
}

impl Mapped {
    /// A stack with room for `words` words.
    pub(crate) fn of_words(words: usize) -> Self {
        let bytes = GUARD
            + (words * size_of::<usize>())
                .max(LEAST)
                .next_multiple_of(GUARD);
        let idle = IDLE.with_borrow_mut(|idle| idle.pop_if(|stack| stack.bytes == bytes));
        idle.unwrap_or_else(|| Self::map(bytes))
    }

    fn map(bytes: usize) -> Self {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, at a place where none is.
        let lowest = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                access,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert!(lowest != libc::MAP_FAILED, "no memory for a stack");
        // SAFETY: the pages are those just mapped, which nothing uses yet, and `GUARD` is less than `bytes`.
        let guarded = unsafe { libc::mprotect(lowest, GUARD, libc::PROT_NONE) };
        assert_eq!(guarded, 0, "no guard below a stack");
        Self { lowest, bytes }
    }

    /// Keeps this for the next generator of this thread.
    pub(crate) fn serve_again(self) {
        IDLE.with_borrow_mut(|idle| idle.push(self));
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: `map` has mapped it, of this length, and who drops this has no generator on it any more.
        unsafe { libc::munmap(self.lowest, self.bytes) };
    }
}

// SAFETY: both bounds are multiples of a page, which is a multiple of the alignment of a stack, and neither is 0. The pages between
// them are mapped, and above the guard writable, until `drop`.
unsafe impl Stack for Mapped {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.lowest.addr() + self.bytes)
            .expect("a stack ends above the first page")
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.lowest.addr()).expect("nothing is mapped at 0")
    }
}
