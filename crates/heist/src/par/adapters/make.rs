//! Makers of scratch values for closures.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes values one after another, on any thread.
pub trait Make: Send + Sync {
    /// The type of the values.
    type With;

    /// Makes a value.
    fn make(&self) -> Self::With;
}

impl<F, W> Make for F
where
    F: Fn() -> W + Send + Sync,
{
    type With = W;

    #[inline]
    fn make(&self) -> W {
        self()
    }
}

/// A maker that clones one value. The value may be of a type that is not `Sync`.
#[derive(Debug)]
pub struct Clones<W>(Mutex<W>);

impl<W> Clones<W> {
    pub(crate) fn of(one: W) -> Self {
        Clones(Mutex::new(one))
    }

    fn lock(&self) -> MutexGuard<'_, W> {
        // Only `clone` runs under the lock. If `clone` panics, the panic reaches the caller, so a poisoned lock needs no handling.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Clone> Clone for Clones<W> {
    fn clone(&self) -> Self {
        Clones::of(self.lock().clone())
    }
}

impl<W: Clone + Send> Make for Clones<W> {
    type With = W;

    fn make(&self) -> W {
        self.lock().clone()
    }
}
