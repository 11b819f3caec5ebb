//! The tables of the figures, with published values in brackets.

use std::fmt::Write;

use comfy_table::Cell;

use super::latency;
use super::overhead;
use super::{Kind, PUBLISHED, Plan};
use crate::busy;
use crate::say;
use crate::stats::median;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, time};

const OVERHEAD: &str = "\
fib outside of a cancel scope (T_ws) and inside of one (T_c), beside code without forks (T_s). O is the time that forks add:
O_ws = P T_ws - T_s on P workers, and O_c with T_c; a dash where forks add less than a fifth of T_s. In brackets the
published O_c/O_ws, \"nearly constant up to eight processors\". Parallel ML: T_s is --sequential.";

const LATENCY: &str = "\
No solution counts, so the search goes on until it is cancelled, after some 3 ms. cancel: another thread cancels it; the
time is from the call of cancel to its return, when all tasks are gone. win: a branch says that it has found something;
the time is from there to the end of the outermost parallel or, when all losers are gone. join: plain forks in one cancel
scope, which the branch that finds something cancels. try_: the same by forms that return an error instead of unwinding.
Not measured in Parallel ML: a win.
tasks: branches that had begun and not ended, or could be stolen (medians of the rounds).";

pub(super) fn overhead(plan: &Plan, rows: &[overhead::Row], colours: bool) -> String {
    let titles = [
        "language", "workers", "T_s", "T_ws", "T_c", "T_c/T_ws", "O_c/O_ws",
    ];
    let mut table = blank(&titles, colours);
    for row in rows {
        let shown = |seconds: &[f64]| Cell::new(optional(median(seconds), time));
        let published = if row.workers == 1 {
            format!(" [{PUBLISHED}]")
        } else {
            String::new()
        };
        table.add_row(vec![
            heading(row.language.name()),
            Cell::new(row.workers),
            shown(&row.serial),
            shown(&row.without),
            shown(&row.within),
            Cell::new(optional(row.time_ratio(), ratio)),
            Cell::new(optional(row.overhead_ratio(), ratio) + &published),
        ]);
    }
    let about = format!("fib({}), medians of {} rounds", plan.n, plan.runs);
    whole(plan, &about, &lines(table, 1..=6), OVERHEAD, colours)
}

pub(super) fn latency(plan: &Plan, rows: &[latency::Row], colours: bool) -> String {
    let per_task = plan.shape.kind == Kind::PerTask;
    let mut titles = vec!["language", "parallel or", "end", "workers"];
    titles.extend(if per_task {
        ["a task", "time", "tasks"].as_slice()
    } else {
        ["median", "mean", "deviation", "least", "most", "tasks"].as_slice()
    });
    let mut table = blank(&titles, colours);
    for row in rows {
        let (mean, deviation) = row.mean_and_deviation();
        let spread = row.spread();
        let tasks = optional(row.tasks(), |tasks| format!("{tasks:.0}"));
        let middle = optional(spread.map(|spread| spread.median), time);
        let mut line = vec![
            heading(row.language.name()),
            Cell::new(row.form),
            Cell::new(row.end.name()),
            Cell::new(row.workers),
        ];
        if per_task {
            let each = optional(row.per_task(), time);
            line.extend([each, middle, tasks].map(Cell::new));
        } else {
            let least = optional(spread.map(|spread| spread.min), time);
            let most = optional(spread.map(|spread| spread.max), time);
            let cells = [middle, time(mean), time(deviation), least, most, tasks];
            line.extend(cells.map(Cell::new));
        }
        table.add_row(line);
    }
    let published = if per_task {
        "Published: a drawing, whose values are not in the text: \"the cancellation phase is benefiting from parallelism\"."
    } else {
        "Published: a drawing of means of 20 runs, whose values are not in the text: \"the latency of cancellation is largely\n\
         independent of the number of processors, and the standard deviation is small, except for the six-processor configuration\"."
    };
    let about = format!("{} queens, {} rounds", plan.n, plan.runs);
    let legend = format!("{LATENCY}\n{published}");
    let numbers = 3..=titles.len() - 1;
    whole(plan, &about, &lines(table, numbers), &legend, colours)
}

/// Returns a title, the table, and notes for the reader.
fn whole(plan: &Plan, about: &str, table: &str, legend: &str, colours: bool) -> String {
    let mut text = String::new();
    let title = format!("{}: {}", plan.shape.name, plan.shape.about);
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let pinned = if plan.pin {
        "Rust's workers are pinned where there are CPUs enough"
    } else {
        "no thread is pinned"
    };
    let _ = writeln!(text, "{about}; {pinned}\n");
    let _ = writeln!(text, "{table}\n{legend}\n\n{}.", plan.origin());
    for note in plan.notes() {
        let _ = writeln!(text, "{note}.");
    }
    text.push_str(&busy::note(plan.others, false));
    text.push_str(debug_note());
    text
}
