//! `heist figure promotion-3.1`, `-3.10` to `-3.13` and `-t3.1` to `-t3.5` compare lazy promotion with eager promotion and a flat heap,
//! as in chapter 3 of Rainey's thesis, in Parallel ML.

mod chart;
mod csv;
mod measure;
mod published;
mod table;

use std::time::Instant;

use heist_suite::Size;

use crate::failure::Failure;
use crate::figure::args;
use crate::graph::cpus;
use crate::machine::Machine;
use crate::outfile;
use crate::say;
use crate::sheet;
use measure::Way;
use published::{Collections, Misses, Times};

/// The publication that contains the figure.
pub(super) const SOURCE: &str = "Rainey, Effective Scheduling Techniques for High-Level Parallel Programming Languages (Chicago 2010), chapter 3";

/// The number of rounds without `--runs`.
const RUNS: usize = 5;

/// A program of `examples/`.
pub(super) struct Subject {
    name: &'static str,
    /// The program's name in the thesis.
    label: &'static str,
    quick: &'static [&'static str],
    paper: &'static [&'static str],
    times: Option<&'static Times>,
    collections: Option<&'static Collections>,
    misses: Option<&'static [Misses; 9]>,
}

impl Subject {
    fn arguments(&self, size: Size) -> &'static [&'static str] {
        match size {
            Size::Paper => self.paper,
            _ => self.quick,
        }
    }
}

const FIB: Subject = Subject {
    name: "fib",
    label: "Fib",
    quick: &["32"],
    paper: &["40"],
    times: None,
    collections: None,
    misses: None,
};

/// The programs, in the order of the thesis.
const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "quicksort",
        label: "Quicksort",
        quick: &["200000"],
        paper: &["2000000"],
        times: Some(&published::QUICKSORT),
        collections: Some(&published::QUICKSORT_COLLECTIONS),
        misses: Some(&published::QUICKSORT_MISSES),
    },
    Subject {
        name: "barnes_hut",
        label: "Barnes-Hut",
        quick: &["4000", "3"],
        paper: &["25000", "5"],
        times: Some(&published::BARNES_HUT),
        collections: Some(&published::BARNES_HUT_COLLECTIONS),
        misses: Some(&published::BARNES_HUT_MISSES),
    },
    Subject {
        name: "raytracer",
        label: "Raytracer",
        quick: &["200"],
        paper: &["1000"],
        times: Some(&published::RAYTRACER),
        collections: None,
        misses: Some(&published::RAYTRACER_MISSES),
    },
    Subject {
        name: "smvm",
        label: "SMVM",
        quick: &["4000", "200000"],
        paper: &["16614", "1091362"],
        times: Some(&published::SMVM),
        collections: None,
        misses: None,
    },
    Subject {
        name: "dmm",
        label: "DMM",
        quick: &["150"],
        paper: &["500"],
        times: Some(&published::DMM),
        collections: Some(&published::DMM_COLLECTIONS),
        misses: None,
    },
    Subject {
        name: "tree_rootfix",
        label: "Tree Rootfix",
        quick: &["16"],
        paper: &["20"],
        times: Some(&published::TREE_ROOTFIX),
        collections: Some(&published::TREE_ROOTFIX_COLLECTIONS),
        misses: None,
    },
];

/// The quantity that a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The cost of a fork of fib.
    Overhead,
    /// The speed-up of lazy promotion.
    Lazy,
    /// The speed-up of lazy and eager promotion and of the flat heap.
    All,
    /// The time with and without collections.
    Parts,
    /// The times of collections.
    Collections,
    /// The misses of the last-level cache.
    Misses,
}

struct Shape {
    name: &'static str,
    kind: Kind,
    about: &'static str,
    /// The table or figure of the thesis.
    origin: &'static str,
    programs: &'static [&'static str],
}

const fn shape(
    name: &'static str,
    kind: Kind,
    about: &'static str,
    origin: &'static str,
    programs: &'static [&'static str],
) -> Shape {
    Shape {
        name,
        kind,
        about,
        origin,
        programs,
    }
}

const SIX: &[&str] = &[
    "quicksort",
    "barnes_hut",
    "raytracer",
    "smvm",
    "dmm",
    "tree_rootfix",
];

