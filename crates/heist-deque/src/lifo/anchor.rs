//! The anchor: how many items there are, and how many puts there have been, in one word.

use crate::generation::CLOSED;

/// Width of the tail. The tag has the rest of the word.
const TAIL_BITS: u32 = 24;
/// Width of the tag: narrow in models, so that it wears out within a few puts.
const TAG_BITS: u32 = if cfg!(loom) { 2 } else { 40 };

/// The most slots of a generation. Larger tails are left out, so that no anchor is [`CLOSED`].
pub(super) const MOST: usize = if cfg!(loom) { 4 } else { (1 << TAIL_BITS) - 2 };

/// ```text
///  63           24 23        0
/// +---------------+-----------+
/// |      tag      |   tail    |
/// +---------------+-----------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor(u64);

/// What a put adds: one to the tail, one to the tag. In a mutant nothing to the tag.
const PUT: u64 = if cfg!(heist_mutant = "lifo_tag") {
    1
} else {
    1 + (1 << (u64::BITS - TAG_BITS))
};

impl Anchor {
    /// Of a new generation with `tail` items.
    pub(super) fn with(tail: usize) -> Self {
        debug_assert!(tail <= MOST);
        Anchor(tail as u64)
    }

    #[inline(always)]
    pub(super) fn of(word: u64) -> Self {
        Anchor(word)
    }

    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        self.0
    }

    /// How many items there are: the index of the first free slot.
    #[inline(always)]
    pub(super) fn tail(self) -> usize {
        (self.0 & ((1 << TAIL_BITS) - 1)) as usize
    }

    /// With one more item and the next tag. `None`: there is no next tag, the generation is worn out.
    ///
    /// The tail must be below [`MOST`].
    #[inline(always)]
    pub(super) fn put(self) -> Option<Self> {
        if cfg!(heist_mutant = "lifo_worn") {
            return Some(Anchor(self.0.wrapping_add(PUT)));
        }
        // The tag is on top, so its overflow is that of the word.
        self.0.checked_add(PUT).map(Anchor)
    }

    /// Without the `count` newest items. There must be so many.
    #[inline(always)]
    pub(super) fn take(self, count: usize) -> Self {
        Anchor(self.0 - count as u64)
    }

    /// Whether the generation is over.
    #[inline(always)]
    pub(super) fn is_closed(self) -> bool {
        self.0 == CLOSED
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_touch() {
        let anchor = Anchor::with(MOST - 1);
        let full = anchor.put().unwrap();
        assert_eq!((full.tail(), full.word() >> TAIL_BITS), (MOST, 1));
        assert_eq!(
            (full.take(1).tail(), full.take(1).word() >> TAIL_BITS),
            (MOST - 1, 1)
        );
    }

    #[test]
    fn the_last_tag_is_the_last() {
        let last = Anchor::of(!((1 << TAIL_BITS) - 1) | 5);
        assert_eq!(last.tail(), 5);
        assert_eq!(last.put(), None);
        let before = Anchor::of(last.word() - (1 << TAIL_BITS));
        assert_eq!(before.put().map(Anchor::tail), Some(6));
    }

    #[test]
    fn no_anchor_is_closed() {
        let fullest = Anchor::of(!((1 << TAIL_BITS) - 1) | MOST as u64);
        assert!(!fullest.is_closed());
        assert!(Anchor::of(CLOSED).is_closed());
    }
}
