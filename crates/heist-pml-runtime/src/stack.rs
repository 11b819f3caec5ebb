//! The stack of compiled code, and the ways in and out.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::heap::reserve;
use super::interrupt::Cause;
use super::object::{Value, WORD};
use super::worker::Worker;

/// Bytes at the low end that must not be touched.
const GUARD: usize = 1 << 20;
/// Bytes above those that a program has left to end in, if it can be interrupted.
const RESERVE: usize = 1 << 20;

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
        guard(low);
        Ok(Stack {
            low,
            size: size + GUARD,
        })
    }

    /// Address at which it begins.
    #[must_use]
    pub fn top(&self) -> usize {
        self.low + self.size
    }

    /// Keeps some of the stack back: what a program needs to come to its next poll after it has used up the rest. One at a time.
    pub fn reserve(&self) -> Reserve {
        let low = self.low + GUARD;
        protect(low, RESERVE, libc::PROT_NONE);
        // Relaxed: the handler that reads it runs on the thread that will run on the stack, which somebody tells to.
        KEPT_BACK.store(low, Ordering::Relaxed);
        Reserve {
            low,
            top: self.top(),
        }
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
        unguard(self.low);
        // SAFETY: nobody runs on it.
        unsafe { libc::munmap(self.low as *mut _, self.size) };
    }
}

/// The part of a stack that is kept back, until it is dropped: nobody may be on the stack then.
#[derive(Debug)]
pub struct Reserve {
    low: usize,
    top: usize,
}

impl Drop for Reserve {
    fn drop(&mut self) {
        // Relaxed: nobody runs on the stack.
        KEPT_BACK.store(0, Ordering::Relaxed);
        protect(self.low, RESERVE, libc::PROT_READ | libc::PROT_WRITE);
        if super::interrupt::cause() == Cause::Stack {
            // SAFETY: nobody is on the stack, so nobody reads what was there.
            unsafe { libc::madvise(self.low as *mut _, self.top - self.low, libc::MADV_DONTNEED) };
        }
    }
}

/// Start of the part of a stack that is kept back; 0 if there is none.
static KEPT_BACK: AtomicUsize = AtomicUsize::new(0);

/// Lets a part of a stack be used, or not.
fn protect(low: usize, size: usize, how: i32) {
    // SAFETY: it is a part of a stack that is the caller's, at a boundary of pages.
    unsafe { libc::mprotect(low as *mut _, size, how) };
}

/// Start addresses of the guards of stacks; 0 where there is none. A stack that finds no place here overflows without a word.
static GUARDS: [AtomicUsize; 1 << 14] = [const { AtomicUsize::new(0) }; 1 << 14];
/// No place from here on was ever used.
static GUARDS_USED: AtomicUsize = AtomicUsize::new(0);

fn guard(low: usize) {
    for (at, place) in GUARDS.iter().enumerate() {
        if place
            .compare_exchange(0, low, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            GUARDS_USED.fetch_max(at + 1, Ordering::Relaxed);
            return;
        }
    }
}

