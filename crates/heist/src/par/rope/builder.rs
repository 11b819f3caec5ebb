//! Builders of ropes, from left to right.

use super::leaf::{Leaf, make_room};
use super::tree::Tree;
use super::{DEFAULT_LEAF, Rope, checked_leaf};
use std::fmt;

/// Builds a [`Rope`] from left to right, with full leaves.
///
/// A push takes amortised O(1), and `finish` takes O(number of leaves). An item moves at most a few times while its leaf grows, and never
/// moves again once the leaf is full. The drop of a builder drops its items, also during a panic.
///
/// In parallel, each worker fills its own builder, and the builders are [appended](Self::append) in order.
///
/// ```
/// use heist::par::RopeBuilder;
///
/// let mut builder = RopeBuilder::with_leaf(100);
/// builder.extend(0..250);
/// builder.push(250);
/// builder.push_vec(vec![251, 252]);
/// let rope = builder.finish();
/// assert_eq!(rope.leaves().map(<[i32]>::len).collect::<Vec<_>>(), [100, 100, 53]);
/// assert!(rope.into_iter().eq(0..253));
/// ```
pub struct RopeBuilder<T> {
    // Invariant: two neighbours among these leaves and the current leaf have more than `max` items together (if no builder of
    // another leaf size was appended). If the current leaf is empty, the last leaf of this list is full. No rope has any of the
    // leaves. The builder of a part of a sequence that keeps its length has another invariant: all leaves are full, except for the
    // first leaf, whose length `room` determines, and the current leaf.
    full: Vec<Leaf<T>>,
    current: Vec<T>,
    len: usize,
    max: usize,
    /// Maximum number of items of the current leaf: `max`, except for the first leaf of a [part](Self::of_part).
    room: usize,
    /// The number of items from the beginning of the part to the end of the sequence. Fewer items follow if the part is cut or the
    /// operation ends early. The number is 0 if it is unknown.
    promised: usize,
}

impl<T> RopeBuilder<T> {
    /// Creates a builder of a rope with leaves of [`DEFAULT_LEAF`] items.
    #[must_use]
    pub fn new() -> Self {
        RopeBuilder::with_leaf(DEFAULT_LEAF)
    }

    /// Creates a builder of a rope with leaves of `leaf` items.
    ///
    /// # Panics
    /// Panics if `leaf` is 0 or more than [`MAX_LEAF`](super::MAX_LEAF).
    #[must_use]
    #[track_caller]
    pub fn with_leaf(leaf: usize) -> Self {
        Self::of_part(leaf, 0, 0)
    }

    /// Returns a builder of the part that begins at position `at`, for a rope of `all` items. The first leaf of a part fills up the last
    /// leaf of the part to its left. So all leaves but the last are full, no matter where parts begin. The builder allocates the full size
    /// of a leaf in one step, because a leaf that grew by doubling would leave freed blocks of many sizes in memory. Only the first leaf of
    /// a part grows by doubling, because the part may have few items.
    #[track_caller]
    pub(crate) fn of_part(leaf: usize, at: usize, all: usize) -> Self {
        let max = checked_leaf(leaf);
        RopeBuilder {
            full: Vec::new(),
            current: Vec::new(),
            len: 0,
            max,
            room: max - at % max,
            promised: all.saturating_sub(at),
        }
    }

