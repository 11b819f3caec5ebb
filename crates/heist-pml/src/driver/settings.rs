//! The settings that a caller of the compiler chooses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::basis::{self, BasisFile};
use crate::runtime::heap_profile::Profiling;
use crate::runtime::memory::Memory;
use crate::runtime::trace::Tracing;
use crate::syntax;

/// The language in which files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The name of each file determines its language: files `.pml` have parallel forms, and all other
    /// files are Standard ML.
    #[default]
    Auto,
    /// Standard ML '97, with the parallel forms whose syntax Standard ML does not use.
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

    /// Returns the files of the Basis, which come before the files of the program.
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
    /// The file to which the data of `stats` is written as JSON.
    pub stats_json: Option<PathBuf>,
    /// The maximum size of the heap in bytes. By default it is four fifths of the machine's memory.
    pub heap: Option<u64>,
    /// The size in bytes of the stack of each strand. Stacks take no memory before they are used. By default it is 4
    /// GiB, or half of the memory divided by the number of workers.
    pub stack: Option<u64>,
    /// Whether to collect at every allocation and every poll. This reveals pointers that the collector misses.
    pub stress: bool,
    /// The number of workers for programs that fork. By default there is one for each CPU that the process may use.
    pub workers: Option<usize>,
    /// Whether to write `/tmp/perf-PID.map`, from which profilers read the names of functions.
    pub perf_map: bool,
    /// The trace to make of the program.
    pub trace: Option<Tracing>,
    /// The heap profile to make of the program.
    pub heap_profile: Option<Profiling>,
    /// Whether to keep the types of objects for heap profiles.
    pub heap_types: bool,
    /// How workers share the heap.
    pub memory: Memory,
    /// How parallel forms are compiled.
    pub forms: crate::lower::Forms,
    /// Whether `int` has 32 bits, as in programs that MLton compiles without an option.
    pub int32: bool,
    /// The path variables of lists of files, with their values.
    pub path_variables: Vec<(String, String)>,
    /// The arguments that the program finds in `CommandLine.arguments ()`.
    pub arguments: Vec<OsString>,
}
