//! The tables of the figure as text.

use std::fmt::Write;

use comfy_table::Cell;
use heist_suite::deques::{Delivery, deques};

use super::measure::{Group, MOST_THIEVES, Plan, Row, added};
use super::{BASE, Counts, PRIVATE, PUBLISHED, Workload, published};
use crate::figure::thousands;
use crate::say;
use crate::table::{blank, debug_note, heading, lines, optional, ratio, three_digits};

const LEGEND: &str = "\
ns/op      nanoseconds of a put with its take; in takes, of a take
/CL        that by Chase-Lev's, as in figure 4: below 1.00 is faster
/split     that by the runtime's own push and pop
speed-up   over Chase-Lev
published  the same in the paper: over THE and Chase-Lev, on its three processors
";
const COUNT_LEGEND: &str = "instr/op   instructions, counted by valgrind\n";

const RAID_LEGEND: &str = "\
alone, 1 thief ..  nanoseconds of the owner by item, from the first put until nothing is left, tasks included
/CL                that by Chase-Lev's with as many thieves
stolen             share of the items that thieves took
repeated           items taken again, by items put
";

/// Returns both tables with their legends.
pub(super) fn render(plan: &Plan, groups: &[Group], counts: &Counts, colours: bool) -> String {
    let mut text = String::new();
    let title = format!(
        "Without thieves: {} items, tasks of nothing",
        thousands(plan.items as u64)
    );
    let _ = writeln!(text, "{}\n", say::bold(&title, colours));
    text.push_str(&solos(groups, counts, colours));
    let counted = if counts.0.is_empty() {
        ""
    } else {
        COUNT_LEGEND
    };
    let _ = writeln!(text, "\n{LEGEND}{counted}");
    let ranges = PUBLISHED.map(|(name, [from, to])| format!("{name} {from:.2}x-{to:.2}x"));
    let _ = writeln!(text, "Published speed-ups: {}.\n", ranges.join(", "));
    let width = deques().iter().map(|deque| deque.name.len()).max();
    for deque in deques() {
        let thieves = if deque.has_thieves() {
            ""
        } else {
            "; no thieves here"
        };
        let _ = writeln!(
            text,
            "{:width$}  {}{thieves}",
            deque.name,
            deque.about,
            width = width.unwrap_or(0)
        );
    }
    text.push('\n');
    let title = "With thieves that steal all the while: puts, then takes with their tasks";
    let _ = writeln!(text, "{}\n", say::bold(title, colours));
    text.push_str(&raids(groups, colours));
    let _ = writeln!(text, "\n{RAID_LEGEND}");
    text.push_str(&multiplicities(groups));
    text.push_str(&notes(plan, groups));
    text.push_str(debug_note());
    text
}

fn solos(groups: &[Group], counts: &Counts, colours: bool) -> String {
    let mut header = vec![
        "workload",
        "deque",
        "ns/op",
        "/CL",
        "/split",
        "speed-up",
        "published",
        "min/max",
    ];
    if !counts.0.is_empty() {
        header.push("instr/op");
    }
    let mut table = blank(&header, colours);
    for group in groups
        .iter()
        .filter(|group| matches!(group.workload, Workload::Solo(_)))
    {
        for (index, row) in group.rows.iter().enumerate() {
            // Only the first row of a workload has its name, which also shows where the rows of the
            // next workload begin.
            let name = if index == 0 {
                group.workload.name()
            } else {
                ""
            };
            let range = published(group.workload, row.deque.name);
            let mut cells = vec![
                heading(name),
                Cell::new(row.deque.name),
                Cell::new(optional(
                    row.spread().map(|spread| spread.median),
                    three_digits,
                )),
                Cell::new(optional(group.relative_to(BASE, row), ratio)),
                Cell::new(optional(group.relative_to(PRIVATE, row), ratio)),
                Cell::new(optional(group.speed_up(row), |value| {
                    format!("{value:.2}x")
                })),
                Cell::new(range.map_or_else(
                    || "-".to_owned(),
                    |[from, to]| format!("{from:.2}x-{to:.2}x"),
                )),
                Cell::new(row.spread().map_or_else(
                    || "-".to_owned(),
                    |spread| format!("{}/{}", three_digits(spread.min), three_digits(spread.max)),
                )),
            ];
            if !counts.0.is_empty() {
                cells.push(Cell::new(optional(counts.of(row, group), |count| {
                    format!("{count:.1}")
                })));
            }
            table.add_row(cells);
        }
    }
    lines(table, 2..=8)
}

