//! The anchor: one word that has the position of the items, their number, and a tag that counts the puts.

use crate::generation::CLOSED;

/// The width of the size in bits. The size may equal the capacity.
const SIZE_BITS: u32 = 19;
/// The width of the head in bits. The head is an index modulo 2^18.
const HEAD_BITS: u32 = 18;
const HEAD_AT: u32 = SIZE_BITS;
/// The width of the tag in bits. The tag is narrow in models, so that a few puts use up the tags.
const TAG_BITS: u32 = if cfg!(loom) { 2 } else { 27 };

/// The maximum number of slots of a generation. This number is a power of two, and at most the number of values of the head, so that a head
/// means the same slot after it wraps.
pub(super) const MOST: usize = if cfg!(loom) { 4 } else { 1 << HEAD_BITS };

const SIZE_MASK: u64 = (1 << SIZE_BITS) - 1;
const HEAD_MASK: u64 = (1 << HEAD_BITS) - 1;

/// ```text
///  63       37 36      19 18       0
/// +-----------+----------+----------+
/// |    tag    |   head   |   size   |
/// +-----------+----------+----------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor(u64);

/// The number that a put adds to the anchor: one for the size, and one for the tag. In the mutant `double_ended_tag`, a put does not change
/// the tag.
const PUT: u64 = if cfg!(heist_mutant = "double_ended_tag") {
    1
} else {
    1 + (1 << (u64::BITS - TAG_BITS))
};

impl Anchor {
    /// Returns the anchor of a new generation with `size` items from index `head` on.
    pub(super) fn with(head: usize, size: usize) -> Self {
        debug_assert!(size <= MOST);
        Anchor((head as u64 & HEAD_MASK) << HEAD_AT | size as u64)
    }

    #[inline(always)]
    pub(super) fn of(word: u64) -> Self {
        Anchor(word)
    }

    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        self.0
    }

    /// Returns the number of items.
    #[inline(always)]
    pub(super) fn size(self) -> usize {
        (self.0 & SIZE_MASK) as usize
    }

    /// Returns the index of the oldest item. The item's slot is this index modulo the capacity.
    #[inline(always)]
    pub(super) fn head(self) -> usize {
        (self.0 >> HEAD_AT & HEAD_MASK) as usize
    }

    /// Returns the anchor with one more item and the next tag, or `None` if the generation has no
    /// tag left.
    ///
    /// The size must be below [`MOST`].
    #[inline(always)]
    pub(super) fn put(self) -> Option<Self> {
        if cfg!(heist_mutant = "double_ended_worn") {
            return Some(Anchor(self.0.wrapping_add(PUT)));
        }
        // The tag is in the highest bits, so the word overflows if the tag overflows.
        self.0.checked_add(PUT).map(Anchor)
    }

    /// Returns the anchor without the `count` newest items. The deque must have at least `count` items.
    #[inline(always)]
    pub(super) fn take(self, count: usize) -> Self {
        Anchor(self.0 - count as u64)
    }

    /// Returns the anchor without the `count` oldest items. The deque must have at least `count` items.
    #[inline(always)]
    pub(super) fn steal(self, count: usize) -> Self {
        let count = count as u64;
        let head = (self.head() as u64 + count) & HEAD_MASK;
        Anchor((self.0 & !(HEAD_MASK << HEAD_AT) | head << HEAD_AT) - count)
    }

    /// Returns true if the owner has closed the generation.
    #[inline(always)]
    pub(super) fn is_closed(self) -> bool {
        self.0 == CLOSED
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const TAG_AT: u32 = HEAD_AT + HEAD_BITS;

    fn parts(anchor: Anchor) -> (usize, usize, u64) {
        (anchor.size(), anchor.head(), anchor.word() >> TAG_AT)
    }

    #[test]
    fn parts_do_not_touch() {
        let anchor = Anchor::with(0, MOST - 1).put().unwrap();
        assert_eq!(parts(anchor), (MOST, 0, 1));
        assert_eq!(parts(anchor.take(1)), (MOST - 1, 0, 1));
        assert_eq!(parts(anchor.steal(1)), (MOST - 1, 1, 1));
    }

    #[test]
    fn heads_come_round() {
        let last = Anchor::of(5 << TAG_AT | HEAD_MASK << HEAD_AT | 3);
        assert_eq!(parts(last), (3, MOST - 1, 5));
        assert_eq!(parts(last.steal(1)), (2, 0, 5));
    }

    #[test]
    fn the_last_tag_is_the_last() {
        let last = Anchor::of(!0 << TAG_AT | 7 << HEAD_AT | 5);
        assert_eq!(last.put(), None);
        let before = Anchor::of(last.word() - (1 << TAG_AT));
        assert_eq!(before.put().map(parts), Some((6, 7, (1 << TAG_BITS) - 1)));
    }

    #[test]
    fn no_anchor_is_closed() {
        let fullest = Anchor::of(!0 << HEAD_AT | MOST as u64);
        assert!(!fullest.is_closed());
        assert!(Anchor::of(CLOSED).is_closed());
    }
}
