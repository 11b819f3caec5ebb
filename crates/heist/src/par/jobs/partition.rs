//! Items in two heaps.

use super::Gather;
use crate::par::Par;
use crate::par::ask::ask;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// Puts items into one of two collections, each in order.
#[derive(Debug)]
struct Partition<F>(F);

impl<T: Send, F: Fn(&T) -> bool + Sync> Job<T> for Partition<F> {
    type State = Vec<(Vec<T>, Vec<T>)>;
    type Output = Self::State;

    fn begin(&self, _at: usize) -> Self::State {
        Vec::new()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        pieces: &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        if pieces.is_empty() {
            pieces.push((Vec::new(), Vec::new()));
        }
        let (are, others) = pieces.last_mut().expect("there is one");
        chunk.into_iter().for_each(|item| {
            let heap = if (self.0)(&item) {
                &mut *are
            } else {
                &mut *others
            };
            heap.push(item);
        });
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        if left.is_empty() {
            *left = right;
        } else {
            left.extend(right);
        }
    }

    fn finish(&self, pieces: Self::State) -> Self::State {
        pieces
    }
}

/// Those items for which it holds, and the others.
pub(crate) fn partition<P, A, F>(sequence: P, is: F) -> (A, A)
where
    P: Par,
    A: Default + Extend<P::Item> + Send,
    F: Fn(&P::Item) -> bool + Send + Sync,
{
    let pieces = ask(sequence, Partition(is));
    let (are, others): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
    crate::join(|| extended(are), || extended(others))
}

/// One collection of all pieces.
fn extended<T, A: Default + Extend<T>>(pieces: Vec<Vec<T>>) -> A {
    let mut all = A::default();
    pieces.into_iter().for_each(|piece| all.extend(piece));
    all
}

/// The left ones and the right ones of pairs.
pub(crate) fn unzip<P, A, B, CA, CB>(sequence: P) -> (CA, CB)
where
    P: Par<Item = (A, B)>,
    A: Send,
    B: Send,
    CA: Default + Extend<A> + Send,
    CB: Default + Extend<B> + Send,
{
    let pieces = ask(sequence, Gather);
    let pieces = pieces.into_iter().map(|piece| piece.into_iter().unzip());
    let (left, right): (Vec<Vec<A>>, Vec<Vec<B>>) = pieces.unzip();
    crate::join(|| extended(left), || extended(right))
}
