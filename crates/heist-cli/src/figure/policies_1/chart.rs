//! The chart of the figure: lines of measured and of published times.

use super::measure::{Group, Plan, Row};
use super::{CONTENDERS, origin, published};
use crate::chart::{Chart, Line, LinePanel, Lines};

pub(super) fn render(plan: &Plan, groups: &[Group]) -> Chart {
    let names = CONTENDERS.map(|(_, name)| name);
    let lines = |value: &dyn Fn(&Group, &Row) -> Option<f64>| -> Vec<Line> {
        let line = |at: usize| {
            let point = |group: &Group| (group.k, value(group, &group.rows[at]));
            groups.iter().map(point).collect()
        };
        (0..CONTENDERS.len()).map(line).collect()
    };
    let panel = |title: &str, lines| LinePanel {
        title: title.to_owned(),
        x_axis: "tasks in a scope, k".to_owned(),
        y_axis: "microseconds".to_owned(),
        logarithmic: true,
        doubling: false,
        reference: None,
        lines,
    };
    Chart::Lines(Lines {
        title: "Iterative fork-join on one worker, by who goes on at a spawn".to_owned(),
        notes: vec![
            format!("Medians of {} rounds; both axes are logarithmic", plan.runs),
            origin().to_owned(),
        ],
        series: Lines::series(names),
        reference: String::new(),
        columns: 2,
        panels: vec![
            panel("Here", lines(&|_, row| Some(1e6 * row.spread()?.median))),
            panel(
                "Published",
                sparse(lines(&|group, row| published(group.k, row.who))),
            ),
        ],
    })
}

/// Removes points without a value, so that lines connect the remaining points.
fn sparse(lines: Vec<Line>) -> Vec<Line> {
    let with_values = |line: Line| line.into_iter().filter(|(_, y)| y.is_some()).collect();
    lines.into_iter().map(with_values).collect()
}
