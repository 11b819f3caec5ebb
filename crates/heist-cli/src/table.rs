//! The table of the results as text.

use std::ops::RangeInclusive;

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table,
    TableComponent, presets,
};

use crate::busy;
use crate::contender;
use crate::figures::Figures;
use crate::measure::{Outcome, Row};
use crate::say;

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

/// The width of the parameters of a program. The text of longer parameters continues in the next row of the program, if the program has
/// another row.
const PARAMS_WIDTH: usize = 20;

/// The maximum serial time per fork, in seconds, at which the table shows `ns/fork`. For programs with more serial time per fork, `ns/fork`
/// would mostly show noise in the time of the work between two forks.
const COARSE: f64 = 500e-9;

/// The meaning of the columns, for new readers.
pub(crate) const LEGEND: &str = "\
T_S      time of the serial program
T1, T_P  time of this contender on 1 thread, and on this row's threads
T1/T_S   what being parallel costs on one thread: 1.00 is free
T_S/T_P  speedup over the serial program: more is better
ns/fork  (T_P - T_S/threads) by the number of forks, where they are many: what a fork adds to the ideal time
steals   tasks that moved to another thread in a run; rivals do not count theirs
";

/// The columns that are left out on a narrow terminal. The first column of the list is left out first.
const SPARE: [usize; 6] = [11, 1, 4, 5, 10, 9];

/// Returns true if more than a quarter of the rounds of a row were disturbed.
fn is_disturbed(row: &Row) -> bool {
    4 * row.preempted() > row.samples.len()
}

/// Returns the table of all outcomes, which ends with a line break. `others` is the number of runnable threads of other
/// programs at the beginning.
pub(crate) fn render(outcomes: &[Outcome], others: Option<f64>, colours: bool) -> String {
    let mut table = blank(&HEADER, colours);
    for outcome in outcomes {
        let mut params = wrap(&outcome.params, PARAMS_WIDTH, outcome.rows.len()).into_iter();
        for (index, row) in outcome.rows.iter().enumerate() {
            let Some(figures) = Figures::of(outcome, row) else {
                continue;
            };
            // Only the first row of a program has its name, which also shows where the rows of the next program begin.
            let name = if index == 0 { outcome.program.name } else { "" };
            let who = Cell::new(contender::name(row.contender));
            let who = if contender::is_heist(row.contender) {
                who.fg(Color::Cyan)
            } else {
                who
            };
            table.add_row(vec![
                heading(name),
                Cell::new(params.next().unwrap_or_default()),
                who,
                Cell::new(row.threads),
                Cell::new(optional(figures.t_s, time)),
                Cell::new(optional(figures.t_1, time)),
                Cell::new(format!(
                    "{}{}",
                    if is_disturbed(row) { "!" } else { "" },
                    time(figures.t_p)
                )),
                Cell::new(optional(figures.t1_over_ts, ratio)),
                Cell::new(optional(figures.ts_over_tp, ratio)),
                Cell::new(optional(
                    figures
                        .ns_per_fork
                        .filter(|_| forks_are_fine(outcome, &figures)),
                    |ns| format!("{ns:.1}"),
                )),
                Cell::new(optional(figures.steals, |steals| format!("{steals:.0}"))),
                Cell::new(times([figures.min, figures.t_p, figures.max])),
            ]);
        }
    }
    let mut text = lines_without(table, 3..=10, &SPARE);
    let rows = || outcomes.iter().flat_map(|outcome| &outcome.rows);
    text.push_str(&busy::note(others, rows().any(is_disturbed)));
    text.push_str(debug_note());
    text
}

/// Returns a table in Heist's style that has only a header.
pub(crate) fn blank(header: &[&str], colours: bool) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_style(TableComponent::HeaderLines, '─');
    table.set_style(TableComponent::MiddleHeaderIntersections, '─');
    // Cells are not wrapped, because a line beyond the edge of the terminal is easier to read.
    table.set_content_arrangement(ContentArrangement::Disabled);
    if colours {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table.set_header(header.iter().map(|title| heading(title)));
    table
}

/// Returns an emphasised cell.
pub(crate) fn heading(text: &str) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

