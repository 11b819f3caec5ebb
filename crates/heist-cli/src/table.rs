//! The table people read.

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, TableComponent, presets,
};

use crate::bench::Outcome;
use crate::contender;
use crate::figures::Figures;

const HEADER: [&str; 12] = [
    "program",
    "params",
    "contender",
    "threads",
    "T_S",
    "T1",
    "T_P",
    "T1/T_S",
    "T_S/T_P",
    "ns/fork",
    "steals",
    "min/median/max",
];

/// What the columns mean, for whoever sees the table for the first time.
pub(crate) const LEGEND: &str = "\
T_S      time of the serial program
T1, T_P  time of this contender on 1 thread, and on this row's threads
T1/T_S   what being parallel costs on one thread: 1.00 is free
T_S/T_P  speedup over the serial program: more is better
ns/fork  (T1 - T_S) divided by the number of forks
steals   tasks that moved to another thread in a run; rivals do not count theirs
";

/// The table of all outcomes, ending with a line break.
pub(crate) fn render(outcomes: &[Outcome], colours: bool) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_style(TableComponent::HeaderLines, '─');
    table.set_style(TableComponent::MiddleHeaderIntersections, '─');
    // Wrapped cells are harder to read than a line that runs over the edge.
    table.set_content_arrangement(ContentArrangement::Disabled);
    if colours {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(HEADER.map(|title| Cell::new(title).add_attribute(Attribute::Bold)));
    for outcome in outcomes {
        for (index, row) in outcome.rows.iter().enumerate() {
            let Some(figures) = Figures::of(outcome, row) else {
                continue;
            };
            // A program is named once, which also shows where the next one begins.
            let (name, params) = if index == 0 {
                (outcome.program.name, outcome.params.as_str())
            } else {
                ("", "")
            };
            let who = Cell::new(contender::name(row.contender));
            let who = if contender::is_heist(row.contender) {
                who.fg(Color::Cyan)
            } else {
                who
            };
            table.add_row(vec![
                Cell::new(name).add_attribute(Attribute::Bold),
                Cell::new(params),
                who,
                Cell::new(row.threads),
                Cell::new(optional(figures.t_s, time)),
                Cell::new(optional(figures.t_1, time)),
                Cell::new(time(figures.t_p)),
                Cell::new(optional(figures.t1_over_ts, ratio)),
                Cell::new(optional(figures.ts_over_tp, ratio)),
                Cell::new(optional(figures.ns_per_fork, |ns| format!("{ns:.1}"))),
                Cell::new(optional(figures.steals, |steals| format!("{steals:.0}"))),
                Cell::new(format!(
                    "{}/{}/{}",
                    time(figures.min),
                    time(figures.t_p),
                    time(figures.max)
                )),
            ]);
        }
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if (3..=10).contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if cfg!(debug_assertions) {
        text.push_str("This is a debug build, so the figures mean little: build with --release.\n");
    }
    text
}

fn optional(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Three significant digits and a unit.
pub(crate) fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 999.5e-9 => (s * 1e9, "ns"),
        s if s < 999.5e-6 => (s * 1e6, "µs"),
        s if s < 999.5e-3 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_have_three_digits() {
        for (seconds, text) in [
            (0.0, "0.00ns"),
            (12e-9, "12.0ns"),
            (999.6e-9, "1.00µs"),
            (1.234e-3, "1.23ms"),
            (9.996e-3, "10.0ms"),
            (0.456, "456ms"),
            (0.9996, "1.00s"),
            (75.0, "75.0s"),
            (7500.0, "7500s"),
        ] {
            assert_eq!(time(seconds), text);
        }
    }
}
