//! An adapter that takes items alternately from two sequences.

use super::Take;
use crate::par::Indexed;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::sources::sequence_of_source;

/// The sequence that [`Indexed::interleave`] returns.
#[derive(Clone, Debug)]
pub struct Interleave<A, B> {
    a: A,
    b: B,
}

/// The sequence that [`Indexed::interleave_shortest`] returns.
pub type InterleaveShortest<A, B> = Interleave<Take<A>, Take<B>>;

impl<A, B> Interleave<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Interleave { a, b }
    }
}

impl<A: Indexed, B: Indexed<Item = A::Item>> InterleaveShortest<A, B> {
    pub(crate) fn shortest(a: A, b: B) -> Self {
        let (of_a, of_b) = (a.len(), b.len());
        let (from_a, from_b) = if of_a <= of_b {
            (of_a, of_a)
        } else {
            (of_b + 1, of_b)
        };
        Interleave::new(a.take(from_a), b.take(from_b))
    }
}

sequence_of_source!(
    [A: Indexed, B: Indexed<Item = A::Item>] Interleave<A, B>, A::Item, A::Policy, |this| this.a.policy()
);

impl<A: Indexed, B: Indexed<Item = A::Item>> Indexed for Interleave<A, B> {
    type Source<'a>
        = Interleaved<A::Source<'a>, B::Source<'a>>
    where
        Self: 'a;

    fn len(&self) -> usize {
        self.a
            .len()
            .checked_add(self.b.len())
            .expect("heist: a sequence must not be longer than usize::MAX")
    }

    #[inline]
    fn source(&mut self) -> Self::Source<'_> {
        // The call panics if the length overflows.
        let _ = self.len();
        Interleaved::new(self.a.source(), self.b.source())
    }
}

/// The side that yields the next item.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    A,
    B,
}

impl Turn {
    /// Returns the side that yields the next item after `count` more items.
    fn after(self, count: usize) -> Self {
        match (self, count % 2) {
            (turn, 0) => turn,
            (Turn::A, _) => Turn::B,
            (Turn::B, _) => Turn::A,
        }
    }
}

/// The number of items left on each side, and the side that yields the next item. If one side has no items left, all following items come
/// from the opposite side.
#[derive(Clone, Copy, Debug)]
struct Sides {
    a: usize,
    b: usize,
    turn: Turn,
}

impl Sides {
    /// Returns the number of items that each side has among the first `count` positions. The caller must ensure that `count` is at
    /// most the number of positions left.
    fn first(self, count: usize) -> (usize, usize) {
        let in_turn = match self.turn {
            Turn::A => count.div_ceil(2),
            Turn::B => count / 2,
        };
        let from_a = in_turn.min(self.a).max(count - self.b.min(count));
        (from_a, count - from_a)
    }

    /// Returns the position of item `index` of the first side.
    fn position_of_a(self, index: usize) -> usize {
        index + self.b.min(index + usize::from(self.turn == Turn::B))
    }

    /// Returns the position of item `index` of the second side.
    fn position_of_b(self, index: usize) -> usize {
        index + self.a.min(index + usize::from(self.turn == Turn::A))
    }
}

/// The remaining items of two interleaved sequences, or a chunk of both sequences.
#[derive(Debug)]
pub struct Interleaved<A, B> {
    a: A,
    b: B,
    turn: Turn,
}

impl<A: Source, B: Source<Item = A::Item>> Interleaved<A, B> {
    #[inline]
    pub(super) fn new(a: A, b: B) -> Self {
        let turn = Turn::A;
        Interleaved { a, b, turn }
    }

    #[inline]
    fn sides(&self) -> Sides {
        Sides {
            a: self.a.len(),
            b: self.b.len(),
            turn: self.turn,
        }
    }
}

impl<A: Source, B: Source<Item = A::Item>> Source for Interleaved<A, B> {
    type Item = A::Item;
    type Chunk = Interleaved<A::Chunk, B::Chunk>;

    #[inline]
    fn len(&self) -> usize {
        self.a.len() + self.b.len()
    }

    fn reach(&self, at_most: usize) -> usize {
        let (sides, mut count) = (self.sides(), at_most.min(self.len()));
        let (from_a, from_b) = sides.first(count);
        let (in_a, in_b) = (self.a.reach(from_a), self.b.reach(from_b));
        // The chunk ends before the first item that is not contiguous with the previous items of its side.
        if in_a < from_a {
            count = count.min(sides.position_of_a(in_a));
        }
        if in_b < from_b {
            count = count.min(sides.position_of_b(in_b));
        }
        count
    }

