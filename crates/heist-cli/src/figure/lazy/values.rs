//! Values computed from the times: medians of ratios within rounds.

use heist_suite::loops::{Entrant, How};

use super::cells::{Cell, On, THRESHOLDS};
use super::measure::{Outcome, Row};
use crate::stats::{Spread, geometric_mean, paired_ratio};

/// The limit for the ratio of lazy splitting's time to the time of the best threshold.
pub(super) const BAR: f64 = 1.03;

/// The comparison of lazy splitting with the best threshold of the sweep: the threshold with the least median time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AgainstBest {
    pub(super) threshold: usize,
    /// The median over the rounds of a ratio: the time of lazy splitting, divided by the time of the threshold that is best in all other
    /// rounds.
    pub(super) ratio: f64,
    /// The ratio of lazy splitting's least time to the least time of the whole sweep.
    pub(super) of_least: f64,
}

impl AgainstBest {
    pub(super) fn passes(self) -> bool {
        self.ratio <= BAR
    }
}

/// Returns the median ratio over those rounds in which both contenders ran. If one contender has fewer rounds, its rounds are the first
/// rounds of the measurement.
fn ratio(above: &[f64], below: &[f64]) -> Option<f64> {
    let both = above.len().min(below.len());
    paired_ratio(&above[..both], &below[..both])
}

impl Row {
    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.seconds)
    }

    /// Returns the speed-up of this row over the row `base`.
    pub(super) fn speed_up(&self, base: &Row) -> Option<f64> {
        ratio(&base.seconds, &self.seconds)
    }

    /// Returns the parallel efficiency: the speed-up over `base`, in percent of the number of workers.
    pub(super) fn efficiency(&self, base: &Row) -> Option<f64> {
        Some(100.0 * self.speed_up(base)? / self.cell.workers as f64)
    }

    /// Returns the additional time of this row, in percent of the time of `base`.
    pub(super) fn overhead(&self, base: &Row) -> Option<f64> {
        Some(100.0 * (ratio(&self.seconds, &base.seconds)? - 1.0))
    }
}

impl Outcome {
    pub(super) fn find(&self, cell: Cell) -> Option<&Row> {
        self.rows.iter().find(|row| row.cell == cell)
    }

    /// Returns the serial run over slices or ropes, with leaves of the default size.
    pub(super) fn serial(&self, on: On) -> Option<&Row> {
        self.find(Cell::new(on.serial(), 1))
    }

    /// Returns the run of lazy splitting with leaves of the default size.
    pub(super) fn lazy(&self, on: On, workers: usize) -> Option<&Row> {
        self.find(Cell::new(on.by(How::Lazy), workers))
    }

    /// Returns the base of a row's speed-up in a figure on the data `on`: serial code on the data of the row. Rayon and chili have no
    /// ropes, so their base is serial code on the data `on`, which is also Heist's base. With this base, a contender that takes less time
    /// has a higher curve.
    pub(super) fn base(&self, row: &Row, on: On) -> Option<&Row> {
        self.serial(match row.cell.who {
            Entrant::Rayon | Entrant::Chili => on,
            who => On::of(who),
        })
    }

    /// Returns the threshold with the least median time on `workers` workers, and its row.
    pub(super) fn best_eager(&self, on: On, workers: usize) -> Option<(usize, &Row)> {
        self.best_eager_of(on, workers, |_| true)
    }

    /// Returns the threshold with the least median time over a given part of the rounds.
    fn best_eager_of(
        &self,
        on: On,
        workers: usize,
        counts: impl Fn(usize) -> bool,
    ) -> Option<(usize, &Row)> {
        let median = |row: &Row| {
            let rounds = row.seconds.iter().enumerate();
            let seconds: Vec<f64> = rounds
                .filter(|(round, _)| counts(*round))
                .map(|(_, &seconds)| seconds)
                .collect();
            Spread::of(&seconds).map(|spread| spread.median)
        };
        // A contender that is far slower than serial code is left out, because it ran in only a few rounds, so chance affects its median
        // more.
        let rounds = self.rounds();
        self.eager(on, workers)
            .filter(|(_, row)| row.seconds.len() == rounds)
            .filter_map(|(threshold, row)| Some((median(row)?, threshold, row)))
            .min_by(|(a, ..), (b, ..)| a.total_cmp(b))
            .map(|(_, threshold, row)| (threshold, row))
    }

