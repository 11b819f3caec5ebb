//! The lock that deques take on slow paths.

use std::marker::PhantomData;

use crate::shim::{AtomicBool, Ordering, spin_loop, yield_now};

/// The memory orders of a lock. Each protocol passes its own orders, so that a mutant of one protocol does not weaken the orders of
/// another.
pub(crate) trait Orders {
    /// The memory order of the exchange that takes the lock. This order makes the writes of the previous holder visible. Pairs with
    /// [`UNLOCK`](Self::UNLOCK).
    const LOCK: Ordering;
    /// The memory order of the store that releases the lock. Pairs with [`LOCK`](Self::LOCK).
    const UNLOCK: Ordering;
}

/// A test-and-set lock. A thread that waits for the lock yields its processor if the system seems to have descheduled the lock's holder.
///
/// Threads hold the lock for a few instructions, for one fence, or while an array grows. Such short waits do not justify a queue or a
/// futex.
#[derive(Debug)]
pub(crate) struct Lock<O> {
    held: AtomicBool,
    orders: PhantomData<O>,
}

/// A guard that proves that its thread holds the lock, and releases the lock when it is dropped.
#[derive(Debug)]
pub(crate) struct Held<'a, O: Orders> {
    lock: &'a Lock<O>,
}

impl<O: Orders> Lock<O> {
    pub(crate) fn new() -> Self {
        Lock {
            held: AtomicBool::new(false),
            orders: PhantomData,
        }
    }

    /// Takes the lock if it is free now.
    pub(crate) fn try_lock(&self) -> Option<Held<'_, O>> {
        self.held
            .compare_exchange(false, true, O::LOCK, Ordering::Relaxed)
            .ok()
            .map(|_| Held { lock: self })
    }

    /// Takes the lock, after a wait if another thread holds it.
    pub(crate) fn lock(&self) -> Held<'_, O> {
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

impl<O: Orders> Drop for Held<'_, O> {
    fn drop(&mut self) {
        self.lock.held.store(false, O::UNLOCK);
    }
}
