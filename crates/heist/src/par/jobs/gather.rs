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

/// Gathers values up to the first error from the left.
#[derive(Debug)]
pub(crate) struct GatherUntil;

impl<T: Send, E: Send> Job<Result<T, E>> for GatherUntil {
    type State = Result<Vec<Vec<T>>, E>;
    type Output = Self::State;

    fn begin(&self, _at: usize) -> Self::State {
        Ok(Vec::new())
    }

    fn chunk<C: Chunk<Item = Result<T, E>>>(
        &self,
        state: &mut Self::State,
        _at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        let Ok(pieces) = state else { return };
        if pieces.is_empty() {
            pieces.push(Vec::new());
        }
        let piece = pieces.last_mut().expect("there is one");
        let error = chunk.into_iter().find_map(|item| match item {
            Ok(value) => {
                piece.push(value);
                None
            }
            Err(error) => Some(error),
        });
        if let Some(error) = error {
            *state = Err(error);
            scope.stop_after();
        }
    }

    fn merge(&self, left: &mut Self::State, right: Self::State) {
        match (left, right) {
            (Ok(left), Ok(right)) => Gather.merge(left, right),
            (left @ Ok(_), Err(error)) => *left = Err(error),
            (Err(_), _) => {}
        }
    }

    fn finish(&self, state: Self::State) -> Self::Output {
        state
    }
}
