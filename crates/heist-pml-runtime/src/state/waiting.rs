//! The list of strands that wait for lazy values.

use std::sync::{Mutex, PoisonError};

use crate::state::strand::Strand;

/// Strands that wait for lazy values.
#[derive(Default)]
pub struct Waiting(pub(crate) Mutex<Vec<*mut Strand>>);

impl Waiting {
    /// Clears the list at the end of the program.
    pub(crate) fn clear(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

// SAFETY: a strand in the list runs nowhere, and the list alone has it until it is taken out under the lock.
unsafe impl Send for Waiting {}

// SAFETY: every access to the list is under the lock.
unsafe impl Sync for Waiting {}
