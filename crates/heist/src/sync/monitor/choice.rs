//! Waits for one of several events: the word that decides which one.

use crate::platform::shim::{AtomicU64, Ordering, Tracked};
use crate::sync::orders;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomPinned;
use std::task::Waker;

/// Nothing has been decided.
const WAITING: u64 = 0;
/// A thread is about to decide, and will not wait for anything but claims of choices at higher addresses.
const CLAIMED: u64 = 1;
/// The future has given the wait up.
const CLOSED: u64 = 2;

/// A wait for one of several events, with a waiter in the queue of each. Its word says which event it has got, or that it is
/// still undecided. The essay is in the folder `event`.
///
/// Values above `BY_ITSELF` are the [name](super::Waiter::name) of the waiter that was served.
pub struct Choice {
    word: AtomicU64,
    /// Called by the future, before its first waiter is queued. From then on of the thread that has claimed the word.
    waker: Tracked<Option<Waker>>,
    _pinned: PhantomPinned,
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice").finish_non_exhaustive()
    }
}

// SAFETY: the word says which thread may touch the waker, which can be sent.
unsafe impl Sync for Choice {}

impl Choice {
    /// Decided by the future itself, which keeps the result: no waiter was served.
    pub(crate) const BY_ITSELF: u64 = 3;

    #[inline]
    pub(crate) fn new() -> Self {
        Choice {
            word: AtomicU64::new(WAITING),
            waker: Tracked::new(None),
            _pinned: PhantomPinned,
        }
    }

    /// The word of a decided choice; a value below [`BY_ITSELF`](Self::BY_ITSELF) if it is undecided.
    #[inline]
    pub(crate) fn winner(&self) -> u64 {
        self.word.load(orders::IS_DECIDED)
    }

    /// Returns true if the choice has been decided or closed: it accepts nothing more.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.winner() >= CLOSED
    }

    /// Makes the choice wait again, with that waker, when none of its waiters is in a queue.
    pub(crate) fn open(&self, waker: Waker) {
        // SAFETY: no other thread knows the choice.
        let old = self.waker.with_mut(|own| unsafe { (*own).replace(waker) });
        // Relaxed: the locks of the queues tell others of it.
        self.set(WAITING, Ordering::Relaxed);
        drop(old);
    }

    /// Claims the word. False if it has been decided, or closed. Spins while another thread has claimed it, which is for a few
    /// instructions.
    pub(crate) fn claim(&self) -> bool {
        let mut spins = 0;
        loop {
            match self
                .word
                .compare_exchange(WAITING, CLAIMED, orders::CLAIM, orders::IS_DECIDED)
            {
                Ok(_) => return true,
                Err(CLAIMED) => spin(&mut spins),
                Err(_) => return false,
            }
        }
    }

    /// Claims both words, in the order of their addresses. `Some(false)` if the other choice has been decided; `None` if this one
    /// has. Then neither is claimed.
    pub(crate) fn claim_with(&self, other: &Choice) -> Option<bool> {
        let first = std::ptr::from_ref(self) < other;
        if first || cfg!(heist_mutant = "sync_choice_order") {
            if !self.claim() {
                return None;
            }
            let both = other.claim();
            if !both {
                self.release();
            }
            Some(both)
        } else {
            if !other.claim() {
                return Some(false);
            }
            let both = self.claim();
            if !both {
                other.release();
                return None;
            }
            Some(true)
        }
    }

    /// Gives a claim back.
    pub(crate) fn release(&self) {
        self.set(WAITING, orders::UNCLAIM);
    }

    /// Decides; by the thread that has claimed the word. Unless that is the future itself, this is its last touch.
    pub(crate) fn decide(&self, winner: u64) {
        self.set(winner, orders::DECIDE);
    }

    fn set(&self, value: u64, order: Ordering) {
        if cfg!(heist_model) {
            // loom does not put stores and exchanges of one word into one order.
            self.word.swap(value, order);
        } else {
            self.word.store(value, order);
        }
    }

    /// The waker; by the thread that has claimed the word, and will decide.
    pub(super) fn take_waker(&self) -> Waker {
        // SAFETY: claimed by this thread.
        let waker = self.waker.with_mut(|own| unsafe { (*own).take() });
        waker.unwrap_or_else(|| unreachable!("a choice that waits has a waker"))
    }

    /// Replaces the waker. False if the choice has been decided.
    pub(crate) fn renew(&self, waker: &Waker) -> bool {
        // A clone is foreign code, so not under the claim.
        let newer = waker.clone();
        if !self.claim() {
            return false;
        }
        // SAFETY: claimed by this thread.
        let old = self.waker.with_mut(|own| unsafe { (*own).replace(newer) });
        self.release();
        drop(old);
        true
    }

    /// Gives up. Returns false if the choice has been decided; otherwise it will not be.
    pub(crate) fn close(&self) -> bool {
        let closed = self.claim();
        if closed {
            self.decide(CLOSED);
        }
        closed
    }
}

/// Lets the thread that has claimed a word continue.
fn spin(spins: &mut u32) {
    #[cfg(heist_model)]
    loom::thread::yield_now();
    #[cfg(not(heist_model))]
    if *spins < 100 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
    *spins += 1;
}

/// A random number, drawn for each attempt to synchronise; each choice among several branches begins its search with it.
#[derive(Clone, Copy, Debug)]
pub struct Turn(u32);

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

impl Turn {
    /// Not inlined: a fiber may continue on another thread after a wait, and must not reuse an address in the first thread's
    /// thread-local storage.
    #[inline(never)]
    pub(crate) fn draw() -> Turn {
        if cfg!(heist_model) {
            // A model is run again and again, and must take the same steps.
            return Turn(1);
        }
        // Not there any more in destructors of thread-local values.
        let seed = LAST.try_with(|last| {
            let mut seed = last.get();
            if seed == 0 {
                // Different on each thread: an address on its stack or in its storage.
                seed = std::ptr::from_ref(last).addr() as u32 | 1;
            }
            // Marsaglia, Xorshift RNGs (Journal of Statistical Software 8, 2003).
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            last.set(seed);
            seed
        });
        Turn(seed.unwrap_or(1))
    }

    /// A number below `count`, which is not 0.
    #[inline]
    pub(crate) fn below(self, count: u32) -> u32 {
        // The upper bits of a product: no division.
        let mixed = self.0.wrapping_mul(0x9E37_79B1);
        ((u64::from(mixed) * u64::from(count)) >> 32) as u32
    }

    /// The number for a choice inside this one.
    #[inline]
    pub(crate) fn inner(self) -> Turn {
        Turn(self.0.rotate_left(13).wrapping_mul(0x85EB_CA6B) | 1)
    }
}
