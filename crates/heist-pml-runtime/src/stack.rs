//! The stack of compiled code, and the functions that enter and leave it.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use super::heap::reserve;
use super::interrupt::Cause;
use super::object::{Value, WORD};
use super::worker::Worker;

/// Number of bytes of a stack's guard, the part at the low end of the stack that must not be touched.
const GUARD: usize = 1 << 20;
/// If a program can be interrupted, each stack keeps this number of bytes above its guard in reserve for the program's end.
const RESERVE: usize = 1 << 20;

/// A large stack: a range of addresses, which get memory when they are used.
#[derive(Debug)]
pub struct Stack {
    low: usize,
    size: usize,
    guard: Option<&'static Guard>,
}

impl Stack {
    /// Makes the stack of the strand with this number. It has `size` bytes, or fewer if the system does not have enough addresses. With
    /// `reserve`, the function keeps part of the stack in reserve, so that a program that has used up the other part can reach its next
    /// poll.
    ///
    /// # Errors
    /// Returns an error if the system does not have enough addresses for the smallest stack.
    pub fn new(size: usize, number: u32, reserve: bool) -> std::io::Result<Stack> {
        let mut size = size.max(1 << 20).next_multiple_of(1 << 16);
        let kept = if reserve { GUARD + RESERVE } else { GUARD };
        let low = loop {
            match self::reserve(size + kept) {
                Ok(low) => break low,
                Err(_) if size > 1 << 23 => size /= 2,
                Err(error) => return Err(error),
            }
        };
        protect(low, kept, libc::PROT_NONE);
        Ok(Stack {
            low,
            size: size + kept,
            guard: Guard::new(low, number, reserve),
        })
    }

    /// Returns the address at which the stack begins.
    #[must_use]
    pub fn top(&self) -> usize {
        self.low + self.size
    }

    /// Notes that the stack now belongs to the strand with this number.
    pub fn belongs(&self, number: u32) {
        if let Some(guard) = self.guard {
            // Relaxed: a handler reads this on the thread that runs the strand.
            guard.strand.store(number, Ordering::Relaxed);
        }
    }

    /// Protects the reserve again if an overflow opened it. No code may run on the stack.
    pub fn close(&self) {
        let Some(guard) = self.guard else {
            return;
        };
        // Relaxed: the handler that opens the reserve runs on the thread that used the stack, and the caller has synchronised with that
        // thread since.
        if guard.reserve.load(Ordering::Relaxed) == OPEN {
            guard.reserve.store(CLOSED, Ordering::Relaxed);
            let low = self.low + GUARD;
            protect(low, RESERVE, libc::PROT_NONE);
            // SAFETY: no code runs on the stack, as the caller says, so its content is never read again.
            unsafe { libc::madvise(low as *mut _, self.top() - low, libc::MADV_DONTNEED) };
        }
    }

    /// Returns memory below a frame to the system, except memory that will be reused soon.
    pub fn release(&self, frame: usize) {
        const KEEP: usize = 1 << 20;
        let first = self.low + GUARD;
        if frame > first + 2 * KEEP && frame <= self.top() {
            let end = (frame - KEEP) & !0xfff;
            // SAFETY: `frame` is the frame of the newest function on this stack. Functions of the runtime that it has called use less than
            // `KEEP` bytes below it: nothing further down is in use.
            unsafe { libc::madvise(first as *mut _, end - first, libc::MADV_DONTNEED) };
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        if let Some(guard) = self.guard {
            // Release: pairs with the acquire in `Guard::new`.
            guard.low.store(0, Ordering::Release);
        }
        // SAFETY: no strand has the stack any more, so no code runs on it.
        unsafe { libc::munmap(self.low as *mut _, self.size) };
    }
}

/// Allows or forbids accesses to a part of a stack.
fn protect(low: usize, size: usize, how: i32) {
    // SAFETY: the range is a part of a stack that belongs to the caller, and begins at a page boundary.
    unsafe { libc::mprotect(low as *mut _, size, how) };
}

/// The data about a stack that the signal handler reads.
#[derive(Debug)]
struct Guard {
    /// The stack's lowest address, or 0 if this entry is free.
    low: AtomicUsize,
    /// The number of the stack's strand.
    strand: AtomicU32,
    /// The state of the reserve: [`NONE`], [`CLOSED`] or [`OPEN`].
    reserve: AtomicU8,
}

/// The stack has no reserve.
const NONE: u8 = 0;
/// The stack has a reserve, and no overflow has opened it.
const CLOSED: u8 = 1;
/// The stack has a reserve, and an overflow has opened it.
const OPEN: u8 = 2;

/// The entries of all stacks. If there is no free entry for a stack, an overflow of the stack is not reported.
static GUARDS: [Guard; 1 << 14] = [const {
    Guard {
        low: AtomicUsize::new(0),
        strand: AtomicU32::new(0),
        reserve: AtomicU8::new(NONE),
    }
}; 1 << 14];
/// Number of leading entries of [`GUARDS`] that were ever used.
static GUARDS_USED: AtomicUsize = AtomicUsize::new(0);
/// The number of the strand whose stack overflowed last.
static OVERFLOWED: AtomicU32 = AtomicU32::new(0);

impl Guard {
    fn new(low: usize, number: u32, reserve: bool) -> Option<&'static Guard> {
        // The search begins behind the entries in use, because a program may have thousands of stacks. Relaxed: a hint, as all entries are
        // tried.
        let used = GUARDS_USED.load(Ordering::Relaxed);
        let guards = GUARDS.iter().enumerate();
        for (at, guard) in guards.clone().skip(used).chain(guards.take(used)) {
            // Acquire: pairs with the release in the stack's `drop`. A fault on this stack comes later, on this thread or on a thread that
            // has synchronised with this thread since.
            if guard
                .low
                .compare_exchange(0, low, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
            {
                guard.strand.store(number, Ordering::Relaxed);
                let reserve = if reserve { CLOSED } else { NONE };
                guard.reserve.store(reserve, Ordering::Relaxed);
                GUARDS_USED.fetch_max(at + 1, Ordering::Relaxed);
                return Some(guard);
            }
        }
        None
    }

