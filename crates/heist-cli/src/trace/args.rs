//! The command line of `heist trace`.

use std::path::PathBuf;

use clap::Args;
use heist_suite::{Contender, Size};

use crate::say::help;
use crate::values::{events, one_thread_count, own, runs, size};

const EXAMPLES: &str = "\
Examples:
  heist trace fib                                     trace.json in the current folder, and a summary
  heist trace cilksort --threads 4 --out sort.json
  heist trace uts-geo --size paper --events 1000000   a longer run with nothing lost
  heist trace lud --as heist-stop-victim              another steal protocol
  heist trace cilksort --overhead                     what the trace costs
  heist trace examples/quicksort.pml 100000           a program of Parallel ML, with its strands and collections
  heist trace --places 4 target/release/examples/uts  a program of heist-places, all places in one picture

In the picture each thread has a track: slices for what it ran, waited for and slept, arrows from where work was
stolen to where it ran, and a count of the threads that run something. Exit codes are those of `heist bench`.";

/// Run a program once on Heist, record the actions of each worker, and print a summary of their
/// time.
#[derive(Debug, Args)]
#[command(after_help = help(EXAMPLES))]
pub(crate) struct Trace {
    /// The program to run: a name from `heist list`, a file of Parallel ML, or with --places an executable
    pub(crate) name: String,

    /// More files of a program of Parallel ML, or the program's arguments; put `--` before arguments that begin with `-`
    #[arg(value_name = "FILE or ARGUMENT")]
    pub(crate) rest: Vec<String>,

    /// Size of the input: quick, paper, or a number that each program takes in its own way
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Size,

    /// The number of workers [default: the number of CPUs]
    #[arg(long, visible_alias = "workers", value_name = "P", value_parser = one_thread_count, allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,

    /// The contender to trace: another steal protocol (heist-stop-victim, ..) or policy of scopes (heist-work-first, ..)
    #[arg(long = "as", value_name = "CONTENDER", default_value = "heist", value_parser = own)]
    pub(crate) contender: Contender,

    /// The file to write, which https://ui.perfetto.dev and chrome://tracing show
    #[arg(long, value_name = "FILE", default_value = "trace.json")]
    pub(crate) out: PathBuf,

    /// Write the summary to FILE as JSON, in place of the text; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "overhead")]
    pub(crate) json: Option<PathBuf>,

    /// Maximum number of events to keep for each thread: the newest are kept, in 32 bytes each
    #[arg(long, value_name = "N", default_value = "65536", value_parser = events, allow_hyphen_values = true)]
    pub(crate) events: usize,

    /// Write no trace, but measure the cost of tracing: paired rounds of runs with and without a trace
    #[arg(long)]
    pub(crate) overhead: bool,

    /// Run an executable of heist-places over P places, with --threads workers each
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with_all = ["overhead", "json", "size", "contender"])]
    pub(crate) places: Option<u32>,

    /// Paired rounds of `--overhead`
    #[arg(long, value_name = "N", default_value = "21", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,
}
