//! The simulated runs as a table.

use std::fmt::Write;

use comfy_table::Cell;
use serde_json::Value;

use super::{Run, Subject};
use crate::say;
use crate::sheet::Sheet;
use crate::table::{blank, debug_note, lines_without, optional, ratio, time};

pub(crate) const LEGEND: &str = "\
T_P       simulated time
speedup   serial time by T_P
busy      time in which workers ran the program, of all
lost      time that victims lost to thieves, of all: the dynamic overhead
steals    frames and tasks that moved; free: without the victim's help
latency   from asking, or looking, to the start of what was stolen: median, and what one in a hundred exceeds
measured  median time of Heist on as many threads here; error: of the simulated time against it
";

/// The number of columns that describe the scheduling of the program.
const WAY: usize = 4;
/// The columns of results that are left out on a narrow terminal, in this order: failed, forced, 99%, free.
const SPARE: [usize; 4] = [11, 12, 14, 10];

fn header(measured: bool) -> Vec<&'static str> {
    let mut header = vec![
        "protocol", "policy", "victims", "amount", "workers", "T_P", "speedup", "busy", "lost",
        "steals", "free", "failed", "forced", "latency", "99%",
    ];
    if measured {
        header.extend(["measured", "error"]);
    }
    header
}

fn row(subject: &Subject, run: &Run, measured: bool) -> Vec<String> {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let outcome = &run.outcome;
    let quantile = |share| {
        optional(
            outcome.latency.quantile(share).map(|ps| ps as f64 * 1e-12),
            time,
        )
    };
    let mut row = vec![
        run.way.protocol.0.to_owned(),
        run.way.policy.0.to_owned(),
        run.way.victims.0.to_owned(),
        run.way.amount.0.to_owned(),
        run.workers.to_string(),
        time(run.seconds()),
        ratio(subject.serial / run.seconds()),
        percent(outcome.utilisation()),
        percent(outcome.dynamic_overhead()),
        outcome.steals.to_string(),
        outcome.free_steals.to_string(),
        outcome.failed.to_string(),
        outcome.forced.to_string(),
        quantile(0.5),
        quantile(0.99),
    ];
    if measured {
        row.push(optional(run.measured, time));
        row.push(optional(run.error(), |error| {
            format!("{:+.1}%", 100.0 * error)
        }));
    }
    row
}

/// Returns the runs for `heist report`.
pub(super) fn sheet(subject: &Subject, runs: &[Run]) -> Sheet {
    let measured = runs.iter().any(|run| run.measured.is_some());
    Sheet {
        title: format!("simulate: {}, {}", subject.program.name, subject.params),
        source: subject.program.source.to_owned(),
        notes: LEGEND.lines().map(str::to_owned).collect(),
        charts: Vec::new(),
        tables: vec![crate::sheet::Table {
            title: "Simulated runs".to_owned(),
            columns: header(measured).into_iter().map(str::to_owned).collect(),
            rows: runs
                .iter()
                .map(|run| {
                    let cells = row(subject, run, measured);
                    cells.into_iter().map(Value::from).collect()
                })
                .collect(),
        }],
    }
}

pub(super) fn render(subject: &Subject, runs: &[Run], colours: bool) -> String {
    let mut text = String::new();
    let sum = subject.dag.summary();
    let title = format!("{}: {}", subject.program.name, subject.params);
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let _ = writeln!(
        text,
        "work {}, span {}, parallelism {:.0}, {} forks\n",
        time(sum.work as f64 * 1e-12),
        time(sum.span as f64 * 1e-12),
        sum.parallelism(),
        sum.forks + sum.spawns,
    );
    let measured = runs.iter().any(|run| run.measured.is_some());
    let mut table = blank(&header(measured), colours);
    for run in runs {
        table.add_row(row(subject, run, measured).into_iter().map(Cell::new));
    }
    // Columns that are the same in all rows are left out first.
    let mut spare: Vec<usize> = (0..WAY)
        .filter(|&column| {
            let of = |run| row(subject, run, false).swap_remove(column);
            runs.windows(2).all(|pair| of(&pair[0]) == of(&pair[1]))
        })
        .collect();
    spare.extend(SPARE);
    let last = header(measured).len() - 1;
    text.push_str(&lines_without(table, WAY..=last, &spare));
    text.push_str(debug_note());
    text
}
