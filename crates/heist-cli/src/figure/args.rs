//! The command line of `heist figure`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heist_suite::Size;

use crate::say::help;
use crate::values::{Threads, runs, size, threads};

/// The number of counted rounds without `--runs`.
const DEFAULT_RUNS: usize = 11;

const FIGURE_EXAMPLES: &str = "\
Examples:
  heist figure                                            the figures there are
  heist figure idempotent-4                               about a minute, files in the current folder
  heist figure idempotent-4 --size paper --instructions   the paper's 10 million items, instructions counted too
  heist figure idempotent-4 --size 100000 --runs 31 --out charts
  heist figure cooperative-3 --nodes 8192 --threads 2     graphs of 8,192 nodes in place of the paper's 512
  heist figure barriers-7                                 what stopped victims lose, and what return barriers leave of it
  heist figure barriers --out results/barriers            all nine figures of that paper from one measurement
  heist figure lazy-4.3                                   eager splitting against its threshold, beside lazy
  heist figure lazy-4.8 --threads 1,2 --programs smvm     one program's speed-ups, and lazy by the best threshold
  heist figure cancel-5.7 --size paper --threads 2        the time to cancel a search for 20 queens, in Rust and in Parallel ML
  heist figure interrupts                                 a word that is polled, membarrier and signals, between two workers

Rounds, ratios and exit codes are those of `heist bench`.";

/// Measure a figure of a paper again, and compare it with the published values: a table, a CSV file and a chart.
#[derive(Debug, Args)]
#[command(after_help = help(FIGURE_EXAMPLES))]
pub(crate) struct Figure {
    /// The figure; none means a list of them
    pub(crate) name: Option<String>,

    /// Size of the input: quick, paper, or a number that each figure takes in its own way (idempotent-4: items; policies-1: the greatest
    /// number of tasks in a scope; barriers: the program's own measure; cancel-5.6: n, of which fib is computed; cancel-5.7 and -5.8: the
    /// size of the board; interrupts: round trips in a round) [default: quick; for barriers paper]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Option<Size>,

    /// Counted rounds per workload [default: 11; for cancel-5.6 21, cancel-5.7 and -5.8 101; for lazy-4.1 to -4.12 from 3 to 501, as many
    /// as fit into 30 s a program]
    #[arg(long, value_name = "N", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: Option<usize>,

    /// The folder for the files, which are named after the figure
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) out: PathBuf,

    /// Whether to pin threads (Linux only): auto pins each thread to a CPU of its own if there are enough CPUs, never pins no thread
    #[arg(long, value_name = "WHEN", default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    pub(crate) pin: Pin,

    /// Thread counts, separated by commas. idempotent-5 to -10, barriers, cancel-5.6 to -5.8: all counts [default: each up to the number of
    /// CPUs, at most 8]. lazy-4.8 to -4.11: all counts, other lazy figures: only the greatest [default: each up to the number of CPUs, at
    /// most 16]. cooperative-3: one count [default: the number of CPUs]
    #[arg(long, value_name = "LIST", value_parser = threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<Threads>,

    /// Nodes of the graphs (cooperative-3), from 2 to 8192 [default: 512]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) nodes: Option<u64>,

    /// Programs to run, separated by commas (barriers: jacobi, fft, cilksort, barnes-hut, uts-cyclic, lud; lazy-4.1 to -4.12:
    /// programs of loops) [default: all of the figure's]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) programs: Vec<String>,

    /// Run on slices and ranges in place of ropes (lazy-4.3 and lazy-4.8 to -4.11)
    #[arg(long)]
    pub(crate) slices: bool,

    /// Also count the instructions of each operation (idempotent-4); needs valgrind, and takes a minute or two more
    #[arg(long)]
    pub(crate) instructions: bool,
}

impl Figure {
    /// Returns the number of rounds of `--runs`, or [`DEFAULT_RUNS`] without this option.
    pub(crate) fn runs(&self) -> usize {
        self.runs.unwrap_or(DEFAULT_RUNS)
    }

    /// Returns the size of `--size`, or [`Size::Quick`] without this option.
    pub(crate) fn size(&self) -> Size {
        self.size.unwrap_or(Size::Quick)
    }
}

/// Conditions under which a figure pins its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pin {
    /// Pin each thread to a CPU of its own, if there are enough CPUs.
    Auto,
    /// Do not pin threads: the system places them.
    Never,
}

/// The command `deque-operations`, which runs a fixed number of operations on one deque.
#[derive(Debug, Args)]
pub(crate) struct DequeOperations {
    pub(crate) deque: String,
    pub(crate) workload: String,
    /// Number of operations.
    pub(crate) items: usize,
    /// Number of items to which the deque's buffers grow before the operations.
    pub(crate) most: usize,
}
