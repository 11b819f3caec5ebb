//! Divides items into two collections.

use super::gather::Pieces;
use crate::par::ask::ask;
use crate::par::collect::fill_both;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;
use crate::par::{Par, ParExtend};
use std::marker::PhantomData;

/// A job that passes each item to the function `put`, which adds a value to one or both of two vectors. Each vector has its values in the
/// order of the items.
#[derive(Debug)]
struct Heaps<F, L, R> {
    put: F,
    heaps: PhantomData<fn() -> (L, R)>,
}

impl<T, F, L, R> Job<T> for Heaps<F, L, R>
where
    F: Fn(T, &mut Vec<L>, &mut Vec<R>) + Sync,
    L: Send,
    R: Send,
{
    type State = (Pieces<L>, Pieces<R>);
    type Output = Self::State;

    fn begin(&self, _at: usize) -> Self::State {
        (Pieces::new(), Pieces::new())
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        (left, right): &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        let (left, right) = (left.last(), right.last());
        chunk
            .into_iter()
            .for_each(|item| (self.put)(item, left, right));
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        left.0.append(right.0);
        left.1.append(right.1);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, heaps: Self::State) -> Self::State {
        heaps
    }
}

/// Passes each item to the function `put`, which adds a value to one or both of two vectors. Returns the vectors as collections.
pub(crate) fn heaps<P, F, L, R, A, B>(sequence: P, put: F) -> (A, B)
where
    P: Par,
    F: Fn(P::Item, &mut Vec<L>, &mut Vec<R>) + Send + Sync,
    L: Send,
    R: Send,
    A: Default + ParExtend<L> + Send,
    B: Default + ParExtend<R> + Send,
{
    let heaps = PhantomData;
    let (left, right) = ask(sequence, Heaps { put, heaps });
    both(left.into_iter().collect(), right.into_iter().collect())
}

/// Collects the left and the right halves of pairs.
pub(crate) fn unzip<P, A, B, CA, CB>(sequence: P) -> (CA, CB)
where
    P: Par<Item = (A, B)>,
    A: Send,
    B: Send,
    CA: Default + ParExtend<A> + Send,
    CB: Default + ParExtend<B> + Send,
{
    let Some(len) = sequence.exact_len() else {
        return heaps(sequence, |(a, b), left, right| {
            left.push(a);
            right.push(b);
        });
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    fill_both(&mut left, &mut right, sequence, len);
    both(vec![left], vec![right])
}

/// Makes one collection of all items in `left`, and a second collection of all items in `right`.
fn both<A, B, CA, CB>(left: Vec<Vec<A>>, right: Vec<Vec<B>>) -> (CA, CB)
where
    A: Send,
    B: Send,
    CA: Default + ParExtend<A> + Send,
    CB: Default + ParExtend<B> + Send,
{
    crate::join(|| extended(left), || extended(right))
}

/// Makes a collection of all items of the pieces.
fn extended<T: Send, C: Default + ParExtend<T>>(pieces: Vec<Vec<T>>) -> C {
    let mut all = C::default();
    all.extend_by_pieces(pieces);
    all
}
