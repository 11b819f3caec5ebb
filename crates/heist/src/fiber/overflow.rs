//! Reports which fiber has overflowed its stack, and ends the process.

use super::coroutine::Head;
use crate::platform::{Reporter, decimal, find_guarded, report_faults, say_and_abort};

/// From now on overflows are reported.
pub(super) fn report_overflows() {
    // SAFETY: it reads memory that does not change, and writes once.
    unsafe { report_faults(Reporter::Fibers, report) };
}

/// Does not return if a fiber has overflowed.
///
/// # Safety
/// Called in a handler on the thread whose access to the address has faulted.
unsafe fn report(address: usize) {
    let Some(stack) = find_guarded(address) else {
        return;
    };
    // SAFETY: the thread has run into the guard of this stack, so it runs on it, or has a wild
    // pointer to it: also then the stack was mapped when it faulted.
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