    /// Returns the stack whose guard contains this address. May be called in a handler.
    fn at(address: usize) -> Option<&'static Guard> {
        GUARDS[..GUARDS_USED.load(Ordering::Relaxed)]
            .iter()
            .find(|guard| {
                let low = guard.low.load(Ordering::Relaxed);
                low != 0 && (low..low + GUARD + RESERVE).contains(&address)
            })
    }
}

/// Returns the message for a stack overflow, in parts that follow each other. `digits` is the buffer for the strand's number.
fn overflow(strand: u32, digits: &mut [u8; 10]) -> [&[u8]; 5] {
    let (mut at, mut rest) = (digits.len(), strand);
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let within: &[u8] = if strand == 0 { b"" } else { b" in strand " };
    [
        b"stack overflow",
        within,
        &digits[at..],
        b": calls are nested too deeply; is a recursion without an end? (",
        super::launch::stack_setting().as_bytes(),
    ]
}

/// Returns the message for the most recent stack overflow.
pub(super) fn last_overflow() -> String {
    let mut digits = [0; 10];
    // Relaxed: the program has ended.
    let parts = overflow(OVERFLOWED.load(Ordering::Relaxed), &mut digits);
    format!("{} gives more)", String::from_utf8_lossy(&parts.concat()))
}

static OLD_SEGV: AtomicUsize = AtomicUsize::new(0);

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a valid info.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some(guard) = Guard::at(address) {
        // Relaxed: the readers of these words have synchronised with the program's end.
        let strand = guard.strand.load(Ordering::Relaxed);
        let reserve = guard.low.load(Ordering::Relaxed) + GUARD;
        if guard.reserve.load(Ordering::Relaxed) == CLOSED
            && address >= reserve
            && super::interrupt::ask(Cause::Stack)
        {
            OVERFLOWED.store(strand, Ordering::Relaxed);
            guard.reserve.store(OPEN, Ordering::Relaxed);
            // The program continues in the reserve until its next poll.
            protect(reserve, RESERVE, libc::PROT_READ | libc::PROT_WRITE);
            return;
        }
        super::ends::alone_in_handler();
        super::basis::io::flush_in_handler();
        let mut digits = [0; 10];
        // SAFETY: all of these may be called in a handler.
        unsafe {
            for text in overflow(strand, &mut digits)
                .into_iter()
                .chain([&b" gives more)\n"[..]])
            {
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            super::heap_profile::hand_over();
            libc::_exit(super::program::IMPOSSIBLE);
        }
    }
    // SAFETY: the system has given the context.
    if signal == libc::SIGBUS && unsafe { super::basis::mapped::go_on(context) } {
        return;
    }
    // The fault is not on a stack of a strand, so the previous handler gets it.
    let old = OLD_SEGV.load(Ordering::Relaxed);
    // SAFETY: this is the handler that was set before. The handler has this type, because it was set with SA_SIGINFO.
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

/// Makes this thread report a stack overflow when it faults in the guard of a stack. The signal handler runs on the returned stack, which
/// the caller must keep.
pub fn watch() -> AltStack {
    let mut memory = vec![0_u8; 1 << 16].into_boxed_slice();
    // SAFETY: plain system calls with valid arguments.
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

/// The stack on which the handler of faults runs. Dropping this value restores the previous stack of the handler.
pub struct AltStack {
    before: libc::stack_t,
    _memory: Box<[u8]>,
}

impl Drop for AltStack {
    fn drop(&mut self) {
        // SAFETY: this is the stack that was set before.
        unsafe { libc::sigaltstack(&raw const self.before, std::ptr::null_mut()) };
    }
}

/// The result of [`enter`] and [`go_on`] if the strand waits.
pub const WAITS: u64 = 3;

/// Runs compiled code (without arguments) on the worker's own strand. Returns 0 if the code returns, and 1 if it raises an exception that
/// it does not handle (the exception is `pending`).
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
/// Only [`enter`] may call this, and only if that closure exists.
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
/// The worker must run compiled code that `enter` called, and no frame in between may have anything to drop.
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

/// Runs when a callee returns to a marked frame: removes the newest mark, and continues at the frame's original return address. All
/// registers stay as they are, because the callee may be a thunk that preserves all of them.
///
/// # Safety
/// Only a return to a frame with a mark may jump to this code.
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
        "mov r11, [r15 + {marks_end}]",
        "sub r11, 8",
        "mov [r15 + {marks_end}], r11",
        "mov qword ptr [r15 + {passed}], 1",
        "mov dword ptr [r15 + {poll}], 1",
        "mov r11, [r11]",
        "mov [rsp + 8], r11",
        "pop r11",
        "ret",
        marks_end = const std::mem::offset_of!(Worker, marks_end),
        passed = const std::mem::offset_of!(Worker, passed),
        poll = const std::mem::offset_of!(Worker, bell.poll),
    )
}

