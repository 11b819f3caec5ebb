//! The functions that compiled code calls when a strand may have to wait.

use crate::entry::join;
use crate::poll::join::Joined;
use crate::poll::lazy;
use crate::state::switch::{POLLED, WAITS};
use crate::state::worker::Worker;
use crate::thread;
use crate::value::object::Value;

/// Calls [`join::join`] for the thunk of a join, and makes the strand wait if the result is `Joined::Wait`. Leaves
/// the result of the join in the worker, for the thunk.
///
/// If the strand has waited for something other than the fork, it polls again, as in [`poll`].
///
/// # Safety
/// Only the thunk of a join may call this function.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn join(worker: *mut Worker, place: usize) {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "call {once}",
        "test eax, eax",
        "je 2f",
        // A join that has waited for its thief has found results or an exception.
        "cmp qword ptr [r15 + {joined}], {here}",
        "jne 2f",
        // The strand may continue on another worker.
        "mov rdi, r15",
        "call {poll}",
        "2:",
        "add rsp, 8",
        "ret",
        once = sym join_once,
        poll = sym poll,
        here = const Joined::Here as usize,
        joined = const std::mem::offset_of!(Worker, joined),
    )
}

/// Calls `join::join` once. Returns 0, or 1 if the strand has waited.
///
/// # Safety
/// Only [`join`] may call this function, for the thunk of a join.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn join_once(worker: *mut Worker, place: usize) -> u64 {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "call {ask}",
        "cmp rax, {waits}",
        "je 2f",
        "mov [r15 + {joined}], rax",
        "xor eax, eax",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        // The strand's registers are saved. The worker's registers are where `enter` or `go_on` has saved them.
        "2:",
        "mov [r15 + {suspended}], rsp",
        "mov eax, {waits}",
        "mov rsp, [r15 + {entered}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ask = sym ask,
        waits = const WAITS,
        joined = const std::mem::offset_of!(Worker, joined),
        suspended = const std::mem::offset_of!(Worker, suspended),
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

/// Defines a function that calls `$ask` for compiled code. If `$ask` returns [`WAITS`], the strand waits, and the defined function returns
/// 1 after the wait.
macro_rules! may_wait {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty)?), $ask:path) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Only a thunk may call this function.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(worker: *mut Worker $(, $arg: $type)?) -> u64 {
            unsafe extern "C" fn ask(worker: *mut Worker $(, $arg: $type)?) -> u64 {
                // SAFETY: this code passes the thunk's arguments, the running worker and perhaps a value, unchanged to a function that a
                // thunk may call.
                unsafe { $ask(worker $(, $arg)?) }
            }
            std::arch::naked_asm!(
                "push rbp",
                "push rbx",
                "push r12",
                "push r13",
                "push r14",
                "call {ask}",
                "cmp rax, {waits}",
                "je 2f",
                "pop r14",
                "pop r13",
                "pop r12",
                "pop rbx",
                "pop rbp",
                "ret",
                // Saves the strand's stack pointer, and continues where `enter` or `go_on` was called.
                "2:",
                "mov [r15 + {suspended}], rsp",
                "mov rsp, [r15 + {entered}]",
                "pop r15",
                "pop r14",
                "pop r13",
                "pop r12",
                "pop rbx",
                "pop rbp",
                "ret",
                ask = sym ask,
                waits = const WAITS,
                suspended = const std::mem::offset_of!(Worker, suspended),
                entered = const std::mem::offset_of!(Worker, entered),
            )
        }
    };
}

may_wait! {
    /// Calls [`lazy::wait`]. Returns 1 when the strand must check the state of the lazy value again, or 0 if the strand
    /// itself computes the lazy value.
    wait(lazy: Value), lazy::wait
}
may_wait! {
    /// Calls [`thread::park`](thread::park()), and returns 1 when the strand has its permit.
    park(), thread::park
}
may_wait! {
    /// Calls [`thread::give_way`]. Returns 1 when the strand runs again.
    give_way(), thread::give_way
}
may_wait! {
    /// Calls [`thread::poll`]. Returns [`POLLED`] after the poll, or 1 if the strand has waited and must poll again.
    poll_once(), thread::poll
}

may_wait! {
    /// Calls [`join::drop_fork`]. Returns [`POLLED`] after the poll, or 1 if the strand has waited and must
    /// poll again.
    drop_once(place: usize), join::drop_fork
}

/// Answers a poll. After each wait, the strand polls again, because a fiber that was preempted may be woken before it should continue.
///
/// # Safety
/// Only a thunk may call this function.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn poll(worker: *mut Worker) {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "2:",
        "call {once}",
        // The strand may continue on another worker.
        "mov rdi, r15",
        "cmp rax, {polled}",
        "jne 2b",
        "add rsp, 8",
        "ret",
        once = sym poll_once,
        polled = const POLLED,
    )
}

/// Drops a fork, and polls as [`poll`] does.
///
/// # Safety
/// Only a thunk may call this function.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn drop_fork(worker: *mut Worker, place: usize) {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "call {once}",
        "cmp rax, {polled}",
        "je 2f",
        // The strand may continue on another worker.
        "mov rdi, r15",
        "call {poll}",
        "2:",
        "add rsp, 8",
        "ret",
        once = sym drop_once,
        poll = sym poll,
        polled = const POLLED,
    )
}

/// Calls [`join::join`], and returns its result as a number.
///
/// # Safety
/// Only [`join`] may call this function, for the thunk of a join.
unsafe extern "C" fn ask(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: compiled code has called the thunk of a join, with the worker that runs the code and the place of its fork; this function
    // passes both on unchanged.
    unsafe { join::join(worker, place) as u64 }
}
