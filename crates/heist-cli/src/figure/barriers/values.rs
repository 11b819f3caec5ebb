//! The numbers of the figures. Each number has a program, a number of workers, a source and a
//! contender.

use heist_sim::Outcome as Simulation;
use heist_suite::Contender;

use super::simulate::Replay;
use super::{BARRIER, STOP};
use crate::contender;
use crate::measure::{Outcome, Row};
use crate::stats::median;

/// A quantity that is measured, simulated and published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    Time,
    Forks,
    Steals,
    StealRatio,
    StealRate,
    FreeShare,
    Requests,
    Exposes,
    Forced,
    Failed,
    BarrierHits,
    Overhead,
    BarrierShare,
    LatencyMedian,
    Latency99,
    SpeedUp,
    RelativeOverhead,
    RelativeSteals,
    RelativeSpeed,
}

impl Metric {
    /// Returns the name of this metric in the CSV file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Metric::Time => "time_ms",
            Metric::Forks => "forks",
            Metric::Steals => "steals",
            Metric::StealRatio => "steals_per_fork",
            Metric::StealRate => "steals_per_ms",
            Metric::FreeShare => "free_steals_percent",
            Metric::Requests => "requests",
            Metric::Exposes => "exposes",
            Metric::Forced => "forced_exposes",
            Metric::Failed => "failed_steals",
            Metric::BarrierHits => "barrier_hits",
            Metric::Overhead => "dynamic_overhead_percent",
            Metric::BarrierShare => "barrier_percent",
            Metric::LatencyMedian => "steal_latency_median_ns",
            Metric::Latency99 => "steal_latency_99_ns",
            Metric::SpeedUp => "speed_up",
            Metric::RelativeOverhead => "dynamic_overhead_over_stop_victim",
            Metric::RelativeSteals => "steals_over_stop_victim",
            Metric::RelativeSpeed => "speed_up_over_stop_victim",
        }
    }
}

/// The source of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Measured,
    Simulated,
    Published,
}

impl Source {
    pub(super) fn name(self) -> &'static str {
        match self {
            Source::Measured => "measured",
            Source::Simulated => "simulated",
            Source::Published => "published",
        }
    }
}

/// The value of a metric for one program, number of workers, source and contender.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) program: &'static str,
    pub(super) workers: usize,
    pub(super) source: Source,
    pub(super) who: &'static str,
    pub(super) metric: Metric,
    pub(super) value: f64,
}

/// The values of all programs.
pub(super) struct Values(pub(super) Vec<Value>);

impl Values {
    pub(super) fn find(
        &self,
        program: &str,
        source: Source,
        who: &str,
        metric: Metric,
        workers: usize,
    ) -> Option<f64> {
        let wanted = |value: &&Value| {
            value.program == program
                && value.source == source
                && value.who == who
                && value.metric == metric
                && value.workers == workers
        };
        self.0.iter().find(wanted).map(|value| value.value)
    }
}

/// The result of one run, measured or simulated.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    seconds: f64,
    workers: f64,
    forks: Option<f64>,
    /// The time of the serial program in the same round.
    serial: Option<f64>,
    counts: Option<Counts>,
}

/// The counts of a run. Only runs on Heist have counts.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    steals: f64,
    free: f64,
    requests: Option<f64>,
    exposes: f64,
    forced: f64,
    failed: f64,
    barrier_hits: f64,
    /// The time, in seconds, that victims lost to thieves.
    lost: f64,
    barrier: f64,
}

impl Run {
    fn values(&self) -> Vec<(Metric, f64)> {
        let mut values = vec![(Metric::Time, 1e3 * self.seconds)];
        let mut add = |metric, value: Option<f64>| {
            values.extend(
                value
                    .filter(|value| value.is_finite())
                    .map(|value| (metric, value)),
            );
        };
        add(Metric::Forks, self.forks);
        add(
            Metric::SpeedUp,
            self.serial.map(|serial| serial / self.seconds),
        );
        if let Some(counts) = self.counts {
            let all = self.seconds * self.workers;
            add(Metric::Steals, Some(counts.steals));
            add(
                Metric::StealRatio,
                self.forks.map(|forks| counts.steals / forks),
            );
            add(
                Metric::StealRate,
                Some(counts.steals / (1e3 * self.seconds)),
            );
            // Without steals, the share of free steals is undefined.
            add(Metric::FreeShare, Some(100.0 * counts.free / counts.steals));
            add(Metric::Requests, counts.requests);
            add(Metric::Exposes, Some(counts.exposes));
            add(Metric::Forced, Some(counts.forced));
            add(Metric::Failed, Some(counts.failed));
            add(Metric::BarrierHits, Some(counts.barrier_hits));
            add(Metric::Overhead, Some(100.0 * counts.lost / all));
            add(Metric::BarrierShare, Some(100.0 * counts.barrier / all));
        }
        values
    }

