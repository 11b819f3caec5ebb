//! Items in order, where nobody knows how many there will be.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A piece of so many items is rather moved than kept.
const SMALL: usize = 1024;

/// Gathers items in pieces: one for each part of the schedule.
#[derive(Debug)]
pub(crate) struct Gather;

impl<T: Send> Job<T> for Gather {
    type State = Vec<Vec<T>>;
    type Output = Vec<Vec<T>>;

    fn begin(&self, _at: usize) -> Vec<Vec<T>> {
        Vec::new()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        pieces: &mut Vec<Vec<T>>,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        match pieces.last_mut() {
            Some(piece) => piece.extend(chunk.into_iter()),
            None => pieces.push(chunk.into_iter().collect()),
        }
    }

    fn merge(&self, left: &mut Vec<Vec<T>>, mut right: Vec<Vec<T>>) {
        match (left.last_mut(), &mut right[..]) {
            (None, _) => *left = right,
            // Else there would be a piece for each of many short nested sequences.
            (Some(last), [only]) if only.len() <= SMALL => last.append(only),
            _ => left.extend(right),
        }
    }

    fn finish(&self, pieces: Vec<Vec<T>>) -> Vec<Vec<T>> {
        pieces
    }
}

/// One vector of several; the first is reused if it has room.
pub(crate) fn join_pieces<T>(pieces: Vec<Vec<T>>) -> Vec<T> {
    let len = pieces.iter().map(Vec::len).sum::<usize>();
    let mut pieces = pieces.into_iter();
    let Some(mut all) = pieces.next() else {
        return Vec::new();
    };
    all.reserve_exact(len - all.len());
    for mut piece in pieces {
        all.append(&mut piece);
    }
    all
}
