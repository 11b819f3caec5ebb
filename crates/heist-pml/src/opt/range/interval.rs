//! Ranges of integers, and the effects of conditions and operations on them.

/// The maximum length of an array, vector or string.
pub(super) const LONGEST: i64 = 1 << 48;

/// The integers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

pub(super) const ALL: Range = Range {
    low: i64::MIN,
    high: i64::MAX,
};

impl Range {
    pub(super) fn new(low: i64, high: i64) -> Range {
        Range { low, high }
    }

    /// Returns the range with these bounds, if the bounds fit in 64 bits.
    pub(super) fn wide(low: i128, high: i128) -> Option<Range> {
        Some(Range {
            low: i64::try_from(low).ok()?,
            high: i64::try_from(high).ok()?,
        })
    }

    pub(super) fn union(self, other: Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns a range that contains `self` and `to`. New bounds come from a small set of values, so repeated widening ends.
    pub(super) fn widened(self, to: Range) -> Range {
        let low = if to.low >= self.low {
            self.low
        } else if to.low >= 0 {
            0
        } else if to.low >= -1 {
            -1
        } else {
            i64::MIN
        };
        let high = if to.high <= self.high {
            self.high
        } else if to.high <= LONGEST {
            LONGEST
        } else if to.high < i64::MAX {
            i64::MAX - 1
        } else {
            i64::MAX
        };
        Range { low, high }
    }
}

pub(super) fn clamp(low: i128, high: i128) -> Range {
    let fit = |value: i128| value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    Range::new(fit(low), fit(high))
}

/// Returns the ranges of `a` and `b` under the condition `a + by <= b`. So `by` is 1 for `a < b`, and 0 for `a <= b`.
pub(super) fn below(a: Range, b: Range, by: i64) -> (Range, Range) {
    let high = a.high.min(b.high.saturating_sub(by));
    let low = b.low.max(a.low.saturating_add(by));
    (Range::new(a.low, high), Range::new(low, b.high))
}

pub(super) fn swap((a, b): (Range, Range)) -> (Range, Range) {
    (b, a)
}

/// Removes the number in `excluded` from a range. Does nothing unless `excluded` contains a single number, which is a bound of the range.
pub(super) fn without(range: Range, excluded: Range) -> Range {
    if excluded.low != excluded.high {
        return range;
    }
    let low = if range.low == excluded.low {
        range.low.saturating_add(1)
    } else {
        range.low
    };
    let high = if range.high == excluded.low {
        range.high.saturating_sub(1)
    } else {
        range.high
    };
    Range::new(low, high)
}
