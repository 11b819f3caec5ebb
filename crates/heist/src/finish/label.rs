//! The places of tasks in program order.

use std::cmp::Ordering;

/// The place of a task in the program order of its scope: the path of spawn numbers from the
/// scope's body to the task, as a bit string. The lexicographic order of these strings is the order
/// of the serial elision.
///
/// Each number is written in a prefix-free code that preserves the order (unary length, then the
/// digits). The first task of a parent takes 1 bit, the n-th about 2 log2(n) bits. Paths longer
/// than 128 bits are cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label {
    high: u64,
    low: u64,
    len: u32,
}

impl Label {
    pub(super) const ROOT: Label = Label {
        high: 0,
        low: 0,
        len: 0,
    };

    /// Returns the label of the `place`-th child.
    pub(super) fn child(self, place: u32) -> Self {
        let number = u64::from(place) + 1;
        let digits = 63 - number.leading_zeros(); // 0..=32
        // The code of a number is `digits` ones, a zero, and the digits of the number without the
        // leading one.
        let ones = (1_u128 << digits) - 1;
        let code = ones << (digits + 1) | u128::from(number - (1 << digits));
        let len = 2 * digits + 1;
        let aligned = code << (128 - len);
        let bits = self.bits()
            | if self.len < 128 {
                aligned >> self.len
            } else {
                0
            };
        Label {
            high: (bits >> 64) as u64,
            low: bits as u64,
            len: (self.len + len).min(128),
        }
    }

    fn bits(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// The place of a task, in 24 bytes of the task itself: the label of its parent, and its number
/// among the parent's children. The task's own label is computed only if the task has children or
/// panics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    high: u64,
    low: u64,
    /// The length of the label in `high` and `low`, with the child's number in the higher bits.
    /// Length and number share a word, because a processor cannot forward two narrow stores to a
    /// wide load that copies both.
    len_and_nth: u64,
}

impl Place {
    /// The place of a scope's body.
    pub(super) const BODY: Place = Place::of(Label::ROOT, 0);

    pub(super) const fn of(parent: Label, nth: u32) -> Self {
        Place {
            high: parent.high,
            low: parent.low,
            len_and_nth: (nth as u64) << 32 | parent.len as u64,
        }
    }

    /// Returns the label that comes after all tasks that the task at this place spawns. A panic of the task itself has this label, because
    /// the serial elision would have run the spawned tasks before the panic.
    pub(super) fn end(self) -> Label {
        self.label().child(u32::MAX)
    }

    // This function is not inlined, because a task's spawns compute the label only once.
    #[inline(never)]
    pub(super) fn label(self) -> Label {
        let parent = Label {
            high: self.high,
            low: self.low,
            len: self.len_and_nth as u32,
        };
        parent.child((self.len_and_nth >> 32) as u32)
    }
}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bits()
            .cmp(&other.bits())
            .then(self.len.cmp(&other.len))
    }
}

#[cfg(test)]
mod tests {
    use super::Label;

    #[test]
    fn order_is_that_of_paths() {
        let label = |path: &[u32]| path.iter().fold(Label::ROOT, |at, &n| at.child(n));
        let paths: &[&[u32]] = &[
            &[],
            &[0],
            &[0, 0],
            &[0, 0, 7],
            &[0, 1],
            &[1],
            &[1, 0],
            &[2],
            &[3, 9],
            &[4],
            &[1000],
            &[1000, 3],
            &[1001],
            &[1 << 31],
            &[u32::MAX - 1],
            &[u32::MAX],
        ];
        for (i, left) in paths.iter().enumerate() {
            for (j, right) in paths.iter().enumerate() {
                assert_eq!(
                    label(left).cmp(&label(right)),
                    i.cmp(&j),
                    "{left:?} {right:?}"
                );
            }
        }
    }

    #[test]
    fn long_paths_stay_below_their_right_neighbours() {
        let deep = (0..1000).fold(Label::ROOT.child(5), |at, _| at.child(3));
        assert!(Label::ROOT.child(5) < deep && deep < Label::ROOT.child(6));
    }
}
