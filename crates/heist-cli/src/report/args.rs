//! The command line of `heist report`.

use std::path::PathBuf;

use clap::Args;

use crate::say::help;

const EXAMPLES: &str = "\
Examples:
  heist report                                        all results in the folder results, as report.html
  heist report barriers.json --out barriers.html      one figure
  heist report runs.json policies-1.json              two files, in this order
  heist report heap.json --out heap.html              a heap profile that an executable has written

The page needs no network, no JavaScript and no other file. Exit codes: 0 all went well, 2 a file cannot be read or written.";

/// Put earlier results into one HTML page: machine, command, charts, and tables with measured and
/// published values.
#[derive(Debug, Args)]
#[command(after_help = help(EXAMPLES))]
pub(crate) struct Report {
    /// JSON files of `heist bench --json`, `heist figure` and heap profiles; none means all below the folder results
    #[arg(value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
}
