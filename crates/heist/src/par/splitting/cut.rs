//! The positions at which a sequence is cut.

/// Returns the number of positions to the left of a cut through the `len` positions that begin at `at`. The cut is at the multiple of
/// `grain` nearest to position `at + keep`, or at `at + keep` itself if this multiple is more than a quarter of `len` away.
///
/// Under every policy, a job has extra work if a part begins in the middle of a grain. For example, a fold must store the items of a leaf
/// that another part has begun.
///
/// If `keep` is between 1 and `len - 1`, the result is also in this range.
#[inline]
pub(super) fn cut(at: usize, len: usize, keep: usize, grain: usize) -> usize {
    let over = (at + keep) & (grain - 1);
    let aligned = if over <= grain / 2 {
        keep.checked_sub(over)
    } else {
        keep.checked_add(grain - over)
    };
    aligned
        .filter(|&cut| 0 < cut && cut < len && cut.abs_diff(keep) <= len / 4)
        .unwrap_or(keep)
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn at_grains_if_they_are_near() {
        // The cut of a million positions that begin at 0 is after 122 leaves of 4096, which is nearest to the middle.
        assert_eq!(cut(0, 1_000_000, 500_000, 4096), 122 * 4096);
        // The next multiple of the grain above is nearer than the one below.
        assert_eq!(cut(0, 2 * 4096 - 1, 4095, 4096), 4096);
        // The part begins in the middle of a leaf.
        assert_eq!(cut(96, 2 * 4096, 4096, 4096), 4000);
        // No multiple of the grain is near.
        assert_eq!(cut(0, 4097, 2048, 4096), 2048);
        assert_eq!(cut(4096, 128, 64, 4096), 64);
        assert_eq!(cut(10, 7, 3, 1), 3);
    }

    #[test]
    fn both_sides_have_some() {
        for grain in [1, 2, 4, 8, 64] {
            for at in 0..130 {
                for len in 2..70 {
                    for keep in 1..len {
                        let cut = cut(at, len, keep, grain);
                        assert!(0 < cut && cut < len, "{at} {len} {keep} {grain}");
                        assert!(cut == keep || (at + cut) % grain == 0);
                    }
                }
            }
        }
    }
}
