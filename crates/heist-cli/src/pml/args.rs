//! The commands for Parallel ML.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};
use heist_pml::driver::{Dump, size};

use crate::say::help;

const RUN_EXAMPLES: &str = "\
Examples:
  heist run examples/quicksort.pml 100000       compile, and run with an argument
  heist run lib.sml main.sml                    several files, in order
  heist run project.mlb                         a list of files
  heist run - <main.sml                         the program on the standard input
  heist run --dialect manticore old.pml         a program written for Manticore
  heist run --stats --heap 512M life.sml        what was allocated and collected, in half a gigabyte
  heist run --heap-profile heap.svg life.sml    a picture of what was live, by type and place
  heist run --dump anf fib.sml                  the program in A-normal form, optimised
  heist run --dump simplify:2 fib.sml           what the second run of a pass of the optimiser left
  heist run --time-passes fib.sml               how long each phase and pass of the compiler took

Exit codes: the program's own; 1 if it is refused or an exception is not handled, 2 if the request cannot be carried
out, or stack or memory run out.";

const BUILD_EXAMPLES: &str = "\
Examples:
  heist build examples/quicksort.pml            makes ./quicksort
  heist build -o bin/life lib.sml life.sml      several files, in order, and another name
  heist build --native -o nbody nbody.sml       uses all that this machine's processor has
  heist build -g -o life life.sml               gdb and perf can show its lines
  heist build --object -o sort.o sort.sml       an object file, and the runtime beside it:
  cc -o sort sort.o libheist_pml_runtime.a -lm  links them

The executable needs nothing of heist. Its environment may say HEIST_HEAP=512M, HEIST_STACK=1G and HEIST_WORKERS=4,
which are --heap, --stack and --workers of `heist run`, HEIST_STATS=1, which is --stats, and
HEIST_HEAP_PROFILE=heap.json, which `heist report heap.json` draws. It is linked by the C compiler that CC names, or `cc`.

Exit codes: 0 it is made, 1 the program is refused, 2 the request cannot be carried out.";

/// The language of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// By the files' names: parallel forms in `.pml`, plain Standard ML in all others
    Auto,
    /// Standard ML '97, with parallel tuples and arrays
    Sml,
    /// Parallel ML with the semantics of Standard ML
    Pml,
    /// Manticore's dialect: integers of 32 bits that wrap around, and Manticore's names
    Manticore,
}

/// The names of phases and passes whose result can be printed.
#[derive(Clone, Copy)]
struct Dumps;

impl TypedValueParser for Dumps {
    type Value = Dump;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Dump, clap::Error> {
        let parser = StringValueParser::new().try_map(|text| text.parse::<Dump>());
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = Dump::names().map(|(name, about)| PossibleValue::new(name).help(about));
        Some(Box::new(names))
    }
}

/// The ways in which workers can share the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MemoryName {
    /// Objects are promoted when they become visible to another worker. A minor collection promotes large graphs
    Lazy,
    /// Like lazy, but a promotion copies immutable graphs of any size
    LazyCopying,
    /// The arguments and results of every fork are promoted, even if no worker steals the fork
    Eager,
    /// Like eager, but a promotion copies graphs
    EagerCopying,
    /// One heap for all workers, without young generations
    Flat,
}

/// The translation of forks to code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForksName {
    /// A fork is only a frame on the stack until an idle worker requests work
    Free,
    /// Each fork pushes a task onto a deque of its worker, and pops this task again
    Clones,
}

/// Options of all commands that compile.
#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// The language of the files
    #[arg(long, value_name = "DIALECT", value_enum, default_value = "auto")]
    pub(crate) dialect: DialectName,

    /// Print what a phase or pass made of the program, on standard error; NAME:N is the Nth run of a pass, NAME the last one
    #[arg(long, value_name = "NAME", value_parser = Dumps)]
    pub(crate) dump: Vec<Dump>,

    /// Print how long each phase and pass of the compiler took, on standard error
    #[arg(long)]
    pub(crate) time_passes: bool,

    /// Compile parallel forms as sequential code, for comparisons
    #[arg(long)]
    pub(crate) sequential: bool,

    /// The translation of forks; `clones` is for comparisons
    #[arg(
        long,
        value_name = "WAY",
        value_enum,
        default_value = "free",
        conflicts_with = "sequential"
    )]
    pub(crate) forks: ForksName,

    /// Set a path variable, which lists of files use as `$(NAME)`; by default, only COMPAT is set, to mpl
    #[arg(long, value_name = "NAME=PATH", value_parser = path_variable)]
    pub(crate) mlb_path_var: Vec<(String, String)>,

    /// The size of int, word or real, like the option of MLton and MPL: int32 or int64, word64, real64
    #[arg(long, value_name = "TYPE", value_parser = default_type)]
    pub(crate) default_type: Vec<String>,
}

/// Parses a value of `--default-type`.
fn default_type(text: &str) -> Result<String, String> {
    match text {
        "int32" | "int64" | "word64" | "real64" => Ok(text.to_owned()),
        _ => Err(
            "`int` has 32 or 64 bits, `word` has 64, and `real` is a double: int32, int64, word64 or real64"
                .to_owned(),
        ),
    }
}

/// Parses a path variable with its value: `NAME=PATH`, or `NAME PATH` as in MLton.
fn path_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once(['=', ' ']) {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a name, `=` and a path are wanted".to_owned()),
    }
}

