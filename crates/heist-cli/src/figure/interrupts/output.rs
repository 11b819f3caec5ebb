//! The output of the figure: a table, CSV, and a chart of bars.

use std::fmt::Write;

use comfy_table::Cell;
use serde::Serialize;

use super::{ABOUT, NAME, ORIGIN, Plan, Row, published};
use crate::busy;
use crate::chart::{Bar, BarPanel, Bars, Chart, Scale};
use crate::failure::Failure;
use crate::figure::thousands;
use crate::say;
use crate::stats::Spread;
use crate::table::{blank, debug_note, heading, lines, optional, time};

const LEGEND: &str = "\
From a request to the time at which ...
asked     the thread that asks can go on: the cost of asking
seen      the other thread has seen it
answered  the answer has been seen, which comes by the same means: the round trip (median, mean, 99 of 100)

poll: both poll a word, without other work. membarrier: the same, and a private expedited membarrier after each store.
tgkill: a signal whose handler answers with another one. In brackets the published means of a million round trips:
\"Software polling averages at 10 microseconds and hardware interrupts averages at 90 microseconds.\" There a poll is a
check of the heap limit, which a collection follows; an interrupt is a signal whose handler sets that limit.";

pub(super) fn table(plan: &Plan, rows: &[Row], colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{NAME}: {ABOUT}");
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(
        text,
        "Medians of {} rounds of {} round trips; each worker is kept on a CPU\n",
        plan.runs,
        thousands(plan.laps as u64)
    );
    let titles = [
        "means",
        "asked",
        "seen",
        "answered",
        "mean",
        "99 of 100",
        "published",
    ];
    let mut table = blank(&titles, colours);
    for row in rows {
        let shown = |value| Cell::new(optional(row.median(value), |micros| time(micros * 1e-6)));
        table.add_row(vec![
            heading(row.means.name()),
            shown(|round| round.sent),
            shown(|round| round.seen),
            shown(|round| round.answered),
            shown(|round| round.mean),
            shown(|round| round.late),
            Cell::new(
                published(row.means).map_or(String::new(), |micros| format!("[{micros} µs]")),
            ),
        ]);
    }
    text.push_str(&lines(table, 1..=6));
    for row in rows {
        if let Some(line) = &row.refused {
            let _ = writeln!(text, "{}: {line}.", row.means.name());
        }
    }
    let _ = writeln!(text, "\n{LEGEND}\n\n{ORIGIN}.");
    text.push_str(&busy::note(plan.others, false));
    text.push_str(debug_note());
    text
}

/// A line of the CSV file. Times are in microseconds.
#[derive(Serialize)]
struct Line<'a> {
    figure: &'static str,
    means: &'static str,
    laps: usize,
    rounds: usize,
    asked_us: Option<f64>,
    seen_us: Option<f64>,
    answered_us: Option<f64>,
    mean_us: Option<f64>,
    late_us: Option<f64>,
    published_mean_us: Option<f64>,
    /// The reason why there are no rounds.
    refused: Option<&'a str>,
    /// The medians of the round trips, by round.
    samples_us: String,
}

pub(super) fn csv(plan: &Plan, rows: &[Row]) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        let samples: Vec<String> = row
            .rounds
            .iter()
            .map(|round| format!("{:.3}", round.answered))
            .collect();
        let line = Line {
            figure: NAME,
            means: row.means.name(),
            laps: plan.laps,
            rounds: row.rounds.len(),
            asked_us: row.median(|round| round.sent),
            seen_us: row.median(|round| round.seen),
            answered_us: row.median(|round| round.answered),
            mean_us: row.median(|round| round.mean),
            late_us: row.median(|round| round.late),
            published_mean_us: published(row.means),
            refused: row.refused.as_deref(),
            samples_us: samples.join(" "),
        };
        writer.serialize(line).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}

pub(super) fn chart(plan: &Plan, rows: &[Row]) -> Chart {
    let panel = |row: &Row| {
        let bar = |name: &str, value: fn(&super::Round) -> f64| {
            let all: Vec<f64> = row.rounds.iter().map(value).collect();
            let spread = Spread::of(&all);
            Bar {
                name: name.to_owned(),
                group: 0,
                value: spread.map(|spread| spread.median),
                number: spread.map_or("not measured".to_owned(), |spread| {
                    time(spread.median * 1e-6)
                }),
                band: None,
                spread: spread.map(|spread| [spread.min, spread.max]),
            }
        };
        BarPanel {
            title: row.means.name().to_owned(),
            note: row.refused.clone().unwrap_or_default(),
            reference: published(row.means),
            bars: vec![
                bar("asked", |round| round.sent),
                bar("seen", |round| round.seen),
                bar("answered", |round| round.answered),
                bar("answered, mean", |round| round.mean),
            ],
        }
    };
    Chart::Bars(Bars {
        title: format!("{NAME}: {ABOUT}"),
        notes: vec![
            format!(
                "Medians of {} rounds of {} round trips, with least and greatest",
                plan.runs,
                thousands(plan.laps as u64)
            ),
            ORIGIN.to_owned(),
        ],
        axis: "microseconds, logarithmic".to_owned(),
        scale: Scale::Logarithmic,
        groups: vec!["time from the request".to_owned()],
        reference: "published mean of a round trip".to_owned(),
        band: String::new(),
        panels: rows.iter().map(panel).collect(),
    })
}
