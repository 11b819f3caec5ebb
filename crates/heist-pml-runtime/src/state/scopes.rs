//! The scopes of cancelables.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::protocol::job::Job;

/// The existing scopes, by the numbers of their cancelables.
#[derive(Default)]
pub struct Scopes(Mutex<HashMap<usize, Vec<Arc<Job>>>>);

impl Scopes {
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<usize, Vec<Arc<Job>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a scope that has ended.
    pub(crate) fn remove(&self, scope: &Arc<Job>) {
        let mut all = self.lock();
        if let Some(scopes) = all.get_mut(&scope.id()) {
            scopes.retain(|it| !Arc::ptr_eq(it, scope));
            if scopes.is_empty() {
                all.remove(&scope.id());
            }
        }
    }
}
