//! The table of the figure.

use std::fmt::Write;

use comfy_table::Cell;

use super::{PUBLISHED_REDUNDANT, Panel};
use crate::graph::{Plan, Row, cpus};
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, time};

const LEGEND: &str = "\
time       median over the rounds
/CL        this time by that of chase-lev with as many threads, median within rounds; below 1 is faster
speed-up   time of chase-lev on one thread (or the fewest) by this one, median within rounds
repeats    visits of vertices that the deque had delivered before, of all visits
redundant  visits beyond one a vertex: repeats, and vertices that two workers found at the same time";

pub(super) fn render(
    panel: &Panel,
    plan: &Plan,
    about: &str,
    rows: &[Row],
    colours: bool,
) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}",
        say::bold(&format!("{}: {}", panel.name, panel.about), colours)
    );
    let _ = writeln!(
        text,
        "{about}; {} rounds\npublished: {}\n",
        plan.runs, panel.published
    );
    let header = [
        "deque",
        "threads",
        "time",
        "/CL",
        "speed-up",
        "repeats",
        "redundant",
    ];
    let mut table = blank(&header, colours);
    let Some(single) = rows.iter().min_by_key(|row| row.threads) else {
        return text;
    };
    let percent = |share: f64| format!("{:.3} %", 100.0 * share);
    let mut last = "";
    for row in rows {
        let base = rows.iter().find(|base| base.threads == row.threads);
        let crowded = if row.threads > cpus() { "*" } else { "" };
        table.add_row(vec![
            heading(if row.entrant.name == last {
                ""
            } else {
                row.entrant.name
            }),
            Cell::new(format!("{}{crowded}", row.threads)),
            Cell::new(optional(row.spread().map(|spread| spread.median), time)),
            Cell::new(optional(
                base.and_then(|base| row.speed_up_over(base))
                    .map(f64::recip),
                ratio,
            )),
            Cell::new(optional(row.speed_up_over(single), |value| {
                format!("{value:.2}x")
            })),
            Cell::new(percent(row.repeated_share())),
            Cell::new(optional(row.redundant_share(), percent)),
        ]);
        last = row.entrant.name;
    }
    text.push_str(&lines(table, 1..=6));
    let _ = writeln!(text, "\n{LEGEND}");
    if rows.iter().any(|row| row.threads > cpus()) {
        let _ = writeln!(
            text,
            "*          more threads than the {} CPUs here: they take turns",
            cpus()
        );
    }
    let loose: Vec<f64> = rows
        .iter()
        // On one thread, no item can be delivered twice.
        .filter(|row| !row.entrant.exactly_once && row.threads > 1)
        .filter_map(Row::redundant_share)
        .collect();
    if !loose.is_empty() {
        let average = loose.iter().sum::<f64>() / loose.len() as f64;
        let most = loose.iter().copied().fold(f64::MIN, f64::max);
        let _ = writeln!(
            text,
            "Redundant work of the idempotent deques with several threads: {} on average, {} at most (published: {} and {}).",
            percent(average),
            percent(most),
            percent(PUBLISHED_REDUNDANT[0]),
            percent(PUBLISHED_REDUNDANT[1]),
        );
    }
    text.push_str(debug_note());
    text
}
