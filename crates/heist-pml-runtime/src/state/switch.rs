//! The functions that enter and leave compiled code, and switch between strands.

use crate::run::fault::watch;
use crate::state::worker::Worker;
use crate::value::object::{Value, WORD};

/// The result of [`enter`] and [`go_on`] if the strand waits.
pub const WAITS: u64 = 3;

/// Runs compiled code (without arguments) on the worker's own strand. Returns 0 if the code returns, and 1 if the code raises an exception
/// without handling it. The exception is then `pending`.
///
/// # Safety
/// `code` must be a function of the program attached to the worker.
pub unsafe fn run(worker: &mut Worker, code: usize) -> u64 {
    let alt = watch();
    let strand = worker.own_strand();
    let world = worker.shared_world();
    world.begin();
    // SAFETY: `code` is a function of the program that was attached. The worker's own strand runs nowhere, so no code runs on its stack,
    // whose top is aligned. `worker` is borrowed for all of this, and no thread of a pool has the strand.
    let result = unsafe {
        (*strand).mount(worker);
        let result = enter(worker, code, (*strand).top());
        (*strand).dismount();
        (*strand).reset();
        result
    };
    world.end();
    drop(alt);
    result
}

/// Calls `code` with the worker in its register, on the stack that ends at `top`. The frame pointer is 0, which ends walks. Returns 0 when
/// the code returns, 1 if it calls [`leave`], or [`WAITS`] if the strand waits.
///
/// # Safety
/// `code` must be compiled code of the program, and no other code may run on the stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn enter(worker: *mut Worker, code: usize, top: usize) -> u64 {
    std::arch::naked_asm!(
        // A debugger ends its backtrace here: there is no caller on this stack.
        ".cfi_startproc",
        ".cfi_undefined rip",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov r15, rdi",
        "mov [r15 + {entered}], rsp",
        "mov rsp, rdx",
        "xor ebp, ebp",
        "call rsi",
        "xor eax, eax",
        "2:",
        "mov rsp, [r15 + {entered}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ".cfi_endproc",
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

/// Calls the closure of `World::at_exit`.
///
/// # Safety
/// Only [`enter`] may call this function, and only if that closure exists.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn at_exit() {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "mov rdi, r15",
        "call {closure}",
        "add rsp, 8",
        // Compiled code expects the closure where C has the first argument.
        "mov rdi, rax",
        "jmp [rdi + {word}]",
        closure = sym closure_at_exit,
        word = const WORD,
    )
}

/// Returns the closure of `World::at_exit`, or 0.
///
/// # Safety
/// The worker must be the worker that runs on this thread.
unsafe extern "C" fn closure_at_exit(worker: *const Worker) -> usize {
    // SAFETY: `at_exit` passes the worker from the worker's register, and this worker runs on this thread.
    unsafe { (*worker).world().at_exit().map_or(0, |closure| closure.0) }
}

/// Leaves compiled code, so that `enter` returns 1.
///
/// # Safety
/// The worker must run compiled code that `enter` called. No frame between that code and this function may have anything to drop.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn leave(worker: *mut Worker) -> ! {
    std::arch::naked_asm!(
        "mov r15, rdi",
        "mov eax, 1",
        "mov rsp, [r15 + {entered}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

/// Runs when a callee returns to a marked frame: removes the newest mark, and continues at the mark's address, which is the original return
/// address or the landing of the call. This code changes no register, because the callee may be a thunk that preserves all registers. A
/// landing takes a result that is a real number from `Worker::landed`.
///
/// # Safety
/// Only a return to a frame with a mark may jump to this code.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn marked() {
    std::arch::naked_asm!(
        "push r11",
        "push r11",
        "movsd [r15 + {landed}], xmm0",
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "mov r11, [r11]",
        "mov [rsp + 8], r11",
        "pop r11",
        "ret",
        landed = const std::mem::offset_of!(Worker, landed),
        marks_end = const std::mem::offset_of!(Worker, marks_end),
    )
}

