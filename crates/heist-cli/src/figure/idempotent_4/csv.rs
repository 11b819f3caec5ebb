//! The CSV file, with a line for each row of the table.

use serde::Serialize;

use super::measure::Group;
use super::{BASE, Counts, PRIVATE, Workload, published};
use crate::failure::Failure;

/// A line of the CSV file. Times are in nanoseconds per operation.
#[derive(Serialize)]
struct Line {
    workload: &'static str,
    task_ns: u64,
    items: usize,
    deque: &'static str,
    thieves: usize,
    pinned: bool,
    more_threads_than_cpus: bool,
    rounds: usize,
    median_ns: Option<f64>,
    min_ns: Option<f64>,
    max_ns: Option<f64>,
    /// The ratio of this row's time to the time of Chase-Lev with the same number of thieves.
    over_chase_lev: Option<f64>,
    /// The ratio of this row's time to the time of the split deque's private part.
    over_split: Option<f64>,
    /// The ratio of the time of Chase-Lev without thieves to this row's time.
    speed_up: Option<f64>,
    published_speed_up_from: Option<f64>,
    published_speed_up_to: Option<f64>,
    instructions: Option<f64>,
    /// The numbers of items that the owner and each thief took, over all rounds.
    taken: String,
    stolen_share: Option<f64>,
    repeated_share: Option<f64>,
    /// The numbers of items that were delivered once, twice and so on, over all rounds.
    multiplicity: String,
}

/// Returns the text of the file: the lines with their header.
pub(super) fn render(groups: &[Group], counts: &Counts) -> Result<String, Failure> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for group in groups {
        for row in &group.rows {
            let spread = row.spread();
            let published = published(group.workload, row.deque.name);
            let thieves = row.thieves > 0;
            let line = Line {
                workload: group.workload.name(),
                task_ns: match group.workload {
                    Workload::Solo(_) => 0,
                    Workload::Raid { task } => task,
                },
                items: group.items,
                deque: row.deque.name,
                thieves: row.thieves,
                pinned: row.pinned,
                more_threads_than_cpus: row.crowded,
                rounds: row.nanos.len(),
                median_ns: spread.map(|spread| spread.median),
                min_ns: spread.map(|spread| spread.min),
                max_ns: spread.map(|spread| spread.max),
                over_chase_lev: group.relative_to(BASE, row),
                over_split: group.relative_to(PRIVATE, row),
                speed_up: group.speed_up(row),
                published_speed_up_from: published.map(|[from, _]| from),
                published_speed_up_to: published.map(|[_, to]| to),
                instructions: counts.of(row, group),
                taken: if thieves {
                    numbers(&row.taken())
                } else {
                    String::new()
                },
                stolen_share: row.stolen(),
                repeated_share: row.repeated(),
                multiplicity: numbers(&row.multiplicity()),
            };
            writer.serialize(line).map_err(|error| failed(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.error()))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

fn numbers(list: &[u64]) -> String {
    let words: Vec<String> = list.iter().map(u64::to_string).collect();
    words.join(" ")
}

fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::Request(format!("cannot write the results as CSV: {error}"))
}
