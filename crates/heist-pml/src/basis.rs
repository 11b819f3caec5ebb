//! The sources of the Basis, which are part of the compiler.

pub mod demand;
pub mod needed;
pub mod sized;

use crate::diag::Diagnostics;
use crate::elab::Elaborator;
use crate::source::{FileId, Sources};
use crate::syntax::{self, FixityEnv, ast};

/// A file of the Basis.
#[derive(Clone, Copy, Debug)]
pub struct BasisFile {
    /// The file's name, as messages show it.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

impl BasisFile {
    /// Parses and elaborates the file. If `forms` is true, the compiler may translate forms of the language to calls
    /// of the file's functions.
    pub fn declare(
        &self,
        forms: bool,
        sources: &mut Sources,
        fixity: &mut FixityEnv,
        elaborator: &mut Elaborator,
        diagnostics: &mut Diagnostics,
    ) -> FileId {
        let (id, decs) = self.parse(self.text, sources, fixity, diagnostics);
        elaborator.declare(&decs, forms, diagnostics);
        id
    }

    /// Parses a text of the file: the file's own text, or the text without modules that the program does not need.
    pub fn parse(
        &self,
        text: impl Into<Vec<u8>>,
        sources: &mut Sources,
        fixity: &mut FixityEnv,
        diagnostics: &mut Diagnostics,
    ) -> (FileId, Vec<ast::Dec>) {
        let id = sources.add(self.name, text, true);
        let decs = syntax::parse(sources, id, fixity, syntax::Options::default(), diagnostics);
        (id, decs)
    }
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(BasisFile {
            name: concat!("basis/", $name),
            text: include_str!(concat!("../basis/", $name)),
        },)*]
    };
}

/// The files of the Standard ML Basis and the additions of Parallel ML, in the order of
/// `basis/order`.
pub const STANDARD: &[BasisFile] = files! {
    "core.sml" "general.sml" "option.sml" "list.sml" "vector.sml" "array2.sml" "char.sml" "string.sml" "mono.sml"
    "substring.sml" "int.sml" "word.sml" "intinf.sml" "real.sml" "real32.sml" "pack.sml" "mono_more.sml" "prim_io.sml"
    "io.sml" "time.sml" "event.sml" "ready.sml" "os.sml" "posix_sigs.sml" "posix_ends.sml" "posix.sml" "mpl_file.sml"
    "parallel.sml" "cml.sml" "scheduler.sml" "cancel.sml" "mpl.sml" "top.sml"
};

/// The file that the compiler adds after [`STANDARD`] for programs that are lists of files. Such programs are written for MLton or MPL.
pub const MLTON: BasisFile = BasisFile {
    name: "basis/mlton.sml",
    text: include_str!("../basis/mlton.sml"),
};

/// The files that the compiler adds for programs whose `int` has 32 bits. These files come after [`MLTON`] and after the files on demand
/// (`basis/demand.rs`) that the program mentions.
pub const INT32: &[BasisFile] = files! { "int32.sml" "int32_operators.sml" };

/// The files that the compiler adds after [`STANDARD`] for programs in the dialect of Manticore. These files declare the top level of this
/// dialect.
pub const MANTICORE: &[BasisFile] =
    files! { "manticore/core.sml" "manticore/top.sml" "manticore/threads.sml" };

/// The files that the compiler adds after [`MANTICORE`] for programs that were written when the operations of parallel arrays took tuples.
pub const TUPLES: &[BasisFile] = files! { "manticore/tuples.sml" };

/// The files that the compiler adds after [`TUPLES`] for programs that were written when the operations of lists also took tuples.
pub const OLDER: &[BasisFile] = files! { "manticore/older.sml" };

/// The file that the compiler adds after the last file of a program. This file runs the functions that the program has passed to
/// `OS.Process.atExit`.
pub const EPILOGUE: BasisFile = BasisFile {
    name: "basis/end.sml",
    text: "val () = AtExit.run ()\n",
};

