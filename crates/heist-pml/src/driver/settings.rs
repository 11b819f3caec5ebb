//! The settings that a caller of the compiler chooses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::basis::{self, BasisFile};
use crate::opt::PASSES;
use crate::runtime::measure::heap_profile::Profiling;
use crate::runtime::measure::trace::Tracing;
use crate::runtime::memory::sharing::Memory;
use crate::syntax;

/// The language in which files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The name of each file determines its language: files with names that end with `.pml` have parallel forms, and all other files are
    /// Standard ML.
    #[default]
    Auto,
    /// Standard ML '97 with the parallel tuples and arrays, because their syntax has no other meaning in Standard ML.
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
        basis::STANDARD.iter().chain(self.own())
    }

    /// Returns the files of the Basis that only this dialect has.
    pub(crate) fn own(self) -> &'static [BasisFile] {
        match self {
            Dialect::Manticore => basis::MANTICORE,
            Dialect::Auto | Dialect::Sml | Dialect::Pml => &[],
        }
    }
}

/// A phase of the compiler, or a pass of its optimiser, after which a dump prints the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// The typed program, after elaboration.
    Typed,
    /// The program after monomorphisation.
    Mono,
    /// The program in A-normal form, before optimisation.
    Lower,
    /// The program after a run of a pass of the optimiser.
    Pass {
        /// The name of the pass.
        name: &'static str,
        /// The number of the run, from 1 on: a pass may run several times.
        run: u32,
    },
    /// The program after optimisation.
    Anf,
    /// The program after closure conversion.
    Close,
    /// Cranelift's intermediate language.
    Clif,
    /// Machine code.
    Asm,
}

/// The phases before optimisation, with their names and meanings.
const EARLY: [(Dump, &str, &str); 3] = [
    (Dump::Typed, "typed", "After type inference"),
    (
        Dump::Mono,
        "mono",
        "One copy of each function for each type",
    ),
    (Dump::Lower, "lower", "A-normal form, before the optimiser"),
];

/// The phases after the optimiser, with their names and meanings.
const LATE: [(Dump, &str, &str); 4] = [
    (Dump::Anf, "anf", "A-normal form, optimised"),
    (Dump::Close, "close", "Without functions inside others"),
    (Dump::Clif, "clif", "Cranelift's intermediate language"),
    (Dump::Asm, "asm", "Machine code"),
];

impl Dump {
    /// Returns the name and the meaning of each dump, in the order in which the compiler makes the dumps. The name of a pass without a
    /// number means the last run of the pass.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        let passes = PASSES.iter().map(|pass| (pass.name, pass.about));
        let of = |phases: &'static [(Dump, &str, &str)]| phases.iter().map(|it| (it.1, it.2));
        of(&EARLY).chain(passes).chain(of(&LATE))
    }
}

/// Reads the name of a phase, or of a pass. `NAME:N` is the run number N of a pass.
///
/// # Errors
///
/// Returns an error if no phase or pass has this name, or if the pass has no run of this number. The error lists the valid names or the
/// runs.
impl FromStr for Dump {
    type Err = String;

    fn from_str(text: &str) -> Result<Dump, String> {
        if let Some(phase) = EARLY.iter().chain(&LATE).find(|phase| phase.1 == text) {
            return Ok(phase.0);
        }
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let Some(pass) = PASSES.iter().find(|pass| pass.name == name) else {
            let names: Vec<&str> = Dump::names().map(|it| it.0).collect();
            let names = names.join(", ");
            return Err(format!("the phases and passes are {names}"));
        };
        let runs = pass.runs();
        let run = match number {
            None => Some(runs),
            Some(number) => number.parse().ok().filter(|run| (1..=runs).contains(run)),
        };
        match run {
            Some(run) => Ok(Dump::Pass {
                name: pass.name,
                run,
            }),
            None if runs == 1 => Err(format!("`{name}` runs once: {name} or {name}:1")),
            None => Err(format!(
                "`{name}` runs {runs} times: {name}:1 to {name}:{runs}"
            )),
        }
    }
}

/// Settings for the compilation and the run of programs.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The language.
    pub dialect: Dialect,
    /// The phases and passes after which dumps print the program on standard error.
    pub dumps: Vec<Dump>,
    /// Whether to print the time of each phase and pass of the compiler on standard error.
    pub time_passes: bool,
    /// Whether messages have colours.
    pub colour: bool,
    /// Whether to print allocations and collections at the end.
    pub stats: bool,
    /// The file to which the runtime writes the data of `stats` as JSON.
    pub stats_json: Option<PathBuf>,
    /// The maximum size of the heap in bytes. By default, the heap may take four fifths of the machine's memory.
    pub heap: Option<u64>,
    /// The size in bytes of the stack of each strand. Only the used part of a stack takes memory. By default, the size is 4 GiB, or half of
    /// the memory divided by the number of workers.
    pub stack: Option<u64>,
    /// Whether to collect at every allocation and every poll. Such frequent collections reveal pointers that the collector misses.
    pub stress: bool,
    /// The number of workers for programs that fork. By default, there is one worker for each CPU that the process may use.
    pub workers: Option<usize>,
    /// Whether to write `/tmp/perf-PID.map`, from which profilers read the names of functions.
    pub perf_map: bool,
    /// The settings of the trace of the program's run. If `None`, the run records no trace.
    pub trace: Option<Tracing>,
    /// The settings of the heap profile of the program's run. If `None`, the run records no heap profile.
    pub heap_profile: Option<Profiling>,
    /// Whether the compiler keeps the types of objects, which heap profiles show.
    pub heap_types: bool,
    /// The way in which workers share the heap.
    pub memory: Memory,
    /// The way in which the compiler compiles parallel forms.
    pub forms: crate::lower::Forms,
    /// Whether `int` has 32 bits, as in programs that MLton compiles without an option.
    pub int32: bool,
    /// The path variables of lists of files, with their values.
    pub path_variables: Vec<(String, String)>,
    /// The arguments that the program finds in `CommandLine.arguments ()`.
    pub arguments: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_named_by_phases_and_passes() {
        for (name, _) in Dump::names() {
            assert!(name.parse::<Dump>().is_ok(), "{name}");
        }
        let simplify = |run| Dump::Pass {
            name: "simplify",
            run,
        };
        assert_eq!("simplify:1".parse(), Ok(simplify(1)));
        assert_eq!("simplify:4".parse(), Ok(simplify(4)));
        assert_eq!("simplify".parse(), Ok(simplify(4)));
        assert_eq!("anf".parse(), Ok(Dump::Anf));
    }

    #[test]
    fn other_names_are_refused_with_those_that_exist() {
        let refused = |text: &str| text.parse::<Dump>().unwrap_err();
        let names = refused("inline");
        for name in ["typed", "simplify", "loops", "asm"] {
            assert!(names.contains(name) && !names.contains('\n'), "{names}");
        }
        assert_eq!(refused("anf:1"), names);
        assert_eq!(refused(""), names);
        let runs = "`simplify` runs 4 times: simplify:1 to simplify:4";
        for text in ["simplify:0", "simplify:5", "simplify:", "simplify:-1"] {
            assert_eq!(refused(text), runs, "{text}");
        }
        assert_eq!(refused("loops:2"), "`loops` runs once: loops or loops:1");
    }
}
