//! Sequences that can be cut: half of their rest can be given away at any time.

use std::iter;

/// The rest of a sequence that is paused or not begun. Chunks can be taken from its front one by one, and
/// it can be cut in two anywhere.
///
/// For slices it is a pair of addresses. For ropes it is a zipper (Huet's; Rainey's thesis, section 4.1.1), whose
/// chunks never cross the end of a leaf.
pub trait Source: Sized + Send {
    /// The type of the items.
    type Item;
    /// A contiguous piece.
    type Chunk: Chunk<Item = Self::Item>;

    /// Number of positions left.
    fn len(&self) -> usize;

    /// The number of next contiguous positions, up to `at_most`. It is at least 1 if neither `at_most` nor the length is 0.
    #[inline]
    fn reach(&self, at_most: usize) -> usize {
        at_most.min(self.len())
    }

    /// Like [`reach`](Self::reach), for the last positions.
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

    /// Keeps the first `at` positions, and gives away the rest.
    #[must_use]
    fn split_off(&mut self, at: usize) -> Self;

    /// The position at which the structure splits: between the subtrees of a tree, otherwise in the middle. Between 0 and
    /// the length, both excluded; `None` if it has no structure any more, being a leaf.
    fn split_point(&self) -> Option<usize> {
        let len = self.len();
        (len > LEAF).then_some(len / 2)
    }
}

/// Greatest number of items in a leaf of a rope. Arrays, which have no structure, also count as balanced trees with such leaves.
pub(crate) const LEAF: usize = 1024;

/// Number of items after which an owner with time for it looks ahead.
pub(crate) const LOOK_EVERY: usize = 64;

/// A piece of a sequence that is iterated without a pause.
pub trait Chunk: Sized {
    /// The type of the items.
    type Item;
    /// Runs through it.
    type Iter: Iterator<Item = Self::Item>;

    /// Number of positions. Filtered sequences yield fewer items.
    fn len(&self) -> usize;

    /// Takes the first `count` positions, which it has.
    #[must_use]
    fn cut(&mut self, count: usize) -> Self;

    /// Runs through it.
    fn into_iter(self) -> Self::Iter;

    /// Prefetches memory some way behind the next [`LOOK_EVERY`] items, if these are contiguous and not fewer; returns true if so. An
    /// empty chunk has none.
    #[inline]
    fn look_ahead(&self) -> bool {
        false
    }

    /// Moves its items behind those of a vector, if it has an efficient way to do so; otherwise returns itself.
    #[inline]
    fn append_to(self, _all: &mut Vec<Self::Item>) -> Result<(), Self> {
        Err(self)
    }
}

/// Moves the items of an iterator behind those of a vector.
///
/// An iterator of unknown length visits its items itself: in composed iterators, such as flattened ones, each step would begin with the
/// question which part is next. An iterator of few items does so, too, because preparing for them takes longer than processing them.
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

/// Whether all values of this type have the same number of items, like arrays, so that flattened sequences know their length.
#[inline]
pub(crate) fn is_of_one_size<I: IntoIterator>() -> bool {
    let one = iter::repeat_with(|| -> I { unreachable!("only asked how many there are") }).take(1);
    let (least, most) = one.flatten().size_hint();
    most == Some(least)
}

/// A chunk that is also a sequence: all of it is contiguous, so every part of it is such a chunk again.
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

/// A chunk that can also be iterated from the end, as any chunk of a sequence whose items have indices.
pub trait Reversible: Chunk {
    /// Runs through it from behind.
    type Back: Iterator<Item = Self::Item>;

    /// Runs through it from behind.
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
