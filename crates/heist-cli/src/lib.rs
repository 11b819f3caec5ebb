//! The program `heist`: it runs the programs of the work-stealing literature as serial code, on Heist and on Heist's rivals. The program
//! measures these versions side by side, and reports ratios of their times.
//!
//! This library contains all of the program except `main`. Cargo can begin to compile a library before code generation for the library's
//! dependencies is complete, whereas it must wait for this code generation before it compiles a program. No other crate depends on this
//! library.

#[cfg(not(feature = "pml"))]
mod absent;
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
mod heap_profile;
mod info;
mod interrupt;
mod json;
mod list;
mod listing;
mod machine;
mod main_stack;
mod measure;
mod outfile;
mod places;
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
#[cfg(feature = "pml")]
mod streams;
mod table;
mod tour;
mod trace;
mod values;
mod version;

use std::process::ExitCode;

use clap::CommandFactory;

use args::{Cli, Command};
use failure::Failure;

#[cfg(feature = "pml")]
#[global_allocator]
static ALLOCATOR: heist_pml_runtime::process::allocator::Ending =
    heist_pml_runtime::process::allocator::Ending;

/// Runs the command on the command line, and returns the exit status.
#[must_use]
pub fn main() -> ExitCode {
    main_stack::with_enough(|| match run() {
        Ok(()) => interrupt::status(),
        Err(failure) => failure.report(),
    })
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
        Some(Command::Bench(args)) if args.profile => profile::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Figure(args)) => figure::run(&args),
        Some(Command::Graph(args)) => graph::run(&args),
        Some(Command::Trace(args)) => trace::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Places(args)) => places::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::List(args)) => list::run(&args),
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args, Cli::command()),
        Some(Command::Man(args)) => shell::man(&args, Cli::command()),
        Some(Command::DequeOperations(args)) => figure::operate(&args),
    }
}

/// Sets a large stack for threads that are started without a stack size. For example, chili starts its threads without a stack size. If the
/// optimiser inlines little, a search of 1,572 levels does not fit into the standard library's 2 MiB. Call this function before other
/// threads run.
fn deepen_stacks() {
    const VARIABLE: &str = "RUST_MIN_STACK";
    const STACK: &str = "16777216";
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: no other thread reads the environment before this call returns. No other threads have been started, and the
        // main thread is the caller or waits for the end of the caller.
        unsafe { std::env::set_var(VARIABLE, STACK) };
    }
}
