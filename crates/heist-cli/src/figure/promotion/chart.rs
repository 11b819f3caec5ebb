//! The chart of the figure: lines of measured and published times, with a panel for each program.

use super::measure::{Row, find};
use super::published::PROCESSORS;
use super::table::published_time;
use super::{Plan, Subject};
use crate::chart::{Chart, Line, LinePanel, Lines};

pub(super) fn render(plan: &Plan, rows: &[Row]) -> Chart {
    let names = plan.ways().iter().map(|way| way.name());
    let panel = |title: String, lines: Vec<Line>| LinePanel {
        title,
        x_axis: "workers".to_owned(),
        y_axis: "seconds".to_owned(),
        logarithmic: false,
        doubling: false,
        reference: None,
        lines,
    };
    let mut panels = Vec::new();
    for subject in &plan.subjects {
        let title = format!("{}, here", subject.label);
        panels.push(panel(title, ours(plan, rows, subject)));
        if subject.times.is_some() {
            let title = format!("{}, published", subject.label);
            panels.push(panel(title, theirs(plan, subject)));
        }
    }
    Chart::Lines(Lines {
        title: format!("{}: {}", plan.shape.name, plan.shape.about),
        notes: vec![format!("Medians of {} rounds", plan.runs), plan.origin()],
        series: Lines::series(names),
        reference: String::new(),
        columns: 2,
        panels,
    })
}

fn ours(plan: &Plan, rows: &[Row], subject: &Subject) -> Vec<Line> {
    let line = |way| -> Line {
        let time = |workers| {
            let row = find(rows, subject, way, workers)?;
            Some(row.median(|sample| sample.time))
        };
        plan.workers
            .iter()
            .map(|&count| (count, time(count)))
            .collect()
    };
    plan.ways().iter().copied().map(line).collect()
}

fn theirs(plan: &Plan, subject: &Subject) -> Vec<Line> {
    let line = |way| -> Line {
        let time = |workers| published_time(subject, way, workers).map(|(rest, gc)| rest + gc);
        PROCESSORS
            .iter()
            .map(|&count| (count, time(count)))
            .collect()
    };
    plan.ways().iter().copied().map(line).collect()
}
