//! Choices: waits for one of several events. A choice has a word that decides between the events.

use crate::platform::shim::{AtomicU64, Ordering, Tracked};
use crate::sync::orders;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomPinned;
use std::task::Waker;

/// The choice has not been decided.
const WAITING: u64 = 0;
/// A thread is about to decide the choice. Until the decision, this thread waits for nothing except claims of choices at higher addresses.
const CLAIMED: u64 = 1;
/// The future has given up the wait.
const CLOSED: u64 = 2;

/// A wait for one of several events. A choice has a waiter in the queue of each event. The choice's word says which event has been chosen,
/// or that the choice is still undecided. `DESIGN.md` in the folder `event` describes the protocol.
///
/// A value above `BY_ITSELF` is the [name](super::Waiter::name) of the waiter that was served.
pub struct Choice {
    word: AtomicU64,
    /// The waker of the future. Before the first waiter is queued, only the future accesses this field. After the first waiter is queued,
    /// only a thread that has claimed the word accesses this field.
    waker: Tracked<Option<Waker>>,
    _pinned: PhantomPinned,
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice").finish_non_exhaustive()
    }
}

// SAFETY: at any time the word allows at most one thread to access the waker, which is `Send`.
unsafe impl Sync for Choice {}

impl Choice {
    /// The value of the word if the future itself has decided the choice and keeps the result. A choice with this value has served no
    /// waiter.
    pub(crate) const BY_ITSELF: u64 = 3;

    #[inline]
    pub(crate) fn new() -> Self {
        Choice {
            word: AtomicU64::new(WAITING),
            waker: Tracked::new(None),
            _pinned: PhantomPinned,
        }
    }

    /// Returns the word of the choice. A value below [`BY_ITSELF`](Self::BY_ITSELF) means that the choice is undecided or closed.
    #[inline]
    pub(crate) fn winner(&self) -> u64 {
        self.word.load(orders::IS_DECIDED)
    }

    /// Returns true if the choice has been decided or closed. No thread can decide such a choice any more.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.winner() >= CLOSED
    }

    /// Reopens the choice with a new waker. The caller must ensure that none of the choice's waiters is in a queue.
    pub(crate) fn open(&self, waker: Waker) {
        // SAFETY: none of the choice's waiters is in a queue, so no other thread knows the choice.
        let old = self.waker.with_mut(|own| unsafe { (*own).replace(waker) });
        // Relaxed, because the locks of the queues publish the word to other threads.
        self.set(WAITING, Ordering::Relaxed);
        drop(old);
    }

    /// Claims the word. Returns false if the choice has been decided or closed. Spins while another thread has a claim, which lasts for a
    /// few instructions.
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

    /// Claims both words, in the order of their addresses. If the other choice is over, returns `Some(false)`. If this choice is over,
    /// returns `None`. If either choice is over, neither word is claimed.
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

    /// Releases a claim.
    pub(crate) fn release(&self) {
        self.set(WAITING, orders::UNCLAIM);
    }

    /// Decides the choice. The caller must have claimed the word. If the caller is not the choice's own future, it must not access
    /// the choice after this call.
    pub(crate) fn decide(&self, winner: u64) {
        self.set(winner, orders::DECIDE);
    }

    fn set(&self, value: u64, order: Ordering) {
        if cfg!(heist_model) {
            // loom does not order stores and exchanges of one word with each other.
            self.word.swap(value, order);
        } else {
            self.word.store(value, order);
        }
    }

    /// Takes the waker. The caller must have claimed the word, and must decide the choice next.
    pub(super) fn take_waker(&self) -> Waker {
        // SAFETY: this thread has claimed the word, so no other thread accesses the waker until the claim ends.
        let waker = self.waker.with_mut(|own| unsafe { (*own).take() });
        waker.unwrap_or_else(|| unreachable!("a choice that waits has a waker"))
    }

    /// Replaces the waker. Returns false if the choice has been decided.
    pub(crate) fn renew(&self, waker: &Waker) -> bool {
        // The clone may be foreign code, so it runs without the claim.
        let newer = waker.clone();
        if !self.claim() {
            return false;
        }
        // SAFETY: this thread has claimed the word, so no other thread accesses the waker until the claim ends.
        let old = self.waker.with_mut(|own| unsafe { (*own).replace(newer) });
        self.release();
        drop(old);
        true
    }

    /// Closes the choice to give up the wait. Returns false if the choice has been decided. If the function returns true, the choice will
    /// never be decided.
    pub(crate) fn close(&self) -> bool {
        let closed = self.claim();
        if closed {
            self.decide(CLOSED);
        }
        closed
    }
}

/// Spins once, to give the thread that has claimed the word time to continue.
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

/// A random number. Each attempt to synchronise draws a new number. A choice among several branches uses this number to select the
/// branch that it tries first.
#[derive(Clone, Copy, Debug)]
pub struct Turn(u32);

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

impl Turn {
    /// Draws a number. The function is not inlined, because a fiber may continue on another thread after a wait. The fiber must not
    /// reuse an address in the first thread's thread-local storage.
    #[inline(never)]
    pub(crate) fn draw() -> Turn {
        if cfg!(heist_model) {
            // loom repeats a model, and the model must take the same steps each time.
            return Turn(1);
        }
        // The destructor of another thread-local value may call this function after this value is gone.
        let seed = LAST.try_with(|last| {
            let mut seed = last.get();
            if seed == 0 {
                // The initial seed is an address on the thread's stack or in its thread-local storage, so it differs on each
                // thread.
                seed = std::ptr::from_ref(last).addr() as u32 | 1;
            }
            // The generator is xorshift (Marsaglia, Xorshift RNGs, Journal of Statistical Software 8, 2003).
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            last.set(seed);
            seed
        });
        Turn(seed.unwrap_or(1))
    }

    /// Returns a number below `count`, which must not be 0.
    #[inline]
    pub(crate) fn below(self, count: u32) -> u32 {
        // The upper bits of a product replace a division.
        let mixed = self.0.wrapping_mul(0x9E37_79B1);
        ((u64::from(mixed) * u64::from(count)) >> 32) as u32
    }

    /// Returns another number, for a choice that is nested in the choice that used this number.
    #[inline]
    pub(crate) fn inner(self) -> Turn {
        Turn(self.0.rotate_left(13).wrapping_mul(0x85EB_CA6B) | 1)
    }
}