    /// Returns the metrics relative to a run of the same round under stop-victim.
    fn relative(&self, stop: &Run) -> Vec<(Metric, f64)> {
        let mut values = vec![(Metric::RelativeSpeed, stop.seconds / self.seconds)];
        if let (Some(new), Some(old)) = (self.counts, stop.counts) {
            let share = |run: &Run, counts: Counts| counts.lost / (run.seconds * run.workers);
            values.push((
                Metric::RelativeOverhead,
                share(self, new) / share(stop, old),
            ));
            values.push((Metric::RelativeSteals, new.steals / old.steals));
        }
        values.retain(|(_, value)| value.is_finite());
        values
    }
}

/// Returns the median of each metric over the runs. The metrics are in the order of their first appearance in the
/// runs.
fn medians(runs: impl IntoIterator<Item = Vec<(Metric, f64)>>) -> Vec<(Metric, f64)> {
    let mut all: Vec<(Metric, Vec<f64>)> = Vec::new();
    for (metric, value) in runs.into_iter().flatten() {
        match all.iter_mut().find(|(known, _)| *known == metric) {
            Some((_, values)) => values.push(value),
            None => all.push((metric, vec![value])),
        }
    }
    all.into_iter()
        .filter_map(|(metric, values)| Some((metric, median(&values)?)))
        .collect()
}

/// Returns the measured values: medians over paired rounds.
pub(super) fn measured(outcome: &Outcome) -> Vec<Value> {
    let runs = |row: &Row| runs_of(outcome, row);
    let mut values = Vec::new();
    for row in &outcome.rows {
        let mut add = |metric, value| {
            values.push(Value {
                program: outcome.program.name,
                workers: row.threads,
                source: Source::Measured,
                who: contender::name(row.contender),
                metric,
                value,
            });
        };
        for (metric, value) in medians(runs(row).iter().map(Run::values)) {
            add(metric, value);
        }
        let quantile = |share| {
            let time = row.latency.as_ref()?.quantile(share)?;
            Some(1e9 * time.as_secs_f64())
        };
        for (metric, share) in [(Metric::LatencyMedian, 0.5), (Metric::Latency99, 0.99)] {
            if let Some(time) = quantile(share) {
                add(metric, time);
            }
        }
        let stop = find(outcome, STOP, row.threads);
        if let Some(stop) = stop.filter(|_| row.contender == BARRIER) {
            let pairs = runs(row).into_iter().zip(runs(stop));
            for (metric, value) in medians(pairs.map(|(new, old)| new.relative(&old))) {
                add(metric, value);
            }
        }
    }
    values
}

fn find(outcome: &Outcome, who: Contender, threads: usize) -> Option<&Row> {
    let wanted = |row: &&Row| row.contender == who && row.threads == threads;
    outcome.rows.iter().find(wanted)
}

/// Returns a [`Run`] for each round of the row.
fn runs_of(outcome: &Outcome, row: &Row) -> Vec<Run> {
    let serial = find(outcome, Contender::Serial, 1).map(Row::seconds);
    let run = |(round, (seconds, sample)): (usize, (f64, &crate::measure::Sample))| Run {
        seconds,
        workers: row.threads as f64,
        forks: outcome.forks.map(|forks| forks as f64),
        serial: serial.as_ref().map(|serial| serial[round]),
        counts: sample.tally.map(|tally| Counts {
            steals: tally.steals as f64,
            free: tally.free_steals as f64,
            requests: Some(tally.requests as f64),
            exposes: tally.exposes as f64,
            forced: tally.forced_exposes as f64,
            failed: tally.failed_steals as f64,
            barrier_hits: tally.barrier_hits as f64,
            lost: 1e-9 * tally.lost_ns.unwrap_or(0) as f64,
            barrier: 1e-9 * tally.barrier_ns.unwrap_or(0) as f64,
        }),
    };
    let runs = row.seconds().into_iter().zip(&row.samples).enumerate();
    runs.map(run).collect()
}

/// Returns the simulated values: medians over seeds.
pub(super) fn simulated(replays: &[Replay], outcome: &Outcome) -> Vec<Value> {
    let serial = find(outcome, Contender::Serial, 1).and_then(|row| median(&row.seconds()));
    let run = |replay: &Replay, simulation: &Simulation| Run {
        seconds: 1e-12 * simulation.time as f64,
        workers: replay.workers as f64,
        forks: outcome.forks.map(|forks| forks as f64),
        serial,
        counts: Some(Counts {
            steals: simulation.steals as f64,
            free: simulation.free_steals as f64,
            requests: None,
            exposes: simulation.exposes as f64,
            forced: simulation.forced as f64,
            failed: simulation.failed as f64,
            barrier_hits: simulation.barrier_hits as f64,
            lost: 1e-12
                * simulation
                    .workers
                    .iter()
                    .map(|worker| worker.lost as f64)
                    .sum::<f64>(),
            barrier: 1e-12 * simulation.barrier_time as f64,
        }),
    };
    let mut values = Vec::new();
    for replay in replays {
        let runs = |replay: &Replay| -> Vec<Run> {
            replay.seeds.iter().map(|one| run(replay, one)).collect()
        };
        let mut all = medians(runs(replay).iter().map(Run::values));
        let latency = |simulation: &Simulation| {
            let quantile = |share| simulation.latency.quantile(share);
            let median = (Metric::LatencyMedian, quantile(0.5));
            [median, (Metric::Latency99, quantile(0.99))]
                .into_iter()
                .filter_map(|(metric, time)| Some((metric, 1e-3 * time? as f64)))
                .collect::<Vec<_>>()
        };
        all.extend(medians(replay.seeds.iter().map(latency)));
        let stop = replays
            .iter()
            .find(|other| other.who == STOP && other.workers == replay.workers);
        if let Some(stop) = stop.filter(|_| replay.who == BARRIER) {
            let pairs = runs(replay).into_iter().zip(runs(stop));
            all.extend(medians(pairs.map(|(new, old)| new.relative(&old))));
        }
        values.extend(all.into_iter().map(|(metric, value)| Value {
            program: outcome.program.name,
            workers: replay.workers,
            source: Source::Simulated,
            who: contender::name(replay.who),
            metric,
            value,
        }));
    }
    values
}

