//! The command line of `heist simulate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use heist_sim::{Amount, Policy, Protocol, Victims};
use heist_suite::Size;

use super::places::Places;
use crate::failure::Failure;
use crate::say::help;
use crate::select::unknown;
use crate::values::{Threads, runs, size, threads};

const EXAMPLES: &str = "\
Examples:
  heist simulate cilksort                                      1 to 1,024 workers, as Heist has it
  heist simulate fft --size paper --workers 16 --protocol all  the steal protocols side by side
  heist simulate jacobi --validate                             the simulator against the machine, in percent
  heist simulate uts-geo --victims hierarchical --amount half --costs mine.json
  heist simulate places --latency 20us                         1 to 1,024 places that balance a tree over a network

The program is run once serially, with the clock read at every fork and join; the recording is replayed in
simulated time, and costs of thefts are those of --costs. A file of costs is a JSON object of nanoseconds by name;
what it leaves out stays as built in.

Exit codes: 0 all went well, 1 a program computed a wrong result, 2 the request cannot be carried out.";

/// Record a program, and replay it on simulated machines of up to 1,024 workers.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = help(&format!("{EXAMPLES}\n\nThe columns of the table:\n{}", super::table::LEGEND)))]
pub(crate) struct Simulate {
    /// A model of more than one machine
    #[command(subcommand)]
    pub(crate) model: Option<Model>,

    /// The program (`heist list` names them)
    #[arg(required = true)]
    pub(crate) name: Option<String>,

    /// Size of the input: quick, paper, or a number that each program takes in its own way
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Size,

    /// Numbers of workers, separated by commas
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16,32,64,128,256,512,1024", value_parser = threads, allow_hyphen_values = true)]
    pub(crate) workers: Threads,

    /// Steal protocols, separated by commas: return-barrier, stop, polled, chase-lev, the, or all
    #[arg(
        long,
        value_name = "LIST",
        default_value = "return-barrier",
        value_delimiter = ','
    )]
    pub(crate) protocol: Vec<String>,

    /// Policies of spawns into scopes, separated by commas: help-first, work-first, work-sharing, adaptive, or all
    #[arg(
        long,
        value_name = "LIST",
        default_value = "help-first",
        value_delimiter = ','
    )]
    pub(crate) policy: Vec<String>,

    /// Orders in which a thief tries victims, separated by commas: random, round-robin, hierarchical, last, or all
    #[arg(
        long,
        value_name = "LIST",
        default_value = "random",
        value_delimiter = ','
    )]
    pub(crate) victims: Vec<String>,

    /// Number of frames that a thief takes: one, half, or all for both
    #[arg(
        long,
        value_name = "LIST",
        default_value = "one",
        value_delimiter = ','
    )]
    pub(crate) amount: Vec<String>,

    /// Factor by which strands take longer while all workers work, because workers share memory, caches and power
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) inflation: f64,

    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Read costs from FILE, as JSON [default: built-in costs; the costs of forks and spawns are computed from the program's T_1 - T_S]
    #[arg(long, value_name = "FILE")]
    pub(crate) costs: Option<PathBuf>,

    /// Also measure Heist on each thread count up to the number of CPUs, and print the simulator's error
    #[arg(long)]
    pub(crate) validate: bool,

    /// Counted rounds of the measurements of the serial program and of Heist (on one thread; with --validate, on each thread count)
    #[arg(long, value_name = "N", default_value = "11", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,

    /// Write the recorded program to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Write everything to FILE as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Models of more than one machine.
#[derive(Debug, Subcommand)]
pub(crate) enum Model {
    /// Simulate places that balance the work of an unbalanced tree over a network
    Places(Box<Places>),
}

const AMOUNTS: [(&str, Amount); 2] = [("one", Amount::One), ("half", Amount::Half)];

/// A combination of scheduling options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) protocol: (&'static str, Protocol),
    pub(crate) policy: (&'static str, Policy),
    pub(crate) victims: (&'static str, Victims),
    pub(crate) amount: (&'static str, Amount),
}

impl Simulate {
    /// Returns every requested combination.
    pub(crate) fn ways(&self) -> Result<Vec<Way>, Failure> {
        let protocols = named("--protocol", "protocol", &self.protocol, &Protocol::ALL)?;
        let policies = named("--policy", "policy", &self.policy, &Policy::ALL)?;
        let victims = named(
            "--victims",
            "choice of victims",
            &self.victims,
            &Victims::ALL,
        )?;
        let amounts = named("--amount", "amount", &self.amount, &AMOUNTS)?;
        let mut ways = Vec::new();
        for &protocol in &protocols {
            for &policy in &policies {
                for &victims in &victims {
                    ways.extend(amounts.iter().map(|&amount| Way {
                        protocol,
                        policy,
                        victims,
                        amount,
                    }));
                }
            }
        }
        Ok(ways)
    }
}

/// Returns the items with these names, in the order of `all`.
pub(super) fn named<T: Copy>(
    option: &str,
    kind: &str,
    names: &[String],
    all: &[(&'static str, T)],
) -> Result<Vec<(&'static str, T)>, Failure> {
    let known = || all.iter().map(|&(name, _)| name);
    if let Some(name) = names
        .iter()
        .find(|name| *name != "all" && !known().any(|known| known == *name))
    {
        return Err(unknown(option, kind, name, known()));
    }
    Ok(all
        .iter()
        .filter(|(known, _)| names.iter().any(|name| name == "all" || name == known))
        .copied()
        .collect())
}
