//! The word that contains both ends of the public part.

/// The public part of a split deque. `head` and `split` are indices of slots, and thieves may claim the slots `head..split`.
///
/// Both indices share one 64-bit word, so that one compare-and-swap decides a thief's claim, an owner's
/// reclaim, or a forced exposure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    /// The oldest frame that no thread has claimed.
    pub(super) head: u32,
    /// The index above the newest frame that thieves may claim.
    pub(super) split: u32,
}

impl Range {
    /// Returns the packed form: `head` in the low half, `split` in the high half.
    pub(super) const fn pack(self) -> u64 {
        (self.split as u64) << 32 | self.head as u64
    }

    /// Returns the range from the packed form of [`Range::pack`].
    pub(super) const fn unpack(word: u64) -> Self {
        Range {
            head: word as u32,
            split: (word >> 32) as u32,
        }
    }

    /// Returns an empty public part at `index`.
    pub(super) const fn empty_at(index: u32) -> Self {
        Range {
            head: index,
            split: index,
        }
    }

    /// Returns the number of frames that a thief could claim now.
    pub(super) const fn len(self) -> u32 {
        self.split.saturating_sub(self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn packs_and_unpacks() {
        for (head, split) in [(0, 0), (1, 2), (u32::MAX, 0), (0, u32::MAX), (7, u32::MAX)] {
            let range = Range { head, split };
            assert_eq!(Range::unpack(range.pack()), range);
        }
        assert_eq!(Range { head: 3, split: 5 }.pack(), 5 << 32 | 3);
        assert_eq!(Range { head: 3, split: 5 }.len(), 2);
        assert_eq!(Range::empty_at(9).len(), 0);
    }
}
