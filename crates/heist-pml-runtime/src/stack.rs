//! The stack of compiled code, and the ways in and out.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::heap::reserve;
use super::worker::Worker;

/// Bytes at the low end that must not be touched.
const GUARD: usize = 1 << 20;

/// A large stack: addresses, which get memory when they are used.
#[derive(Debug)]
pub struct Stack {
    low: usize,
    size: usize,
}

impl Stack {
    /// A stack of `size` bytes, or of less if the system has not so many addresses.
    ///
    /// # Errors
    /// If it has none.
    pub fn new(size: usize) -> std::io::Result<Stack> {
        let mut size = size.max(1 << 20).next_multiple_of(1 << 16);
        let low = loop {
            match reserve(size + GUARD) {
                Ok(low) => break low,
                Err(_) if size > 1 << 23 => size /= 2,
                Err(error) => return Err(error),
            }
        };
        // SAFETY: ours.
        unsafe { libc::mprotect(low as *mut _, GUARD, libc::PROT_NONE) };
        Ok(Stack {
            low,
            size: size + GUARD,
        })
    }

    /// Where it begins.
    #[must_use]
    pub fn top(&self) -> usize {
        self.low + self.size
    }

    /// Gives memory below a frame back to the system, but for what will be used again soon.
    pub fn release(&self, frame: usize) {
        const KEEP: usize = 1 << 20;
        let first = self.low + GUARD;
        if frame > first + 2 * KEEP && frame <= self.top() {
            let end = (frame - KEEP) & !0xfff;
            // SAFETY: the stack below what is used.
            unsafe { libc::madvise(first as *mut _, end - first, libc::MADV_DONTNEED) };
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: nobody runs on it.
        unsafe { libc::munmap(self.low as *mut _, self.size) };
    }
}

static GUARD_LOW: AtomicUsize = AtomicUsize::new(0);
static GUARD_HIGH: AtomicUsize = AtomicUsize::new(0);
static OLD_SEGV: AtomicUsize = AtomicUsize::new(0);

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a valid info.
    let address = unsafe { (*info).si_addr() } as usize;
    let range = GUARD_LOW.load(Ordering::Relaxed)..GUARD_HIGH.load(Ordering::Relaxed);
    if range.contains(&address) {
        super::basis::io::flush_all();
        // SAFETY: all of these may be called in a handler.
        unsafe {
            for text in [
                "stack overflow: calls are nested too deeply; is a recursion without an end? (",
                super::launch::stack_setting(),
                " gives more)\n",
            ] {
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            libc::_exit(super::program::IMPOSSIBLE);
        }
    }
    // Not ours: as if we were not here.
    let old = OLD_SEGV.load(Ordering::Relaxed);
    // SAFETY: what was set before; a handler of this form, for it was set with SA_SIGINFO.
    unsafe {
        if old > 1 {
            let old: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(old);
            old(signal, info, context);
        } else {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

/// Has a fault in the guard of a stack tell what happened. The handler runs on a stack of its own, which the caller keeps.
fn watch(stack: &Stack) -> AltStack {
    GUARD_LOW.store(stack.low, Ordering::Relaxed);
    GUARD_HIGH.store(stack.low + GUARD, Ordering::Relaxed);
    let mut memory = vec![0_u8; 1 << 16].into_boxed_slice();
    // SAFETY: plain system calls with whole arguments.
    unsafe {
        let alt = libc::stack_t {
            ss_sp: memory.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: memory.len(),
        };
        let mut before: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(&raw const alt, &raw mut before);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, &raw const action, &raw mut old);
            if old.sa_sigaction != action.sa_sigaction && signal == libc::SIGSEGV {
                OLD_SEGV.store(old.sa_sigaction, Ordering::Relaxed);
            }
        }
        AltStack {
            before,
            _memory: memory,
        }
    }
}

struct AltStack {
    before: libc::stack_t,
    _memory: Box<[u8]>,
}

impl Drop for AltStack {
    fn drop(&mut self) {
        // SAFETY: what was set before this.
        unsafe { libc::sigaltstack(&raw const self.before, std::ptr::null_mut()) };
    }
}

/// Runs compiled code (without arguments) on the worker's stack until it returns (0) or raises what nobody handles (1: the
/// exception is `pending`).
///
/// # Safety
/// `code` is a function of the program that was attached to the worker.
pub unsafe fn run(worker: &mut Worker, code: usize) -> u64 {
    let alt = watch(worker.stack());
    let top = worker.stack().top();
    // SAFETY: the caller's promise; the stack is large, aligned, and nobody runs on it.
    let result = unsafe { enter(worker, code, top) };
    worker.frame = 0;
    drop(alt);
    result
}

/// Calls `code` with the worker in its register, on the stack that ends at `top`. The frame pointer is 0, which ends walks.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn enter(worker: *mut Worker, code: usize, top: usize) -> u64 {
    std::arch::naked_asm!(
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
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

/// Leaves compiled code: has `enter` return 1.
///
/// # Safety
/// The worker runs compiled code that `enter` called, and no frame in between has anything to drop.
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

/// Where a marked frame returns to: takes the newest mark away, and goes on where it stands for. All registers stay as they are
/// but the one that calls use for themselves.
///
/// # Safety
/// Only returns come here, and only those of frames that the collector has marked.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn marked() {
    std::arch::naked_asm!(
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "jmp [r11]",
        marks_end = const std::mem::offset_of!(Worker, marks_end),
    )
}

/// Goes on at a handler.
///
/// # Safety
/// `pc` is the handler of a call in the frame at `fp`, whose stack pointer was `sp`; no frame in between has anything to drop.
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
