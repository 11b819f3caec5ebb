//! The chart of the figure: bars on a logarithmic scale, as in the paper.

use heist_suite::cooperative::Entrant;

use super::measure::{Group, Plan, Row};
use super::{BARS, UNREADABLE, origin};
use crate::chart::{Bar, BarPanel, Bars, Chart, Scale};
use crate::graph::cpus;
use crate::table::time;

/// The meanings of the colours of bars.
const FAMILIES: [&str; 4] = [
    "Heist, tasks suspend",
    "Heist, tasks hold threads",
    "Tokio, tasks suspend",
    "a thread of the system for each task",
];

fn family(entrant: Entrant) -> usize {
    match entrant {
        Entrant::HeistAsync | Entrant::HeistFiber => 0,
        Entrant::HeistBlocking => 1,
        Entrant::Tokio => 2,
        Entrant::Threads | Entrant::Rayon | Entrant::Serial => 3,
    }
}

pub(super) fn render(plan: &Plan, groups: &[Group]) -> Chart {
    let panels: Vec<BarPanel> = groups
        .iter()
        .map(|group| BarPanel {
            title: format!("{} ({})", group.panel.label, group.params),
            note: format!("Published: {}", group.panel.published),
            reference: group.panel.published_ms,
            bars: group.rows[..BARS]
                .iter()
                .map(|row| bar(group, row))
                .collect(),
        })
        .collect();
    let mut notes = vec![
        format!(
            "{} workers, {} rounds: medians, with least and greatest; beside the bars: time (by that of async)",
            plan.workers, plan.runs
        ),
        origin().to_owned(),
        UNREADABLE.to_owned(),
    ];
    if plan.workers > cpus() {
        notes.push(format!(
            "Only {} threads can run at once here; with more they take turns",
            cpus()
        ));
    }
    Chart::Bars(Bars {
        title: "Tasks that wait for one another: futures and barriers".to_owned(),
        notes,
        axis: "milliseconds, logarithmic".to_owned(),
        scale: Scale::Logarithmic,
        groups: FAMILIES.map(str::to_owned).into(),
        reference: "published: X10 with SPMBarrier on 512 threads".to_owned(),
        band: String::new(),
        panels,
    })
}

fn bar(group: &Group, row: &Row) -> Bar {
    let spread = row.spread();
    Bar {
        name: row.entrant.name().to_owned(),
        group: family(row.entrant),
        value: spread.map(|spread| 1e3 * spread.median),
        number: match (spread, group.over_base(row)) {
            (Some(spread), Some(ratio)) => format!("{} ({ratio:.2}x)", time(spread.median)),
            _ => "not run".to_owned(),
        },
        band: None,
        spread: spread.map(|spread| [1e3 * spread.min, 1e3 * spread.max]),
    }
}