/// Structures of the Basis that no program should name.
pub const INNER: &[&str] = &[
    "AtExit",
    "Bits32",
    "BoolSequences",
    "ByteSequences'",
    "Bytes",
    "Channel",
    "CharSequences",
    "Chars",
    "Comprehension",
    "Core",
    "Descriptor",
    "Digits",
    "Events",
    "ExnMessage",
    "Fibers",
    "Hosts",
    "Int16Sequences",
    "Int32Sequences",
    "Int8Sequences",
    "IntSequences",
    "Io",
    "LargeIntSequences",
    "LazyCell",
    "Loops",
    "MLtonIntInf",
    "MLtonPlatform",
    "MPLFile",
    "ParLoop",
    "Parallel",
    "Prim",
    "Range",
    "Ready",
    "Real32Sequences",
    "RealScan",
    "RealSequences",
    "Rep",
    "Small",
    "Sockets",
    "Streams",
    "SumP",
    "Wait",
    "Word16Sequences",
    "Word32Sequences",
    "WordSequences",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Diagnostics, Style, render};
    use crate::elab::{self, Elaborator};
    use crate::library::LIBRARIES;
    use crate::source::Sources;
    use crate::syntax::{FixityEnv, Options, parse};

    #[test]
    fn files_are_those_of_the_lists() {
        for (files, folder, order) in [
            (STANDARD, "basis/", include_str!("../basis/order")),
            (
                MANTICORE,
                "basis/manticore/",
                include_str!("../basis/manticore/order"),
            ),
        ] {
            let listed: Vec<&str> = order.lines().collect();
            let names: Vec<&str> = files
                .iter()
                .map(|file| &file.name[folder.len()..])
                .collect();
            assert_eq!(names, listed);
        }
    }

    /// Parses and elaborates files, which must have no errors.
    fn elaborate<'a>(files: impl Iterator<Item = &'a BasisFile>) {
        let mut sources = Sources::default();
        let mut fixity = FixityEnv::default();
        let mut diagnostics = Diagnostics::default();
        let mut elaborator = Elaborator::new(elab::Options::default());
        for file in files {
            let id = sources.add(file.name, file.text, true);
            let options = Options::default();
            let decs = parse(&sources, id, &mut fixity, options, &mut diagnostics);
            assert!(!decs.is_empty());
            elaborator.declare(&decs, true, &mut diagnostics);
            assert!(
                !diagnostics.has_errors(),
                "{}",
                render(&sources, diagnostics.items(), Style::default())
            );
        }
    }

    #[test]
    fn the_standard_basis_is_well_typed() {
        elaborate(STANDARD.iter().chain([&EPILOGUE]));
    }

    #[test]
    fn the_files_for_programs_of_mlton_are_well_typed() {
        let needed = demand::mentioned(INT32.iter().map(|file| file.text.as_bytes()));
        let last = needed.iter().chain([&MLTON]).chain(INT32);
        elaborate(STANDARD.iter().chain(last));
    }

    /// Elaborates each file on demand with only the files that it needs.
    #[test]
    fn the_files_on_demand_are_well_typed() {
        for name in demand::names() {
            let files = demand::mentioned([name.as_bytes()]);
            elaborate(STANDARD.iter().chain(&files));
        }
    }

    /// Elaborates each library with only the libraries that it needs.
    #[test]
    fn the_libraries_are_well_typed() {
        for library in LIBRARIES {
            let needed: Vec<&BasisFile> = library.needs().map(|it| &it.file).collect();
            elaborate(STANDARD.iter().chain(needed).chain([&library.file]));
        }
    }

    #[test]
    fn the_basis_of_manticore_is_well_typed() {
        let last = || STANDARD.iter().chain(MANTICORE);
        elaborate(last().chain([&EPILOGUE]));
        elaborate(last().chain(TUPLES).chain([&EPILOGUE]));
        elaborate(last().chain(TUPLES).chain(OLDER).chain([&EPILOGUE]));
    }
}
