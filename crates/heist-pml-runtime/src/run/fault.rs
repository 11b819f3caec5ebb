//! The handler of faults: it reports stack overflows, and handles accesses to file maps that have failed.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::measure::heap_profile;
use crate::memory::stack::Guard;
use crate::process::{ends, executable, exit, files, mapped};
use crate::state::interrupt::{self, Cause};

/// The number of the strand whose stack overflowed last.
static OVERFLOWED: AtomicU32 = AtomicU32::new(0);

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
        executable::stack_setting().as_bytes(),
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
        let strand = guard.strand();
        if guard.may_open(address) && interrupt::ask(Cause::Stack) {
            OVERFLOWED.store(strand, Ordering::Relaxed);
            // The program continues in the reserve until its next poll.
            guard.open();
            return;
        }
        ends::alone_in_handler();
        files::flush_in_handler();
        let mut digits = [0; 10];
        // SAFETY: all of these may be called in a handler.
        unsafe {
            for text in overflow(strand, &mut digits)
                .into_iter()
                .chain([&b" gives more)\n"[..]])
            {
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            heap_profile::hand_over();
            libc::_exit(exit::IMPOSSIBLE);
        }
    }
    // SAFETY: the system has given the context.
    if signal == libc::SIGBUS && unsafe { mapped::go_on(context) } {
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
