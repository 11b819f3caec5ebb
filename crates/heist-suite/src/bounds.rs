//! Checks of input sizes, and of results that need not be exact.

use std::ops::RangeInclusive;

/// Returns `n` if it is within bounds. If `n` is out of bounds, returns one line that describes the error.
pub(crate) fn within(what: &str, n: u64, bounds: RangeInclusive<u64>) -> Result<usize, String> {
    if bounds.contains(&n) {
        Ok(n as usize)
    } else {
        Err(format!(
            "{what} must be {} to {}, not {n}",
            bounds.start(),
            bounds.end()
        ))
    }
}

/// Checks a number that must be a power of two within bounds.
pub(crate) fn power_of_two(
    what: &str,
    n: u64,
    bounds: RangeInclusive<u64>,
) -> Result<usize, String> {
    if bounds.contains(&n) && n.is_power_of_two() {
        Ok(n as usize)
    } else {
        Err(format!(
            "{what} must be a power of two, {} to {}, not {n}",
            bounds.start(),
            bounds.end()
        ))
    }
}

/// Returns true if the numbers differ by no more than the tolerance. Returns false if one of the numbers is NaN.
pub(crate) fn near(is: f64, must: f64, tolerance: f64) -> bool {
    (is - must).abs() <= tolerance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold() {
        assert_eq!(within("n", 3, 1..=4), Ok(3));
        assert_eq!(
            within("n", 0, 1..=4),
            Err("n must be 1 to 4, not 0".to_owned())
        );
        assert!(within("n", u64::MAX, 1..=4).is_err());
        assert_eq!(power_of_two("n", 4, 1..=4), Ok(4));
        assert!(power_of_two("n", 3, 1..=4).is_err());
    }

    #[test]
    fn no_number_is_near_nothing() {
        assert!(near(1.0, 1.1, 0.2));
        assert!(!near(1.0, 1.1, 0.05));
        assert!(!near(f64::NAN, 1.0, 9.0));
    }
}
