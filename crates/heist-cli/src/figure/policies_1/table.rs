//! The table of the figure.

use std::fmt::Write;

use comfy_table::Cell;

use super::measure::{Group, Plan};
use super::{CONTENDERS, NAME, origin, published};
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, three_digits};

const LEGEND: &str = "\
Microseconds of a scope of k tasks, one of them the body's own; in parentheses by the sequential time, median within
rounds; below, in brackets, the published ones. work-first: the task runs at once; help-first: the spawner goes on;
adaptive: help-first up to 8 tasks, then work-first; work-sharing: all tasks through one queue; threads: one each.";

pub(super) fn render(plan: &Plan, groups: &[Group], colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{NAME}: iterative fork-join, by who goes on at a spawn");
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(
        text,
        "1 worker, medians of {} rounds; no thread is pinned\n",
        plan.runs
    );
    let header: Vec<&str> = std::iter::once("k")
        .chain(CONTENDERS.map(|(_, name)| name))
        .collect();
    let mut table = blank(&header, colours);
    for group in groups {
        let mut ours = vec![heading(&group.k.to_string())];
        let mut theirs = vec![Cell::new("")];
        for row in &group.rows {
            let time = optional(row.spread().map(|spread| 1e6 * spread.median), three_digits);
            let over = optional(group.over_sequential(row), ratio);
            ours.push(Cell::new(format!("{time} ({over})")));
            theirs.push(Cell::new(match published(group.k, row.who) {
                Some(time) => format!("[{}]", number(time)),
                None => String::new(),
            }));
        }
        table.add_row(ours);
        table.add_row(theirs);
    }
    text.push_str(&lines(table, 0..=CONTENDERS.len()));
    let _ = writeln!(text, "\n{LEGEND}\n\n{}.", origin());
    text.push_str(debug_note());
    text
}

/// Formats a time in the form of the paper.
fn number(time: f64) -> String {
    if time < 1000.0 {
        format!("{time}")
    } else {
        super::super::thousands(time as u64)
    }
}