    fn reach_back(&self, at_most: usize) -> usize {
        let (sides, len) = (self.sides(), self.len());
        let mut count = at_most.min(len);
        let (of_a, of_b) = sides.first(len - count);
        let (from_a, from_b) = (sides.a - of_a, sides.b - of_b);
        let (in_a, in_b) = (self.a.reach_back(from_a), self.b.reach_back(from_b));
        if in_a < from_a {
            count = count.min(len - 1 - sides.position_of_a(sides.a - in_a - 1));
        }
        if in_b < from_b {
            count = count.min(len - 1 - sides.position_of_b(sides.b - in_b - 1));
        }
        count
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> Self::Chunk {
        let (from_a, from_b) = self.sides().first(count);
        let turn = self.turn;
        self.turn = turn.after(count);
        Interleaved {
            a: self.a.take_front(from_a),
            b: self.b.take_front(from_b),
            turn,
        }
    }

    fn split_off(&mut self, at: usize) -> Self {
        let (from_a, from_b) = self.sides().first(at);
        Interleaved {
            a: self.a.split_off(from_a),
            b: self.b.split_off(from_b),
            turn: self.turn.after(at),
        }
    }
}

impl<A: Chunk, B: Chunk<Item = A::Item>> Interleaved<A, B> {
    #[inline]
    fn left(&self) -> Sides {
        Sides {
            a: self.a.len(),
            b: self.b.len(),
            turn: self.turn,
        }
    }
}

impl<A: Chunk, B: Chunk<Item = A::Item>> Chunk for Interleaved<A, B> {
    type Item = A::Item;
    type Iter = InTurn<A::Iter, B::Iter>;

    #[inline]
    fn len(&self) -> usize {
        self.a.len() + self.b.len()
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        let (from_a, from_b) = self.left().first(count);
        let turn = self.turn;
        self.turn = turn.after(count);
        Interleaved {
            a: self.a.cut(from_a),
            b: self.b.cut(from_b),
            turn,
        }
    }

    #[inline]
    fn into_iter(self) -> Self::Iter {
        InTurn {
            left: self.left(),
            a: self.a.into_iter(),
            b: self.b.into_iter(),
        }
    }
}

impl<A: Reversible, B: Reversible<Item = A::Item>> Reversible for Interleaved<A, B> {
    type Back = FromBehind<A::Back, B::Back>;

    #[inline]
    fn into_back(self) -> Self::Back {
        FromBehind {
            left: self.left(),
            a: self.a.into_back(),
            b: self.b.into_back(),
        }
    }
}

/// An iterator over a chunk of two interleaved sequences.
#[derive(Debug)]
pub struct InTurn<A, B> {
    a: A,
    b: B,
    left: Sides,
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for InTurn<A, B> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        let left = &mut self.left;
        match left.turn {
            Turn::A if left.a > 0 || left.b == 0 => {
                left.a = left.a.checked_sub(1)?;
                left.turn = Turn::B;
                self.a.next()
            }
            Turn::B if left.b == 0 => {
                left.a = left.a.checked_sub(1)?;
                self.a.next()
            }
            _ => {
                left.b -= 1;
                left.turn = Turn::A;
                self.b.next()
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.left.a + self.left.b;
        (len, Some(len))
    }
}

/// An iterator over a chunk of two interleaved sequences, from the chunk's end.
#[derive(Debug)]
pub struct FromBehind<A, B> {
    a: A,
    b: B,
    /// The number of items of each side that the iterator has not yet yielded.
    left: Sides,
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for FromBehind<A, B> {
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        let left = &mut self.left;
        // The last item belongs to the longer side. If both sides have the same number of items, the last item belongs to the side that
        // does not begin.
        let is_of_a = match left.turn {
            Turn::A => left.a > left.b,
            Turn::B => left.a >= left.b,
        };
        if is_of_a {
            left.a = left.a.checked_sub(1)?;
            self.a.next()
        } else {
            left.b = left.b.checked_sub(1)?;
            self.b.next()
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.left.a + self.left.b;
        (len, Some(len))
    }
}
