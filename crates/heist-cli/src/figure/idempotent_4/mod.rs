//! `heist figure idempotent-4` runs the microbenchmark of *Idempotent work stealing*, without and with
//! thieves.

mod charts;
mod csv;
mod measure;
mod table;

use std::time::Instant;

use heist_suite::deques::{Deque, Solo, Stage, deques};
use heist_suite::{Size, affinity};

use super::instructions;
use crate::failure::Failure;
use crate::figure::args::{self, Pin};
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;
use measure::{Group, Plan, Row};

/// The contender with which all other contenders are compared, as in the paper.
const BASE: &str = "chase-lev";
/// The deque with which the idempotent deques are compared. No idempotent deque should be slower than this deque.
const PRIVATE: &str = "split";

/// The least and the greatest speed-up of the paper's deques over THE and over Chase-Lev, with and without puts, on three processors
/// (section 4.2.1). The paper shows values of single deques only in figure 4, which is a drawing.
const PUBLISHED: [(&str, [f64; 2]); 3] = [
    ("idempotent-lifo", [1.55, 4.92]),
    ("idempotent-fifo", [1.66, 5.87]),
    ("idempotent-double-ended", [1.47, 3.69]),
];

/// The maximum number of items. More items would take tens of gigabytes.
const MOST_ITEMS: usize = 100_000_000;

/// Returns the published range of speed-ups over Chase-Lev, or `None` if the paper does not have the workload
/// or the deque.
fn published(workload: Workload, deque: &str) -> Option<[f64; 2]> {
    if !matches!(workload, Workload::Solo(Solo::PutsThenTakes | Solo::Takes)) {
        return None;
    }
    PUBLISHED
        .iter()
        .find(|(name, _)| *name == deque)
        .map(|&(_, range)| range)
}

/// The workload that the rows of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Workload {
    /// A workload without thieves.
    Solo(Solo),
    /// A workload with zero to three thieves, and tasks of `task` nanoseconds.
    Raid { task: u64 },
}

impl Workload {
    fn name(self) -> &'static str {
        match self {
            Workload::Solo(solo) => solo.name(),
            Workload::Raid { .. } => "raid",
        }
    }
}

/// The instructions per operation, by deque and workload.
struct Counts(Vec<(&'static str, Solo, f64)>);

impl Counts {
    fn of(&self, row: &Row, group: &Group) -> Option<f64> {
        self.0
            .iter()
            .find(|&&(name, solo, _)| {
                name == row.deque.name && group.workload == Workload::Solo(solo)
            })
            .map(|&(_, _, count)| count)
    }
}

/// Measures the figure, and writes its tables and files.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let items = items(args.size())?;
    // The command opens the files before the measurement, so that it reports a missing folder immediately and not after an hour.
    let names = [
        "idempotent-4.csv",
        "idempotent-4.json",
        "idempotent-4.svg",
        "idempotent-4-thieves.svg",
    ];
    let [mut csv_file, mut json_file, mut bars_file, mut lines_file] =
        outfile::in_folder(&args.out, names)?;
    // The machine is described before the threads are pinned, because this thread sees fewer CPUs afterwards.
    let machine = Machine::detect()?;
    let plan = Plan {
        items,
        runs: args.runs(),
        stage: stage(args.pin),
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
        seed: rand::random(),
    };
    let start = Instant::now();
    let groups = measure::measure(&plan, deques())?;
    let (counts, missing) = if args.instructions {
        count()?
    } else {
        let hint = "Instructions per operation: add --instructions (needs valgrind).";
        (Counts(Vec::new()), Some(hint.to_owned()))
    };
    let colours = say::colours_on_stdout();
    let mut text = table::render(&plan, &groups, &counts, colours);
    if let Some(line) = missing {
        text.push_str(&line);
        text.push('\n');
    }
    // The files are filled even if the reader closes the output before the tables end.
    let told = say::out(&text);
    let csv = csv::render(&groups, &counts)?;
    csv_file.fill(&csv)?;
    let charts = [charts::bars(&plan, &groups), charts::lines(&plan, &groups)];
    let named = [
        ("idempotent-4", &charts[0]),
        ("idempotent-4-thieves", &charts[1]),
    ];
    let source =
        "After figure 4 of Michael, Vechev and Saraswat, Idempotent work stealing (PPoPP 2009)";
    json_file.fill(&sheet::of_figure(
        "idempotent-4",
        source,
        &machine,
        &named,
        &csv,
    )?)?;
    bars_file.fill(&charts[0].svg()?)?;
    lines_file.fill(&charts[1].svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

fn items(size: Size) -> Result<usize, Failure> {
    match size {
        Size::Quick => Ok(1_000_000),
        Size::Paper => Ok(10_000_000),
        Size::N(n) => usize::try_from(n)
            .ok()
            .filter(|&n| n <= MOST_ITEMS)
            .ok_or_else(|| {
                Failure::Request(format!(
                    "--size {n}: idempotent-4 takes that as a number of items, of which it has at most {MOST_ITEMS}"
                ))
            }),
    }
}

fn stage(pin: Pin) -> Stage {
    match pin {
        // If the system does not report the CPUs, the system places the threads.
        Pin::Auto => Stage::on(affinity::allowed().unwrap_or_default()),
        Pin::Never => Stage::default(),
    }
}

/// Counts instructions. Returns the counts, and the name of a missing tool if a tool for counting is missing.
fn count() -> Result<(Counts, Option<String>), Failure> {
    if let Some(missing) = instructions::missing() {
        let line = format!("Instructions per operation are missing: {missing}.");
        return Ok((Counts(Vec::new()), Some(line)));
    }
    let mut counts = Vec::new();
    for deque in deques() {
        for solo in Solo::ALL {
            let count = instructions::per_operation(deque, solo).map_err(|error| {
                Failure::Request(format!(
                    "--instructions: {}, {}: {error}; run without it",
                    deque.name,
                    solo.name()
                ))
            })?;
            counts.push((deque.name, solo, count));
        }
    }
    Ok((Counts(counts), None))
}

/// Returns a deque's family, which determines its colour: an index into [`FAMILIES`].
fn family(deque: &Deque) -> usize {
    use heist_suite::deques::Delivery;

    match (deque.name, deque.rival, deque.delivery) {
        (BASE, ..) => 0,
        (_, true, _) => 3,
        (_, _, Delivery::AtLeastOnce) => 2,
        (_, _, Delivery::ExactlyOnce) => 1,
    }
}

/// The meanings of the colours of bars.
const FAMILIES: [&str; 4] = [
    "Chase-Lev (ours)",
    "ours, exactly once",
    "ours, at least once (idempotent)",
    "other crates",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_deques_take_part() {
        for name in [BASE, PRIVATE] {
            assert!(deques().iter().any(|deque| deque.name == name));
        }
        assert!(
            deques()
                .iter()
                .any(|deque| deque.name == BASE && deque.has_thieves())
        );
    }

    #[test]
    fn published_ranges_exist_only_for_the_measurements_of_the_paper() {
        let takes = Workload::Solo(Solo::Takes);
        assert_eq!(published(takes, "idempotent-fifo"), Some([1.66, 5.87]));
        assert_eq!(published(takes, BASE), None);
        for other in [Workload::Solo(Solo::Bursts), Workload::Raid { task: 0 }] {
            assert_eq!(published(other, "idempotent-fifo"), None);
        }
    }

    #[test]
    fn sizes_are_bounded() {
        assert_eq!(items(Size::Paper).unwrap(), 10_000_000);
        assert_eq!(items(Size::N(7)).unwrap(), 7);
        assert!(items(Size::N(100_000_001)).is_err());
    }
}
