//! The CSV file, with a line for each program and contender.

use serde::Serialize;

use super::Plan;
use super::cells::{self, Kind, On};
use super::measure::{Outcome, Row};
use super::published::{self, Times, WORKERS};
use crate::failure::Failure;
use crate::graph::cpus;

/// A line of the CSV file. Times are in milliseconds, except for published times.
#[derive(Serialize)]
struct Line<'a> {
    figure: &'static str,
    program: &'static str,
    label: &'static str,
    params: &'a str,
    /// The data over which the loops run.
    on: &'static str,
    contender: &'static str,
    threshold: Option<usize>,
    leaf: Option<usize>,
    workers: usize,
    more_workers_than_cpus: bool,
    pinned: bool,
    rounds: usize,
    median_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    /// The data of the baseline. The baseline is the serial code with which the speed-up is computed.
    baseline_on: Option<&'static str>,
    speed_up: Option<f64>,
    efficiency_percent: Option<f64>,
    /// The overhead in percent. For lazy splitting, the value is the overhead on one worker over the baseline. For serial code on ropes,
    /// the value is the overhead over serial code on slices.
    overhead_percent: Option<f64>,
    /// In sweeps, the best threshold of eager splitting, with which lazy splitting is compared.
    best_threshold: Option<usize>,
    over_best_eager: Option<f64>,
    least_over_least_eager: Option<f64>,
    published_workers: Option<usize>,
    published_s: Option<f64>,
    published_speed_up: Option<f64>,
    published_overhead_percent: Option<f64>,
    /// The samples, by round. Samples at the same index in all lines of a program are from the same round. Slow contenders have samples
    /// only of the first rounds.
    samples_ms: String,
}

pub(super) fn render(plan: &Plan, outcomes: &[Outcome]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for outcome in outcomes {
        for row in &outcome.rows {
            let line = line(plan, outcome, row);
            writer.serialize(line).map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn line<'a>(plan: &Plan, outcome: &'a Outcome, row: &Row) -> Line<'a> {
    let program = outcome.program.program.name;
    let (contender, threshold) = cells::name(row.cell.who);
    let on = On::of(row.cell.who);
    let spread = row.spread();
    let base = outcome.base(row, plan.on);
    let best = if contender == "lazy" {
        outcome.against_best(on, row.cell.workers)
    } else {
        None
    };
    let overhead = match contender {
        "lazy" if row.cell.workers == 1 => base.and_then(|base| row.overhead(base)),
        "serial" if on == On::Ropes => outcome
            .serial(On::Slices)
            .and_then(|base| row.overhead(base)),
        _ => None,
    };
    let published = published::of(program)
        .filter(|_| plan.kind == Kind::Times && on == On::Ropes)
        .map(|of| beside(of.times, contender, row.cell.workers));
    let samples = row.seconds.iter();
    let samples: Vec<String> = samples.map(|s| format!("{:.5}", 1e3 * s)).collect();
    Line {
        figure: plan.shape.name,
        program,
        label: outcome.label(),
        params: &outcome.params,
        on: on.name(),
        contender,
        threshold,
        leaf: (on == On::Ropes).then_some(row.cell.leaf),
        workers: row.cell.workers,
        more_workers_than_cpus: row.cell.workers > cpus(),
        pinned: plan.pin.is_some(),
        rounds: row.seconds.len(),
        median_ms: spread.map(|spread| 1e3 * spread.median),
        min_ms: spread.map(|spread| 1e3 * spread.min),
        max_ms: spread.map(|spread| 1e3 * spread.max),
        baseline_on: base.map(|base| On::of(base.cell.who).name()),
        speed_up: base.and_then(|base| row.speed_up(base)),
        efficiency_percent: base.and_then(|base| row.efficiency(base)),
        overhead_percent: overhead,
        best_threshold: best.map(|best| best.threshold),
        over_best_eager: best.map(|best| best.ratio),
        least_over_least_eager: best.map(|best| best.of_least),
        published_workers: published.map(|(workers, ..)| workers),
        published_s: published.map(|(_, seconds, ..)| seconds),
        published_speed_up: published.and_then(|(_, _, speed_up, _)| speed_up),
        published_overhead_percent: published.and_then(|(.., overhead)| overhead),
        samples_ms: samples.join(" "),
    }
}

/// Returns the entries of table 4.1 for a row: processors, seconds, speed-up, overhead.
fn beside(times: Times, contender: &str, workers: usize) -> (usize, f64, Option<f64>, Option<f64>) {
    match (contender, workers) {
        ("serial", _) => (1, times.serial, None, None),
        (_, 1) => (1, times.lazy, None, Some(times.overhead())),
        _ => (WORKERS, times.parallel, Some(times.speed_up), None),
    }
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}
