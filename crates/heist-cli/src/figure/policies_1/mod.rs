//! `heist figure policies-1` measures the time of a scope of k small tasks on one worker, under each spawn policy.

mod chart;
mod csv;
mod measure;
mod table;

use std::time::Instant;

use heist_suite::{Contender, Runner, Size};

use crate::failure::Failure;
use crate::figure::args;
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;
use measure::Plan;

pub(super) const NAME: &str = "policies-1";

/// The contenders with their names in this figure, in the order of the columns.
const CONTENDERS: [(Contender, &str); 6] = [
    (Contender::Serial, "sequential"),
    (Contender::HeistWorkFirst, "work-first"),
    (Contender::Heist, "help-first"),
    (Contender::HeistAdaptive, "adaptive"),
    (Contender::HeistWorkSharing, "work-sharing"),
    (Contender::Threads, "threads"),
];

/// The published table: k, and the microseconds of sequential code, work-first, help-first, work-sharing, and a Java
/// thread for each task.
#[allow(clippy::approx_constant, reason = "measured, not computed")]
const PUBLISHED: [(usize, [Option<f64>; 5]); 11] = [
    (1, [Some(0.11), Some(0.21), Some(0.22), None, None]),
    (2, [Some(0.22), Some(0.44), Some(2.80), None, None]),
    (4, [Some(0.44), Some(0.88), Some(2.95), None, None]),
    (
        8,
        [
            Some(0.90),
            Some(1.96),
            Some(3.92),
            Some(335.0),
            Some(3_600.0),
        ],
    ),
    (16, [Some(1.80), Some(3.79), Some(6.28), None, None]),
    (32, [Some(3.60), Some(7.15), Some(10.37), None, None]),
    (64, [Some(7.17), Some(14.59), Some(19.61), None, None]),
    (
        128,
        [
            Some(14.47),
            Some(28.34),
            Some(36.31),
            Some(2_600.0),
            Some(63_700.0),
        ],
    ),
    (256, [Some(28.93), Some(56.75), Some(73.16), None, None]),
    (512, [Some(57.53), Some(114.12), Some(148.61), None, None]),
    (
        1024,
        [
            Some(114.85),
            Some(270.42),
            Some(347.83),
            Some(22_700.0),
            Some(768_000.0),
        ],
    ),
];

/// Returns the published time of a contender for k tasks, in microseconds.
fn published(k: usize, who: Contender) -> Option<f64> {
    let (_, times) = PUBLISHED.iter().find(|(of, _)| *of == k)?;
    match who {
        Contender::Serial => times[0],
        Contender::HeistWorkFirst => times[1],
        Contender::Heist => times[2],
        Contender::HeistWorkSharing => times[3],
        Contender::Threads => times[4],
        _ => None,
    }
}

pub(super) fn about() -> String {
    "a scope of k small tasks on one worker: work-first, help-first, adaptive, work-sharing, a thread each"
        .to_owned()
}

/// Measures and writes the figure.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let plan = plan(args)?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{NAME}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    let runner = Runner::new(1)
        .map_err(|error| Failure::Request(format!("cannot start pools of 1 thread: {error}")))?;
    let start = Instant::now();
    let groups = measure::measure(&plan, &runner)?;
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&table::render(&plan, &groups, say::colours_on_stdout()));
    let csv = csv::render(&groups)?;
    let chart = chart::render(&plan, &groups);
    csv_file.fill(&csv)?;
    json_file.fill(&sheet::of_figure(
        NAME,
        origin(),
        &machine,
        &[(NAME, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

fn plan(args: &args::Figure) -> Result<Plan, Failure> {
    let refused = |line: String| Err(Failure::Request(line));
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {NAME} has none"
        ));
    }
    if args.threads.is_some() {
        return refused(format!("--threads: {NAME} is about one worker"));
    }
    let most = match args.size() {
        Size::Quick | Size::Paper => 1024,
        Size::N(n @ 1..=1024) => n as usize,
        Size::N(n) => {
            return refused(format!(
                "--size {n}: {NAME} goes up to that many tasks a scope, from 1 to 1024"
            ));
        }
    };
    Ok(Plan {
        runs: args.runs(),
        most,
        seed: rand::random(),
    })
}

/// Returns a line that names the source of the figure.
fn origin() -> &'static str {
    "After table 1 of Sarkar, COMP 322, lecture 11 (Rice University): there Habanero-Java, and Java threads, on a JVM"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_grow() {
        for (who, _) in CONTENDERS {
            let times: Vec<f64> = PUBLISHED
                .iter()
                .filter_map(|&(k, _)| published(k, who))
                .collect();
            assert!(times.is_sorted(), "{who:?}");
            let count = match who {
                Contender::HeistAdaptive => 0,
                Contender::HeistWorkSharing | Contender::Threads => 3,
                _ => 11,
            };
            assert_eq!(times.len(), count, "{who:?}");
        }
    }
}
