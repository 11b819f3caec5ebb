//! Global values that a child of `fork()` initialises again.

use super::ForkGeneration;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A global value. After `fork()`, parent and child have separate values. Suppose that a thread of the parent holds a lock in the value
/// during `fork()`. In the child's copy of the value, no thread would ever release this lock. So the child makes a new value and does not
/// access the old value.
#[derive(Debug)]
pub(crate) struct PerProcess<T>(AtomicPtr<(ForkGeneration, T)>);

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(null_mut()))
    }

    /// Returns this process's value.
    pub(crate) fn get(&'static self) -> &'static T {
        let mut now = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: a value that is stored here is never freed. The Acquire of this load, and of the
            // exchange below, pairs with the Release of the thread that stored the value.
            let found = unsafe { now.as_ref() };
            if let Some((_, value)) = found.filter(|(generation, _)| generation.is_current()) {
                return value;
            }
            let fresh = Box::into_raw(Box::new((ForkGeneration::current(), T::default())));
            match self
                .0
                .compare_exchange(now, fresh, Ordering::AcqRel, Ordering::Acquire)
            {
                // SAFETY: the value is stored now, and is never freed from now on.
                Ok(_) => return unsafe { &(*fresh).1 },
                Err(other) => {
                    // SAFETY: the exchange failed, so no other thread has seen the new value.
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
