//! The command line of `heist bench`.

use std::path::PathBuf;

use clap::Args;
use heist_suite::Size;

use crate::say::help;
use crate::table::LEGEND;
use crate::values::{Rivals, Threads, rivals, runs, size, threads};

const EXAMPLES: &str = "\
Examples:
  heist bench                                      every program at its quick size
  heist bench fib --size 32 --runs 21              fib of 32, 21 counted rounds
  heist bench fib --vs serial,rayon --threads 1,2  leave chili out
  heist bench --size paper --pin --json runs.json  the papers' sizes, pinned, with every sample kept

In every round each contender runs once at each thread count, in a freshly shuffled order. Ratios are
taken within a round, and the median over the rounds is reported, so a slow spell of the machine hits
both sides of a ratio alike. One warm-up round is not counted. Every result is checked, off the clock.

Exit codes: 0 all went well, 1 a program computed a wrong result, 2 the request cannot be carried out.";

/// Measure programs on Heist and on its rivals, in paired rounds.
#[derive(Debug, Args)]
#[command(after_help = help(&format!("{EXAMPLES}\n\nThe columns of the table:\n{LEGEND}")))]
pub(crate) struct Bench {
    /// The programs to run (`heist list` lists them) [default: all]
    pub(crate) names: Vec<String>,

    /// Thread counts, separated by commas [default: 1 and the number of CPUs]
    #[arg(long, value_name = "LIST", value_parser = threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<Threads>,

    /// Size of the input: quick, paper, or a number that each program takes in its own way (fib 30: the 30th number)
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Size,

    /// Counted rounds per program
    #[arg(long, value_name = "N", default_value = "11", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,

    /// Contenders in addition to Heist, separated by commas: serial, heist-hint (`join_hint`),
    /// rayon, chili, and those that `heist list` describes
    #[arg(long, value_name = "LIST", default_value = "serial,rayon,chili", value_parser = rivals)]
    pub(crate) vs: Rivals,

    /// Keep each worker of each contender on a CPU of its own, and serial runs on the first of
    /// these CPUs (Linux)
    #[arg(long)]
    pub(crate) pin: bool,

    /// Report work, span, parallelism and the fork sites on the longest chain instead of measuring contenders
    #[arg(long, conflicts_with_all = ["threads", "vs", "pin", "csv"])]
    pub(crate) profile: bool,

    /// Write the machine, the command and every sample to FILE as JSON; - is standard output, in
    /// place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write one line per program, contender and thread count to FILE; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}
