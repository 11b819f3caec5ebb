//! Sequences with an unknown number of items. Each item begins at some position of the whole sequence, and may end at any later position,
//! however far away.
//!
//! A cut may be at any position, even within an item, because a worker makes the cut under a lock and must not hold this lock for long. An
//! item belongs to the part that contains the position at which the item begins. So a part with the positions `range` makes two searches:
//! it finds the first position in `range` at which an item begins, and the end of the last item that begins in `range`, even if this end is
//! far behind `range`. At most two parts check a position: the part that contains this position, and the part in which the item around this
//! position begins. So each position is checked at most twice, even if the whole sequence is one long item.

use crate::par::source::{Chunk, Solid};
use std::ops::Range;

/// A sequence with items that begin at some of its positions.
pub(crate) trait Spans: Sync {
    /// The type of the items.
    type Item: Send;
    /// Iterator over the items that begin in a range of positions.
    type Iter<'a>: Iterator<Item = Self::Item>
    where
        Self: 'a;

    /// Returns the number of positions at which an item may begin.
    fn positions(&self) -> usize;

    /// Returns the items that begin in the range of positions.
    fn within(&self, range: Range<usize>) -> Self::Iter<'_>;
}

/// The remaining items of a [`Spans`] sequence: the items that begin in a range of positions.
#[derive(Debug)]
pub(crate) struct SpanSource<'a, K> {
    all: &'a K,
    range: Range<usize>,
}

impl<'a, K: Spans> SpanSource<'a, K> {
    pub(crate) fn new(all: &'a K) -> Self {
        SpanSource {
            all,
            range: 0..all.positions(),
        }
    }
}

impl<K: Spans> Solid for SpanSource<'_, K> {}

impl<'a, K: Spans> Chunk for SpanSource<'a, K> {
    type Item = K::Item;
    type Iter = K::Iter<'a>;

    #[inline]
    fn len(&self) -> usize {
        self.range.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let middle = self.range.start + count;
        let left = self.range.start..middle;
        self.range.start = middle;
        SpanSource {
            all: self.all,
            range: left,
        }
    }

    #[inline]
    fn into_iter(self) -> K::Iter<'a> {
        self.all.within(self.range)
    }
}

/// Makes a parallel sequence of items that begin at some positions.
macro_rules! sequence_of_spans {
    ([$($generics:tt)*] $sequence:ty, $item:ty) => {
        $crate::par::sources::sequence_by!(
            [$($generics)*] $sequence, $item, $crate::par::Lazy, |_| $crate::par::Lazy,
            bound: $crate::par::sources::spans::Spans::positions,
            exact_len: |_| None,
            source: |this, _| $crate::par::sources::spans::SpanSource::new(&*this)
        );
    };
}
pub(crate) use sequence_of_spans;

/// Returns the span of the pieces that begin in `range`. The span extends from the first beginning to the last end. Returns `None`
/// if no piece begins in `range`.
///
/// The first piece begins at position 0. Each further piece begins behind a separator. `find` returns the beginning and the end of
/// the first separator in a range. `floor` returns the beginning of the element that contains a position. The whole sequence has
/// `len` positions.
#[inline]
pub(crate) fn span(
    range: Range<usize>,
    len: usize,
    floor: impl Fn(usize) -> usize,
    find: impl Fn(Range<usize>) -> Option<(usize, usize)>,
) -> Option<Range<usize>> {
    if range.is_empty() {
        return None;
    }
    // The separator before a piece ends where the piece begins, so the separator contains the position before the piece.
    let last = floor(range.end - 1);
    let begin = match range.start.checked_sub(1) {
        None => 0,
        Some(before) => find(floor(before)..last)?.1,
    };
    let end = find(last..len).map_or(len, |(start, _)| start);
    Some(begin..end)
}

/// An iterator over the pieces of a span, or, if the field is `None`, over no pieces.
#[derive(Clone, Debug)]
pub(crate) struct SpanIter<I>(pub(crate) Option<I>);

impl<I: Iterator> Iterator for SpanIter<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.as_mut()?.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.as_ref().map_or((0, Some(0)), Iterator::size_hint)
    }

    #[inline]
    fn fold<B, F>(self, first: B, f: F) -> B
    where
        F: FnMut(B, I::Item) -> B,
    {
        match self.0 {
            Some(pieces) => pieces.fold(first, f),
            None => first,
        }
    }
}
