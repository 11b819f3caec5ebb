//! An adapter that groups a sequence into blocks of equal length, and never divides a block.

use crate::par::source::{Chunk, Solid, Source};

/// The remaining blocks of a sequence, or a chunk of blocks. Only the last block of the sequence may be shorter.
#[derive(Debug)]
pub(crate) struct Blocks<S> {
    items: S,
    size: usize,
}

impl<S: Source> Blocks<S> {
    pub(crate) fn new(items: S, size: usize) -> Self {
        Blocks { items, size }
    }

    fn first(&mut self, count: usize) -> S {
        let items = count.saturating_mul(self.size).min(self.items.len());
        let rest = self.items.split_off(items);
        std::mem::replace(&mut self.items, rest)
    }
}

impl<S: Source> Solid for Blocks<S> {}

impl<S: Source> Chunk for Blocks<S> {
    type Item = S;
    type Iter = Self;

    fn len(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn cut(&mut self, count: usize) -> Self {
        Blocks::new(self.first(count), self.size)
    }

    fn into_iter(self) -> Self {
        self
    }
}

impl<S: Source> Iterator for Blocks<S> {
    type Item = S;

    fn next(&mut self) -> Option<S> {
        (self.items.len() > 0).then(|| self.first(1))
    }
}

impl<S: Source> DoubleEndedIterator for Blocks<S> {
    fn next_back(&mut self) -> Option<S> {
        let before = self.items.len().checked_sub(1)? / self.size * self.size;
        Some(self.items.split_off(before))
    }
}
