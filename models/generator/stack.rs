//! Reusable stacks with a guard page.

use std::cell::RefCell;
use std::ptr;

use corosensei::stack::{Stack, StackPointer};

/// The minimum size of a stack, in bytes. A panic formats its message on such a stack, so a stack must not be smaller.
const LEAST: usize = 256 << 10;

/// The size of the guard, in bytes. This size is a multiple of the page size of every machine on which loom runs.
const GUARD: usize = 64 << 10;

thread_local! {
    /// The free stacks of this thread.
    static IDLE: RefCell<Vec<Mapped>> = const { RefCell::new(Vec::new()) };
}

/// The pages of a stack. The lowest pages are the guard, which no thread can access.
pub(crate) struct Mapped {
    lowest: *mut libc::c_void,
    bytes: usize,
}

impl Mapped {
    /// Returns a stack with room for `words` words.
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
        // SAFETY: the call maps new pages at an address that the system chooses, so it changes no existing mapping.
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

    /// Keeps the stack for a later generator of this thread.
    pub(crate) fn serve_again(self) {
        IDLE.with_borrow_mut(|idle| idle.push(self));
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: `map` has mapped these pages, with this length. No generator runs on a stack that is dropped.
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
