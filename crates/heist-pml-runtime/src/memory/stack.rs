//! The stacks of compiled code, and the report of a stack overflow.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use crate::memory::heap::reserve;
use crate::state::interrupt::Cause;

/// Number of bytes of a stack's guard, the part at the low end of the stack at which every access faults.
const GUARD: usize = 1 << 20;
/// If a program can be interrupted, each stack keeps this number of bytes above its guard in reserve for the program's end.
const RESERVE: usize = 1 << 20;

/// A large stack: a range of addresses. The system supplies memory for each page at the first access.
#[derive(Debug)]
pub struct Stack {
    low: usize,
    size: usize,
    guard: Option<&'static Guard>,
}

impl Stack {
    /// Makes the stack of the strand with this number. The stack has `size` bytes, or fewer if the system does not have enough addresses.
    /// If `reserve` is true, the stack also has a reserve, with which a program that has used up the stack reaches its next poll.
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

    /// Returns memory below a frame to the system, except the memory directly below the frame, which the strand will use next.
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
        crate::process::executable::stack_setting().as_bytes(),
    ]
}

/// Returns the message for the most recent stack overflow.
pub(crate) fn last_overflow() -> String {
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
            && crate::state::interrupt::ask(Cause::Stack)
        {
            OVERFLOWED.store(strand, Ordering::Relaxed);
            guard.reserve.store(OPEN, Ordering::Relaxed);
            // The program continues in the reserve until its next poll.
            protect(reserve, RESERVE, libc::PROT_READ | libc::PROT_WRITE);
            return;
        }
        crate::process::ends::alone_in_handler();
        crate::process::files::flush_in_handler();
        let mut digits = [0; 10];
        // SAFETY: all of these may be called in a handler.
        unsafe {
            for text in overflow(strand, &mut digits)
                .into_iter()
                .chain([&b" gives more)\n"[..]])
            {
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            crate::measure::heap_profile::hand_over();
            libc::_exit(crate::process::ends::IMPOSSIBLE);
        }
    }
    // SAFETY: the system has given the context.
    if signal == libc::SIGBUS && unsafe { crate::process::mapped::go_on(context) } {
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

/// Installs a signal handler that reports a stack overflow when this thread accesses the guard of a stack. The signal handler runs on the
/// returned stack, which the caller must keep.
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
