//! Sequences that can be cut in two at any time, so that a worker can give away half of the remaining items.

use std::iter;

/// The remaining items of a sequence. A worker can take chunks from the front of a source one by one, and can cut the source in two
/// at any position.
///
/// The source of a slice is a pair of addresses. The source of a rope is a zipper (Huet's zipper; Rainey's thesis, section 4.1.1),
/// whose chunks never cross the end of a leaf.
pub trait Source: Sized + Send {
    /// The type of the items.
    type Item;
    /// The type of a contiguous piece.
    type Chunk: Chunk<Item = Self::Item>;

    /// Returns the number of positions left.
    fn len(&self) -> usize;

    /// Returns the number of contiguous positions at the front, up to `at_most`. This number is at least 1 if neither `at_most` nor
    /// the length is 0.
    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        at_most.min(self.len())
    }

    /// Returns the number of contiguous positions at the end, up to `at_most`. This number is at least 1 if neither `at_most` nor the
    /// length is 0.
    #[inline]
    fn reach_back(&self, at_most: usize) -> usize {
        at_most.min(self.len())
    }

    /// Takes the next `count` positions, which must be [contiguous](Self::reach).
    fn take_front(&mut self, count: usize) -> Self::Chunk;

    /// Takes the last `count` positions, which must be [contiguous](Self::reach_back).
    #[inline]
    fn take_back(&mut self, count: usize) -> Self::Chunk {
        let mut back = self.split_off(self.len() - count);
        back.take_front(count)
    }

    /// Keeps the first `at` positions, and returns all further positions.
    #[must_use]
    fn split_off(&mut self, at: usize) -> Self;

    /// Returns the position at which to divide the remaining positions: in a tree, the boundary between two subtrees, and in any other
    /// sequence, the middle. The position is neither 0 nor the length. Returns `None` if the remaining positions fit into a single leaf.
    fn split_point(&self) -> Option<usize> {
        let len = self.len();
        (len > LEAF).then_some(len / 2)
    }
}

/// The maximum number of items in a leaf of a rope. An array counts as a balanced tree with leaves of this length.
pub(crate) const LEAF: usize = 1024;

/// Number of items between two prefetches in the loop over a chunk, if the loop prefetches memory.
pub(crate) const LOOK_EVERY: usize = 64;

/// A piece of a sequence, over which one worker iterates without interruption.
pub trait Chunk: Sized {
    /// The type of the items.
    type Item;
    /// The iterator over the chunk.
    type Iter: Iterator<Item = Self::Item>;

    /// Returns the number of positions. The chunk of a filtered sequence may yield fewer items than it has positions.
    fn len(&self) -> usize;

    /// Splits off and returns the first `count` positions. The caller must ensure that `count` is at most `self.len()`.
    #[must_use]
    fn cut(&mut self, count: usize) -> Self;

    /// Returns an iterator over the chunk.
    fn into_iter(self) -> Self::Iter;

    /// May prefetch memory behind the next [`LOOK_EVERY`] contiguous items, if there are so many. Returns true after a prefetch.
    #[inline]
    fn look_ahead(&self) -> bool {
        false
    }

    /// Appends the items to a vector if the chunk can do so efficiently. Otherwise returns the chunk in the `Err`.
    #[inline]
    fn append_to(self, _all: &mut Vec<Self::Item>) -> Result<(), Self> {
        Err(self)
    }
}

/// Appends the items of an iterator to a vector.
///
/// If the number of items is unknown or small, the function calls `for_each` instead of `extend`. If the number is unknown, `extend` loops
/// over `next`. In a composed iterator, such as a flattened iterator, each call of `next` would begin with a search for the current part.
/// If the number is small, the preparations of `extend` take longer than the loop over the items.
#[inline]
pub(crate) fn push_all<T>(items: impl Iterator<Item = T>, all: &mut Vec<T>) {
    const FEW: usize = 8;
    let (least, most) = items.size_hint();
    if least >= FEW {
        if most == Some(least) {
            all.extend(items);
            return;
        }
        all.reserve(least);
    }
    items.for_each(|item| all.push(item));
}

/// Returns true if all values of this type have the same number of items, as arrays do. A flattened sequence of such values has a
/// known length.
#[inline]
pub(crate) fn is_of_one_size<I: IntoIterator>() -> bool {
    let one = iter::repeat_with(|| -> I { unreachable!("only asked how many there are") }).take(1);
    let (least, most) = one.flatten().size_hint();
    most == Some(least)
}

/// A chunk that is also a [`Source`]. All positions of such a chunk are contiguous, so every part of the chunk is a source, too.
pub trait Solid: Chunk + Send {}

impl<C: Solid> Source for C {
    type Item = C::Item;
    type Chunk = C;

    #[inline]
    fn len(&self) -> usize {
        Chunk::len(self)
    }

    #[inline]
    fn take_front(&mut self, count: usize) -> C {
        self.cut(count)
    }

    #[inline]
    fn split_off(&mut self, at: usize) -> C {
        let left = self.cut(at);
        std::mem::replace(self, left)
    }
}

/// A chunk that can also be iterated from its end. If the items of a sequence have indices, all its chunks are reversible.
pub trait Reversible: Chunk {
    /// The iterator from the end.
    type Back: Iterator<Item = Self::Item>;

    /// Returns an iterator from the end.
    fn into_back(self) -> Self::Back;
}

#[cfg(test)]
mod tests {
    use super::{is_of_one_size, push_all};

    #[test]
    fn arrays_are_of_one_size() {
        assert!(is_of_one_size::<[u8; 2]>() && is_of_one_size::<[String; 0]>());
        assert!(!is_of_one_size::<Vec<u8>>() && !is_of_one_size::<Option<u8>>());
        assert!(!is_of_one_size::<&[u8]>());
    }

    #[test]
    fn push_all_appends_items_with_and_without_an_exact_length() {
        for count in [0, 1, 7, 8, 100] {
            let mut all = vec![-1];
            push_all(0..count, &mut all);
            push_all((0..count).filter(|i| i % 2 == 0), &mut all);
            let even = (0..count).filter(|i| i % 2 == 0);
            assert!(all.into_iter().eq((-1..count).chain(even)));
        }
    }
}