/// Returns the numbers in the paper's text.
pub(super) fn published(program: &str) -> Vec<Value> {
    let all = super::published::PUBLISHED.iter();
    all.filter(|value| value.program == program)
        .map(|value| Value {
            program: value.program,
            workers: value.at.workers(),
            source: Source::Published,
            who: value.who,
            metric: value.metric,
            value: value.value,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use heist_suite::programs;

    use super::*;
    use crate::measure::{Sample, Tally};

    /// The milliseconds of a round, the numbers of steals and free steals in the round, and the microseconds
    /// that victims lost.
    type Round = (u64, Option<(u64, u64, u64)>);

    fn row(who: Contender, threads: usize, rounds: &[Round]) -> Row {
        let sample = |&(ms, counts): &Round| Sample {
            preempted: false,
            time: Duration::from_millis(ms),
            tally: counts.map(|(steals, free_steals, lost_us)| Tally {
                steals,
                free_steals,
                lost_ns: Some(1000 * lost_us),
                barrier_ns: Some(2_000_000),
                ..Tally::default()
            }),
        };
        Row {
            contender: who,
            threads,
            samples: rounds.iter().map(sample).collect(),
            latency: None,
        }
    }

    #[test]
    fn numbers_are_medians_over_paired_rounds() {
        let rounds = |counts: [(u64, u64, u64); 3]| -> Vec<Round> {
            let times = [100, 200, 1000];
            times.into_iter().zip(counts.map(Some)).collect()
        };
        let outcome = Outcome {
            program: programs()[0],
            params: String::new(),
            forks: Some(1000),
            rows: vec![
                row(
                    Contender::Serial,
                    1,
                    &[(150, None), (300, None), (1500, None)],
                ),
                // 1 ms of 200, 4 of 400 and 40 of 2000 are 0.5, 1 and 2 percent.
                row(
                    STOP,
                    2,
                    &rounds([(10, 0, 1000), (20, 0, 4000), (100, 0, 40_000)]),
                ),
                // The shares are 0.25, 0.25 and 0.25 percent.
                row(
                    BARRIER,
                    2,
                    &rounds([(20, 5, 500), (20, 10, 1000), (50, 0, 5000)]),
                ),
                row(STOP, 1, &rounds([(0, 0, 0); 3])),
                row(BARRIER, 1, &rounds([(0, 0, 0); 3])),
            ],
        };
        let values = Values(measured(&outcome));
        let name = outcome.program.name;
        let find = |who, metric, workers| {
            values.find(
                name,
                Source::Measured,
                contender::name(who),
                metric,
                workers,
            )
        };
        let close = |value: Option<f64>, wanted: f64| {
            assert!(
                value.is_some_and(|value| (value - wanted).abs() < 1e-9),
                "{value:?} is not {wanted}"
            );
        };
        close(find(STOP, Metric::Overhead, 2), 1.0);
        close(find(BARRIER, Metric::Overhead, 2), 0.25);
        // The ratios within rounds are 0.5, 0.25 and 0.125.
        close(find(BARRIER, Metric::RelativeOverhead, 2), 0.25);
        close(find(BARRIER, Metric::RelativeSteals, 2), 1.0);
        close(find(BARRIER, Metric::RelativeSpeed, 2), 1.0);
        close(find(BARRIER, Metric::FreeShare, 2), 25.0);
        close(find(STOP, Metric::StealRatio, 2), 0.02);
        close(find(STOP, Metric::StealRate, 2), 0.1);
        close(find(STOP, Metric::SpeedUp, 2), 1.5);
        // The shares are 2 ms of 200, 400 and 2000 ms.
        close(find(BARRIER, Metric::BarrierShare, 2), 0.5);
        // One worker has no victim, so there are no shares.
        assert_eq!(find(BARRIER, Metric::RelativeOverhead, 1), None);
        assert_eq!(find(BARRIER, Metric::FreeShare, 1), None);
        close(find(BARRIER, Metric::Overhead, 1), 0.0);
        assert_eq!(find(STOP, Metric::RelativeSpeed, 2), None);
        assert_eq!(find(Contender::Serial, Metric::Steals, 1), None);
    }
}