    /// Returns the number of items. Takes O(1).
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len + self.current.len()
    }

    /// Returns true if the builder has no items.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends an item. Takes amortised O(1).
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.current.len() == self.current.capacity() || self.current.len() == self.room {
            self.grow();
        }
        self.current.push(item);
    }

    /// Makes room for an item in the current leaf. Begins a new leaf if the current leaf is full.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        if self.current.len() >= self.room {
            self.flush();
        }
        let room = self.room - self.current.len();
        match self.to_come() {
            // The first leaf may remain the only leaf, and may have few items. Most later leaves become full.
            0 if self.full.is_empty() => make_room(&mut self.current, room.min(4), self.room),
            0 => self.current.reserve_exact(room),
            to_come => self.current.reserve_exact(room.min(to_come)),
        }
    }

    /// Returns the maximum number of items that may follow, or 0 if this number is unknown. Also returns 0 while the part is empty.
    fn to_come(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.promised.saturating_sub(self.len())
    }

    /// Appends all items of an array. If the array is at most as long as a leaf but does not fit into the current leaf, the array becomes a
    /// leaf, and no items move. Otherwise the builder moves the array's items.
    pub fn push_vec(&mut self, mut items: Vec<T>) {
        if items.len() > self.max {
            self.extend(items);
        } else if items.len() <= self.room - self.current.len() && !self.current.is_empty() {
            make_room(&mut self.current, items.len(), self.room);
            self.current.append(&mut items);
        } else if !items.is_empty() {
            self.flush();
            self.current = items;
        }
    }

    /// Appends all items of `other`. If the items of the first leaf of `other` fit into the current leaf, they move into the current leaf.
    /// All other leaves of `other` stay unchanged. Takes O(number of leaves of `other` + number of items in two leaves). If the leaf sizes
    /// differ, the result has the larger leaf size.
    ///
    /// ```
    /// use heist::par::RopeBuilder;
    ///
    /// let (mut left, mut right) = (RopeBuilder::with_leaf(4), RopeBuilder::with_leaf(4));
    /// left.extend(0..7);
    /// right.extend(7..12);
    /// left.append(right);
    /// let rope = left.finish();
    /// assert_eq!(rope.leaves().map(<[i32]>::len).collect::<Vec<_>>(), [4, 3, 4, 1]);
    /// assert!(rope.into_iter().eq(0..12));
    /// ```
    pub fn append(&mut self, mut other: RopeBuilder<T>) {
        let max = self.max.max(other.max);
        if self.is_empty() {
            *self = std::mem::take(&mut other);
        }
        if self.room == self.max {
            self.room = max;
        }
        self.max = max;
        let mut leaves = std::mem::take(&mut other.full).into_iter();
        if let Some(first) = leaves.next() {
            let (current, len) = (self.current.len(), first.len());
            if current > 0 && len <= self.room - current {
                make_room(&mut self.current, len, self.room);
                first.move_to(&mut self.current, None);
            } else {
                self.flush();
                self.keep(first);
            }
            if leaves.len() > 0 {
                self.flush();
                self.len += other.len - len;
                self.full.extend(leaves);
            }
        }
        self.push_vec(std::mem::take(&mut other.current));
    }

    /// Moves the current items to a new leaf at the end of the list.
    fn flush(&mut self) {
        if !self.current.is_empty() {
            let leaf = Leaf::new(std::mem::take(&mut self.current));
            self.keep(leaf);
            self.room = self.max;
        }
    }

    /// Appends a leaf behind all other leaves.
    fn keep(&mut self, leaf: Leaf<T>) {
        self.len += leaf.len();
        self.full.push(leaf);
    }

    /// Returns the last item.
    pub(crate) fn last(&self) -> Option<&T> {
        let of_full = || self.full.last().and_then(|leaf| leaf.items().last());
        self.current.last().or_else(of_full)
    }

    /// Returns all items, as the pieces in which the builder stores them.
    pub(crate) fn pieces(&mut self) -> Vec<&mut [T]> {
        let full = self.full.iter_mut().map(Leaf::items_mut);
        full.chain([&mut self.current[..]]).collect()
    }

    /// Returns a rope of all items but the last, and the last item. Takes O(number of leaves).
    pub(crate) fn finish_but_last(mut self) -> (Rope<T>, Option<T>) {
        if self.current.is_empty() {
            if let Some(last) = self.full.pop() {
                self.len -= last.len();
                last.move_to(&mut self.current, None);
            }
        }
        // Leaves at the end of a rope may be small.
        let last = self.current.pop();
        (self.finish(), last)
    }

    /// Returns the rope of all items. Takes O(number of leaves).
    #[must_use]
    pub fn finish(mut self) -> Rope<T> {
        self.flush();
        Rope {
            root: Tree::of_leaves(self.full),
            max: self.max,
        }
    }
}

impl<T> Extend<T> for RopeBuilder<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        let mut items = items.into_iter();
        let (least, most) = items.size_hint();
        if most != Some(least) {
            // `for_each` is used because in a flattened iterator each call of `next` would begin with a search for the current
            // part.
            let room = self.room - self.current.len();
            make_room(&mut self.current, room.min(least), self.room);
            items.for_each(|item| self.push(item));
            return;
        }
        loop {
            if self.current.len() == self.room {
                self.flush();
            }
            let room = self.room - self.current.len();
            let least = items.size_hint().0;
            if least > 0 {
                let expected = least.max(self.to_come());
                make_room(&mut self.current, room.min(expected), self.room);
            }
            self.current.extend(items.by_ref().take(room));
            if self.current.len() < self.room {
                return;
            }
        }
    }
}

impl<T> Default for RopeBuilder<T> {
    fn default() -> Self {
        RopeBuilder::new()
    }
}

impl<T> fmt::Debug for RopeBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RopeBuilder")
            .field("len", &self.len())
            .field("leaf", &self.max)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::RopeBuilder;

    #[test]
    fn a_leaf_of_a_part_gets_all_its_room_at_once() {
        let rooms = |extend: &dyn Fn(&mut RopeBuilder<i32>, i32)| -> Vec<usize> {
            let mut part = RopeBuilder::of_part(8, 3, 23);
            let rooms = (3..23).map(|item| {
                extend(&mut part, item);
                part.current.capacity()
            });
            let rooms = rooms.collect();
            assert!(part.finish().into_iter().eq(3..23));
            rooms
        };
        // The list begins with the second item. A full leaf is appended to the list together with its last item, or when the next
        // item arrives.
        let exact = rooms(&|part, item| part.extend([item]));
        assert_eq!(
            exact[1..],
            [&[5; 3][..], &[0], &[8; 7], &[0], &[7; 7]].concat()
        );
        let filtered = rooms(&|part, item| part.extend([item].into_iter().filter(|_| true)));
        assert_eq!(filtered[4..], [&[5][..], &[8; 8], &[7; 7]].concat());
    }

    #[test]
    fn a_part_of_few_items_does_not_get_room_for_all() {
        let mut part = RopeBuilder::of_part(1 << 20, 0, usize::MAX);
        part.extend([1, 2]);
        assert!(part.current.capacity() < 8);
    }
}