/// Runs when a callee returns to the frame of the newest published fork: does the work of [`marked`], and sets the worker's `poll`.
///
/// # Safety
/// Only a return to a frame with a return barrier may jump to this code.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn passed() {
    std::arch::naked_asm!(
        "push r11",
        "push r11",
        "movsd [r15 + {landed}], xmm0",
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "mov qword ptr [r15 + {passed}], 1",
        "mov dword ptr [r15 + {poll}], 1",
        "mov r11, [r11]",
        "mov [rsp + 8], r11",
        "pop r11",
        "ret",
        landed = const std::mem::offset_of!(Worker, landed),
        marks_end = const std::mem::offset_of!(Worker, marks_end),
        passed = const std::mem::offset_of!(Worker, passed),
        poll = const std::mem::offset_of!(Worker, bell.poll),
    )
}

/// Calls [`publish::join`](crate::fork::publish::join) for the thunk of a join, and makes the strand wait if the result is `Joined::Wait`. Leaves
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
        here = const crate::fork::publish::Joined::Here as usize,
        joined = const std::mem::offset_of!(Worker, joined),
    )
}

/// Calls `publish::join` once. Returns 0, or 1 if the strand has waited.
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
    /// Calls [`lazy::wait`](crate::wait::lazy::wait). Returns 1 when the strand must check the state of the lazy value again, or 0 if the strand
    /// itself computes the lazy value.
    wait(lazy: Value), crate::wait::lazy::wait
}
may_wait! {
    /// Calls [`thread::park`](crate::thread::park()), and returns 1 when the strand has its permit.
    park(), crate::thread::park
}
may_wait! {
    /// Calls [`thread::give_way`](crate::thread::give_way). Returns 1 when the strand runs again.
    give_way(), crate::thread::give_way
}
may_wait! {
    /// Calls [`thread::poll`](crate::thread::poll). Returns [`POLLED`] after the poll, or 1 if the strand has waited and must poll again.
    poll_once(), crate::thread::poll
}

/// The result of `poll_once` when the strand continues.
pub const POLLED: u64 = 2;

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
may_wait! {
    /// Calls [`publish::drop_fork`](crate::fork::publish::drop_fork). Returns [`POLLED`] after the poll, or 1 if the strand has waited and must
    /// poll again.
    drop_once(place: usize), crate::fork::publish::drop_fork
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

/// Begins a thread: calls the closure in the worker's `env`.
///
/// # Safety
/// Only [`enter`] may call this function, and only if that closure exists.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn begin_thread() {
    std::arch::naked_asm!(
        // Compiled code expects the closure where C has the first argument.
        "mov rdi, [r15 + {env}]",
        "jmp [rdi + {word}]",
        env = const std::mem::offset_of!(Worker, env),
        word = const WORD,
    )
}

/// Calls [`publish::join`](crate::fork::publish::join), and returns its result as a number.
///
/// # Safety
/// Only [`join`] may call this function, for the thunk of a join.
unsafe extern "C" fn ask(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: compiled code has called the thunk of a join, with the worker that runs the code and the place of its fork; this function
    // passes both on unchanged.
    unsafe { crate::fork::publish::join(worker, place) as u64 }
}

/// Continues a waiting strand on this worker. The result has the same meaning as the result of [`enter`]. In the strand, the function that
/// suspended the strand returns 1.
///
/// # Safety
/// `sp` must be the stack pointer of the strand when it began to wait. The strand must be mounted on the worker. The worker must have all
/// data that the function that suspended the strand will read.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn go_on(worker: *mut Worker, sp: usize) -> u64 {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov r15, rdi",
        "mov [r15 + {entered}], rsp",
        "mov rsp, rsi",
        "mov eax, 1",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

/// Continues compiled code at an exception handler.
///
/// # Safety
/// `pc` must be the handler of a call in the frame at `fp`, and `sp` must be that frame's stack pointer at the call. No frame between this
/// function and that frame may have anything to drop.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn resume(
    sp: usize,
    fp: usize,
    pc: usize,
    exn: usize,
    worker: *mut Worker,
) -> ! {
    std::arch::naked_asm!(
        "mov rsp, rdi",
        "mov rbp, rsi",
        "mov rax, rcx",
        "mov r15, r8",
        "jmp rdx",
    )
}
