//! The CSV file, with a line for each deque and number of threads.

use heist_suite::graphs::Csr;
use serde::Serialize;

use super::{PUBLISHED_REDUNDANT, Panel};
use crate::failure::Failure;
use crate::graph::{Row, cpus};

/// A line of the CSV file. Times are in milliseconds.
#[derive(Serialize)]
struct Line<'a> {
    figure: &'static str,
    vertices: usize,
    edges: usize,
    deque: &'a str,
    exactly_once: bool,
    threads: usize,
    more_threads_than_cpus: bool,
    rounds: usize,
    median_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    /// The ratio of this row's time to the time of Chase-Lev with the same number of threads.
    over_chase_lev: Option<f64>,
    /// The ratio of the time of Chase-Lev on one thread to this row's time.
    speed_up: Option<f64>,
    repeated_percent: f64,
    redundant_percent: Option<f64>,
    published_redundant_average_percent: f64,
    published_redundant_greatest_percent: f64,
    published: &'static str,
    /// The samples, by round. Samples at the same index in all lines are from the same round.
    samples_ms: String,
}

pub(super) fn render(panel: &Panel, graph: &Csr, rows: &[Row]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let single = rows.iter().min_by_key(|row| row.threads);
    for row in rows {
        let spread = row.spread();
        let base = rows.iter().find(|base| base.threads == row.threads);
        let samples: Vec<String> = row
            .seconds
            .iter()
            .map(|s| format!("{:.4}", 1e3 * s))
            .collect();
        let line = Line {
            figure: panel.name,
            vertices: graph.vertices(),
            edges: graph.arcs() / 2,
            deque: row.entrant.name,
            exactly_once: row.entrant.exactly_once,
            threads: row.threads,
            more_threads_than_cpus: row.threads > cpus(),
            rounds: row.seconds.len(),
            median_ms: spread.map(|spread| 1e3 * spread.median),
            min_ms: spread.map(|spread| 1e3 * spread.min),
            max_ms: spread.map(|spread| 1e3 * spread.max),
            over_chase_lev: base
                .and_then(|base| row.speed_up_over(base))
                .map(f64::recip),
            speed_up: single.and_then(|single| row.speed_up_over(single)),
            repeated_percent: 100.0 * row.repeated_share(),
            redundant_percent: row.redundant_share().map(|share| 100.0 * share),
            published_redundant_average_percent: 100.0 * PUBLISHED_REDUNDANT[0],
            published_redundant_greatest_percent: 100.0 * PUBLISHED_REDUNDANT[1],
            published: panel.published,
            samples_ms: samples.join(" "),
        };
        let unwritten = |error| Failure::Request(format!("the CSV could not be made: {error}"));
        writer.serialize(line).map_err(unwritten)?;
    }
    let bytes = writer.into_inner().map_err(|error| {
        Failure::Request(format!("the CSV could not be made: {}", error.error()))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
