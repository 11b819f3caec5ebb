//! A replacement for the lock, for models of the constructs, because loom cannot explore loops that spin. A separate
//! model checks the real lock.

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