    fn eager(&self, on: On, workers: usize) -> impl Iterator<Item = (usize, &Row)> {
        let row = move |sst| self.find(Cell::new(on.by(How::Eager(sst)), workers));
        THRESHOLDS
            .iter()
            .filter_map(move |&sst| Some((sst, row(sst)?)))
    }

    /// Compares lazy splitting with the best threshold. Noise makes the best of many thresholds look better than it is. So this function
    /// compares each round with the threshold that is best in all other rounds.
    pub(super) fn against_best(&self, on: On, workers: usize) -> Option<AgainstBest> {
        let lazy = self.lazy(on, workers)?;
        let (threshold, _) = self.best_eager(on, workers)?;
        let best: Vec<f64> = (0..lazy.seconds.len())
            .map(|round| {
                let (_, best) = self.best_eager_of(on, workers, |other| other != round)?;
                best.seconds.get(round).copied()
            })
            .collect::<Option<_>>()?;
        let least = self
            .eager(on, workers)
            .filter_map(|(_, row)| Some(row.spread()?.min))
            .min_by(f64::total_cmp)?;
        Some(AgainstBest {
            threshold,
            ratio: ratio(&lazy.seconds, &best)?,
            of_least: lazy.spread()?.min / least,
        })
    }
}

/// Returns the overhead of lazy splitting on one worker, in percent: the geometric mean over the programs.
pub(super) fn mean_overhead(outcomes: &[Outcome], on: On) -> Option<f64> {
    let ratios: Vec<f64> = outcomes
        .iter()
        .filter_map(|outcome| {
            let percent = outcome.lazy(on, 1)?.overhead(outcome.serial(on)?)?;
            Some(1.0 + percent / 100.0)
        })
        .collect();
    Some(100.0 * (geometric_mean(&ratios)? - 1.0))
}

#[cfg(test)]
mod tests {
    use heist_suite::loops::loop_programs;

    use super::*;

    fn outcome(rows: Vec<(Entrant, usize, &[f64])>) -> Outcome {
        let row = |(who, workers, seconds): (Entrant, usize, &[f64])| Row {
            cell: Cell::new(who, workers),
            seconds: seconds.to_vec(),
        };
        Outcome {
            program: &loop_programs()[0],
            params: String::new(),
            rows: rows.into_iter().map(row).collect(),
        }
    }

    const ROPES: On = On::Ropes;

    fn eager(threshold: usize) -> Entrant {
        ROPES.by(How::Eager(threshold))
    }

    #[test]
    fn ratios_are_within_rounds() {
        // The machine is ten times as slow in the second round. Medians of times would give 3.0 / 2.0.
        let outcome = outcome(vec![
            (Entrant::SerialRopes, 1, &[3.0, 40.0, 3.0]),
            (ROPES.by(How::Lazy), 2, &[2.0, 20.0, 1.0]),
        ]);
        let (base, lazy) = (
            outcome.serial(ROPES).unwrap(),
            outcome.lazy(ROPES, 2).unwrap(),
        );
        assert_eq!(lazy.speed_up(base), Some(2.0));
        assert_eq!(lazy.efficiency(base), Some(100.0));
        assert_eq!(lazy.overhead(base), Some(-50.0));
        assert_eq!(base.efficiency(base), Some(100.0));
        assert_eq!(outcome.lazy(ROPES, 1).map(|row| row.cell), None);
        assert_eq!(outcome.serial(On::Slices).map(|row| row.cell), None);
    }