/// The figures and tables, in the order of the thesis.
const SHAPES: [Shape; 10] = [
    shape(
        "promotion-3.1",
        Kind::Overhead,
        "overhead of a fork of fib",
        "figure 3.1 (page 44)",
        &[],
    ),
    shape(
        "promotion-3.10",
        Kind::Lazy,
        "speed-up of lazy promotion over sequential code",
        "figure 3.10 (page 62)",
        SIX,
    ),
    shape(
        "promotion-3.11",
        Kind::All,
        "speed-up of lazy promotion, eager promotion and a flat heap: Quicksort, Barnes-Hut",
        "figure 3.11 (page 64)",
        &["quicksort", "barnes_hut"],
    ),
    shape(
        "promotion-3.12",
        Kind::All,
        "the same: Raytracer, SMVM",
        "figure 3.12 (page 65)",
        &["raytracer", "smvm"],
    ),
    shape(
        "promotion-3.13",
        Kind::All,
        "the same: DMM, Tree Rootfix",
        "figure 3.13 (page 66)",
        &["dmm", "tree_rootfix"],
    ),
    shape(
        "promotion-t3.1",
        Kind::Parts,
        "time outside of collections and in them: Quicksort, Barnes-Hut, Raytracer",
        "table 3.1 (page 68)",
        &["quicksort", "barnes_hut", "raytracer"],
    ),
    shape(
        "promotion-t3.2",
        Kind::Parts,
        "the same: SMVM, DMM, Tree Rootfix",
        "table 3.2 (page 69)",
        &["smvm", "dmm", "tree_rootfix"],
    ),
    shape(
        "promotion-t3.3",
        Kind::Collections,
        "time of local collections, promotions and global collections: Quicksort, Barnes-Hut",
        "table 3.3 (page 70)",
        &["quicksort", "barnes_hut"],
    ),
    shape(
        "promotion-t3.4",
        Kind::Collections,
        "the same: Tree Rootfix, DMM",
        "table 3.4 (page 71)",
        &["tree_rootfix", "dmm"],
    ),
    shape(
        "promotion-t3.5",
        Kind::Misses,
        "misses of the last cache: Barnes-Hut, Raytracer, Quicksort",
        "table 3.5 (page 73)",
        &["barnes_hut", "raytracer", "quicksort"],
    ),
];

/// All parameters of a measurement.
struct Plan {
    shape: &'static Shape,
    subjects: Vec<&'static Subject>,
    size: Size,
    /// The numbers of workers, in ascending order.
    workers: Vec<usize>,
    runs: usize,
    /// Whether cache misses are counted.
    counts: bool,
    /// The seed of the generator that shuffles the rounds.
    seed: u64,
}

impl Plan {
    fn ways(&self) -> &'static [Way] {
        match self.shape.kind {
            Kind::Lazy => &[Way::Sequential, Way::Lazy],
            Kind::Overhead => &[Way::Sequential, Way::Lazy, Way::Eager],
            Kind::All => &[Way::Sequential, Way::Lazy, Way::Eager, Way::Flat],
            Kind::Parts | Kind::Misses => &[Way::Lazy, Way::Eager, Way::Flat],
            Kind::Collections => &[Way::Lazy, Way::Eager],
        }
    }

    fn origin(&self) -> String {
        format!(
            "After {} of {SOURCE}: there Manticore, on a machine of 16 cores",
            self.shape.origin
        )
    }
}

/// Returns the names of the figures, each with its subject.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHAPES.iter().map(|shape| (shape.name, shape.about))
}

/// Measures and writes the figure.
pub(crate) fn run(name: &str, args: &args::Figure) -> Result<(), Failure> {
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    let plan = plan(shape.expect("a name of ours"), args)?;
    let names = ["csv", "json", "svg"].map(|ending| format!("{name}.{ending}"));
    let [mut csv_file, mut json_file, mut svg_file] =
        outfile::in_folder(&args.out, names.each_ref().map(String::as_str))?;
    let machine = Machine::detect()?;
    let start = Instant::now();
    let rows = measure::measure(&plan)?;
    // The files are filled even if the reader closes the output before the table ends.
    let told = say::out(&table::render(&plan, &rows, say::colours_on_stdout()));
    let csv = csv::render(&plan, &rows)?;
    let chart = chart::render(&plan, &rows);
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

fn plan(shape: &'static Shape, args: &args::Figure) -> Result<Plan, Failure> {
    let name = shape.name;
    let refused = |line: String| Err(Failure::Request(line));
    if !cfg!(feature = "pml") {
        return refused(format!(
            "{name} needs the feature `pml`, which this build leaves out; in the repository, run \
             `cargo run --profile measure --features pml -- figure {name}`"
        ));
    }
    if args.instructions {
        return refused(format!(
            "--instructions is for idempotent-4; {name} has none"
        ));
    }
    if let Some(Size::N(n)) = args.size {
        return refused(format!(
            "--size {n}: {name} has programs of several kinds; choose quick or paper"
        ));
    }
    let mut workers = match (&args.threads, shape.kind) {
        (_, Kind::Overhead) => vec![1],
        (Some(list), _) => list.0.clone(),
        (None, _) => {
            let all = published::PROCESSORS.iter().copied();
            all.filter(|&count| count <= cpus()).collect()
        }
    };
    workers.sort_unstable();
    let subjects = match shape.kind {
        Kind::Overhead => vec![&FIB],
        _ => {
            let of = |name: &&str| SUBJECTS.iter().find(|subject| subject.name == *name);
            shape.programs.iter().filter_map(of).collect()
        }
    };
    Ok(Plan {
        shape,
        subjects,
        size: args.size(),
        workers,
        runs: args.runs.unwrap_or(RUNS),
        counts: shape.kind == Kind::Misses && measure::has_counters(),
        seed: rand::random(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_its_programs() {
        for shape in &SHAPES {
            for name in shape.programs {
                let subject = SUBJECTS
                    .iter()
                    .find(|subject| subject.name == *name)
                    .unwrap();
                assert!(subject.times.is_some());
                let has_collections = subject.collections.is_some();
                assert!(shape.kind != Kind::Collections || has_collections, "{name}");
                assert!(
                    shape.kind != Kind::Misses || subject.misses.is_some(),
                    "{name}"
                );
            }
        }
    }
}
