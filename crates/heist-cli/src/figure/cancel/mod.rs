//! `heist figure cancel-5.6`, `-5.7` and `-5.8` measure the cost of cancellation, after section 5.1 of Rainey's thesis, in Rust and in
//! Parallel ML.

mod chart;
mod csv;
mod latency;
mod overhead;
mod programs;
mod search;
mod table;

use std::time::{Duration, Instant};

use heist::Pool;
use heist_suite::Size;

use crate::busy;
use crate::failure::Failure;
use crate::figure::args::{self, Pin};
use crate::graph::cpus;
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;

/// The publication that contains the figure.
pub(super) const SOURCE: &str = "Rainey, Effective Scheduling Techniques for High-Level Parallel Programming Languages (Chicago 2010), section 5.1";

/// The thesis' value of O_c/O_ws on one processor. The text of the thesis has no other number; its figures are drawings.
const PUBLISHED: f64 = 2.5;

/// The maximum number of workers by default: the thesis' machine has eight processors.
const MOST_WORKERS: usize = 8;

/// The time for which a search runs in the first round before it is cancelled. In each later round the search runs for [`MORE`] longer, so
/// that the searches are cancelled at many different places.
const SEARCH: Duration = Duration::from_micros(3000);
const MORE: Duration = Duration::from_micros(7);

/// The quantity that a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The ratio of the overhead of forks with cancellation to the overhead of forks without cancellation.
    Overhead,
    /// The time from the cancellation until no cancelled code runs any more.
    Latency,
    /// The time from the cancellation until no cancelled code runs any more, divided by the number of cancelled tasks.
    PerTask,
}

/// A figure.
struct Shape {
    name: &'static str,
    kind: Kind,
    about: &'static str,
    /// The figure or section of the thesis.
    origin: &'static str,
}

const SHAPES: [Shape; 3] = [
    Shape {
        name: "cancel-5.6",
        kind: Kind::Overhead,
        about: "overhead of forks with cancellation by that without, fib",
        origin: "figure 5.6 (page 113)",
    },
    Shape {
        name: "cancel-5.7",
        kind: Kind::Latency,
        about: "time to cancel n-queens, a tree of parallel ors",
        origin: "figure 5.7 (page 114)",
    },
    Shape {
        name: "cancel-5.8",
        kind: Kind::PerTask,
        about: "the same by the number of tasks that were cancelled",
        origin: "figure 5.8 (page 114)",
    },
];

/// The languages in which programs are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Pml,
}

impl Language {
    fn name(self) -> &'static str {
        match self {
            Language::Rust => "Rust",
            Language::Pml => "Parallel ML",
        }
    }
}

/// The measurements of one round, in which one search is cancelled.
#[derive(Clone, Copy, Debug)]
struct Sample {
    seconds: f64,
    /// The number of branches that had begun and not ended, plus the number of branches that could be stolen.
    tasks: f64,
}

/// All parameters of a measurement.
struct Plan {
    shape: &'static Shape,
    /// The `n` of `fib n`, or the size of the board.
    n: u64,
    runs: usize,
    /// The numbers of workers, in ascending order.
    workers: Vec<usize>,
    /// Whether each worker of the Rust programs stays on a CPU of its own. The field is true only if the machine has enough CPUs.
    pin: bool,
    /// The seed of the generator that shuffles the rounds.
    seed: u64,
    /// The number of runnable threads of other programs when the measurement begins.
    others: Option<f64>,
}

impl Plan {
    fn languages(&self) -> &'static [Language] {
        if cfg!(feature = "pml") {
            &[Language::Rust, Language::Pml]
        } else {
            &[Language::Rust]
        }
    }

    fn origin(&self) -> String {
        format!(
            "After {} of {SOURCE}: there Manticore, on four dual-core processors of 2 GHz",
            self.shape.origin
        )
    }

    /// Returns notes on the limits of this build and this machine, which the output shows with the numbers.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.languages().contains(&Language::Pml) {
            notes.push(
                "Parallel ML: this build leaves its compiler out; build with --features pml"
                    .to_owned(),
            );
        }
        if self.workers.iter().any(|&count| count > cpus()) {
            notes.push(format!(
                "Only {} threads can run at once here; with more they take turns",
                cpus()
            ));
        }
        notes
    }
}

/// Returns the names of the figures, each with its subject.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHAPES.iter().map(|shape| (shape.name, shape.about))
}

/// Measures and writes the figure.
pub(crate) fn run(name: &str, args: &args::Figure) -> Result<(), Failure> {
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    let mut plan = plan(shape.expect("a name of ours"), args)?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{name}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    plan.others = busy::others();
    let pools = pools(&plan)?;
    let start = Instant::now();
    let colours = say::colours_on_stdout();
    let (text, csv, chart) = match plan.shape.kind {
        Kind::Overhead => {
            let rows = overhead::measure(&plan, &pools)?;
            let csv = csv::overhead(&plan, &rows)?;
            let text = table::overhead(&plan, &rows, colours);
            (text, csv, chart::overhead(&plan, &rows))
        }
        Kind::Latency | Kind::PerTask => {
            let rows = latency::measure(&plan, &pools)?;
            let csv = csv::latency(&plan, &rows)?;
            let text = table::latency(&plan, &rows, colours);
            (text, csv, chart::latency(&plan, &rows))
        }
    };
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&text);
    csv_file.fill(&csv)?;
    json_file.fill(&sheet::of_figure(
        name,
        &plan.origin(),
        &machine,
        &[(name, &chart)],
        &csv,
    )?)?;
    svg_file.fill(&chart.svg()?)?;
    told?;
    say::wrote(&names.join(", "), &args.out, start)
}

/// Starts a pool for each number of workers.
fn pools(plan: &Plan) -> Result<Vec<Pool>, Failure> {
    let start = |&threads: &usize| {
        let builder = Pool::builder().threads(threads);
        let pool = builder.pin(plan.pin && threads <= cpus()).build();
        pool.map_err(|error| {
            Failure::Request(format!(
                "cannot start a pool of {threads} threads: {error}; lower --threads"
            ))
        })
    };
    plan.workers.iter().map(start).collect()
}

fn plan(shape: &'static Shape, args: &args::Figure) -> Result<Plan, Failure> {
    let name = shape.name;
    let refused = |line: String| Err(Failure::Request(line));
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {name} has none"
        ));
    }
    let (quick, paper, range, what) = match shape.kind {
        Kind::Overhead => (32, 38, 5..=45, "the number whose fib is computed"),
        _ => (14, 20, 5..=20, "the size of the board"),
    };
    let n = match args.size() {
        Size::Quick => quick,
        Size::Paper => paper,
        Size::N(n) if range.contains(&n) => n,
        Size::N(n) => {
            return refused(format!(
                "--size {n}: {name} takes that as {what}, from {} to {}",
                range.start(),
                range.end()
            ));
        }
    };
    let mut workers = match &args.threads {
        Some(list) => list.0.clone(),
        None => (1..=cpus().min(MOST_WORKERS)).collect(),
    };
    workers.sort_unstable();
    let runs = match shape.kind {
        Kind::Overhead => 21,
        _ => 101,
    };
    Ok(Plan {
        shape,
        n,
        runs: args.runs.unwrap_or(runs),
        workers,
        pin: args.pin == Pin::Auto,
        seed: rand::random(),
        others: None,
    })
}