    #[test]
    fn the_best_threshold_has_the_least_median() {
        let outcome = outcome(vec![
            // The threshold with the least time of all had one lucky run.
            (eager(1), 2, &[0.5, 9.0, 9.0]),
            (eager(128), 2, &[4.0, 2.0, 4.0]),
            (eager(16384), 2, &[5.0, 5.0, 5.0]),
            // This threshold is the best, but on another number of workers, and over slices.
            (eager(2), 1, &[1.0, 1.0, 1.0]),
            (Entrant::Slices(How::Eager(4)), 2, &[1.0, 1.0, 1.0]),
            (ROPES.by(How::Lazy), 2, &[2.0, 3.0, 4.4]),
        ]);
        let (threshold, _) = outcome.best_eager(ROPES, 2).unwrap();
        assert_eq!(threshold, 128);
        let against = outcome.against_best(ROPES, 2).unwrap();
        assert_eq!(against.threshold, 128);
        // The ratios are 2/4, 3/2 and 4.4/4.
        assert!((against.ratio - 1.1).abs() < 1e-12 && !against.passes());
        assert_eq!(against.of_least, 4.0);
        assert_eq!(outcome.against_best(ROPES, 1), None);
        let exactly = AgainstBest {
            ratio: 1.03,
            ..against
        };
        assert!(exactly.passes());
    }

    #[test]
    fn a_lucky_round_does_not_determine_the_best_threshold() {
        // Both thresholds were lucky in two rounds of three.
        let outcome = outcome(vec![
            (eager(1), 2, &[1.0, 1.0, 3.0]),
            (eager(2), 2, &[3.0, 1.0, 1.0]),
            (ROPES.by(How::Lazy), 2, &[3.0, 3.0, 3.0]),
        ]);
        assert_eq!(outcome.against_best(ROPES, 2).unwrap().ratio, 1.0);
    }

    #[test]
    fn a_threshold_with_few_rounds_is_not_the_best() {
        let outcome = outcome(vec![
            (eager(1), 2, &[1.0]),
            (eager(2), 2, &[2.0, 4.0, 2.0]),
            (ROPES.by(How::Lazy), 2, &[3.0, 3.0, 3.0]),
        ]);
        let against = outcome.against_best(ROPES, 2).unwrap();
        assert_eq!((against.threshold, against.ratio), (2, 1.5));
        // The comparison with lazy splitting uses the rounds that both rows have.
        let lazy = outcome.lazy(ROPES, 2).unwrap();
        assert_eq!(outcome.rows[0].speed_up(lazy), Some(3.0));
    }

    #[test]
    fn each_has_its_baseline() {
        let outcome = outcome(vec![
            (Entrant::Serial, 1, &[1.0]),
            (Entrant::SerialRopes, 1, &[2.0]),
            (Entrant::Rayon, 2, &[1.0]),
            (Entrant::Slices(How::Lazy), 1, &[1.5]),
            (Entrant::Ropes(How::Lazy), 1, &[2.5]),
        ]);
        let base = |at: usize, on| outcome.base(&outcome.rows[at], on).unwrap().seconds[0];
        assert_eq!((base(2, On::Ropes), base(2, On::Slices)), (2.0, 1.0));
        assert_eq!((base(3, On::Ropes), base(4, On::Slices)), (1.0, 2.0));
        assert_eq!((base(0, On::Ropes), base(1, On::Slices)), (1.0, 2.0));
    }

    #[test]
    fn overheads_have_a_geometric_mean() {
        let of = |lazy: &[f64]| {
            outcome(vec![
                (Entrant::SerialRopes, 1, &[1.0]),
                (ROPES.by(How::Lazy), 1, lazy),
            ])
        };
        let mean = mean_overhead(&[of(&[2.0]), of(&[0.5])], ROPES).unwrap();
        assert!(mean.abs() < 1e-9, "{mean}");
        assert_eq!(mean_overhead(&[of(&[2.0])], On::Slices), None);
    }
}