/// Compile a program and run it.
#[derive(Debug, Args)]
#[command(after_help = help(RUN_EXAMPLES))]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) compile: Compile,

    /// Print allocation, collections and pauses when the program ends
    #[arg(long)]
    pub(crate) stats: bool,

    /// Maximum memory for the heap, with K, M or G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) heap: Option<u64>,

    /// Stack of the program, with K, M or G [default: 4G, which takes no memory until it is used]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) stack: Option<u64>,

    /// Number of workers, if the program forks [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=63))]
    pub(crate) workers: Option<u16>,

    /// The way in which workers share the heap; all ways except `lazy` are for comparisons
    #[arg(long, value_name = "WAY", value_enum, default_value = "lazy")]
    pub(crate) memory: MemoryName,

    /// Write what --stats prints to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_json: Option<PathBuf>,

    /// Write the live bytes over time, by type and allocation site: a picture (FILE.svg) or data
    /// (FILE.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) heap_profile: Option<PathBuf>,

    /// Write /tmp/perf-PID.map, from which perf and samply read the names of the program's
    /// functions
    #[arg(long)]
    pub(crate) perf_map: bool,

    /// The program: a file, or files up to the first argument that does not end in .sml, .pml, .sig, .fun or .mlb
    #[arg(required = true, value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// More files, then arguments for the program
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "FILE or ARGUMENT"
    )]
    pub(crate) rest: Vec<OsString>,
}

/// Compile a program to an executable.
#[derive(Debug, Args)]
#[command(after_help = help(BUILD_EXAMPLES))]
pub(crate) struct Build {
    #[command(flatten)]
    pub(crate) compile: Compile,

    /// The file to make [default: as the last file, without its extension]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,

    /// Make an object file, and put the runtime next to it
    #[arg(long)]
    pub(crate) object: bool,

    /// Use all features of this machine's processor: other processors may be unable to run the file
    #[arg(long)]
    pub(crate) native: bool,

    /// Keep the line numbers of the source files, for gdb, perf and samply
    #[arg(short = 'g', long)]
    pub(crate) debug: bool,

    /// Keep the types of objects, so that a heap profile (HEIST_HEAP_PROFILE) names them
    #[arg(long)]
    pub(crate) heap_profile: bool,

    /// The files, in order; `.mlb` files list others
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Check a program without running it.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) compile: Compile,

    /// Write the errors and warnings to FILE as JSON, instead of printing them; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dump", "time_passes"])]
    pub(crate) json: Option<PathBuf>,

    /// The files, in order; `.mlb` files list others
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Explain an error code.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, as an error message shows it: E0301; none lists all of them
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

const FMT_EXAMPLES: &str = "\
Examples:
  heist fmt main.sml lib.sml       brings both into the layout, in place
  heist fmt --check project.mlb    names the files of a list that are not in it
  heist fmt --dialect pml - <x     reads the standard input, writes the standard output

Exit codes: 1 if a file has errors, or with --check is not in the layout; 2 if it cannot be read or written.";

/// Bring files into a uniform layout.
#[derive(Debug, Args)]
#[command(after_help = help(FMT_EXAMPLES))]
pub(crate) struct Fmt {
    /// The language of the files
    #[arg(long, value_name = "DIALECT", value_enum, default_value = "auto")]
    pub(crate) dialect: DialectName,

    /// Change nothing, and list the files that would change
    #[arg(long)]
    pub(crate) check: bool,

    /// The files; `.mlb` files list others; `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

const REPL_EXAMPLES: &str = "\
Examples:
  heist repl                       a prompt; `:help` tells what it knows
  heist repl list.sml tree.sml     with what these files declare
  echo '1 + 2;' | heist repl       val it = 3 : int

Exit codes: 0; if the input is no terminal, 1 if some of it was refused or raised an exception; 2 if there is no memory.";

/// Read declarations and expressions, run them, and print their values.
#[derive(Debug, Args)]
#[command(after_help = help(REPL_EXAMPLES))]
pub(crate) struct Repl {
    /// The language of the input and the files; with auto, the input is Standard ML, and a file's name determines its language
    #[arg(long, value_name = "DIALECT", value_enum, default_value = "auto")]
    pub(crate) dialect: DialectName,

    /// Maximum memory for the heap, with K, M or G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) heap: Option<u64>,

    /// Stack of the programs, with K, M or G [default: 4G, which takes no memory until it is used]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) stack: Option<u64>,

    /// Number of workers for inputs that fork [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=63))]
    pub(crate) workers: Option<u16>,

    /// Files to load first; `.mlb` files list others
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

const LSP_HELP: &str = "\
It speaks the Language Server Protocol on standard input and output. Editors start it: for Helix, languages.toml says
  [language-server.heist]
  command = \"heist\"
  args = [\"lsp\"]
docs/pml/running.md has more.

Exit codes: 0 after `shutdown` and `exit`; 1 if either was missing; 2 if the input is not of the protocol.";

/// Answer an editor.
#[derive(Debug, Args)]
#[command(after_help = help(LSP_HELP))]
pub(crate) struct Lsp {
    /// The language of the files, if the editor's `initializationOptions.dialect` does not say
    #[arg(long, value_name = "DIALECT", value_enum, default_value = "auto")]
    pub(crate) dialect: DialectName,

    /// Set a path variable, which lists of files use as `$(NAME)`; by default, only COMPAT is set, to mpl
    #[arg(long, value_name = "NAME=PATH", value_parser = path_variable)]
    pub(crate) mlb_path_var: Vec<(String, String)>,

    /// An option that some editors add, and that has no effect
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}
