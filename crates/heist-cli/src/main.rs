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
#[cfg(feature = "pml")]
mod pml;
mod profile;
mod progress;
#[cfg(feature = "pml")]
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
        #[cfg(feature = "pml")]
        Some(Command::Run(args)) => pml::run(&args),
        #[cfg(feature = "pml")]
        Some(Command::Build(args)) => pml::build(&args),
        #[cfg(feature = "pml")]
        Some(Command::Check(args)) => pml::check(&args),
        #[cfg(feature = "pml")]
        Some(Command::Explain(args)) => pml::explain(&args),
        #[cfg(feature = "pml")]
        Some(Command::Fmt(args)) => pml::fmt(&args),
        #[cfg(feature = "pml")]
        Some(Command::Repl(args)) => pml::repl(&args),
        #[cfg(feature = "pml")]
        Some(Command::Lsp(args)) => pml::lsp(&args),
        #[cfg(not(feature = "pml"))]
        Some(Command::Run(args)) => Err(args.refusal("run")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Build(args)) => Err(args.refusal("build")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Check(args)) => Err(args.refusal("check")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Explain(args)) => Err(args.refusal("explain")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Fmt(args)) => Err(args.refusal("fmt")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Repl(args)) => Err(args.refusal("repl")),
        #[cfg(not(feature = "pml"))]
        Some(Command::Lsp(args)) => Err(args.refusal("lsp")),
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
