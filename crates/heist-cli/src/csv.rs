//! Writes the table with one line per program, contender and thread count, for spreadsheets.

use serde::Serialize;

use crate::contender;
use crate::failure::Failure;
use crate::figures::Figures;
use crate::measure::Outcome;

/// A line of the CSV file: one program, contender and thread count. Times are in seconds. The struct repeats the fields of `Figures`,
/// because the csv crate cannot write a header for a struct with a flattened field.
#[derive(Serialize)]
struct Line<'a> {
    program: &'static str,
    params: &'a str,
    contender: &'static str,
    threads: usize,
    rounds: usize,
    t_s: Option<f64>,
    t_1: Option<f64>,
    t_p: f64,
    t1_over_ts: Option<f64>,
    ts_over_tp: Option<f64>,
    ns_per_fork: Option<f64>,
    steals: Option<f64>,
    min: f64,
    median: f64,
    max: f64,
}

/// Returns the text of the file: the lines with their header.
pub(crate) fn render(outcomes: &[Outcome]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for outcome in outcomes {
        for row in &outcome.rows {
            let Some(figures) = Figures::of(outcome, row) else {
                continue;
            };
            let line = Line {
                program: outcome.program.name,
                params: &outcome.params,
                contender: contender::name(row.contender),
                threads: row.threads,
                rounds: row.samples.len(),
                t_s: figures.t_s,
                t_1: figures.t_1,
                t_p: figures.t_p,
                t1_over_ts: figures.t1_over_ts,
                ts_over_tp: figures.ts_over_tp,
                ns_per_fork: figures.ns_per_fork,
                steals: figures.steals,
                min: figures.min,
                median: figures.t_p,
                max: figures.max,
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
