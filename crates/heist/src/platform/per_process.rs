//! Global values that a child of `fork()` initialises anew.

use super::ForkGeneration;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A global value that each process has for itself. If a thread of the parent held a lock in it
/// during `fork()`, the lock would be held forever in the child. So the child makes a new value and
/// does not touch the old one.
#[derive(Debug)]
pub(crate) struct PerProcess<T>(AtomicPtr<(ForkGeneration, T)>);

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(null_mut()))
    }

    /// This process's value.
    pub(crate) fn get(&'static self) -> &'static T {
        let mut now = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: a value that is stored here is never freed. Acquire, here and below, pairs with the
            // Release of the thread that stored it.
            let found = unsafe { now.as_ref() };
            if let Some((_, value)) = found.filter(|(generation, _)| generation.is_current()) {
                return value;
            }
            let fresh = Box::into_raw(Box::new((ForkGeneration::current(), T::default())));
            match self
                .0
                .compare_exchange(now, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                // SAFETY: the value is never freed from here on.
                Ok(_) => return unsafe { &(*fresh).1 },
                Err(other) => {
                    // SAFETY: no other thread has seen the new value.
                    drop(unsafe { Box::from_raw(fresh) });
                    now = other;
                }
            }
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::PerProcess;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn everybody_gets_the_same() {
        static VALUE: PerProcess<AtomicU32> = PerProcess::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| VALUE.get().fetch_add(1, Ordering::Relaxed));
            }
        });
        assert_eq!(VALUE.get().load(Ordering::Relaxed), 4);
    }
}
