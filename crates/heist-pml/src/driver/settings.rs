//! Settings that a caller of the compiler chooses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::basis::{self, BasisFile};
use crate::runtime::heap_profile::Profiling;
use crate::runtime::memory::Memory;
use crate::runtime::trace::Tracing;
use crate::syntax;

/// The language of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Chooses the dialect by the name of each file: parallel forms in `.pml`, Standard ML in all others.
    #[default]
    Auto,
    /// Standard ML '97, with those parallel forms that are not in the syntax of Standard ML.
    Sml,
    /// Parallel ML with the semantics of Standard ML.
    Pml,
    /// Parallel ML with the semantics of Manticore.
    Manticore,
}

impl Dialect {
    /// Returns the options of the parser for a file of this name.
    pub(crate) fn options(self, path: &Path) -> syntax::Options {
        syntax::Options {
            parallel_forms: match self {
                Dialect::Auto => path.extension().is_some_and(|extension| extension == "pml"),
                Dialect::Sml => false,
                Dialect::Pml | Dialect::Manticore => true,
            },
            manticore: self == Dialect::Manticore,
            ..syntax::Options::default()
        }
    }

    /// Returns the files that come before those of the program.
    pub(crate) fn basis(self) -> impl Iterator<Item = &'static BasisFile> {
        let own = if self == Dialect::Manticore {
            basis::MANTICORE
        } else {
            &[]
        };
        basis::STANDARD.iter().chain(own)
    }
}

/// A pass whose result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// The typed program, after elaboration.
    Typed,
    /// The program after monomorphisation.
    Mono,
    /// The program after optimisation.
    Anf,
    /// Cranelift's intermediate language.
    Clif,
    /// Machine code.
    Asm,
}

/// Settings with which programs are compiled and run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The language.
    pub dialect: Dialect,
    /// The passes whose results are printed on standard error.
    pub dumps: Vec<Dump>,
    /// Whether messages have colours.
    pub colour: bool,
    /// Whether to print allocations and collections at the end.
    pub stats: bool,
    /// The file that gets the same data as JSON.
    pub stats_json: Option<PathBuf>,
    /// The maximum number of bytes of heap; by default four fifths of the machine's memory.
    pub heap: Option<u64>,
    /// The bytes of the stack of each strand, which take no memory until they are used. By default a stack has 4 GiB, or half of the memory
    /// divided by the number of workers.
    pub stack: Option<u64>,
    /// Whether to collect at every allocation and every poll. This reveals pointers that the collector misses.
    pub stress: bool,
    /// The number of workers for programs that fork; by default one for each CPU that the process may use.
    pub workers: Option<usize>,
    /// Whether to write `/tmp/perf-PID.map`, from which profilers read the names of functions.
    pub perf_map: bool,
    /// The trace to make of the program.
    pub trace: Option<Tracing>,
    /// The heap profile to make of the program.
    pub heap_profile: Option<Profiling>,
    /// Whether to keep the types of objects for heap profiles.
    pub heap_types: bool,
    /// The way in which workers share the heap.
    pub memory: Memory,
    /// The code that parallel forms become.
    pub forms: crate::lower::Forms,
    /// Whether `int` has 32 bits, as in programs that MLton compiles without an option.
    pub int32: bool,
    /// The path variables of lists of files, with their values.
    pub path_variables: Vec<(String, String)>,
    /// The arguments that the program finds in `CommandLine.arguments ()`.
    pub arguments: Vec<OsString>,
}