/// Returns the table as text, with the columns `numbers` aligned to the right. If the table is too wide, columns are
/// left out from the right.
pub(crate) fn lines(table: Table, numbers: RangeInclusive<usize>) -> String {
    lines_without(table, numbers, &[])
}

/// Returns the table as [`lines`] does, but leaves out the columns `spare` first, in the order of `spare`. The last line names the omitted
/// columns.
pub(crate) fn lines_without(
    table: Table,
    numbers: RangeInclusive<usize>,
    spare: &[usize],
) -> String {
    fitting(table, numbers, spare, say::width())
}

fn fitting(
    mut table: Table,
    numbers: RangeInclusive<usize>,
    spare: &[usize],
    width: Option<usize>,
) -> String {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let last = table.column_count().saturating_sub(1);
    // The first two columns identify the row.
    let others = (2..=last).rev().filter(|index| !spare.contains(index));
    let mut candidates = spare.iter().copied().chain(others);
    let mut left_out = Vec::new();
    let mut text = plain(&table);
    while let Some(width) = width
        && text.lines().any(|line| say::columns(line) > width)
        && let Some(index) = candidates.next()
        && let Some(column) = table.column_mut(index)
    {
        column.set_constraint(ColumnConstraint::Hidden);
        left_out.push(index);
        text = plain(&table);
    }
    if !left_out.is_empty() {
        left_out.sort_unstable();
        let titles = left_out.iter().filter_map(|&index| {
            let title = table.header()?.cell_iter().nth(index)?.content();
            Some(title).filter(|title| !title.is_empty())
        });
        let titles: Vec<String> = titles.collect();
        text.push_str(&format!("--wide shows more: {}.\n", titles.join(", ")));
    }
    text
}

fn plain(table: &Table) -> String {
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Returns a warning about figures from a debug build, or an empty text in other builds.
pub(crate) fn debug_note() -> &'static str {
    if cfg!(debug_assertions) {
        "This is a debug build, so the figures mean little: build with --release.\n"
    } else {
        ""
    }
}

/// Formats a value by `show`, or returns a dash for a missing value.
pub(crate) fn optional(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn forks_are_fine(outcome: &Outcome, figures: &Figures) -> bool {
    outcome
        .forks
        .zip(figures.t_s)
        .is_some_and(|(forks, serial)| serial < COARSE * forks as f64)
}

/// Returns `text` in at most `most` lines of at most `width` columns. A word of more than `width` columns makes its line longer. If the
/// text needs more than `most` lines, the last line has all of the remaining text.
fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let lines_so_far = lines.len();
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width || lines_so_far >= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Formats a number with two decimals.
pub(crate) fn ratio(value: f64) -> String {
    format!("{value:.2}")
}

/// Formats a time with three significant digits and a unit.
pub(crate) fn time(seconds: f64) -> String {
    let (scale, unit) = unit_for(seconds);
    format!("{}{unit}", three_digits(seconds * scale))
}

/// Formats three times in the unit of the middle time. The unit is printed once.
pub(crate) fn times(seconds: [f64; 3]) -> String {
    let (scale, unit) = unit_for(seconds[1]);
    format!(
        "{}{unit}",
        seconds.map(|time| three_digits(time * scale)).join("/")
    )
}

fn unit_for(seconds: f64) -> (f64, &'static str) {
    match seconds {
        s if s < 999.5e-9 => (1e9, "ns"),
        s if s < 999.5e-6 => (1e6, "µs"),
        s if s < 999.5e-3 => (1e3, "ms"),
        _ => (1.0, "s"),
    }
}

/// Formats a number with three significant digits, but with all digits before the point.
pub(crate) fn three_digits(value: f64) -> String {
    let digits = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn three_times_share_a_unit() {
        assert_eq!(times([0.9e-3, 1.234e-3, 12.0e-3]), "0.90/1.23/12.0ms");
    }

    #[test]
    fn long_parameters_go_on_below() {
        assert_eq!(wrap("n=30", 10, 7), ["n=30"]);
        assert_eq!(
            wrap("n=256 steps=100 k=3", 10, 7),
            ["n=256", "steps=100", "k=3"]
        );
        assert_eq!(
            wrap("n=256 steps=100 k=3", 10, 2),
            ["n=256", "steps=100 k=3"]
        );
        assert_eq!(wrap("", 10, 7), [""; 0]);
    }
}
