//! The charts of the figures: lines over the number of workers.

use super::latency;
use super::overhead;
use super::search::End;
use super::{Kind, Language, PUBLISHED, Plan};
use crate::chart::{Chart, Line, LinePanel, Lines};

fn panel(title: &str, y_axis: &str, reference: Option<f64>, lines: Vec<Line>) -> LinePanel {
    LinePanel {
        title: title.to_owned(),
        x_axis: "workers".to_owned(),
        y_axis: y_axis.to_owned(),
        logarithmic: false,
        doubling: false,
        reference,
        lines,
    }
}

fn page(plan: &Plan, names: &[String], notes: Vec<String>, panels: Vec<LinePanel>) -> Chart {
    let mut all = notes;
    all.push(plan.origin());
    all.extend(plan.notes());
    Chart::Lines(Lines {
        title: format!("{}: {}", plan.shape.name, plan.shape.about),
        notes: all,
        series: Lines::series(names.iter().map(String::as_str)),
        reference: "published, on one processor; \"nearly constant up to eight\"".to_owned(),
        columns: 2,
        panels,
    })
}

pub(super) fn overhead(plan: &Plan, rows: &[overhead::Row]) -> Chart {
    let names: Vec<String> = plan
        .languages()
        .iter()
        .map(|language| language.name().to_owned())
        .collect();
    let lines = |value: fn(&overhead::Row) -> Option<f64>| -> Vec<Line> {
        let line = |language: &Language| {
            let own = rows.iter().filter(|row| row.language == *language);
            own.map(|row| (row.workers, value(row))).collect()
        };
        plan.languages().iter().map(line).collect()
    };
    let panels = vec![
        panel(
            "What forks add to serial code",
            "with cancellation by without",
            Some(PUBLISHED),
            lines(overhead::Row::overhead_ratio),
        ),
        panel(
            "The whole time",
            "with cancellation by without",
            None,
            lines(overhead::Row::time_ratio),
        ),
    ];
    let note = format!("fib({}), medians of {} rounds", plan.n, plan.runs);
    page(plan, &names, vec![note], panels)
}

pub(super) fn latency(plan: &Plan, rows: &[latency::Row]) -> Chart {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if !names.contains(&row.label()) {
            names.push(row.label());
        }
    }
    let (axis, value): (_, fn(&latency::Row) -> Option<f64>) = match plan.shape.kind {
        Kind::PerTask => ("nanoseconds for each task cancelled", |row| {
            Some(1e9 * row.per_task()?)
        }),
        _ => ("microseconds", |row| Some(1e6 * row.spread()?.median)),
    };
    let panels = End::ALL.map(|end| {
        let line = |name: &String| -> Line {
            let own = rows
                .iter()
                .filter(|row| row.end == end && row.label() == *name);
            own.map(|row| (row.workers, value(row))).collect()
        };
        let title = match end {
            End::Cancel => "Cancelled from outside",
            End::Win => "A branch wins",
        };
        panel(title, axis, None, names.iter().map(line).collect())
    });
    let note = format!("{0} queens, medians of {1} rounds", plan.n, plan.runs);
    page(plan, &names, vec![note], panels.into())
}
