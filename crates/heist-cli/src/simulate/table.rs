//! The simulated runs as a table.

use std::fmt::Write;

use comfy_table::Cell;

use super::{Run, Subject};
use crate::say;
use crate::table::{blank, debug_note, lines, optional, ratio, time};

pub(crate) const LEGEND: &str = "\
T_P       simulated time
speedup   serial time by T_P
busy      time in which workers ran the program, of all
lost      time that victims lost to thieves, of all: the dynamic overhead
steals    frames and tasks that moved; free: without the victim's help
latency   from asking, or looking, to the start of what was stolen: median, and what one in a hundred exceeds
measured  median time of Heist on as many threads here; error: of the simulated time against it
";

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
    let mut header = vec![
        "protocol", "policy", "victims", "amount", "workers", "T_P", "speedup", "busy", "lost",
        "steals", "free", "failed", "forced", "latency", "99%",
    ];
    if measured {
        header.extend(["measured", "error"]);
    }
    let mut table = blank(&header, colours);
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    for run in runs {
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
        table.add_row(row.into_iter().map(Cell::new));
    }
    let last = header.len() - 1;
    text.push_str(&lines(table, 4..=last));
    text.push_str(debug_note());
    text
}
