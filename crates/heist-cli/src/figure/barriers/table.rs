//! The table of the figures. The table also shows whether the values satisfy three limits, with this machine's number of workers and with
//! the paper's number of workers.

use comfy_table::Cell;
use serde_json::{Value as Json, json};
use std::fmt::Write;

use super::published::at_sixteen;
use super::values::{Metric, Source, Values};
use super::{BARRIER_NAME, NAME, PAPER_WORKERS, Plan, SOURCE, STOP_NAME, Subject};
use crate::say;
use crate::sheet::Table;
use crate::table::{blank, debug_note, heading, lines};

/// The maximum dynamic overhead with return barriers, relative to the overhead with stopped victims.
const MOST_OVERHEAD: f64 = 0.5;
/// The maximum share of the time of all workers in the slow path, in percent.
const MOST_BARRIER: f64 = 1.0;
/// The maximum time with return barriers, relative to the time with stopped victims.
const MOST_TIME: f64 = 1.01;

const LEGEND: &str = "\
lost        time that victims lose to thieves, of the time of all workers: the dynamic overhead
new/old     that with return barriers, by that with stopped victims; median within rounds
slow path   time in the slow path of pops that meet the barrier, of the time of all workers
time        with return barriers, by that with stopped victims
published   with 16 threads, from the paper's text; - where it says nothing
*           misses its bar
measured    on this machine; simulated: the recorded program replayed with the costs of heist-sim";

/// A line of the table: its labels and values.
struct Line {
    label: &'static str,
    source: Source,
    workers: usize,
    stop: Option<f64>,
    barrier: Option<f64>,
    overhead: Option<f64>,
    slow_path: Option<f64>,
    time: Option<f64>,
    published: [Option<f64>; 3],
}

fn all_lines(subjects: &[Subject], values: &Values) -> Vec<Line> {
    let mut all = Vec::new();
    for subject in subjects {
        let program = subject.outcome.program.name;
        let measured = subject.outcome.rows.iter().map(|row| row.threads).max();
        for (source, workers) in [
            (Source::Measured, measured.unwrap_or(1)),
            (Source::Simulated, PAPER_WORKERS),
        ] {
            let find = |who, metric| values.find(program, source, who, metric, workers);
            let paper = |metric| {
                (source == Source::Simulated)
                    .then(|| at_sixteen(program, metric))
                    .flatten()
            };
            all.push(Line {
                label: subject.label,
                source,
                workers,
                stop: find(STOP_NAME, Metric::Overhead),
                barrier: find(BARRIER_NAME, Metric::Overhead),
                overhead: find(BARRIER_NAME, Metric::RelativeOverhead),
                slow_path: find(BARRIER_NAME, Metric::BarrierShare),
                time: find(BARRIER_NAME, Metric::RelativeSpeed).map(|speed| 1.0 / speed),
                published: [
                    paper(Metric::RelativeOverhead),
                    paper(Metric::BarrierShare),
                    paper(Metric::RelativeSpeed).map(|speed| 1.0 / speed),
                ],
            });
        }
    }
    all
}

impl Line {
    /// Returns the relative overhead, the share of the slow path and the relative time, each with its limit.
    fn bars(&self) -> [(Option<f64>, f64); 3] {
        [
            (self.overhead, MOST_OVERHEAD),
            (self.slow_path, MOST_BARRIER),
            (self.time, MOST_TIME),
        ]
    }
}

/// For each limit, returns the number of values that satisfy the limit, and the number of all values.
fn kept(all: &[Line], source: Source) -> [(usize, usize); 3] {
    [0, 1, 2].map(|bar| {
        let values = all
            .iter()
            .filter(|line| line.source == source)
            .filter_map(|line| {
                let (value, most) = line.bars()[bar];
                Some(value? <= most)
            });
        let values: Vec<bool> = values.collect();
        (values.iter().filter(|kept| **kept).count(), values.len())
    })
}

fn verdicts(all: &[Line]) -> Vec<String> {
    [Source::Measured, Source::Simulated]
        .map(|source| {
            let [overhead, barrier, time] = kept(all, source);
            format!(
                "{}: dynamic overhead at most half in {} of {} programs, slow path at most 1 % in {} of {}, no more than 1 % slower in {} of {}.",
                source.name(), overhead.0, overhead.1, barrier.0, barrier.1, time.0, time.1
            )
        })
        .into()
}

