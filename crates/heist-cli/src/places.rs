//! `heist places` runs a program of heist-places as several processes.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use clap::Args;

use crate::failure::Failure;
use crate::say::help;

const EXAMPLES: &str = "\
Examples:
  cargo build --release -p heist-places --examples
  heist places --places 4 target/release/examples/hello
  heist places --places 2 --workers 4 target/release/examples/uts 10
  heist places --places 4 --bind 0-3/4-7 target/release/examples/fft 22";

/// Run a program of heist-places over several places
///
/// Each place is a process of its own. The program itself starts the places. `heist places` only sets the environment variables
/// HEIST_PLACES, HEIST_PLACES_WORKERS and HEIST_PLACES_BIND, which give the number of places, their workers and their CPUs.
#[derive(Debug, Args)]
#[command(after_help = help(EXAMPLES))]
pub(crate) struct Places {
    /// Number of places
    #[arg(long, short, value_name = "P", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4096))]
    places: u32,

    /// Workers of each place; by default the CPUs are divided among the places
    #[arg(long, short, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=4096))]
    workers: Option<u32>,

    /// CPUs of the places: `nodes` divides the places, in blocks, among the NUMA nodes, if this process may use several nodes; `none` lets
    /// each place use all CPUs; a list of groups of CPUs divides them among these groups [default: nodes]
    #[arg(long, value_name = "nodes|none|0-3/4-7")]
    bind: Option<String>,

    /// The program, and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Runs the program, and ends this process with its status.
pub(crate) fn run(args: &Places) -> Result<(), Failure> {
    let Some((program, arguments)) = args.program.split_first() else {
        return Err(Failure::Request("no program".to_owned()));
    };
    let workers = args.workers.map(|workers| workers as usize);
    let mut command = command(program, args.places, workers);
    command.args(arguments);
    if let Some(bind) = &args.bind {
        command.env("HEIST_PLACES_BIND", bind);
    }
    match status(command)? {
        0 => Ok(()),
        status => std::process::exit(status),
    }
}

/// Returns a command that runs a program over `places` places. If `workers` is given, each place has this number of workers.
pub(crate) fn command(program: &OsStr, places: u32, workers: Option<usize>) -> Command {
    let mut command = Command::new(program);
    command.env("HEIST_PLACES", places.to_string());
    if let Some(workers) = workers {
        command.env("HEIST_PLACES_WORKERS", workers.to_string());
    }
    command
}

/// Runs the program to its end, and returns its exit status, or 1 if a signal ended it.
pub(crate) fn status(mut command: Command) -> Result<i32, Failure> {
    let status = command.status().map_err(|error| {
        let program = command.get_program().display();
        Failure::Request(format!("cannot run {program}: {error}"))
    })?;
    Ok(status.code().unwrap_or(1))
}
