//! A lock for a few instructions.

#[cfg(not(heist_model))]
mod imp {
    use std::cell::UnsafeCell;
    use std::ops::{Deref, DerefMut};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// How often to look before the processor is given to others: the holder may need it.
    const LOOKS: u32 = 100;

    /// A value behind a test-and-set lock. It is held for some tens of instructions, and never while
    /// anything of the user's runs but the move of a value; one word's store ends it, where a futex
    /// would take a read-modify-write.
    #[derive(Debug)]
    pub(crate) struct Locked<S> {
        held: AtomicBool,
        value: UnsafeCell<S>,
    }

    // SAFETY: the lock gives one thread at a time exclusive access to the value.
    unsafe impl<S: Send> Sync for Locked<S> {}

    /// Exclusive access; ends when dropped.
    #[derive(Debug)]
    pub(crate) struct Guard<'a, S>(&'a Locked<S>);

    impl<S> Locked<S> {
        pub(crate) const fn new(value: S) -> Self {
            Locked {
                held: AtomicBool::new(false),
                value: UnsafeCell::new(value),
            }
        }

        #[inline]
        pub(crate) fn lock(&self) -> Guard<'_, S> {
            // Acquire pairs with the Release of the holder before.
            if self.held.swap(true, Ordering::Acquire) {
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
                    std::thread::yield_now();
                }
                if !self.held.load(Ordering::Relaxed) && !self.held.swap(true, Ordering::Acquire) {
                    return;
                }
            }
        }
    }

    impl<S> Deref for Guard<'_, S> {
        type Target = S;

        fn deref(&self) -> &S {
            // SAFETY: this thread holds the lock.
            unsafe { &*self.0.value.get() }
        }
    }

    impl<S> DerefMut for Guard<'_, S> {
        fn deref_mut(&mut self) -> &mut S {
            // SAFETY: this thread holds the lock.
            unsafe { &mut *self.0.value.get() }
        }
    }

    impl<S> Drop for Guard<'_, S> {
        #[inline]
        fn drop(&mut self) {
            // Release pairs with the Acquire of the next holder.
            self.0.held.store(false, Ordering::Release);
        }
    }
}

#[cfg(heist_model)]
mod imp {
    use crate::platform::shim::{Mutex, MutexGuard};

    #[derive(Debug)]
    pub(crate) struct Locked<S>(Mutex<S>);

    pub(crate) type Guard<'a, S> = MutexGuard<'a, S>;

    impl<S> Locked<S> {
        pub(crate) fn new(value: S) -> Self {
            Locked(Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> Guard<'_, S> {
            self.0.lock().unwrap()
        }
    }
}

pub(crate) use imp::{Guard, Locked};
