//! The charts of the figure: bars as in the paper, and lines that show the effect of thieves.

use heist_suite::deques::{Deque, Solo, deques};

use super::measure::{Group, MOST_THIEVES, Plan};
use super::{BASE, FAMILIES, Workload, family, published};
use crate::chart::{Bar, BarPanel, Bars, Chart, Line, LinePanel, Lines, Scale};
use crate::figure::thousands;

/// Returns a chart of times relative to Chase-Lev, with one panel for each workload.
pub(super) fn bars(plan: &Plan, groups: &[Group]) -> Chart {
    let panels: Vec<BarPanel> = groups
        .iter()
        .filter_map(|group| {
            let Workload::Solo(solo) = group.workload else {
                return None;
            };
            Some(BarPanel {
                title: match solo {
                    Solo::PutsThenTakes => "All puts, then all takes",
                    Solo::Takes => "Takes alone",
                    Solo::Bursts => "Bursts of 1,000 puts and 1,000 takes",
                    Solo::Alternating => "A put, a take, a put .. on 8 items",
                }
                .to_owned(),
                note: String::new(),
                reference: Some(1.0),
                bars: group.rows.iter().map(|row| bar(group, row.deque)).collect(),
            })
        })
        .collect();
    Chart::Bars(Bars {
        title: "Puts and takes of an owner without thieves, normalised to Chase-Lev".to_owned(),
        notes: vec![
            format!(
                "{} items; shorter is faster; beside the bars: relative time (speed-up), ns per operation",
                thousands(plan.items as u64)
            ),
            "After figure 4 of Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009)"
                .to_owned(),
        ],
        axis: "time relative to Chase-Lev".to_owned(),
        scale: Scale::Linear { limit: 2.0 },
        groups: FAMILIES.map(str::to_owned).into(),
        reference: "Chase-Lev".to_owned(),
        band: "published range, over THE and Chase-Lev".to_owned(),
        panels,
    })
}

fn bar(group: &Group, deque: &Deque) -> Bar {
    let row = group.rows.iter().find(|row| row.deque.name == deque.name);
    let value = row.and_then(|row| group.relative_to(BASE, row));
    let nanos = row.and_then(|row| row.spread()).map(|spread| spread.median);
    Bar {
        name: deque.name.to_owned(),
        group: family(deque),
        value,
        number: match (value, nanos) {
            (Some(value), Some(nanos)) => {
                format!("{value:.2} ({:.2}x), {nanos:.1} ns", 1.0 / value)
            }
            _ => "not measured".to_owned(),
        },
        // A speed-up of 2 means half the time.
        band: published(group.workload, deque.name).map(|[from, to]| [1.0 / to, 1.0 / from]),
        spread: None,
    }
}

/// Returns a chart of speed-ups over the number of thieves, with one panel for each cost of a task.
pub(super) fn lines(plan: &Plan, groups: &[Group]) -> Chart {
    let names: Vec<&str> = deques()
        .iter()
        .filter(|deque| deque.has_thieves())
        .map(|deque| deque.name)
        .collect();
    let raids: Vec<(&Group, String)> = groups
        .iter()
        .filter_map(|group| match group.workload {
            Workload::Solo(_) => None,
            Workload::Raid { task } => Some((
                group,
                format!(
                    "Tasks of {task} ns, {} items",
                    thousands(group.items as u64)
                ),
            )),
        })
        .collect();
    let panels: Vec<LinePanel> = raids
        .iter()
        .map(|(group, title)| LinePanel {
            title: title.clone(),
            x_axis: "thieves".to_owned(),
            y_axis: "speed-up".to_owned(),
            logarithmic: false,
            doubling: false,
            reference: Some(1.0),
            lines: names.iter().map(|name| line(group, name)).collect(),
        })
        .collect();
    let mut notes = vec![
        "Speed-up over Chase-Lev without thieves; the owner puts all items, then takes, while thieves steal".to_owned(),
    ];
    let crowded = |group: &Group| group.rows.iter().any(|row| row.crowded);
    if groups.iter().any(crowded) {
        notes.push(format!(
            "Only {} threads can run at once here, the owner among them; with more they take turns",
            plan.cpus
        ));
    }
    Chart::Lines(Lines {
        title: "Puts, takes and thefts".to_owned(),
        notes,
        series: Lines::series(names),
        reference: "Chase-Lev without thieves".to_owned(),
        columns: 2,
        panels,
    })
}

fn line(group: &Group, name: &str) -> Line {
    (0..=MOST_THIEVES)
        .map(|thieves| {
            let row = group
                .rows
                .iter()
                .find(|row| row.deque.name == name && row.thieves == thieves);
            (thieves, row.and_then(|row| group.speed_up(row)))
        })
        .collect()
}