/// Calls [`publish::join`](super::publish::join) for the thunk of a join, and makes the strand wait if the result is `Joined::Wait`. Leaves
/// the result of the join in the worker, for the thunk.
///
/// If the strand has waited for something other than the fork, it polls again, as in [`poll`].
///
/// # Safety
/// Only the thunk of a join may call this.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C" fn join(worker: *mut Worker, place: usize) {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "call {once}",
        "test eax, eax",
        "je 2f",
        // If the join has waited for its thief, it has found results, or an exception.
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
        here = const super::publish::Joined::Here as usize,
        joined = const std::mem::offset_of!(Worker, joined),
    )
}

/// Calls `publish::join` once. Returns 0, or 1 if the strand has waited.
///
/// # Safety
/// Only [`join`] may call this, for the thunk of a join.
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

/// Makes a function that calls `$ask` for compiled code. If `$ask` returns [`WAITS`], the strand waits, and the function returns 1 after
/// the wait.
macro_rules! may_wait {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty)?), $ask:path) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Only a thunk may call this.
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
    /// Calls [`lazy::wait`](super::lazy::wait). Returns 1 when the strand must check the state again, or 0 if the strand would wait for
    /// itself.
    wait(lazy: Value), super::lazy::wait
}
may_wait! {
    /// Calls [`thread::park`](super::thread::park), and returns 1 when the strand has its permit.
    park(), super::thread::park
}
may_wait! {
    /// Calls [`thread::give_way`](super::thread::give_way). Returns 1 when the strand runs again.
    give_way(), super::thread::give_way
}
may_wait! {
    /// Calls [`thread::poll`](super::thread::poll). Returns [`POLLED`] after the poll, or 1 if the strand has waited and must poll again.
    poll_once(), super::thread::poll
}

/// The result of `poll_once` when the strand continues.
pub const POLLED: u64 = 2;

/// Answers a poll. After each wait it polls again, because a fiber that was preempted may be woken before it should continue.
///
/// # Safety
/// Only a thunk may call this.
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
    /// Calls [`publish::drop_fork`](super::publish::drop_fork). Returns [`POLLED`] after the poll, or 1 if the strand has waited and must
    /// poll again.
    drop_once(place: usize), super::publish::drop_fork
}

/// Drops a fork, and polls as [`poll`] does.
///
/// # Safety
/// Only a thunk may call this.
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
/// Only [`enter`] may call this, and only if that closure exists.
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

/// Calls [`publish::join`](super::publish::join), and returns its result as a number.
///
/// # Safety
/// Only [`join`] may call this, for the thunk of a join.
unsafe extern "C" fn ask(worker: *mut Worker, place: usize) -> u64 {
    // SAFETY: compiled code has called the thunk of a join, with the worker that runs the code and the place of its fork; this function
    // passes both on unchanged.
    unsafe { super::publish::join(worker, place) as u64 }
}

/// Continues a waiting strand on this worker. The result has the same meaning as the result of [`enter`]. The function in which the strand
/// was suspended returns 1.
///
/// # Safety
/// `sp` must be the stack pointer of the strand when it began to wait. The strand must be mounted on the worker. The worker must have all
/// data that the suspended function of the strand will read.
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
/// `pc` must be the handler of a call in the frame at `fp`, and `sp` must be that frame's stack pointer at the call. No frame in between
/// may have anything to drop.
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
