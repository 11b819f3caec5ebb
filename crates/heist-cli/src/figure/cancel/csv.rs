//! The CSV files, with a line for each language, form and number of workers.

use serde::Serialize;

use super::latency;
use super::overhead;
use super::{PUBLISHED, Plan};
use crate::failure::Failure;
use crate::stats::median;

/// A line of `cancel-5.6`. Times are in milliseconds.
#[derive(Serialize)]
struct Overhead {
    figure: &'static str,
    language: &'static str,
    fib_of: u64,
    workers: usize,
    rounds: usize,
    serial_ms: Option<f64>,
    without_ms: Option<f64>,
    with_ms: Option<f64>,
    with_over_without: Option<f64>,
    overhead_ratio: Option<f64>,
    published_overhead_ratio: Option<f64>,
    /// The samples, by round. Samples at the same index in `samples_without_ms` and `samples_with_ms` are from the same round.
    samples_serial_ms: String,
    samples_without_ms: String,
    samples_with_ms: String,
}

/// A line of `cancel-5.7` and `cancel-5.8`. Times are in microseconds.
#[derive(Serialize)]
struct Latency {
    figure: &'static str,
    language: &'static str,
    form: &'static str,
    end: &'static str,
    board: u64,
    workers: usize,
    rounds: usize,
    median_us: Option<f64>,
    mean_us: f64,
    deviation_us: f64,
    min_us: Option<f64>,
    max_us: Option<f64>,
    cancelled_tasks: Option<f64>,
    us_per_task: Option<f64>,
    /// The samples, by round.
    samples_us: String,
    samples_tasks: String,
}

pub(super) fn overhead(plan: &Plan, rows: &[overhead::Row]) -> Result<String, Failure> {
    let milli = |seconds: &[f64]| median(seconds).map(|median| 1e3 * median);
    let line = |row: &overhead::Row| Overhead {
        figure: plan.shape.name,
        language: row.language.name(),
        fib_of: plan.n,
        workers: row.workers,
        rounds: row.without.len(),
        serial_ms: milli(&row.serial),
        without_ms: milli(&row.without),
        with_ms: milli(&row.within),
        with_over_without: row.time_ratio(),
        overhead_ratio: row.overhead_ratio(),
        published_overhead_ratio: (row.workers == 1).then_some(PUBLISHED),
        samples_serial_ms: samples(&row.serial, 1e3),
        samples_without_ms: samples(&row.without, 1e3),
        samples_with_ms: samples(&row.within, 1e3),
    };
    written(rows.iter().map(line))
}

pub(super) fn latency(plan: &Plan, rows: &[latency::Row]) -> Result<String, Failure> {
    let line = |row: &latency::Row| {
        let (mean, deviation) = row.mean_and_deviation();
        let spread = row.spread();
        let column = |value: fn(&super::Sample) -> f64| -> Vec<f64> {
            row.samples.iter().map(value).collect()
        };
        Latency {
            figure: plan.shape.name,
            language: row.language.name(),
            form: row.form,
            end: row.end.name(),
            board: plan.n,
            workers: row.workers,
            rounds: row.samples.len(),
            median_us: spread.map(|spread| 1e6 * spread.median),
            mean_us: 1e6 * mean,
            deviation_us: 1e6 * deviation,
            min_us: spread.map(|spread| 1e6 * spread.min),
            max_us: spread.map(|spread| 1e6 * spread.max),
            cancelled_tasks: row.tasks(),
            us_per_task: row.per_task().map(|time| 1e6 * time),
            samples_us: samples(&column(|sample| sample.seconds), 1e6),
            samples_tasks: samples(&column(|sample| sample.tasks), 1.0),
        }
    };
    written(rows.iter().map(line))
}

/// Returns the samples as text, multiplied by `scale`.
fn samples(values: &[f64], scale: f64) -> String {
    let words = values
        .iter()
        .map(|value| ((value * scale * 1e4).round() / 1e4).to_string());
    words.collect::<Vec<_>>().join(" ")
}

fn written(lines: impl Iterator<Item = impl Serialize>) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}
