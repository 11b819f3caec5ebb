//! The command line of `heist`. Each command's module defines the options of the command.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use heist_suite::programs;

#[cfg(not(feature = "pml"))]
use crate::absent as pml;
use crate::bench::Bench;
use crate::failure::{Failure, one_line};
use crate::figure::args::{DequeOperations, Figure};
use crate::graph::Graph;
use crate::listing::Listing;
use crate::places::Places;
#[cfg(feature = "pml")]
use crate::pml::args as pml;
use crate::report::Report;
use crate::say::{self, help};
use crate::shell::{Completions, Man};
use crate::simulate::Simulate;
use crate::trace::args::Trace;
use crate::version::VERSION;

const EXAMPLES: &str = "\
Examples:
  heist                                    a tour, in under a minute
  heist run examples/quicksort.pml         a Parallel ML program, compiled and run
  heist build examples/quicksort.pml       the same as an executable
  heist list                               the programs, what they do, where they come from
  heist bench fib                          one program, on 1 thread and on every CPU
  heist bench fib nqueens --threads 1,2,4  two programs, three thread counts
  heist figure idempotent-4                a figure of a paper again: table, CSV and chart
  heist graph edges.txt --algo bfs         a graph algorithm on one deque beside the other
  heist trace cilksort                     a picture of one run, for ui.perfetto.dev
  heist simulate cilksort --workers 2,64   a recorded program replayed on machines that are not here
  heist report                             earlier results on one HTML page
  heist info                               what the figures of this machine depend on";

/// A paragraph for the help text, about the commands that this build lacks.
const ABSENT: &str = if cfg!(feature = "pml") {
    ""
} else {
    "\n\n\
This build leaves out the compiler of Parallel ML: run, build, check, explain, fmt, repl and lsp. \
In the repository, `cargo run --release --features pml -- run FILE` has it."
};

/// Run the programs of the work-stealing papers serially, on Heist and on its rivals, side by side.
///
/// Without a command, heist gives a short tour: a handful of programs, with plain words on what they show.
#[derive(Debug, Parser)]
#[command(name = "heist", version = VERSION, after_help = help(&format!("{EXAMPLES}{ABSENT}")))]
pub(crate) struct Cli {
    /// The command; none means the tour.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Show all columns of tables, in lines of any length
    #[arg(long, global = true)]
    pub(crate) wide: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile a Parallel ML or Standard ML program, and run it
    Run(pml::Run),
    /// Compile a Parallel ML or Standard ML program to an executable
    Build(pml::Build),
    /// Print the errors and warnings of a Parallel ML or Standard ML program, without running it
    Check(pml::Check),
    /// Explain an error code of the compiler, with a wrong and a right program
    Explain(pml::Explain),
    /// Bring Parallel ML or Standard ML files into a uniform layout
    Fmt(pml::Fmt),
    /// Read Parallel ML or Standard ML declarations and expressions, run them, and print their values
    Repl(pml::Repl),
    /// Serve an editor: errors, completion, definitions, references, renaming (a language server)
    Lsp(pml::Lsp),
    /// Measure programs on Heist and on its rivals
    Bench(Bench),
    /// Measure a figure of a paper again, and draw it
    Figure(Figure),
    /// Run graph algorithms on worklists, once for each kind of deque
    Graph(Graph),
    /// Run a program once and draw what each worker did
    Trace(Trace),
    /// Record a program, and replay it on simulated machines of up to 1,024 workers
    Simulate(Simulate),
    /// Run a program of heist-places over several places
    Places(Places),
    /// Put earlier results into one HTML page
    Report(Report),
    /// List the programs: their purposes, sources and contenders
    List(Listing),
    /// Describe the machine, because times depend on it: CPUs, limits, caches, NUMA nodes, kernel
    Info(Listing),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print the manual page of the program, or write the pages of all commands
    Man(Man),
    /// Run a fixed number of a deque's operations, whose instructions `heist figure --instructions` counts
    #[command(hide = true)]
    DequeOperations(DequeOperations),
}

