//! The command line of `heist simulate places`.

use std::path::PathBuf;

use clap::Args;
use heist_suite::Size;

use super::units::{bandwidth, duration};
use crate::say::help;
use crate::values::{Threads, one_thread_count, size, threads};

const EXAMPLES: &str = "\
Examples:
  heist simulate places                                                1 to 1,024 places of one worker
  heist simulate places --places 1,16,256 --workers 2 --latency 20us   a slower network
  heist simulate places --tree uts-bin --node 1us                      another tree, whose nodes take longer
  heist simulate places --growth all                                   the runtime's chunks beside others

The tree is grown once, and its visit by `World::balance` of the crate heist-places is simulated for each number of places. \
A file of costs is a JSON object of nanoseconds by name; what it leaves out stays as built in.

Exit codes: 0 all went well, 2 the request cannot be carried out.";

/// Simulate places that balance the work of an unbalanced tree over a network
#[derive(Debug, Args)]
#[command(after_help = help(&format!("{EXAMPLES}\n\nThe columns of the table:\n{}", super::table::LEGEND)))]
pub(crate) struct Places {
    /// Numbers of places, separated by commas
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16,32,64,128,256,512,1024", value_parser = threads, allow_hyphen_values = true)]
    pub(super) places: Threads,

    /// Number of workers of each place
    #[arg(long, value_name = "N", default_value = "1", value_parser = one_thread_count, allow_hyphen_values = true)]
    pub(super) workers: usize,

    /// Time that a message takes from one place to another, such as 500ns, 2us or 1ms
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = duration, allow_hyphen_values = true)]
    pub(super) latency: f64,

    /// Rate at which a place sends, such as 100MB/s or 10GB/s, or inf
    #[arg(long, value_name = "RATE", default_value = "10GB/s", value_parser = bandwidth, allow_hyphen_values = true)]
    pub(super) bandwidth: f64,

    /// Tree: uts-geo, uts-bin, uts-cyclic, uts-linear
    #[arg(long, value_name = "NAME", default_value = "uts-geo")]
    pub(super) tree: String,

    /// Size of the tree: quick, paper, or a number that each tree takes in its own way
    #[arg(long, value_name = "SIZE", default_value = "paper", value_parser = size, allow_hyphen_values = true)]
    pub(super) size: Size,

    /// Time that a visit to a node takes [default: from --costs]
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub(super) node: Option<f64>,

    /// The short chunks of nodes after which a longer chunk follows: full (only chunks that leave nodes in the bag, as in the runtime), any
    /// (all short chunks), or all for both
    #[arg(
        long,
        value_name = "LIST",
        default_value = "full",
        value_delimiter = ','
    )]
    pub(super) growth: Vec<String>,

    /// Seed of the random victims; 0 chooses the same victims as the runtime
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,

    /// Read costs from FILE, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) costs: Option<PathBuf>,

    /// Write everything to FILE as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}
