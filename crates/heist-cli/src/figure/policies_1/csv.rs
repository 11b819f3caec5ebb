//! The CSV file, with a line for each number of tasks k and each contender.

use serde::Serialize;

use super::measure::Group;
use super::{NAME, published};
use crate::failure::Failure;

/// A line of the CSV file. Each time is the time of one scope, in microseconds.
#[derive(Serialize)]
struct Line {
    figure: &'static str,
    k: usize,
    contender: &'static str,
    workers: usize,
    rounds: usize,
    median_us: Option<f64>,
    min_us: Option<f64>,
    max_us: Option<f64>,
    over_sequential: Option<f64>,
    published_us: Option<f64>,
    /// The samples, by round. Samples at the same index in all lines are from the same round.
    samples_us: String,
}

pub(super) fn render(groups: &[Group]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for group in groups {
        for row in &group.rows {
            let spread = row.spread();
            let samples = row.seconds.iter();
            let samples: Vec<String> = samples.map(|s| format!("{:.4}", 1e6 * s)).collect();
            let line = Line {
                figure: NAME,
                k: group.k,
                contender: row.name,
                workers: 1,
                rounds: row.seconds.len(),
                median_us: spread.map(|spread| 1e6 * spread.median),
                min_us: spread.map(|spread| 1e6 * spread.min),
                max_us: spread.map(|spread| 1e6 * spread.max),
                over_sequential: group.over_sequential(row),
                published_us: published(group.k, row.who),
                samples_us: samples.join(" "),
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
