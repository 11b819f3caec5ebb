//! The list of strands that a cancellation must find, because they wait or have made offers inside of a part that may be cancelled.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::protocol::job::Job;
use crate::protocol::part::Around;
use crate::state::strand::Strand;

/// The waiting strands that have a part that may be cancelled.
#[derive(Default)]
pub(crate) struct Parts {
    /// The innermost part around each strand.
    around: HashMap<*mut Strand, Around>,
    /// The strands inside of each scope. The cancellation of a scope looks only at these strands.
    inside: HashMap<*const Job, HashSet<*mut Strand>>,
}

impl Parts {
    pub(crate) fn add(&mut self, strand: *mut Strand, around: Around) {
        for scope in around.job.scopes() {
            self.inside.entry(scope).or_default().insert(strand);
        }
        self.around.insert(strand, around);
    }

    pub(crate) fn remove(&mut self, strand: *mut Strand) {
        let Some(around) = self.around.remove(&strand) else {
            return;
        };
        for scope in around.job.scopes() {
            let scope: *const Job = scope;
            if let Some(strands) = self.inside.get_mut(&scope) {
                strands.remove(&strand);
                if strands.is_empty() {
                    self.inside.remove(&scope);
                }
            }
        }
    }

    /// Calls `wake` with each cancelled strand. If `scopes` is given, only jobs in these scopes were cancelled.
    pub(crate) fn each_cancelled(
        &self,
        scopes: Option<&[Arc<Job>]>,
        mut wake: impl FnMut(*mut Strand),
    ) {
        match scopes {
            None => {
                let all = self.around.iter();
                all.filter(|(_, around)| around.is_cancelled())
                    .for_each(|(strand, _)| wake(*strand));
            }
            Some(scopes) => {
                let sets = scopes.iter().map(Arc::as_ptr);
                let strands = sets.filter_map(|scope| self.inside.get(&scope)).flatten();
                strands
                    .filter(|strand| self.around.get(strand).is_some_and(Around::is_cancelled))
                    .for_each(|strand| wake(*strand));
            }
        }
    }
}

// SAFETY: other threads read only the `object` of a listed strand, and that field does not change until the strand has left the list.
unsafe impl Send for Parts {}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(number: usize) -> *mut Strand {
        std::ptr::without_provenance_mut(8 * number)
    }

    fn found(parts: &Parts, scopes: Option<&[Arc<Job>]>) -> Vec<usize> {
        let mut found = Vec::new();
        parts.each_cancelled(scopes, |strand| found.push(strand.addr() / 8));
        found.sort_unstable();
        found
    }

    #[test]
    fn a_cancelled_scope_has_the_strands_of_the_scopes_and_forks_inside_of_it() {
        let outer = Arc::new(Job::scope(1, None));
        let inner = Arc::new(Job::scope(2, Some(Around::part_of(outer.clone()))));
        let fork = Arc::new(Job::new(
            0,
            Vec::new(),
            Some(Around::part_of(inner.clone())),
        ));
        let other = Arc::new(Job::scope(3, None));
        let mut parts = Parts::default();
        for (number, job) in [(1, &outer), (2, &inner), (3, &fork), (4, &other)] {
            parts.add(strand(number), Around::part_of(job.clone()));
        }
        assert_eq!(found(&parts, None), []);
        assert_eq!(found(&parts, Some(&[outer.clone(), other.clone()])), []);
        inner.cancel();
        assert_eq!(found(&parts, Some(std::slice::from_ref(&inner))), [2, 3]);
        outer.cancel();
        assert_eq!(found(&parts, Some(std::slice::from_ref(&outer))), [1, 2, 3]);
        assert_eq!(found(&parts, Some(std::slice::from_ref(&other))), []);
        assert_eq!(found(&parts, None), [1, 2, 3]);
        parts.remove(strand(3));
        assert_eq!(found(&parts, Some(&[outer])), [1, 2]);
        (1..=4).for_each(|number| parts.remove(strand(number)));
        assert!(parts.around.is_empty() && parts.inside.is_empty());
    }
}
