//! Resolves the bounds of ranges.

use std::ops::{Bound, Range, RangeBounds};

/// Returns the start and end of a range in a sequence of `len` items. The text `of` names the sequence in panic messages.
///
/// # Panics
/// Panics if the range ends behind the end of the sequence, or before its own start.
#[track_caller]
pub(crate) fn resolve(range: &impl RangeBounds<usize>, len: usize, of: &str) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    let (Some(start), Some(end)) = (start, end) else {
        panic!("heist: a range of {of} ends behind usize::MAX");
    };
    assert!(
        start <= end && end <= len,
        "heist: the range {start}..{end} of {of} of {len} items"
    );
    start..end
}
