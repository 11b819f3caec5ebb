//! Handles, which contain the current addresses of values.

use crate::state::worker::Worker;
use crate::value::object::Value;

/// A handle: a place where a function of the runtime keeps a value that a collection may move.
#[derive(Clone, Copy, Debug)]
pub struct Handle(usize);

impl Worker {
    /// Makes a handle, which keeps a value alive during collections. The caller must release the handle by [`Worker::release`].
    #[inline]
    pub fn hold(&mut self, value: Value) -> Handle {
        self.handles.push(value);
        Handle(self.handles.len() - 1)
    }

    /// Returns the value of a handle, at its current address.
    #[must_use]
    #[inline]
    pub fn held(&self, handle: Handle) -> Value {
        self.handles[handle.0]
    }

    /// Sets the value of a handle.
    #[inline]
    pub fn set_held(&mut self, handle: Handle, value: Value) {
        self.handles[handle.0] = value;
    }

    /// Releases a handle, and all handles that were made after this handle.
    #[inline]
    pub fn release(&mut self, handle: Handle) {
        self.handles.truncate(handle.0);
    }
}
