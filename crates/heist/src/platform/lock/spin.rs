//! A lock for critical sections of a few instructions.

use super::{constant, orders};
use crate::platform::shim::{AtomicBool, Ordering};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

/// Number of times that a thread checks a taken lock. Then the thread yields its processor, because the holder may need that processor.
const LOOKS: u32 = if cfg!(heist_model) { 0 } else { 100 };

/// A value behind a test-and-set lock. A thread holds the lock for several tens of instructions. No user code runs under the lock, except
/// the move of a value and the splitting of a `Producer`. A single store releases the lock. To release a lock that is built on a futex, a
/// thread would need a read-modify-write.
#[derive(Debug)]
pub(crate) struct Locked<S> {
    held: AtomicBool,
    value: UnsafeCell<S>,
}

// SAFETY: only the thread that holds the lock accesses the value.
unsafe impl<S: Send> Sync for Locked<S> {}

/// A guard with exclusive access to the value. The drop of the guard releases the lock.
#[derive(Debug)]
pub(crate) struct Guard<'a, S>(&'a Locked<S>);

impl<S> Locked<S> {
    constant! {
        pub(crate) const fn new(value: S) -> Self {
            Locked {
                held: AtomicBool::new(false),
                value: UnsafeCell::new(value),
            }
        }
    }

    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, S> {
        if self.held.swap(true, orders::LOCK) {
            self.wait();
        }
        Guard(self)
    }

    #[cold]
    fn wait(&self) {
        let mut looks = 0;
        loop {
            if looks < LOOKS {
                looks += 1;
                std::hint::spin_loop();
            } else {
                yield_now();
            }
            // Loads the flag before the exchange, because a load leaves the cache line to the lock's
            // holder. (In a model, a load might see an old value forever.)
            let seems_free = cfg!(heist_model) || !self.held.load(Ordering::Relaxed);
            if seems_free && !self.held.swap(true, orders::LOCK) {
                return;
            }
        }
    }
}

#[cfg(heist_model)]
use loom::thread::yield_now;
#[cfg(not(heist_model))]
use std::thread::yield_now;

impl<S> Deref for Guard<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        // SAFETY: the guard exists, so this thread holds the lock, and no other thread accesses the
        // value.
        unsafe { &*self.0.value.get() }
    }
}

impl<S> DerefMut for Guard<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        // SAFETY: this thread holds the lock, so no other thread accesses the value.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<S> Drop for Guard<'_, S> {
    #[inline]
    fn drop(&mut self) {
        if cfg!(heist_model) {
            // This code uses an exchange instead of a store, because loom does not order a word's stores and exchanges among each other.
            self.0.held.swap(false, orders::UNLOCK);
        } else {
            self.0.held.store(false, orders::UNLOCK);
        }
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::Locked;
    use loom::cell::UnsafeCell;
    use loom::thread;
    use std::sync::Arc;

    struct Data(UnsafeCell<u32>);

    // SAFETY: only the thread that holds the lock accesses the value. The model checks this rule.
    unsafe impl Send for Data {}

    #[test]
    fn two_threads_exclude_each_other() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let locked = Arc::new(Locked::new(Data(UnsafeCell::new(0))));
            let add = |locked: &Locked<Data>| {
                let data = locked.lock();
                // SAFETY: this thread holds the lock, so no other thread accesses the value.
                (*data).0.with_mut(|value| unsafe { *value += 1 });
            };
            let other = Arc::clone(&locked);
            let other = thread::spawn(move || add(&other));
            add(&locked);
            other.join().unwrap();
            let data = locked.lock();
            // SAFETY: this thread holds the lock, so no other thread accesses the value.
            assert_eq!((*data).0.with(|value| unsafe { *value }), 2);
        });
    }
}