/// Formats a value with at least two significant digits.
fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if v < 0.001 => format!("{value:.1e}"),
        v if v < 0.1 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), digits)
}

pub(super) fn render(plan: &Plan, subjects: &[Subject], values: &Values, colours: bool) -> String {
    let all = all_lines(subjects, values);
    let mut text = String::new();
    let title = format!("{NAME}: stopped victims and return barriers");
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let pinned = if plan.bench.pin.is_some() {
        "each worker pinned to a CPU"
    } else {
        "no thread is pinned"
    };
    let _ = writeln!(
        text,
        "Medians of {} rounds, {pinned}; after {SOURCE}",
        plan.bench.rounds.most()
    );
    for subject in subjects {
        let _ = writeln!(
            text,
            "  {}: {} {}",
            subject.label, subject.outcome.program.name, subject.outcome.params
        );
    }
    text.push('\n');
    let header = [
        "program",
        "workers",
        "",
        "lost, stop %",
        "lost, new %",
        "new/old",
        "[bar 0.50]",
        "published",
        "slow path %",
        "[bar 1]",
        "published",
        "time",
        "[bar 1.01]",
        "published",
    ];
    let mut table = blank(&header, colours);
    for line in &all {
        let mut row = vec![
            heading(line.label),
            Cell::new(line.workers),
            Cell::new(line.source.name()),
            Cell::new(optional(line.stop)),
            Cell::new(optional(line.barrier)),
        ];
        for ((value, most), published) in line.bars().into_iter().zip(line.published) {
            row.push(Cell::new(optional(value)));
            row.push(Cell::new(match value {
                Some(value) if value > most => "*",
                Some(_) => "kept",
                None => "-",
            }));
            row.push(Cell::new(optional(published)));
        }
        table.add_row(row);
    }
    text.push_str(&lines(table, 1..=header.len() - 1));
    let _ = writeln!(text, "\n{LEGEND}\n");
    for verdict in verdicts(&all) {
        let _ = writeln!(text, "{verdict}");
    }
    text.push_str(debug_note());
    text
}

/// Returns the table for the JSON file, and a summary in words.
pub(super) fn as_table(subjects: &[Subject], values: &Values) -> (Table, Vec<String>) {
    let all = all_lines(subjects, values);
    let columns = [
        "program",
        "workers",
        "source",
        "lost, stop-victim, %",
        "lost, return-barrier, %",
        "new/old (bar: at most 0.5)",
        "published",
        "slow path, % (bar: at most 1)",
        "published",
        "time, new/old (bar: at most 1.01)",
        "published",
    ];
    let number = |value: Option<f64>| value.map_or(Json::Null, |value| json!(value));
    let rows = all.iter().map(|line| {
        let mut row = vec![
            json!(line.label),
            json!(line.workers),
            json!(line.source.name()),
            number(line.stop),
            number(line.barrier),
        ];
        for ((value, _), published) in line.bars().into_iter().zip(line.published) {
            row.push(number(value));
            row.push(number(published));
        }
        row
    });
    let table = Table {
        title: "The bars".to_owned(),
        columns: columns.map(str::to_owned).into(),
        rows: rows.collect(),
    };
    (table, verdicts(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(overhead: Option<f64>, slow_path: f64, time: f64) -> Line {
        Line {
            label: "Jacobi",
            source: Source::Simulated,
            workers: 16,
            stop: None,
            barrier: None,
            overhead,
            slow_path: Some(slow_path),
            time: Some(time),
            published: [None; 3],
        }
    }

    #[test]
    fn bars_are_counted_where_there_is_a_value() {
        let all = [
            line(Some(0.5), 1.0, 1.01),
            line(Some(0.51), 1.1, 1.02),
            line(None, 0.0, 0.5),
        ];
        assert_eq!(kept(&all, Source::Simulated), [(1, 2), (2, 3), (2, 3)]);
        assert_eq!(kept(&all, Source::Measured), [(0, 0); 3]);
    }

    #[test]
    fn small_numbers_keep_their_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.00012, "1.2e-4"),
            (0.0123, "0.0123"),
            (11.2, "11.20"),
        ] {
            assert_eq!(digits(value), text);
        }
    }
}