fn unguard(low: usize) {
    for place in &GUARDS[..GUARDS_USED.load(Ordering::Relaxed)] {
        if place
            .compare_exchange(low, 0, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
    }
}

/// Message for a stack that is used up; the name of the setting for its size follows.
pub(super) const OVERFLOW: &str =
    "stack overflow: calls are nested too deeply; is a recursion without an end? (";

static OLD_SEGV: AtomicUsize = AtomicUsize::new(0);

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a valid info.
    let address = unsafe { (*info).si_addr() } as usize;
    let kept = KEPT_BACK.load(Ordering::Relaxed);
    if kept != 0 && (kept..kept + RESERVE).contains(&address) && super::interrupt::ask(Cause::Stack)
    {
        // The program goes on there to its next poll.
        protect(kept, RESERVE, libc::PROT_READ | libc::PROT_WRITE);
        return;
    }
    let guards = &GUARDS[..GUARDS_USED.load(Ordering::Relaxed)];
    let inside = |low: usize| low != 0 && (low..low + GUARD + RESERVE).contains(&address);
    if guards.iter().any(|low| inside(low.load(Ordering::Relaxed))) {
        super::basis::io::flush_all();
        // SAFETY: all of these may be called in a handler.
        unsafe {
            for text in [OVERFLOW, super::launch::stack_setting(), " gives more)\n"] {
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

/// Has a fault in the guard of a stack tell what happened, on this thread. The handler runs on a stack of its own, which the
/// caller keeps.
pub fn watch() -> AltStack {
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

/// The stack of the handler of faults. When it goes, the one before is back.
pub struct AltStack {
    before: libc::stack_t,
    _memory: Box<[u8]>,
}

impl Drop for AltStack {
    fn drop(&mut self) {
        // SAFETY: what was set before this.
        unsafe { libc::sigaltstack(&raw const self.before, std::ptr::null_mut()) };
    }
}

/// The value that [`enter`] and [`go_on`] return if the strand waits.
pub const WAITS: u64 = 3;

/// Runs compiled code (without arguments) on the worker's own strand until it returns (0) or raises what nobody handles (1: the
/// exception is `pending`).
///
/// # Safety
/// `code` is a function of the program that was attached to the worker.
pub unsafe fn run(worker: &mut Worker, code: usize) -> u64 {
    let alt = watch();
    let strand = worker.own_strand();
    let world = worker.shared_world();
    world.begin();
    // SAFETY: the caller's promise; the stack is large, aligned, and nobody runs on it.
    let result = unsafe {
        (*strand).mount(worker);
        let result = enter(worker, code, (*strand).stack.top());
        (*strand).dismount();
        (*strand).reset();
        result
    };
    world.end();
    drop(alt);
    result
}

/// Calls `code` with the worker in its register, on the stack that ends at `top`. The frame pointer is 0, which ends walks.
/// Returns 0 when it returns, what [`leave`] says, or [`WAITS`].
///
/// # Safety
/// The code is of the program, and nobody runs on the stack.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn enter(worker: *mut Worker, code: usize, top: usize) -> u64 {
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

/// The code that calls the closure of `World::at_exit`.
///
/// # Safety
/// [`enter`] called it, and there is such a closure.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn at_exit() {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "mov rdi, r15",
        "call {closure}",
        "add rsp, 8",
        // The convention of compiled code has the closure where C has the first argument.
        "mov rdi, rax",
        "jmp [rdi + {word}]",
        closure = sym closure_at_exit,
        word = const WORD,
    )
}

/// The closure that runs at an exit.
unsafe extern "C" fn closure_at_exit(worker: *const Worker) -> usize {
    // SAFETY: `at_exit` passes the worker that runs.
    unsafe { (*worker).world().at_exit().map_or(0, |closure| closure.0) }
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

/// Return address of a marked frame: takes the newest mark away, and goes on where it stands for. All registers stay as they are:
/// the callee may be a thunk that preserves all of them.
///
/// # Safety
/// Only returns come here, and only those of frames that the collector has marked.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn marked() {
    std::arch::naked_asm!(
        "push r11",
        "push r11",
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "mov r11, [r11]",
        "mov [rsp + 8], r11",
        "pop r11",
        "ret",
        marks_end = const std::mem::offset_of!(Worker, marks_end),
    )
}

/// Return address of the frame of the newest published fork: as [`marked`], and has the worker's next poll look.
///
/// # Safety
/// As for [`marked`].
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn passed() {
    std::arch::naked_asm!(
        "push r11",
        "push r11",
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "mov qword ptr [r15 + {passed}], 1",
        "mov qword ptr [r15 + {poll}], 1",
        "mov r11, [r11]",
        "mov [rsp + 8], r11",
        "pop r11",
        "ret",
        marks_end = const std::mem::offset_of!(Worker, marks_end),
        passed = const std::mem::offset_of!(Worker, passed),
        poll = const std::mem::offset_of!(Worker, poll),
    )
}

/// Asks [`publish::join`](super::publish::join) for the thunk of a join, and has the strand wait if that says so. The thunk finds in
/// the worker how the join has ended.
///
/// # Safety
/// Called by that thunk.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn join(worker: *mut Worker, place: usize) {
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
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        // The strand's side of the switch is saved; the worker's own is where `enter` or `go_on` has left it.
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

/// Asks [`lazy::wait`](super::lazy::wait) for compiled code that needs a lazy value, and has the strand wait if that says so. Returns 1 when
/// the state is to be looked at again, 0 if the strand would wait for itself.
///
/// # Safety
/// Called by a thunk.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn wait(worker: *mut Worker, lazy: Value) -> u64 {
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
        // As in `join`; `go_on` returns 1.
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
        ask = sym ask_lazy,
        waits = const WAITS,
        suspended = const std::mem::offset_of!(Worker, suspended),
        entered = const std::mem::offset_of!(Worker, entered),
    )
}

unsafe extern "C" fn ask_lazy(worker: *mut Worker, lazy: Value) -> u64 {
    // SAFETY: the thunk's call is handed on.
    unsafe { super::lazy::wait(worker, lazy) }
}

unsafe extern "C" fn ask(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: the thunk's call is handed on.
    unsafe { super::publish::join(worker, place) as u64 }
}

/// Goes on with a strand that waits at a join or for a lazy value, on this worker. Returns as [`enter`] does; what it was suspended
/// in returns 1.
///
/// # Safety
/// `sp` is what the strand had when it began to wait; it is mounted on the worker, which has what the join is to find.
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
