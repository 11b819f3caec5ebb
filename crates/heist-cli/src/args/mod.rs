//! The command line.

#[cfg(not(feature = "pml"))]
pub(crate) mod absent;
mod describe;
mod figure;
#[cfg(feature = "pml")]
pub(crate) mod pml;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use heist_suite::{Contender, Size, programs};

#[cfg(not(feature = "pml"))]
use self::absent as pml;
use crate::failure::{Failure, one_line};
use crate::report::Report;
use crate::say::{self, help};
use crate::simulate::Simulate;
use crate::table::LEGEND;
pub(crate) use describe::{Completions, Listing, Man};
pub(crate) use figure::{DequeOperations, Figure, Pin};
pub(crate) use values::{Rivals, Threads, runs, size, threads};
use values::{events, one_thread_count, own, rivals};

/// Version text from the build script: the version, the commit, the compiler and the profile.
pub(crate) const VERSION: &str = env!("HEIST_VERSION");

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

/// Commands that a build without features lacks, for the help.
const ABSENT: &str = if cfg!(feature = "pml") {
    ""
} else {
    "\n\n\
This build leaves out the compiler of Parallel ML: run, build, check, explain, fmt, repl and lsp. \
In the repository, `cargo run --release --features pml -- run FILE` has it."
};

const BENCH_EXAMPLES: &str = "\
Examples:
  heist bench                                      every program at its quick size
  heist bench fib --size 32 --runs 21              fib of 32, 21 counted rounds
  heist bench fib --vs serial,rayon --threads 1,2  leave chili out
  heist bench --size paper --pin --json runs.json  the papers' sizes, pinned, with every sample kept

In every round each contender runs once at each thread count, in a freshly shuffled order. Ratios are
taken within a round, and the median over the rounds is reported, so a slow spell of the machine hits
both sides of a ratio alike. One warm-up round is not counted. Every result is checked, off the clock.

Exit codes: 0 all went well, 1 a program computed a wrong result, 2 the request cannot be carried out.";

const GRAPH_EXAMPLES: &str = "\
Examples:
  heist graph                                    reachability in the built-in graph
  heist graph --algo all --deque all             every algorithm on every deque
  heist graph edges.txt --algo bfs --root 17     a file of edges, two numbers a line
  heist graph matrix.mtx --algo sssp             a Matrix Market file, its values as weights
  heist graph kgraph:1000000 --threads 1,2,4     a generated graph: 3 nearest of a million points

Rounds, ratios and exit codes are those of `heist bench`.";

const TRACE_EXAMPLES: &str = "\
Examples:
  heist trace fib                                     trace.json in the current folder, and a summary
  heist trace cilksort --threads 4 --out sort.json
  heist trace uts-geo --size paper --events 1000000   a longer run with nothing lost
  heist trace lud --as heist-stop-victim              another steal protocol
  heist trace cilksort --overhead                     what the trace costs
  heist trace examples/quicksort.pml 100000           a program of Parallel ML, with its strands and collections

In the picture each thread has a track: slices for what it ran, waited for and slept, arrows from where work was
stolen to where it ran, and a count of the threads that run something. Exit codes are those of `heist bench`.";

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
    /// Check a Parallel ML or Standard ML program: errors and warnings, nothing is run
    Check(pml::Check),
    /// Explain an error code of the compiler, with a wrong and a right program
    Explain(pml::Explain),
    /// Bring Parallel ML or Standard ML files into a uniform layout
    Fmt(pml::Fmt),
    /// Read Parallel ML or Standard ML declarations and expressions, run them, and print what they are
    Repl(pml::Repl),
    /// Tell an editor errors, types and definitions as its user types: a language server
    Lsp(pml::Lsp),
    /// Measure programs on Heist and on its rivals
    Bench(Bench),
    /// Measure a figure of a paper again, and draw it
    Figure(Figure),
    /// Run graph algorithms on worklists, on one deque beside the other
    Graph(Graph),
    /// Run a program once and draw what each worker did
    Trace(Trace),
    /// Record a program, and replay it on simulated machines of up to 1,024 workers
    Simulate(Simulate),
    /// Put earlier results into one HTML page
    Report(Report),
    /// List the programs: what they do, where they come from, who competes
    List(Listing),
    /// Describe what the figures depend on: CPUs, limits, caches, NUMA nodes, kernel
    Info(Listing),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print the manual page of the program, or write those of all commands
    Man(Man),
    /// Run a fixed number of a deque's operations and print nothing: what `heist figure --instructions` counts
    #[command(hide = true)]
    DequeOperations(DequeOperations),
}

