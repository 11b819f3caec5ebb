//! `heist figure interrupts` measures round trips between two workers, by polling and by signals.

mod output;

use std::time::Instant;

use heist_suite::Size;
use heist_suite::interrupts::{self, Means};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::busy;
use crate::failure::Failure;
use crate::figure::args;
use crate::interrupt;
use crate::machine::Machine;
use crate::outfile;
use crate::progress::Progress;
use crate::say;
use crate::sheet;
use crate::stats::median;

pub(super) const NAME: &str = "interrupts";

pub(super) const ABOUT: &str =
    "round trip between two workers by a word that is polled, by membarrier and by signals";

/// The publication that contains the figure.
pub(super) const SOURCE: &str = "Rainey, Effective Scheduling Techniques for High-Level Parallel Programming Languages (Chicago 2010), section 5.3";

/// The line that names the source of the published values.
const ORIGIN: &str = "After section 5.3 of Rainey, Effective Scheduling Techniques for High-Level Parallel Programming Languages (Chicago 2010): \
there Manticore, on a machine of 16 cores";

/// Returns the thesis' mean time of a round trip, in microseconds.
fn published(means: Means) -> Option<f64> {
    match means {
        Means::Poll => Some(10.0),
        Means::Membarrier => None,
        Means::Signal => Some(90.0),
    }
}

/// All parameters of a measurement.
struct Plan {
    runs: usize,
    /// The number of round trips in a round.
    laps: usize,
    /// The seed of the generator that shuffles the rounds.
    seed: u64,
    /// The number of runnable threads of other programs when the measurement begins.
    others: Option<f64>,
}

/// The statistics of one round, in microseconds: medians, the mean and a percentile.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Round {
    sent: f64,
    seen: f64,
    answered: f64,
    mean: f64,
    /// The 99th percentile of the round trips.
    late: f64,
}

/// The rounds of one method of interruption.
struct Row {
    means: Means,
    rounds: Vec<Round>,
    /// The reason why this method has no rounds.
    refused: Option<String>,
}

impl Row {
    fn median(&self, value: fn(&Round) -> f64) -> Option<f64> {
        median(&self.rounds.iter().map(value).collect::<Vec<_>>())
    }
}

fn round(laps: &[interrupts::Lap]) -> Round {
    let column = |value: fn(&interrupts::Lap) -> u64| -> Vec<f64> {
        let mut all: Vec<f64> = laps.iter().map(|lap| value(lap) as f64 * 1e-3).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let middle = |values: &[f64]| median(values).unwrap_or(0.0);
    let answered = column(|lap| lap.answered);
    Round {
        sent: middle(&column(|lap| lap.sent)),
        seen: middle(&column(|lap| lap.seen)),
        answered: middle(&answered),
        mean: answered.iter().sum::<f64>() / answered.len().max(1) as f64,
        late: answered[(answered.len() * 99 / 100).min(answered.len() - 1)],
    }
}

/// Measures and writes the figure.
pub(crate) fn run(args: &args::Figure) -> Result<(), Failure> {
    let mut plan = plan(args)?;
    // If this machine cannot measure interrupts at all, the command fails before any file is opened.
    interrupts::measure(Means::Poll, 1)
        .map_err(|line| Failure::Request(format!("{NAME}: {line}")))?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{NAME}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    plan.others = busy::others();
    let start = Instant::now();
    let rows = measure(&plan);
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&output::table(&plan, &rows, say::colours_on_stdout()));
    let csv = output::csv(&plan, &rows)?;
    let chart = output::chart(&plan, &rows);
    csv_file.fill(&csv)?;
    json_file.fill(&sheet::of_figure(
        NAME,
        ORIGIN,
        &machine,
        &[(NAME, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

/// Runs all rounds, after one uncounted warm-up round.
fn measure(plan: &Plan) -> Vec<Row> {
    let mut rows = Means::ALL.map(|means| Row {
        means,
        rounds: Vec::new(),
        refused: None,
    });
    let progress = Progress::new(rows.len() * (plan.runs + 1));
    let mut rng = StdRng::seed_from_u64(plan.seed);
    for at in interrupt::rounds(plan.runs + 1) {
        rows.shuffle(&mut rng);
        for row in rows.iter_mut().filter(|row| row.refused.is_none()) {
            progress.running(NAME, row.means.name(), 2);
            match interrupts::measure(row.means, plan.laps) {
                Ok(laps) if at > 0 => row.rounds.push(round(&laps)),
                Ok(_) => {}
                Err(line) => {
                    row.rounds.clear();
                    row.refused = Some(line);
                }
            }
        }
    }
    rows.sort_by_key(|row| Means::ALL.iter().position(|&means| means == row.means));
    rows.into()
}

fn plan(args: &args::Figure) -> Result<Plan, Failure> {
    let refused = |line: String| Err(Failure::Request(line));
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {NAME} has none"
        ));
    }
    if args.threads.is_some() {
        return refused(format!("--threads: {NAME} is about two workers"));
    }
    if args.pin == args::Pin::Never {
        return refused(format!(
            "--pin=never: {NAME} keeps each worker on a CPU, as two workers on one would take turns"
        ));
    }
    let laps = match args.size() {
        Size::Quick => 20_000,
        Size::Paper => 1_000_000,
        Size::N(n) if n <= 10_000_000 => n as usize,
        Size::N(n) => {
            return refused(format!(
                "--size {n}: {NAME} takes that as round trips in a round, from 1 to 10000000"
            ));
        }
    };
    Ok(Plan {
        runs: args.runs(),
        laps,
        seed: rand::random(),
        others: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_medians_a_mean_and_the_late_ones() {
        let lap = |k: u64| interrupts::Lap {
            sent: 1000 * k,
            seen: 2000 * k,
            answered: 4000 * k,
        };
        // One of a thousand round trips is late, which does not change the median.
        let laps: Vec<_> = (0..1000)
            .map(|k| lap(if k == 7 { 500 } else { 1 }))
            .collect();
        let found = round(&laps);
        assert_eq!(
            [found.sent, found.seen, found.answered, found.late],
            [1.0, 2.0, 4.0, 4.0]
        );
        assert!((found.mean - 5.996).abs() < 1e-9);
        assert_eq!(round(&[lap(3)]).late, 12.0);
    }
}
