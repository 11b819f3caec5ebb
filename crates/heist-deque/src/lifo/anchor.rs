//! The anchor: one word that has the number of items, and a tag that counts the puts.

use crate::generation::CLOSED;

/// The width of the tag in bits. The tag is narrow in models, so that a few puts use up the tags.
const TAG_BITS: u32 = if cfg!(loom) { 2 } else { 32 };

/// The maximum number of slots of a generation. This maximum excludes a tail whose bits are all 1, so that no anchor of a current
/// generation is [`CLOSED`].
pub(super) const MOST: usize = u32::MAX as usize - 1;

/// ```text
///  63            32 31            0
/// +----------------+---------------+
/// |      tag       |     tail      |
/// +----------------+---------------+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor(u64);

/// The number that a put adds to the anchor: one for the tail, and one for the tag. In the mutant `lifo_tag`, a put does not change the
/// tag.
const PUT: u64 = if cfg!(heist_mutant = "lifo_tag") {
    1
} else {
    1 + (1 << (u64::BITS - TAG_BITS))
};

impl Anchor {
    /// Returns the anchor of a new generation with `tail` items.
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

    /// Returns the number of items, which is the index of the first free slot.
    #[inline(always)]
    pub(super) fn tail(self) -> usize {
        self.0 as u32 as usize
    }

    /// Returns the anchor with one more item and the next tag, or `None` if the generation has no
    /// tag left.
    ///
    /// The tail must be below [`MOST`].
    #[inline(always)]
    pub(super) fn put(self) -> Option<Self> {
        if cfg!(heist_mutant = "lifo_worn") {
            return Some(Anchor(self.0.wrapping_add(PUT)));
        }
        // The tag is in the highest bits, so the word overflows if the tag overflows.
        self.0.checked_add(PUT).map(Anchor)
    }

    /// Returns the anchor with one item fewer. The tail must not be 0.
    #[inline(always)]
    pub(super) fn take(self) -> Self {
        Anchor(self.0 - 1)
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

    fn parts(anchor: Anchor) -> (usize, u64) {
        (anchor.tail(), anchor.word() >> 32)
    }

    #[test]
    fn parts_do_not_touch() {
        let full = Anchor::with(MOST - 1).put().unwrap();
        assert_eq!(parts(full), (MOST, 1));
        assert_eq!(parts(full.take()), (MOST - 1, 1));
    }

    #[test]
    fn the_last_tag_is_the_last() {
        let last = Anchor::of(!0 << 32 | 5);
        assert_eq!((last.tail(), last.put()), (5, None));
        let before = Anchor::of(last.word() - (1 << 32));
        assert_eq!(before.put().map(parts), Some((6, u64::from(u32::MAX))));
    }

    #[test]
    fn no_anchor_is_closed() {
        assert!(!Anchor::of(!0 << 32 | MOST as u64).is_closed());
        assert!(Anchor::of(CLOSED).is_closed());
    }
}
