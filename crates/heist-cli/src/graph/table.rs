//! The runs as a table, and as JSON.

use std::fmt::Write;

use comfy_table::Cell;
use heist_suite::graphs::Algo;
use serde_json::{Value, json};

use super::input::Loaded;
use super::{Plan, Row, cpus};
use crate::say;
use crate::table::{blank, debug_note, heading, lines_without, optional, ratio, time};

pub(super) const LEGEND: &str = "\
time       median over the rounds, with least and greatest
/CL        this time by that of chase-lev with as many threads, median within rounds; below 1 is faster
speed-up   time of chase-lev on one thread (or the fewest) by this one, median within rounds
repeats    calls with an item that the deque had delivered before, of all calls
redundant  calls beyond one for each vertex, by those, where that makes sense: repeats, and vertices that two workers found at the same time
stolen     calls with items that another worker had pushed, of all calls
*          more threads than CPUs here: they take turns
";

/// The columns that a narrow terminal omits, in the order in which they are left out.
const SPARE: [usize; 3] = [3, 6, 8];

/// Returns the runs as JSON. Times are in seconds.
pub(super) fn as_json(algo: Algo, loaded: &Loaded, roots: &[u32], rows: &[Row]) -> Value {
    let each = |row: &Row| {
        let base = rows.iter().find(|base| base.threads == row.threads);
        json!({
            "deque": row.entrant.name,
            "threads": row.threads,
            "more_threads_than_cpus": row.threads > cpus(),
            "seconds": row.seconds,
            "median": row.spread().map(|spread| spread.median),
            "by_chase_lev": base.and_then(|base| row.speed_up_over(base)).map(f64::recip),
            "repeated_share": row.repeated_share(),
            "redundant_share": row.redundant_share(),
            "processed": row.processed,
            "stolen": row.stolen,
        })
    };
    json!({
        "algorithm": algo.name(),
        "about": algo.about(),
        "input": loaded.about,
        "roots": roots.iter().map(|&root| loaded.name(root)).collect::<Vec<u32>>(),
        "found": rows.first().map(|row| row.summary.as_str()),
        "rows": rows.iter().map(each).collect::<Vec<Value>>(),
    })
}

pub(super) fn render(
    plan: &Plan,
    algo: Algo,
    loaded: &Loaded,
    roots: &[u32],
    rows: &[Row],
    colours: bool,
) -> String {
    let mut text = String::new();
    let from = match roots {
        [] => String::new(),
        &[root] => format!(", from vertex {}", loaded.name(root)),
        roots => format!(", from {} vertices", roots.len()),
    };
    let title = format!("{algo}: {}", algo.about());
    let _ = writeln!(text, "{}", say::bold(&title, colours));
    let found = rows.first().map_or("", |row| &row.summary);
    let _ = writeln!(
        text,
        "{}{from}; {found}; {} rounds\n",
        loaded.about, plan.runs
    );
    let header = [
        "deque",
        "threads",
        "time",
        "min/max",
        "/CL",
        "speed-up",
        "repeats",
        "redundant",
        "stolen",
    ];
    let mut table = blank(&header, colours);
    let Some(single) = rows.iter().min_by_key(|row| row.threads) else {
        return text;
    };
    let mut last = "";
    for row in rows {
        let base = rows.iter().find(|base| base.threads == row.threads);
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let crowded = if row.threads > cpus() { "*" } else { "" };
        table.add_row(vec![
            heading(if row.entrant.name == last {
                ""
            } else {
                row.entrant.name
            }),
            Cell::new(format!("{}{crowded}", row.threads)),
            Cell::new(optional(row.spread().map(|spread| spread.median), time)),
            Cell::new(row.spread().map_or_else(
                || "-".to_owned(),
                |spread| format!("{}/{}", time(spread.min), time(spread.max)),
            )),
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
            Cell::new(percent(row.stolen as f64 / row.processed.max(1) as f64)),
        ]);
        last = row.entrant.name;
    }
    text.push_str(&lines_without(table, 1..=8, &SPARE));
    text.push_str(debug_note());
    text.push('\n');
    text
}
