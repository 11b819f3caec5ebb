//! Settings that a caller of the compiler chooses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::basis::{self, BasisFile};
use crate::runtime::memory::Memory;
use crate::runtime::trace::Tracing;
use crate::syntax;

/// The language of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Chooses by the name of each file: parallel forms in `.pml`, Standard ML in all others.
    #[default]
    Auto,
    /// Standard ML '97, with the parallel forms that no such program can contain.
    Sml,
    /// Parallel ML with the semantics of Standard ML.
    Pml,
    /// Parallel ML as Manticore had it.
    Manticore,
}

impl Dialect {
    /// Options of the parser for a file of this name.
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

    /// The files that come before those of the program.
    pub(crate) fn basis(self) -> impl Iterator<Item = &'static BasisFile> {
        let own = if self == Dialect::Manticore {
            basis::MANTICORE
        } else {
            &[]
        };
        basis::STANDARD.iter().chain(own)
    }
}

/// The pass whose result is printed.
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

/// Settings of compiling and running.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The language.
    pub dialect: Dialect,
    /// Results to print on the way, on standard error.
    pub dumps: Vec<Dump>,
    /// Colours in messages.
    pub colour: bool,
    /// Print allocations and collections at the end.
    pub stats: bool,
    /// The file for the same data as JSON.
    pub stats_json: Option<PathBuf>,
    /// Most bytes of heap; by default four fifths of the machine's memory.
    pub heap: Option<u64>,
    /// Bytes of the stack of each strand, which take no memory until they are used. By default 4 GiB, or what half of the memory has for each
    /// worker.
    pub stack: Option<u64>,
    /// Collect at every allocation and every poll, which reveals pointers that the collector does not know.
    pub stress: bool,
    /// Number of workers for programs that fork; by default one for each CPU that the process may use.
    pub workers: Option<usize>,
    /// Write `/tmp/perf-PID.map`, from which profilers have the names of functions.
    pub perf_map: bool,
    /// The trace to make of the program.
    pub trace: Option<Tracing>,
    /// Ways in which workers share the heap.
    pub memory: Memory,
    /// The code that parallel forms become.
    pub forms: crate::lower::Forms,
    /// Path variables of lists of files, with their values.
    pub path_variables: Vec<(String, String)>,
    /// Arguments that the program finds in `CommandLine.arguments ()`.
    pub arguments: Vec<OsString>,
}
