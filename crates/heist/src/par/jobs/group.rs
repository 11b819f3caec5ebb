//! Groups items by key.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use std::collections::HashMap;
use std::hash::Hash;

/// A job that groups items by a key. Each group has its items in the order of the sequence.
#[derive(Debug)]
pub(crate) struct GroupBy<F>(pub(crate) F);

impl<T, K, F> Job<T> for GroupBy<F>
where
    T: Send,
    K: Eq + Hash + Send,
    F: Fn(&T) -> K + Sync,
{
    type State = HashMap<K, Vec<T>>;
    type Output = Self::State;

    fn begin(&self, _at: usize) -> Self::State {
        HashMap::new()
    }

    fn chunk<C: Chunk<Item = T>>(
        &self,
        groups: &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        chunk.into_iter().for_each(|item| {
            groups.entry((self.0)(&item)).or_default().push(item);
        });
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        if left.is_empty() {
            *left = right;
            return;
        }
        for (key, group) in right {
            left.entry(key).or_default().extend(group);
        }
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, groups: Self::State) -> Self::State {
        groups
    }
}
