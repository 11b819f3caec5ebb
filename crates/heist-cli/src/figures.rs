//! The figures of one row of the table.

use heist_suite::Contender;
use serde::Serialize;

use crate::measure::{Outcome, Row};
use crate::stats::{Spread, median, paired, paired_ratio};

/// The figures of one contender at one thread count. Times are in seconds.
///
/// T_S is the time of the serial program. T_1 is the time of the contender on one thread, and T_P its time on this row's threads.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figures {
    /// The median time of the serial program, if it ran.
    pub(crate) t_s: Option<f64>,
    /// The median time of this contender on one thread, if it ran on one thread.
    pub(crate) t_1: Option<f64>,
    /// The median time of this row.
    pub(crate) t_p: f64,
    /// The least time of this row.
    pub(crate) min: f64,
    /// The greatest time of this row.
    pub(crate) max: f64,
    /// The median over the rounds of T_1/T_S: the overhead of the parallel code on one thread.
    pub(crate) t1_over_ts: Option<f64>,
    /// The median over the rounds of T_S/T_P: the speedup over serial code.
    pub(crate) ts_over_tp: Option<f64>,
    /// The median over the rounds of (T_P - T_S/P) per fork, in nanoseconds: the time that a fork adds to the ideal time. With more than
    /// one thread, this value includes all other costs that a run adds to the ideal time.
    pub(crate) ns_per_fork: Option<f64>,
    /// The median number of steals in a run, if the contender counts steals.
    pub(crate) steals: Option<f64>,
}

impl Figures {
    /// Returns the figures of `row`, which is a row of `outcome`, or `None` if the row has no runs.
    pub(crate) fn of(outcome: &Outcome, row: &Row) -> Option<Figures> {
        let own = row.seconds();
        let spread = Spread::of(&own)?;
        let serial = find(outcome, Contender::Serial, 1);
        // Serial code has no T_1, and a comparison of serial code with itself would give no information.
        let rival = row.contender != Contender::Serial;
        let single = if rival {
            find(outcome, row.contender, 1)
        } else {
            None
        };
        let both = single.as_deref().zip(serial.as_deref());
        let steals: Vec<f64> = row
            .samples
            .iter()
            .filter_map(|sample| sample.tally)
            .map(|tally| tally.steals as f64)
            .collect();
        Some(Figures {
            t_s: serial.as_deref().and_then(median),
            t_1: single.as_deref().and_then(median),
            t_p: spread.median,
            min: spread.min,
            max: spread.max,
            t1_over_ts: both.and_then(|(single, serial)| paired_ratio(single, serial)),
            ts_over_tp: serial
                .as_deref()
                .filter(|_| rival)
                .and_then(|serial| paired_ratio(serial, &own)),
            ns_per_fork: serial
                .as_deref()
                .filter(|_| rival)
                .zip(outcome.forks.filter(|&forks| forks > 0))
                .and_then(|(serial, forks)| {
                    paired(&own, serial, |t_p, t_s| {
                        (t_p - t_s / row.threads as f64) * 1e9 / forks as f64
                    })
                }),
            steals: median(&steals),
        })
    }
}

fn find(outcome: &Outcome, who: Contender, threads: usize) -> Option<Vec<f64>> {
    outcome
        .rows
        .iter()
        .find(|row| row.contender == who && row.threads == threads)
        .map(Row::seconds)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use heist_suite::programs;

    use super::*;
    use crate::measure::{Sample, Tally};

    fn row(contender: Contender, threads: usize, millis: [u64; 3], steals: Option<u64>) -> Row {
        let tally = steals.map(|steals| Tally {
            steals,
            ..Tally::default()
        });
        let samples = millis
            .map(|ms| Sample {
                time: Duration::from_millis(ms),
                preempted: false,
                tally,
            })
            .into();
        Row {
            contender,
            threads,
            samples,
            latency: None,
        }
    }

    fn close(value: Option<f64>, wanted: f64) -> bool {
        value.is_some_and(|value| (value - wanted).abs() < 1e-9 * wanted.abs().max(1.0))
    }

    #[test]
    fn ratios_are_taken_within_rounds() {
        let outcome = Outcome {
            program: programs()[0],
            params: String::new(),
            forks: Some(1_000_000),
            rows: vec![
                row(Contender::Serial, 1, [10, 20, 40], None),
                row(Contender::Heist, 1, [12, 24, 48], Some(0)),
                row(Contender::Heist, 2, [5, 10, 40], Some(9)),
            ],
        };
        let serial = Figures::of(&outcome, &outcome.rows[0]).unwrap();
        assert!(
            close(serial.t_s, 0.020) && serial.t1_over_ts.is_none() && serial.ts_over_tp.is_none()
        );
        let two = Figures::of(&outcome, &outcome.rows[2]).unwrap();
        assert!(close(two.t_1, 0.024) && close(Some(two.t_p), 0.010));
        assert!(close(Some(two.min), 0.005) && close(Some(two.max), 0.040));
        assert!(close(two.t1_over_ts, 1.2) && close(two.ts_over_tp, 2.0));
        assert!(close(two.steals, 9.0));
        // On two threads, the rounds take 0, 0 and 20 ms more than half the serial time. On one thread, they take 2, 4 and 8 ms more than
        // the serial time.
        assert!(close(two.ns_per_fork, 0.0));
        let one = Figures::of(&outcome, &outcome.rows[1]).unwrap();
        assert!(close(one.ns_per_fork, 4.0) && serial.ns_per_fork.is_none());
    }

    #[test]
    fn without_serial_runs_there_are_no_ratios() {
        let outcome = Outcome {
            program: programs()[0],
            params: String::new(),
            forks: None,
            rows: vec![row(Contender::Heist, 2, [1, 2, 3], Some(1))],
        };
        let figures = Figures::of(&outcome, &outcome.rows[0]).unwrap();
        assert!(figures.t_s.is_none() && figures.t_1.is_none());
        assert!(
            figures.t1_over_ts.is_none()
                && figures.ts_over_tp.is_none()
                && figures.ns_per_fork.is_none()
        );
    }
}
