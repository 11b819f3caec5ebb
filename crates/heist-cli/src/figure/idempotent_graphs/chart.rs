//! The chart of the figure as in the paper, with a panel for the redundant work.

use heist_suite::graphs::ENTRANTS;

use super::{PUBLISHED_REDUNDANT, Panel};
use crate::chart::{Chart, Line, LinePanel, Lines};
use crate::graph::{Plan, Row, cpus};

pub(super) fn render(
    panel: &Panel,
    plan: &Plan,
    about: &str,
    vertices: &str,
    rows: &[Row],
) -> Chart {
    let names: Vec<&str> = plan.entrants.iter().map(|entrant| entrant.name).collect();
    let base = rows.iter().min_by_key(|row| row.threads);
    let fewest = match base.map_or(1, |row| row.threads) {
        1 => "one thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let line = |name: &str, value: &dyn Fn(&Row) -> Option<f64>| -> Line {
        let row = |threads| {
            rows.iter()
                .find(|row| row.entrant.name == name && row.threads == threads)
        };
        let mut threads = plan.threads.clone();
        threads.sort_unstable();
        threads
            .into_iter()
            .map(|threads| (threads, row(threads).and_then(value)))
            .collect()
    };
    let lines =
        |value: &dyn Fn(&Row) -> Option<f64>| names.iter().map(|name| line(name, value)).collect();
    let mut notes = vec![
        about.to_owned(),
        format!("Published: {}", panel.published),
        "After Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009), section 4.2.2"
            .to_owned(),
    ];
    if plan.threads.iter().any(|&threads| threads > cpus()) {
        notes.push(format!(
            "Only {} threads can run at once here; with more they take turns",
            cpus()
        ));
    }
    let title = format!("{}: {}, {} vertices", panel.name, panel.about, vertices);
    let lines_of = |title: &str, y_axis: String, reference, lines| LinePanel {
        title: title.to_owned(),
        x_axis: "threads".to_owned(),
        y_axis,
        logarithmic: false,
        doubling: false,
        reference: Some(reference),
        lines,
    };
    Chart::Lines(Lines {
        title,
        notes,
        series: Lines::series(names.iter().copied()),
        reference: "above: Chase-Lev with the fewest threads; below: the paper's greatest"
            .to_owned(),
        columns: 2,
        panels: vec![
            lines_of(
                "Speed-up",
                format!("speed-up over {} on {fewest}", ENTRANTS[0].name),
                1.0,
                lines(&|row| row.speed_up_over(base?)),
            ),
            lines_of(
                "Redundant work",
                "vertices visited again, percent".to_owned(),
                100.0 * PUBLISHED_REDUNDANT[1],
                lines(&|row| Some(100.0 * row.redundant_share()?)),
            ),
        ],
    })
}
