//! The stacks of compiled code, and their guards.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use crate::memory::heap::reserve;

/// Number of bytes of a stack's guard, the part at the low end of the stack at which every access faults.
const GUARD: usize = 1 << 20;
/// The number of bytes that each stack keeps in reserve above its guard for the program's end, if the program can be interrupted.
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
pub(crate) struct Guard {
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

    /// Returns the number of the strand to which the stack belongs. May be called in a handler.
    pub(crate) fn strand(&self) -> u32 {
        // Relaxed: the readers of this word have synchronised with the program's end.
        self.strand.load(Ordering::Relaxed)
    }

    /// Returns true if the address is in the reserve, and no overflow has opened the reserve. May be called in a handler.
    pub(crate) fn may_open(&self, address: usize) -> bool {
        // Relaxed: see `strand`.
        let is_closed = self.reserve.load(Ordering::Relaxed) == CLOSED;
        is_closed && address >= self.low.load(Ordering::Relaxed) + GUARD
    }

    /// Allows accesses to the reserve. May be called in a handler.
    pub(crate) fn open(&self) {
        // Relaxed: see `strand`.
        self.reserve.store(OPEN, Ordering::Relaxed);
        let reserve = self.low.load(Ordering::Relaxed) + GUARD;
        protect(reserve, RESERVE, libc::PROT_READ | libc::PROT_WRITE);
    }

    /// Returns the stack whose guard contains this address. May be called in a handler.
    pub(crate) fn at(address: usize) -> Option<&'static Guard> {
        GUARDS[..GUARDS_USED.load(Ordering::Relaxed)]
            .iter()
            .find(|guard| {
                let low = guard.low.load(Ordering::Relaxed);
                low != 0 && (low..low + GUARD + RESERVE).contains(&address)
            })
    }
}
