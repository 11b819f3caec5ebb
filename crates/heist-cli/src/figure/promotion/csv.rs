//! The CSV file, with a line for each program, heap and number of workers.

use serde::Serialize;

use super::Plan;
use super::measure::Row;
use super::table::published_time;
use crate::failure::Failure;

/// A line of the CSV file. Times are in seconds; times of collections are means over the workers.
#[derive(Serialize)]
struct Line {
    figure: &'static str,
    program: &'static str,
    arguments: String,
    heap: &'static str,
    workers: usize,
    rounds: usize,
    median_s: f64,
    minor_s: f64,
    promotion_s: f64,
    global_s: f64,
    allocated_bytes: f64,
    promoted_bytes: f64,
    misses_millions: Option<f64>,
    published_s: Option<f64>,
    published_collections_s: Option<f64>,
    /// The samples, by round. Samples at the same index in all lines are from the same round.
    samples_s: String,
}

pub(super) fn render(plan: &Plan, rows: &[Row]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        let published = published_time(row.subject, row.way, row.workers);
        let samples: Vec<String> = row.seconds().iter().map(|s| format!("{s:.6}")).collect();
        let counted = row.samples.iter().all(|sample| sample.misses.is_some());
        let line = Line {
            figure: plan.shape.name,
            program: row.subject.name,
            arguments: row.subject.arguments(plan.size).join(" "),
            heap: row.way.name(),
            workers: row.workers,
            rounds: row.samples.len(),
            median_s: row.median(|sample| sample.time),
            minor_s: row.median(|sample| sample.minor),
            promotion_s: row.median(|sample| sample.promotion),
            global_s: row.median(|sample| sample.global),
            allocated_bytes: row.median(|sample| sample.allocated),
            promoted_bytes: row.median(|sample| sample.promoted),
            misses_millions: counted.then(|| row.median(|sample| sample.misses.unwrap_or(0.0))),
            published_s: published.map(|(rest, gc)| rest + gc),
            published_collections_s: published.map(|(_, gc)| gc),
            samples_s: samples.join(" "),
        };
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}
