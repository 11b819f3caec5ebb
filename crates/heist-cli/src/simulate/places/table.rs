//! The simulated runs of places as a table.

use std::fmt::Write;

use comfy_table::Cell;
use heist_sim::Kind;
use serde_json::Value;

use super::{Run, Subject};
use crate::say;
use crate::sheet::Sheet;
use crate::table::{blank, debug_note, lines_without, optional, ratio, time};

pub(crate) const LEGEND: &str = "\
T_P       simulated time
speedup   time of the nodes alone on one worker, by T_P
busy      time in which workers visited nodes, of all
lost      time of workers for turns, splits and messages, of all
messages  messages between places, and their bytes
asked     requests of thieves: at random victims, and on lifelines (lines)
given     bags that went to thieves: of random victims, and along lifelines (lines)
inner     halves of bags that a worker gave to another one of its place
empty     how often a place ran out of work
hunger    from there until the place had work: median, and what one in a hundred exceeds
nodes     of the place with the fewest, and of that with the most
";

/// The index of the column with the growth of chunks, which is left out if it is the same in all
/// rows.
const GROWTH: usize = 0;
/// The columns that a narrow terminal omits, in this order: 99%, inner, empty, bytes, lost.
const SPARE: [usize; 5] = [15, 12, 13, 7, 5];

const HEADER: [&str; 18] = [
    "growth", "places", "T_P", "speedup", "busy", "lost", "messages", "bytes", "asked", "lines",
    "given", "lines", "inner", "empty", "hunger", "99%", "nodes", "most",
];

fn row(subject: &Subject, run: &Run) -> Vec<String> {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let outcome = &run.outcome;
    let quantile = |share| {
        let found = outcome.hunger.quantile(share);
        optional(found.map(|ps| ps as f64 * 1e-12), time)
    };
    let (least, most) = run.extremes();
    vec![
        run.growth.0.to_owned(),
        run.places.to_string(),
        time(run.seconds()),
        ratio(subject.serial / run.seconds()),
        percent(outcome.utilisation()),
        percent(outcome.lost()),
        outcome.messages.iter().sum::<u64>().to_string(),
        outcome.bytes.to_string(),
        outcome.count(Kind::Steal).to_string(),
        outcome.count(Kind::Lifeline).to_string(),
        outcome.random_gifts.to_string(),
        outcome.lifeline_gifts.to_string(),
        outcome.inner.to_string(),
        outcome.empty.to_string(),
        quantile(0.5),
        quantile(0.99),
        least.to_string(),
        most.to_string(),
    ]
}

fn title(subject: &Subject) -> String {
    let workers = match subject.args.workers {
        1 => "1 worker".to_owned(),
        workers => format!("{workers} workers"),
    };
    format!(
        "{}: {} nodes, places of {workers}",
        subject.args.tree, subject.nodes
    )
}

/// Returns the runs for `heist report`.
pub(super) fn sheet(subject: &Subject, runs: &[Run]) -> Sheet {
    Sheet {
        title: format!("simulate places: {}", title(subject)),
        source: "Saraswat et al., Lifeline-based global load balancing (PPoPP 2011)".to_owned(),
        notes: LEGEND.lines().map(str::to_owned).collect(),
        charts: Vec::new(),
        tables: vec![crate::sheet::Table {
            title: "Simulated runs".to_owned(),
            columns: HEADER.into_iter().map(str::to_owned).collect(),
            rows: runs
                .iter()
                .map(|run| row(subject, run).into_iter().map(Value::from).collect())
                .collect(),
        }],
    }
}

pub(super) fn render(subject: &Subject, runs: &[Run], colours: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", say::bold(&title(subject), colours));
    let rate = subject.args.bandwidth;
    let rate = if rate.is_finite() {
        format!("{:.3} GB/s", rate * 1e-9)
    } else {
        "any rate".to_owned()
    };
    let _ = writeln!(
        text,
        "work {}, messages of {} at {rate}\n",
        time(subject.serial),
        time(subject.args.latency * 1e-9),
    );
    let mut table = blank(&HEADER, colours);
    for run in runs {
        table.add_row(row(subject, run).into_iter().map(Cell::new));
    }
    let same = runs
        .windows(2)
        .all(|pair| pair[0].growth.0 == pair[1].growth.0);
    let spare: Vec<usize> = same.then_some(GROWTH).into_iter().chain(SPARE).collect();
    text.push_str(&lines_without(table, 1..=HEADER.len() - 1, &spare));
    text.push_str(debug_note());
    text
}
