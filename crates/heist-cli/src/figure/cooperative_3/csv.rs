//! The CSV file of the figure, with a line for each program and contender.

use serde::Serialize;

use super::NAME;
use super::measure::{Group, Plan};
use crate::failure::Failure;
use crate::graph::cpus;

/// A line of the CSV file. Times are in milliseconds.
#[derive(Serialize)]
struct Line<'a> {
    figure: &'static str,
    /// The program's name in the paper.
    label: &'static str,
    program: &'static str,
    params: &'a str,
    contender: &'static str,
    workers: usize,
    more_workers_than_cpus: bool,
    rounds: usize,
    median_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    /// The ratio of the time to the time of Heist's async tasks.
    over_async: Option<f64>,
    /// The reason why the contender has no times.
    refused: &'a str,
    published: &'static str,
    published_ms: Option<f64>,
    /// The samples, by round. Samples at the same index in all lines of a program are from the same round.
    samples_ms: String,
}

pub(super) fn render(plan: &Plan, groups: &[Group]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for group in groups {
        for row in &group.rows {
            let spread = row.spread();
            let samples = row.seconds.iter();
            let samples: Vec<String> = samples.map(|s| format!("{:.4}", 1e3 * s)).collect();
            let line = Line {
                figure: NAME,
                label: group.panel.label,
                program: group.panel.program,
                params: &group.params,
                contender: row.entrant.name(),
                workers: plan.workers,
                more_workers_than_cpus: plan.workers > cpus(),
                rounds: row.seconds.len(),
                median_ms: spread.map(|spread| 1e3 * spread.median),
                min_ms: spread.map(|spread| 1e3 * spread.min),
                max_ms: spread.map(|spread| 1e3 * spread.max),
                over_async: group.over_base(row),
                refused: row.refused.as_deref().unwrap_or_default(),
                published: group.panel.published,
                published_ms: group.panel.published_ms,
                samples_ms: samples.join(" "),
            };
            writer.serialize(line).map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}