impl Cli {
    /// Parses the command line. If the command line requests the help or the version, prints the requested text and returns `None`.
    pub(crate) fn from_command_line() -> Result<Option<Cli>, Failure> {
        let words: Vec<OsString> = std::env::args_os().collect();
        match Cli::parse_words(words.clone()) {
            Ok(cli) => Ok(Some(cli)),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
                ) =>
            {
                let help = error.render();
                let text = if say::colours_on_stdout() {
                    help.ansi().to_string()
                } else {
                    help.to_string()
                };
                say::out(&text)?;
                Ok(None)
            }
            Err(error) => {
                // A word with line breaks would break clap's message into several lines, so this function escapes the control characters of
                // each word first.
                let tame = words.iter().map(|word| {
                    let word = word.to_string_lossy();
                    word.chars()
                        .flat_map(escape_control)
                        .collect::<String>()
                        .into()
                });
                let error = Cli::parse_words(tame.collect()).err().unwrap_or(error);
                let advice = (error.kind() == ErrorKind::InvalidSubcommand)
                    .then(|| program_for_command(&words))
                    .flatten();
                Err(Failure::Request(advice.unwrap_or_else(|| message(&error))))
            }
        }
    }

    fn parse_words(words: Vec<OsString>) -> Result<Cli, clap::Error> {
        // The functions that print text decide whether to use colours, so clap must not: it would also obey CLICOLOR_FORCE.
        let matches = Cli::whole()
            .color(ColorChoice::Never)
            .try_get_matches_from(words)?;
        Cli::from_arg_matches(&matches)
    }

    /// Returns the whole command line with all its help texts.
    pub(crate) fn whole() -> clap::Command {
        Cli::command().term_width(say::HELP_WIDTH)
    }
}

/// Returns advice if the user has named a program in place of a command.
fn program_for_command(words: &[OsString]) -> Option<String> {
    let word = words.get(1)?.to_str()?;
    let program = programs().iter().find(|program| program.name == word)?;
    Some(format!(
        "'{0}' is a program, not a command; did you mean `heist bench {0}`?",
        program.name
    ))
}

fn escape_control(c: char) -> Vec<char> {
    if c.is_control() {
        c.escape_default().collect()
    } else {
        vec![c]
    }
}

/// Returns clap's message on one line, without its usage paragraph: the fault, the tips, and a reference to
/// the help.
fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let mut line = one_line(what);
    for paragraph in paragraphs {
        // The tip to pass an option "as a value" does not help here.
        let tips = paragraph
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "));
        for tip in tips.filter(|tip| !tip.starts_with("to pass")) {
            line = format!("{line}; {tip}");
        }
    }
    if matches!(error.kind(), ErrorKind::ValueValidation) {
        line
    } else {
        format!("{line}; see `heist --help` or `heist COMMAND --help`")
    }
}

#[cfg(test)]
mod tests {
    use heist_suite::Contender;

    use super::*;
    use crate::values::Rivals;

    fn parse(line: &str) -> Result<Cli, String> {
        let words = line.split(' ').map(OsString::from).collect();
        Cli::parse_words(words).map_err(|error| message(&error))
    }

    #[test]
    fn clap_finds_the_definition_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_fits_80_columns() {
        let mut pages = vec![Cli::whole()];
        while let Some(mut page) = pages.pop() {
            page.build();
            let text = page.render_long_help().to_string();
            for line in text.lines() {
                // The help must not break the command lines of examples.
                let fits = line.chars().count() <= 80 || line.trim_start().starts_with("heist ");
                assert!(fits, "{}: {line}", page.get_name());
            }
            pages.extend(page.get_subcommands().cloned());
        }
    }

    #[test]
    fn a_program_in_place_of_a_command_is_told_apart() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let advice = program_for_command(&words("heist fib")).unwrap();
        assert!(advice.contains("`heist bench fib`"), "{advice}");
        assert_eq!(program_for_command(&words("heist fibb")), None);
    }

    #[test]
    fn no_command_is_the_tour_and_defaults_are_as_documented() {
        assert!(parse("heist").unwrap().command.is_none());
        let Some(Command::Bench(bench)) = parse("heist bench fib").unwrap().command else {
            panic!("not bench")
        };
        assert_eq!(bench.names, ["fib"]);
        assert_eq!(bench.runs, 11);
        assert_eq!(
            bench.vs,
            Rivals(vec![Contender::Serial, Contender::Rayon, Contender::Chili])
        );
        assert!(
            bench.threads.is_none() && !bench.pin && bench.json.is_none() && bench.csv.is_none()
        );
    }

    #[test]
    fn messages_name_the_error_and_its_place_on_one_line() {
        for (line, what, whereabouts) in [
            (
                "heist bench --threads 0",
                "'0' is not a thread count",
                "--threads",
            ),
            (
                "heist bench --threads -1",
                "'-1' is not a thread count",
                "--threads",
            ),
            ("heist bench --runs 0", "'0'", "--runs"),
            ("heist bench --runs -2", "'-2'", "--runs"),
            ("heist bench --size 0", "'0'", "--size"),
            ("heist bench --vs tokio", "'tokio'", "--vs"),
            ("heist bench --colour", "'--colour'", "see `heist"),
            ("heist bnech", "'bnech'", "'bench'"),
            ("heist bench --json", "a value is required", "--json"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(
                error.contains(what) && error.contains(whereabouts),
                "{line}: {error}"
            );
            assert!(!error.contains('\n'), "{line}: {error}");
        }
    }
}
