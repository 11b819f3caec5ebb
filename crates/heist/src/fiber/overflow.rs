//! Reports which fiber has overflowed its stack, and ends the process.

use super::coroutine::Head;
use crate::platform::{Reporter, decimal, find_guarded, report_faults, say_and_abort};

/// Installs the function that reports overflows.
pub(super) fn report_overflows() {
    // SAFETY: `report` reads memory that does not change, and writes one line.
    unsafe { report_faults(Reporter::Fibers, report) };
}

/// Reports the overflow of a fiber's stack and aborts. Returns if the fault is not an overflow.
///
/// # Safety
/// The caller must be a signal handler on the thread whose access to the address has faulted.
unsafe fn report(address: usize) {
    let Some(stack) = find_guarded(address) else {
        return;
    };
    // SAFETY: the thread has accessed the guard of this stack. So the thread runs on this stack, or
    // has a wild pointer to it; in both cases the stack was mapped at the fault.
    let Some(label) = (unsafe { Head::label(stack.top) }) else {
        return;
    };
    let (mut line, mut size) = ([0; 20], [0; 20]);
    let [a, b, c, d, e] = label.pieces();
    say_and_abort([
        "heist: the ",
        a,
        b,
        c,
        d,
        e,
        ":",
        decimal(label.spawned.line() as usize, &mut line),
        ") overflowed its stack of ",
        decimal(stack.bytes >> 10, &mut size),
        " KiB; give fibers larger stacks (Fibers::stack_size)\n",
    ]);
}
