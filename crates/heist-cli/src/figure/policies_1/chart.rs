//! The figure in lines, ours beside the published ones.

use super::measure::{Group, Plan, Row};
use super::{CONTENDERS, origin, published};
use crate::chart::{Line, LinePanel, Lines};
use crate::failure::Failure;

pub(super) fn render(plan: &Plan, groups: &[Group]) -> Result<String, Failure> {
    let names = CONTENDERS.map(|(_, name)| name);
    let lines = |value: &dyn Fn(&Group, &Row) -> Option<f64>| -> Vec<Line> {
        let line = |at: usize| {
            let point = |group: &Group| (group.k, value(group, &group.rows[at]));
            groups.iter().map(point).collect()
        };
        (0..CONTENDERS.len()).map(line).collect()
    };
    let panel = |title, lines| LinePanel {
        title,
        x_axis: "tasks in a scope, k",
        y_axis: "microseconds",
        logarithmic: true,
        reference: None,
        lines,
    };
    Lines {
        title: "Iterative fork-join on one worker, by who goes on at a spawn",
        notes: &[
            format!("Medians of {} rounds; both axes are logarithmic", plan.runs),
            origin().to_owned(),
        ],
        names: &names,
        reference: "",
        panels: &[
            panel("Here", lines(&|_, row| Some(1e6 * row.spread()?.median))),
            panel(
                "Published",
                sparse(lines(&|group, row| published(group.k, row.who))),
            ),
        ],
    }
    .svg()
}

/// Without the points that have no value, so that lines join those that have one.
fn sparse(lines: Vec<Line>) -> Vec<Line> {
    let with_values = |line: Line| line.into_iter().filter(|(_, y)| y.is_some()).collect();
    lines.into_iter().map(with_values).collect()
}
