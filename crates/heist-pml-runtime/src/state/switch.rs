//! The code that enters and leaves compiled code, and that switches between strands.

use crate::state::worker::Worker;
use crate::value::object::WORD;

/// The result of [`enter`] and [`go_on`] if the strand waits.
pub const WAITS: u64 = 3;
/// The result of a poll when the strand continues.
pub const POLLED: u64 = 2;

/// Calls `code` on the stack that ends at `top`, with the worker's address in the register that compiled code reserves for it. The frame
/// pointer is 0, which ends walks. Returns 0 when the code returns, 1 if it calls [`leave`], or [`WAITS`] if the strand waits.
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
