//! Places where a sequence is cut.

/// Number of the `len` positions from `at` on that go to the left of a cut. The cut leaves about `keep` there: it is at
/// the nearest multiple of the `grain`, unless that moves it by more than a quarter of all.
///
/// A part that begins in the middle of a grain costs its job extra work (a fold keeps the items of a leaf that another
/// part has begun), under all policies.
///
/// If `keep` is between 1 and `len - 1`, so is the result.
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
        // A million, from the start on: 122 leaves of 4096 are nearest to the middle.
        assert_eq!(cut(0, 1_000_000, 500_000, 4096), 122 * 4096);
        // Upwards, where that is nearer.
        assert_eq!(cut(0, 2 * 4096 - 1, 4095, 4096), 4096);
        // A part that begins in the middle of a leaf.
        assert_eq!(cut(96, 2 * 4096, 4096, 4096), 4000);
        // Far from any.
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
