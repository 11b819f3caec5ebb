//! Sequences that can be cut in two at any time, so that a worker can give half of the remaining items away.

use std::iter;

/// The remaining items of a sequence. Chunks can be taken from its front one by one, and it can be cut in two at any position.
///
/// The source of a slice is a pair of addresses. The source of a rope is a zipper (Huet's; Rainey's thesis, section 4.1.1), whose
/// chunks never cross the end of a leaf.
pub trait Source: Sized + Send {
    /// The type of the items.
    type Item;
    /// The type of a contiguous piece.
    type Chunk: Chunk<Item = Self::Item>;

    /// Returns the number of positions left.
    fn len(&self) -> usize;

    /// Returns the number of contiguous positions at the front, up to `at_most`. It is at least 1 if neither `at_most` nor the
    /// length is 0.
    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        at_most.min(self.len())
    }

    /// Returns the number of contiguous positions at the end, up to `at_most`. Like [`reach`](Self::reach), it is at least 1 if
    /// neither `at_most` nor the length is 0.
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

    /// Keeps the first `at` positions, and returns the rest.
    #[must_use]
    fn split_off(&mut self, at: usize) -> Self;

    /// Returns the position at which the structure splits: between the subtrees of a tree, and otherwise in the middle. The
    /// position is neither 0 nor the length. Returns `None` for a leaf, which has no structure.
    fn split_point(&self) -> Option<usize> {
        let len = self.len();
        (len > LEAF).then_some(len / 2)
    }
}

/// Greatest number of items in a leaf of a rope. Arrays have no structure, and count as balanced trees with leaves of this length.
pub(crate) const LEAF: usize = 1024;

/// Number of items between two prefetches in the loop over a chunk, if the loop prefetches memory.
pub(crate) const LOOK_EVERY: usize = 64;

/// A piece of a sequence that is iterated without interruption.
pub trait Chunk: Sized {
    /// The type of the items.
    type Item;
    /// The iterator over the chunk.
    type Iter: Iterator<Item = Self::Item>;

    /// Returns the number of positions. The chunk of a filtered sequence yields fewer items than it has positions.
    fn len(&self) -> usize;

    /// Splits off and returns the first `count` positions. The chunk has at least `count` positions.
    #[must_use]
    fn cut(&mut self, count: usize) -> Self;

    /// Returns an iterator over the chunk.
    fn into_iter(self) -> Self::Iter;

    /// If at least [`LOOK_EVERY`] contiguous items are left, prefetches memory some way behind these items and returns true.
    #[inline]
    fn look_ahead(&self) -> bool {
        false
    }

    /// Appends the items to a vector if the chunk has an efficient way to do so. Otherwise returns the chunk as the error.
    #[inline]
    fn append_to(self, _all: &mut Vec<Self::Item>) -> Result<(), Self> {
        Err(self)
    }
}

/// Appends the items of an iterator to a vector.
///
/// If the number of items is unknown or small, the items are visited with `for_each` instead of a loop over `next`. In a composed
/// iterator, such as a flattened one, each call of `next` would begin with a search for the current part. For few items, the
/// preparation of a loop takes longer than the items do.
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

/// A chunk that is also a sequence. All its positions are contiguous, so every part of it is again such a chunk.
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
    fn items_go_behind_the_others_whatever_is_known_of_them() {
        for count in [0, 1, 7, 8, 100] {
            let mut all = vec![-1];
            push_all(0..count, &mut all);
            push_all((0..count).filter(|i| i % 2 == 0), &mut all);
            let even = (0..count).filter(|i| i % 2 == 0);
            assert!(all.into_iter().eq((-1..count).chain(even)));
        }
    }
}
