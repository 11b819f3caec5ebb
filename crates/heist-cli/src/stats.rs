//! Medians, and ratios of samples from the same round.

/// The least, the middle and the greatest of some samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Returns the least, middle and greatest of some samples, or `None` if there are no samples.
    pub(crate) fn of(samples: &[f64]) -> Option<Spread> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Spread {
            min: *sorted.first()?,
            median: middle(&sorted)?,
            max: *sorted.last()?,
        })
    }
}

/// Returns the middle sample, or the mean of the two middle samples. Returns `None` if there are no
/// samples.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    Spread::of(samples).map(|spread| spread.median)
}

/// Returns the median over the rounds of `above[round] / below[round]`.
///
/// A median of ratios is better than a ratio of medians, because two medians may come from different rounds. A disturbance of one round
/// (another process, a hot CPU) would then affect only one side of the ratio.
pub(crate) fn paired_ratio(above: &[f64], below: &[f64]) -> Option<f64> {
    paired(above, below, |a, b| a / b)
}

/// Returns the median over the rounds of `f(left[round], right[round])`.
pub(crate) fn paired(left: &[f64], right: &[f64], f: impl Fn(f64, f64) -> f64) -> Option<f64> {
    assert_eq!(
        left.len(),
        right.len(),
        "paired samples come from the same rounds"
    );
    let values: Vec<f64> = left.iter().zip(right).map(|(&l, &r)| f(l, r)).collect();
    median(&values)
}

/// Returns the geometric mean, which is the right mean of ratios, or `None` if there are no values.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[half]),
        _ => Some((sorted[half - 1] + sorted[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn spreads() {
        assert_eq!(
            Spread::of(&[5.0, 1.0, 3.0]),
            Some(Spread {
                min: 1.0,
                median: 3.0,
                max: 5.0
            })
        );
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn a_slow_round_does_not_bend_a_paired_ratio() {
        // In the first assertion, the contender takes twice as long as the serial run in each of three rounds, while the machine gets
        // slower. In the second assertion, only one of the two runs of the last round was disturbed.
        assert_eq!(
            paired_ratio(&[2.0, 20.0, 200.0], &[1.0, 10.0, 100.0]),
            Some(2.0)
        );
        // For these samples the ratio of the medians would be 20 / 1.
        assert_eq!(
            paired_ratio(&[2.0, 20.0, 20.0], &[1.0, 10.0, 1.0]),
            Some(2.0)
        );
        assert_eq!(paired_ratio(&[], &[]), None);
    }

    #[test]
    #[should_panic(expected = "same rounds")]
    fn pairs_come_from_the_same_rounds() {
        paired_ratio(&[1.0], &[1.0, 2.0]);
    }

    #[test]
    fn geometric_means() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
    }
}
