//! Signal stacks for threads that have none. The handler that reports an overflow cannot run on the
//! stack that has overflowed.

use crate::platform::page_size;
use std::io;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// The space that the handler needs, in addition to the space that the kernel needs.
const ROOM: usize = 16 << 10;

/// A thread's stack for signal handlers. The thread's main function drops this value when it ends.
#[derive(Debug)]
#[must_use]
pub(crate) struct SignalStack {
    /// The mapping and its size; `None` if the thread already had a signal stack, as threads of the
    /// standard library do.
    own: Option<(NonNull<libc::c_void>, usize)>,
    not_send: PhantomData<*mut ()>,
}

/// Gives the calling thread a stack for signal handlers if it has none.
///
/// # Errors
/// Returns the error of the system if there is no memory for the stack.
pub(crate) fn ensure_signal_stack() -> io::Result<SignalStack> {
    let mut signal_stack = SignalStack {
        own: None,
        not_send: PhantomData,
    };
    if current()?.ss_flags & libc::SS_DISABLE == 0 {
        return Ok(signal_stack);
    }
    let page = page_size();
    let bytes = (ROOM + kernel_room()).next_multiple_of(page) + page;
    // SAFETY: the call makes a fresh anonymous mapping at an address of the kernel's choice.
    let base = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let stack = libc::stack_t {
        ss_sp: base.wrapping_byte_add(page),
        ss_flags: 0,
        ss_size: bytes - page,
    };
    // SAFETY: the lowest page of the mapping becomes a guard. The handlers use the other pages until the value that is made here is
    // dropped.
    let done = unsafe {
        libc::mprotect(base, page, libc::PROT_NONE) == 0
            && libc::sigaltstack(&raw const stack, ptr::null_mut()) == 0
    };
    if !done {
        let error = io::Error::last_os_error();
        // SAFETY: the mapping was made above, and no code refers to it.
        unsafe { libc::munmap(base, bytes) };
        return Err(error);
    }
    signal_stack.own = NonNull::new(base).map(|base| (base, bytes));
    Ok(signal_stack)
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        let Some((base, bytes)) = self.own else {
            return;
        };
        // If a library has installed another signal stack meanwhile, that stack stays in use.
        if current().is_ok_and(|stack| stack.ss_sp.addr() == base.addr().get() + page_size()) {
            let none = libc::stack_t {
                ss_sp: ptr::null_mut(),
                ss_flags: libc::SS_DISABLE,
                // The size is not zero, because macOS checks the size even when it disables the
                // stack.
                ss_size: libc::SIGSTKSZ,
            };
            // SAFETY: the call disables the stack, on the thread that had it.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
        // SAFETY: the mapping was made for this value, and the kernel does not use the stack any
        // more.
        unsafe { libc::munmap(base.as_ptr(), bytes) };
    }
}

fn current() -> io::Result<libc::stack_t> {
    let mut stack = libc::stack_t {
        ss_sp: ptr::null_mut(),
        ss_flags: 0,
        ss_size: 0,
    };
    // SAFETY: the call writes to the local variable, which exists during the call.
    if unsafe { libc::sigaltstack(ptr::null(), &raw mut stack) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stack)
}

/// Returns the space that the kernel needs to save registers. On processors with large vectors, the space for registers is larger than the
/// C library's constant.
fn kernel_room() -> usize {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // SAFETY: the call only reads a value, and returns 0 if the value does not exist.
        let least = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) };
        usize::try_from(least).unwrap_or(0).max(libc::MINSIGSTKSZ)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    libc::MINSIGSTKSZ
}
