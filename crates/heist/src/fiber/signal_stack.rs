//! Gives threads a stack for signal handlers if they have none: the handler that reports an
//! overflow cannot run on the stack that has overflowed.

use crate::platform::page_size;
use std::io;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// The handler's stack needs beyond the kernel's own.
const ROOM: usize = 16 << 10;

/// Gives the stack back when the thread's main function ends. Stays on its thread.
#[derive(Debug)]
#[must_use]
pub(crate) struct SignalStack {
    /// `None` if the thread already had a stack, as threads of the standard library do.
    own: Option<(NonNull<libc::c_void>, usize)>,
    not_send: PhantomData<*mut ()>,
}

/// Gives the calling thread a stack for signal handlers if it has none.
///
/// # Errors
/// The error of the system if there is no memory for one.
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
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice.
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
    // SAFETY: the lowest page of the mapping becomes a guard; the rest is the handlers' until the
    // value made here is dropped.
    let done = unsafe {
        libc::mprotect(base, page, libc::PROT_NONE) == 0
            && libc::sigaltstack(&raw const stack, ptr::null_mut()) == 0
    };
    if !done {
        let error = io::Error::last_os_error();
        // SAFETY: the mapping made above, which nothing refers to.
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
        // A library that has put another stack in place since then answers for that one.
        if current().is_ok_and(|stack| stack.ss_sp.addr() == base.addr().get() + page_size()) {
            let none = libc::stack_t {
                ss_sp: ptr::null_mut(),
                ss_flags: libc::SS_DISABLE,
                // Not zero: macOS checks it even then.
                ss_size: libc::SIGSTKSZ,
            };
            // SAFETY: takes the stack out of use, on the thread that had it.
            unsafe { libc::sigaltstack(&raw const none, ptr::null_mut()) };
        }
        // SAFETY: the mapping made for this value, which the kernel does not use any more.
        unsafe { libc::munmap(base.as_ptr(), bytes) };
    }
}

fn current() -> io::Result<libc::stack_t> {
    let mut stack = libc::stack_t {
        ss_sp: ptr::null_mut(),
        ss_flags: 0,
        ss_size: 0,
    };
    // SAFETY: writes to the local.
    if unsafe { libc::sigaltstack(ptr::null(), &raw mut stack) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stack)
}

/// Space that the kernel needs for the registers it saves: more than the constant on processors with
/// large vectors.
fn kernel_room() -> usize {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        // SAFETY: reads a value, 0 if there is none.
        let least = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) };
        usize::try_from(least).unwrap_or(0).max(libc::MINSIGSTKSZ)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    libc::MINSIGSTKSZ
}
