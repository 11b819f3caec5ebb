//! The lock of a deque's slow paths.

use super::orders;
use crate::shim::{AtomicBool, Ordering, spin_loop, yield_now};

/// A test-and-set lock that yields the processor when its holder seems descheduled.
///
/// It is held for a few instructions, or for one asymmetric fence; a queue or a futex would cost
/// more than it saves.
#[derive(Debug)]
pub(super) struct Lock {
    held: AtomicBool,
}

/// Proof that the lock is held; releases it when dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    lock: &'a Lock,
}

impl Lock {
    pub(super) fn new() -> Self {
        Lock {
            held: AtomicBool::new(false),
        }
    }

    /// Takes the lock if it is free now.
    pub(super) fn try_lock(&self) -> Option<Held<'_>> {
        self.held
            .compare_exchange(false, true, orders::LOCK, Ordering::Relaxed)
            .ok()
            .map(|_| Held { lock: self })
    }

    /// Takes the lock, waiting for its holder.
    pub(super) fn lock(&self) -> Held<'_> {
        let mut rounds = 0_u32;
        loop {
            if let Some(held) = self.try_lock() {
                return held;
            }
            rounds += 1;
            if cfg!(loom) || rounds > 64 {
                yield_now();
            } else {
                spin_loop();
            }
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.lock.held.store(false, orders::UNLOCK);
    }
}