fn raids(groups: &[Group], colours: bool) -> String {
    let crowded = |thieves| {
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        rows.any(|row| row.thieves == thieves && row.crowded)
    };
    let mut header = vec!["task".to_owned(), "items".to_owned(), "deque".to_owned()];
    for thieves in 0..=MOST_THIEVES {
        let title = match thieves {
            0 => "alone".to_owned(),
            1 => "1 thief".to_owned(),
            _ => format!("{thieves} thieves"),
        };
        header.push(if crowded(thieves) { title + "*" } else { title });
        header.push("/CL".to_owned());
        if thieves > 0 {
            header.push("stolen".to_owned());
        }
    }
    header.push("repeated".to_owned());
    let mut table = blank(
        &header.iter().map(String::as_str).collect::<Vec<_>>(),
        colours,
    );
    for group in groups {
        let Workload::Raid { task } = group.workload else {
            continue;
        };
        // The rows of one deque are adjacent, in the order of the number of thieves.
        for (index, rows) in group
            .rows
            .chunk_by(|a, b| a.deque.name == b.deque.name)
            .enumerate()
        {
            let first = |text: String| if index == 0 { text } else { String::new() };
            let mut cells = vec![
                heading(&first(format!("{task} ns"))),
                Cell::new(first(thousands(group.items as u64))),
                Cell::new(rows[0].deque.name),
            ];
            for row in rows {
                let median = row.spread().map(|spread| spread.median);
                cells.push(Cell::new(optional(median, three_digits)));
                cells.push(Cell::new(optional(group.relative_to(BASE, row), ratio)));
                if row.thieves > 0 {
                    cells.push(Cell::new(optional(row.stolen(), percent)));
                }
            }
            let most = rows.iter().filter_map(Row::repeated).reduce(f64::max);
            cells.push(Cell::new(optional(most, percent)));
            table.add_row(cells);
        }
    }
    lines(table, 3..=header.len())
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0%".to_owned(),
        percent if percent < 0.1 => format!("{percent:.4}%"),
        percent => format!("{percent:.1}%"),
    }
}

/// Returns a table for deques that may deliver an item more than once. For each number of thieves, the table shows how often items were
/// delivered.
fn multiplicities(groups: &[Group]) -> String {
    let mut text = String::new();
    let repeating = deques()
        .iter()
        .filter(|deque| deque.has_thieves() && deque.delivery == Delivery::AtLeastOnce);
    for deque in repeating {
        for thieves in 1..=MOST_THIEVES {
            let rows = groups.iter().flat_map(|group| &group.rows);
            let sum = rows
                .filter(|row| row.deque.name == deque.name && row.thieves == thieves)
                .map(Row::multiplicity)
                .fold(Vec::new(), added);
            let _ = writeln!(
                text,
                "  {}, thieves {thieves}: {}",
                deque.name,
                histogram(&sum)
            );
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("Items by how often they came, over all tasks and rounds:\n{text}\n")
    }
}

/// Returns a histogram as text. For example, `[5, 0, 1]` becomes `1x 5, 3x 1`: five items came
/// once, and one item came three times.
fn histogram(multiplicity: &[u64]) -> String {
    let times: Vec<String> = multiplicity
        .iter()
        .enumerate()
        .filter(|&(_, &items)| items > 0)
        .map(|(index, &items)| format!("{}x {}", index + 1, thousands(items)))
        .collect();
    times.join(", ")
}

fn notes(plan: &Plan, groups: &[Group]) -> String {
    let mut text = String::new();
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let placed = match rows()
        .filter(|row| row.pinned)
        .map(|row| 1 + row.thieves)
        .max()
    {
        None => "No thread is pinned.".to_owned(),
        Some(1) => "The owner is pinned where it is alone.".to_owned(),
        Some(most) => format!("With up to {most} threads each is pinned to a CPU of its own."),
    };
    let _ = writeln!(
        text,
        "{placed} Medians of {} rounds, ratios within rounds.",
        plan.runs
    );
    if let Some(least) = rows()
        .filter(|row| row.crowded)
        .map(|row| 1 + row.thieves)
        .min()
    {
        let _ = writeln!(
            text,
            "* From {least} threads on there are more than the {} that can run at once. They take turns: those columns \
             show that nothing is lost, and no speeds.",
            plan.cpus
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_leave_out_empty_bins() {
        assert_eq!(histogram(&[12_345, 0, 1]), "1x 12,345, 3x 1");
        assert_eq!(histogram(&[]), "");
    }

    #[test]
    fn small_shares_are_not_rounded_to_nothing() {
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.000_002), "0.0002%");
        assert_eq!(percent(0.25), "25.0%");
    }
}
