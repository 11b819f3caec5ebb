//! The program `heist`: it runs the programs of the work-stealing literature serially, on Heist and on
//! Heist's rivals, and reports ratios that were measured side by side.

mod args;
mod bench;
mod busy;
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
mod interrupt;
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
mod shell;
mod simulate;
mod stats;
mod table;
mod tour;
mod trace;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

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
    if matches!(
        cli.command,
        None | Some(Command::Bench(_) | Command::Figure(_) | Command::Simulate(_))
    ) {
        deepen_stacks();
    }
    if cli.wide {
        say::be_wide();
    }
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
        Some(Command::List(args)) => list::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args),
        Some(Command::Man(args)) => shell::man(&args),
        Some(Command::DequeOperations(args)) => figure::operate(&args),
    }
}

fn bench(args: &args::Bench) -> Result<(), Failure> {
    if args.profile {
        return profile::run(args);
    }
    let plan = Arc::new(plan::Plan::of(args)?);
    // Both files are opened before anything is measured: nobody should learn after an hour that a folder is missing.
    let (json, csv) = outfile::pair(args.json.as_deref(), args.csv.as_deref())?;
    let ending = Ending {
        // Described before the threads are pinned, which narrows what this thread sees.
        machine: machine::Machine::detect()?,
        plan: Arc::clone(&plan),
        others: busy::others(),
        shows_table: !outfile::is_standard_output(args.json.as_deref())
            && !outfile::is_standard_output(args.csv.as_deref()),
        json,
        csv,
    };
    let ending = Arc::new(Mutex::new(ending));
    let so_far = bench::SoFar::default();
    let (at_once, measured) = (Arc::clone(&ending), so_far.clone());
    interrupt::before_the_end(move || {
        let mut ending = at_once.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = ending.write(&measured.look(), false) {
            failure.report();
        }
    });
    bench::measure_into(&plan, &so_far)?;
    let mut ending = ending.lock().unwrap_or_else(PoisonError::into_inner);
    interrupt::forget();
    ending.write(&so_far.look(), true)
}

/// Gives threads that ask for no stack of their own a large one. Chili's are such threads, and a search of 1,572 levels does not
/// fit into the standard library's 2 MiB where the optimiser inlines little. To be called before there are other threads.
fn deepen_stacks() {
    const VARIABLE: &str = "RUST_MIN_STACK";
    const STACK: &str = "16777216";
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: until this returns there is no other thread that could read the environment.
        unsafe { std::env::set_var(VARIABLE, STACK) };
    }
}

/// Everything needed to show and save the results of measured programs.
struct Ending {
    machine: machine::Machine,
    plan: Arc<plan::Plan>,
    others: Option<f64>,
    shows_table: bool,
    json: Option<outfile::Outfile>,
    csv: Option<outfile::Outfile>,
}

impl Ending {
    /// Prints the table and fills the files. `complete` is false if Ctrl-C has ended the measurement.
    fn write(&mut self, outcomes: &[bench::Outcome], complete: bool) -> Result<(), Failure> {
        if self.shows_table {
            let colours = say::colours_on_stdout();
            say::out(&table::render(outcomes, self.others, colours))?;
        }
        if let Some(file) = &mut self.json {
            let (plan, others) = (&self.plan, self.others);
            file.fill(&json::render(
                &self.machine,
                plan,
                outcomes,
                others,
                complete,
            )?)?;
        }
        if let Some(file) = &mut self.csv {
            file.fill(&csv::render(outcomes)?)?;
        }
        Ok(())
    }
}
