//! Collects an unknown number of items, in order.

use super::moved::append;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, push_all};

/// The maximum number of items in a piece whose items are moved into the previous piece. A larger piece remains a piece of its own.
const SMALL: usize = 1024;

/// Items in a sequence of vectors, the pieces. If there is at most one piece, this type costs no more than a vector.
#[derive(Debug)]
pub(crate) struct Pieces<T> {
    first: Vec<T>,
    more: Vec<Vec<T>>,
}

impl<T> Pieces<T> {
    pub(super) fn new() -> Self {
        Pieces {
            first: Vec::new(),
            more: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.more.is_empty()
    }

    /// Returns the last piece.
    pub(super) fn last(&mut self) -> &mut Vec<T> {
        self.more.last_mut().unwrap_or(&mut self.first)
    }

    /// Moves the items of the right neighbour to the end of this part.
    pub(super) fn append(&mut self, mut right: Pieces<T>) {
        if self.is_empty() {
            *self = right;
        } else if right.more.is_empty() && right.first.len() <= SMALL {
            // A short piece is moved, because many short nested sequences would otherwise leave a piece each.
            self.last().append(&mut right.first);
        } else {
            self.more.extend(right);
        }
    }

    /// Returns one vector of all items. Reuses the first piece if it has room.
    pub(crate) fn join(self) -> Vec<T>
    where
        T: Send,
    {
        let Pieces {
            first: mut all,
            more,
        } = self;
        append(&mut all, more);
        all
    }

    /// Appends all pieces to a vector.
    pub(crate) fn append_to(mut self, all: &mut Vec<T>)
    where
        T: Send,
    {
        self.more.insert(0, self.first);
        append(all, self.more);
    }
}

impl<T> IntoIterator for Pieces<T> {
    type Item = Vec<T>;
    type IntoIter = std::iter::Chain<std::iter::Once<Vec<T>>, std::vec::IntoIter<Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.first).chain(self.more)
    }
}

/// A job that gathers items in pieces, one piece for each part of the schedule.
#[derive(Debug)]
pub(crate) struct Gather;

impl<T: Send> Job<T> for Gather {
    type State = Pieces<T>;
    type Output = Pieces<T>;

    fn begin(&self, _at: usize) -> Pieces<T> {
        Pieces::new()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        pieces: &mut Pieces<T>,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        if let Err(chunk) = chunk.append_to(pieces.last()) {
            push_all(chunk.into_iter(), pieces.last());
        }
    }

    fn merge(&self, left: &mut Pieces<T>, right: Pieces<T>) {
        left.append(right);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, pieces: Pieces<T>) -> Pieces<T> {
        pieces
    }
}

/// A job that gathers items and joins them in one vector.
#[derive(Debug)]
pub(crate) struct GatherJoined;

impl<T: Send> Job<T> for GatherJoined {
    type State = Pieces<T>;
    type Output = Vec<T>;

    fn begin(&self, _at: usize) -> Pieces<T> {
        Pieces::new()
    }

    #[inline]
    fn chunk<C: Chunk<Item = T>>(
        &self,
        pieces: &mut Pieces<T>,
        at: usize,
        chunk: C,
        scope: Scope<'_>,
    ) {
        Gather.chunk(pieces, at, chunk, scope);
    }

    fn merge(&self, left: &mut Pieces<T>, right: Pieces<T>) {
        left.append(right);
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, pieces: Pieces<T>) -> Vec<T> {
        pieces.join()
    }

    #[inline]
    fn whole<C: Chunk<Item = T>>(&self, chunk: C, _scope: Scope<'_>) -> Vec<T> {
        let mut all = Vec::new();
        if let Err(chunk) = chunk.append_to(&mut all) {
            push_all(chunk.into_iter(), &mut all);
        }
        all
    }
}
