//! The system's allocator, which ends the process with a message when the system has no more memory.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::process::{ends, exit, files};

/// The maximum size in bytes of a request that ends the process if it fails. A larger request comes from a wrong estimate, so if it fails,
/// the caller gets null and may ask for less memory.
const LARGEST: usize = 1 << 40;

/// The allocator of a program that compiles or runs other programs. If an allocation fails, the allocator prints one line and exits with a
/// code. (The standard library would abort.)
///
/// ```
/// use heist_pml_runtime::process::allocator::Ending;
///
/// #[global_allocator]
/// static ALLOCATOR: Ending = Ending;
///
/// assert_eq!(vec![1, 2, 3].len(), 3);
/// ```
#[derive(Debug)]
pub struct Ending;

impl Ending {
    /// Returns `bytes`, or ends the process if `bytes` is null because the system has no memory.
    fn checked(bytes: *mut u8, size: usize) -> *mut u8 {
        if bytes.is_null() && size <= LARGEST {
            end();
        }
        bytes
    }
}

// SAFETY: each call goes to the system's allocator, whose result is returned.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `System` requires a layout of more than zero bytes, as this function does, and gets the same layout.
        Ending::checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `System` requires a layout of more than zero bytes, as this function does, and gets the same layout.
        Ending::checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, bytes: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `bytes` came from `System` with this layout, as all memory of this allocator does. `size` is not 0, and rounded up to the
        // alignment it fits into an `isize`, as `System` requires.
        Ending::checked(unsafe { System.realloc(bytes, layout, size) }, size)
    }

    unsafe fn dealloc(&self, bytes: *mut u8, layout: Layout) {
        // SAFETY: `bytes` came from `System` with this layout, as all memory of this allocator does, and nothing uses it any more.
        unsafe { System.dealloc(bytes, layout) }
    }
}

/// Ends the process. This function runs when the system has no more memory, so it allocates nothing and waits for no lock.
#[cold]
fn end() -> ! {
    ends::alone_in_handler();
    files::flush_in_handler();
    let line = b"heist: out of memory: the system gives no more (is there a limit, such as that of `ulimit -v`?)\n";
    // SAFETY: plain system calls with valid arguments.
    unsafe {
        libc::write(2, line.as_ptr().cast(), line.len());
        libc::_exit(exit::IMPOSSIBLE)
    }
}