/// Run graph algorithms on worklists, on one deque beside the other. Every result is checked.
#[derive(Debug, Args)]
#[command(after_help = help(GRAPH_EXAMPLES))]
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

    /// Deques, separated by commas, or all; chase-lev is always there, to compare with
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

    /// Vertices to start from, separated by commas, by the file's numbers [default: one of the largest degree, in the largest component]
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

    /// Write everything to FILE as JSON; - is standard output, and then there is no table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Run a program once on Heist, write down what each worker did, and say where the time went.
#[derive(Debug, Args)]
#[command(after_help = help(TRACE_EXAMPLES))]
pub(crate) struct Trace {
    /// The program to run (`heist list` names them), or a file of Parallel ML
    pub(crate) name: String,

    /// More files of a program of Parallel ML, then its arguments; `--` comes before those that begin with `-`
    #[arg(value_name = "FILE or ARGUMENT")]
    pub(crate) rest: Vec<String>,

    /// Size of the input: quick, paper, or a number that each program takes in its own way
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Size,

    /// The number of workers [default: the number of CPUs]
    #[arg(long, visible_alias = "workers", value_name = "P", value_parser = one_thread_count, allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,

    /// The contender to trace: another steal protocol (heist-stop-victim, ..) or policy of scopes (heist-work-first, ..)
    #[arg(long = "as", value_name = "CONTENDER", default_value = "heist", value_parser = own)]
    pub(crate) contender: Contender,

    /// The file, for https://ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE", default_value = "trace.json")]
    pub(crate) out: PathBuf,

    /// Write the summary to FILE as JSON, in place of the text; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "overhead")]
    pub(crate) json: Option<PathBuf>,

    /// Number of events to keep of each thread: the newest, 32 bytes each
    #[arg(long, value_name = "N", default_value = "65536", value_parser = events, allow_hyphen_values = true)]
    pub(crate) events: usize,

    /// Measure what a trace costs in place of writing one: runs with and without, in paired rounds
    #[arg(long)]
    pub(crate) overhead: bool,

    /// Paired rounds of `--overhead`
    #[arg(long, value_name = "N", default_value = "21", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,
}

/// Measure programs on Heist and on its rivals, in paired rounds.
#[derive(Debug, Args)]
#[command(after_help = help(&format!("{BENCH_EXAMPLES}\n\nThe columns of the table:\n{LEGEND}")))]
pub(crate) struct Bench {
    /// The programs to run (`heist list` names them); none means all
    pub(crate) names: Vec<String>,

    /// Thread counts, separated by commas [default: 1 and the number of CPUs]
    #[arg(long, value_name = "LIST", value_parser = threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<Threads>,

    /// Size of the input: quick, paper, or a number that each program takes in its own way (fib 30: the 30th number)
    #[arg(long, value_name = "SIZE", default_value = "quick", value_parser = size, allow_hyphen_values = true)]
    pub(crate) size: Size,

    /// Counted rounds per program
    #[arg(long, value_name = "N", default_value = "11", value_parser = runs, allow_hyphen_values = true)]
    pub(crate) runs: usize,

    /// Contenders beside Heist, separated by commas: serial, heist-hint (`join_hint`), rayon, chili
    #[arg(long, value_name = "LIST", default_value = "serial,rayon,chili", value_parser = rivals)]
    pub(crate) vs: Rivals,

    /// Keep each worker of each contender on a CPU of its own, the serial runs on the first (Linux)
    #[arg(long)]
    pub(crate) pin: bool,

    /// Report work, span, parallelism and the fork sites on the longest chain instead of measuring contenders
    #[arg(long, conflicts_with_all = ["threads", "vs", "pin", "csv"])]
    pub(crate) profile: bool,

    /// Write the machine, the command and every sample to FILE as JSON; - is standard output, and then there is no table
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write one line per program, contender and thread count to FILE; - as with --json
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

impl Cli {
    /// Reads the command line; `None` when it asked for help or the version, which are then printed.
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
                // A word with line breaks in it would tear clap's message apart, so the message is made
                // from words in which they are escaped.
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
        // Colours are chosen where text is written; clap's own guess would also listen to CLICOLOR_FORCE.
        let matches = Cli::whole()
            .color(ColorChoice::Never)
            .try_get_matches_from(words)?;
        Cli::from_arg_matches(&matches)
    }

    /// The command line with all that is said of it.
    pub(crate) fn whole() -> clap::Command {
        Cli::command().term_width(say::HELP_WIDTH)
    }
}

/// A program that was named in place of a command, as an advice.
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

/// clap's message on one line: what was wrong, its tips, and where to read more. Its usage paragraph is dropped.
fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    let mut line = one_line(what);
    for paragraph in paragraphs {
        // The tip to pass an option "as a value" helps nobody here.
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
        format!("{line}; see `heist --help` or the command's own, like `heist bench --help`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                // An example is a command line, which is not broken.
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
    fn messages_say_what_and_where_on_one_line() {
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
