//! The program `heist`: it runs the programs of the work-stealing literature serially, on Heist and on
//! Heist's rivals, and reports ratios that were measured side by side.

mod args;
mod bench;
mod cgroup;
mod chart;
mod contender;
mod cpus;
mod csv;
mod failure;
mod figure;
mod figures;
mod graph;
mod info;
mod json;
mod list;
mod machine;
mod outfile;
mod plan;
mod pml;
mod profile;
mod progress;
mod prompt;
mod report;
mod say;
mod select;
mod sheet;
mod simulate;
mod stats;
mod table;
mod tour;
mod trace;

use std::process::ExitCode;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    let Some(cli) = Cli::from_command_line()? else {
        return Ok(());
    };
    match cli.command {
        None => tour::run(),
        Some(Command::Run(args)) => pml::run(&args),
        Some(Command::Build(args)) => pml::build(&args),
        Some(Command::Check(args)) => pml::check(&args),
        Some(Command::Explain(args)) => pml::explain(&args),
        Some(Command::Fmt(args)) => pml::fmt(&args),
        Some(Command::Repl(args)) => pml::repl(&args),
        Some(Command::Lsp(args)) => pml::lsp(&args),
        Some(Command::Bench(args)) => bench(&args),
        Some(Command::Figure(args)) => figure::run(&args),
        Some(Command::Graph(args)) => graph::run(&args),
        Some(Command::Trace(args)) => trace::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::List) => list::run(),
        Some(Command::Info) => info::run(),
        Some(Command::DequeOperations(args)) => figure::operate(&args),
    }
}

fn bench(args: &args::Bench) -> Result<(), Failure> {
    if args.profile {
        return profile::run(args);
    }
    let plan = plan::Plan::of(args)?;
    // Both files are opened before anything is measured: nobody should learn after an hour that a folder is missing.
    let (mut json, mut csv) = outfile::pair(args.json.as_deref(), args.csv.as_deref())?;
    // Described before the threads are pinned, which narrows what this thread sees.
    let machine = machine::Machine::detect()?;
    let outcomes = bench::measure(&plan)?;
    say::out(&table::render(&outcomes, say::colours_on_stdout()))?;
    if let Some(file) = &mut json {
        file.fill(&json::render(&machine, &plan, &outcomes)?)?;
    }
    if let Some(file) = &mut csv {
        file.fill(&csv::render(&outcomes)?)?;
    }
    Ok(())
}
