//! The command line of `heist graph`.

use std::path::PathBuf;

use clap::Args;

use crate::say::help;
use crate::values::{Threads, runs, threads};

const EXAMPLES: &str = "\
Examples:
  heist graph                                    reachability in the built-in graph
  heist graph --algo all --deque all             every algorithm on every deque
  heist graph edges.txt --algo bfs --root 17     a file of edges, two numbers a line
  heist graph matrix.mtx --algo sssp             a Matrix Market file, its values as weights
  heist graph kgraph:1000000 --threads 1,2,4     a generated graph: 3 nearest of a million points

Rounds, ratios and exit codes are those of `heist bench`.";

/// Run graph algorithms on worklists, once for each kind of deque. Every result is checked.
#[derive(Debug, Args)]
#[command(after_help = help(EXAMPLES))]
pub(crate) struct Graph {
    /// A file (edge list, Matrix Market, or neighbours; for dataflow a program), or a generated graph: kgraph:N, torus:RxC,
    /// random:N,M, rmat:SCALE,FACTOR [default: built-in data]
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<String>,

    /// Algorithms, separated by commas: closure, spanning, components, bfs, sssp, dataflow, or all
    #[arg(
        long,
        value_name = "LIST",
        default_value = "closure",
        value_delimiter = ','
    )]
    pub(crate) algo: Vec<String>,

    /// Deques, separated by commas, or all; chase-lev always runs, for comparison
    #[arg(
        long,
        value_name = "LIST",
        default_value = "the,idempotent-lifo,crossbeam-lifo",
        value_delimiter = ','
    )]
    pub(crate) deque: Vec<String>,

    /// Thread counts, separated by commas [default: 1 and the number of CPUs]
    #[arg(long, value_name = "LIST", value_parser = threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<Threads>,

    /// Vertices to start from, separated by commas, with their numbers in the file [default: one of the largest degree, in the largest
    /// component]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) root: Vec<u32>,

    /// Counted rounds
    #[arg(long, value_name = "N", default_value = "11", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,

    /// Write everything to FILE as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
