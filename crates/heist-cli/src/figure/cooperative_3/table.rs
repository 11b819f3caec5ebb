//! The table of the figure.

use std::fmt::Write;

use comfy_table::Cell;

use super::measure::{Group, Plan};
use super::{NAME, UNREADABLE, origin};
use crate::graph::cpus;
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, time, times};

const LEGEND: &str = "\
async     Heist: an async task each, which suspends       fiber    Heist: a closure with a stack of its own, which suspends
blocking  Heist: a closure each, which holds its thread   tokio    an async task of Tokio's each
threads   a thread of the system each                     rayon    no tasks that wait: a parallel loop for each round or level
serial    no tasks
time      median over the rounds
/async    this time by that of async, median within rounds";

pub(super) fn render(plan: &Plan, groups: &[Group], colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{NAME}: tasks that wait for one another");
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(
        text,
        "{} workers, {} rounds; no thread is pinned\n",
        plan.workers, plan.runs
    );
    let header = ["program", "contender", "time", "/async", "min/median/max"];
    let mut table = blank(&header, colours);
    for group in groups {
        for (index, row) in group.rows.iter().enumerate() {
            // Only the first row of a program has its name, which also shows where the rows of the
            // next program begin.
            let name = if index == 0 { group.panel.label } else { "" };
            let spread = row.spread();
            table.add_row(vec![
                heading(name),
                Cell::new(row.entrant.name()),
                Cell::new(optional(spread.map(|spread| spread.median), time)),
                Cell::new(optional(group.over_base(row), ratio)),
                Cell::new(spread.map_or_else(
                    || "-".to_owned(),
                    |spread| times([spread.min, spread.median, spread.max]),
                )),
            ]);
        }
    }
    text.push_str(&lines(table, 2..=4));
    let _ = writeln!(text, "\n{LEGEND}\n");
    let width = groups.iter().map(|group| group.panel.label.len()).max();
    let width = width.unwrap_or(0);
    for group in groups {
        let label = group.panel.label;
        let _ = writeln!(
            text,
            "{label:width$}  {}: {}",
            group.panel.program, group.params
        );
        let _ = writeln!(text, "{:width$}  published: {}", "", group.panel.published);
        for reason in group.rows.iter().filter_map(|row| row.refused.as_ref()) {
            let _ = writeln!(text, "{:width$}  {reason}", "");
        }
    }
    let _ = writeln!(text, "\n{UNREADABLE}.\n{}.", origin());
    if plan.workers > cpus() {
        let _ = writeln!(
            text,
            "There are more workers than the {} CPUs here: they take turns.",
            cpus()
        );
    }
    text.push_str(debug_note());
    text
}
