//! Checks many programs in one process. The process elaborates the Basis only once.

use std::collections::HashMap;
use std::path::Path;

use super::annotations;
use super::files::Unusable;
use super::mlb::Dec;
use super::program::{self, Elaboration, Texts, Trees};
use super::settings::Dialect;
use super::times::Times;
use crate::basis::{BasisFile, demand};
use crate::codegen;
use crate::diag::{Diagnostics, Style, render};
use crate::elab::{self, Elaborator};
use crate::library::{self, Library};
use crate::source::{FileId, Sources, Span};
use crate::syntax::{self, FixityEnv};
use crate::{anf, close, coverage, lower, mono, opt, typed};

/// A checker of programs, which prints no messages and does not run the programs. Each program sees only the Basis.
///
/// A checker must stay on the thread that makes it, and this thread must have a large stack (see [`super::on_large_stack`]).
#[derive(Debug)]
pub struct Checker {
    sources: Sources,
    fixity: FixityEnv,
    elaborator: Elaborator,
    parallel_forms: bool,
    manticore: bool,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The codes of errors and warnings, ordered by place.
    pub codes: Vec<&'static str>,
    /// The messages, as `heist check` prints them.
    pub messages: String,
    /// Whether the program is accepted.
    pub accepted: bool,
}

/// The result of [`Checker::examine`].
#[derive(Debug)]
pub(super) struct Examined {
    /// All source files. The files of the Basis come first.
    pub(super) sources: Sources,
    /// The syntax trees of the program's files.
    pub(super) trees: Trees,
    /// The faults, ordered by place.
    pub(super) diagnostics: Diagnostics,
    /// The elaborator, with the facts that it has recorded about the program.
    pub(super) elaborator: Elaborator,
}

impl Checker {
    /// Makes a checker: elaborates the Basis of a dialect. Texts without a file name may use the parallel forms, unless the dialect is
    /// plain Standard ML.
    ///
    /// # Panics
    ///
    /// Panics if the Basis has an error. Such an error would be a fault of the compiler.
    #[must_use]
    pub fn new(dialect: Dialect) -> Checker {
        let mut checker = Checker {
            sources: Sources::default(),
            fixity: FixityEnv::new(),
            elaborator: Elaborator::new(elab::Options {
                manticore: dialect == Dialect::Manticore,
                ..elab::Options::default()
            }),
            parallel_forms: dialect != Dialect::Sml,
            manticore: dialect == Dialect::Manticore,
        };
        checker.declare_all(dialect.basis(), true);
        checker
    }

    /// Declares an earlier top level of the dialect of Manticore. The names of this top level take precedence over the
    /// names of the current top level.
    pub(super) fn declare(&mut self, files: &[BasisFile]) {
        self.declare_all(files, false);
    }

    /// Declares files that are part of the compiler. If `forms` is true, the compiler translates parallel forms to calls of functions in
    /// these files.
    fn declare_all<'f>(&mut self, files: impl IntoIterator<Item = &'f BasisFile>, forms: bool) {
        let mut diagnostics = Diagnostics::default();
        for file in files {
            file.declare(
                forms,
                &mut self.sources,
                &mut self.fixity,
                &mut self.elaborator,
                &mut diagnostics,
            );
        }
        assert!(
            !diagnostics.has_errors(),
            "{}",
            render(&self.sources, diagnostics.items(), Style::default())
        );
    }

    /// Returns facts about a program for tools. If the program has a marker, the elaborator records the names that are
    /// visible at the marker, and does not check matches.
    ///
    /// # Errors
    ///
    /// Returns an error if a list of files names a file that does not exist.
    pub(super) fn examine(
        &self,
        program: &[Dec],
        texts: &Texts,
        dialect: Dialect,
        marker: Option<&str>,
    ) -> Result<Examined, Unusable> {
        let mut sources = self.sources.clone();
        let mut diagnostics = Diagnostics::default();
        let mut elaborator = self.elaborator.clone();
        let libraries = program::libraries(program, texts);
        self.add(
            program::mentions(program, texts),
            &libraries,
            &mut sources,
            &mut elaborator,
            &mut diagnostics,
        );
        elaborator.record_facts();
        if program::has_list(program) {
            elaborator.follow_mlton();
        }
        if let Some(marker) = marker {
            elaborator.watch(marker);
        }
        let mut annotations = HashMap::new();
        let mut trees = Trees::new();
        Elaboration {
            texts,
            dialect,
            sources: &mut sources,
            usual: self.fixity.clone(),
            fixity: &mut self.fixity.clone(),
            elaborator: &mut elaborator,
            diagnostics: &mut diagnostics,
            annotations: &mut annotations,
            done: HashMap::new(),
            bases: Vec::new(),
            trees: Some(&mut trees),
            times: &mut Times::new(),
        }
        .program(program)?;
        if marker.is_none() && !diagnostics.has_errors() {
            let wanted = |span: Span| sources.file(span.file).is_some_and(|file| !file.builtin);
            let mut uncovered = Diagnostics::default();
            coverage::coverage(elaborator.program(), &wanted, &mut uncovered);
            annotations::judge(&annotations, &uncovered, &mut diagnostics);
        }
        diagnostics.sort();
        Ok(Examined {
            sources,
            trees,
            diagnostics,
            elaborator,
        })
    }

    /// Returns a text in the uniform layout, or `None` if the text has errors.
    pub(super) fn formatted(
        &self,
        path: &Path,
        text: &str,
        options: syntax::Options,
    ) -> Option<Vec<u8>> {
        let mut sources = Sources::default();
        let id = sources.add(path, text, false);
        let diagnostics = &mut Diagnostics::default();
        syntax::format(&sources, id, &self.fixity, options, diagnostics)
            .filter(|_| !diagnostics.has_errors())
    }

    /// Parses a program without elaborating it.
    #[must_use]
    pub fn parse(&self, text: &[u8]) -> Found {
        let mut sources = Sources::default();
        let mut diagnostics = Diagnostics::default();
        let id = sources.add("program.pml", text, false);
        let _ = self.parsed(&sources, id, &mut diagnostics);
        found(&sources, diagnostics)
    }

    /// Checks a program as `heist check` does.
    #[must_use]
    pub fn check(&self, text: &[u8]) -> Found {
        self.front(text).1
    }

    /// Compiles a program to an object file as `heist build` does, and discards the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the compiler accepts the program but cannot generate code for it. The error gives the reason, which may be an
    /// internal error of the compiler.
    pub fn compile(&self, text: &[u8]) -> Result<Found, String> {
        let (program, found) = self.front(text);
        let Some(program) = program else {
            return Ok(found);
        };
        let mut diagnostics = Diagnostics::default();
        let mut program = lower::lower(
            mono::mono(program),
            lower::Forms::default(),
            &mut diagnostics,
        );
        if diagnostics.has_errors() {
            return Err(render(&self.sources, diagnostics.items(), Style::default()));
        }
        opt::optimise(&mut program);
        close::close(&mut program);
        anf::check(&program)?;
        codegen::object(&program, codegen::Processor::This, true, None)
            .map_err(|error| error.to_string())?;
        Ok(found)
    }

    fn parsed(
        &self,
        sources: &Sources,
        id: FileId,
        diagnostics: &mut Diagnostics,
    ) -> Vec<syntax::ast::Dec> {
        let options = syntax::Options {
            parallel_forms: self.parallel_forms,
            manticore: self.manticore,
            ..syntax::Options::default()
        };
        syntax::parse(sources, id, &mut self.fixity.clone(), options, diagnostics)
    }

    /// Declares libraries, and the files on demand that the libraries and the program's texts mention. Does nothing in
    /// a dialect without libraries.
    fn add(
        &self,
        mut texts: Vec<&[u8]>,
        libraries: &[&Library],
        sources: &mut Sources,
        elaborator: &mut Elaborator,
        diagnostics: &mut Diagnostics,
    ) {
        if self.manticore {
            return;
        }
        texts.extend(libraries.iter().map(|it| it.file.text.as_bytes()));
        let on_demand = demand::mentioned(texts);
        let on_demand = on_demand.into_iter().map(|file| (file, true));
        let libraries = libraries.iter().map(|library| (library.file, false));
        for (file, forms) in on_demand.chain(libraries) {
            let fixity = &mut self.fixity.clone();
            file.declare(forms, sources, fixity, elaborator, diagnostics);
        }
    }

    /// Checks a program. Returns the messages and, if the program is accepted, its typed form.
    fn front(&self, text: &[u8]) -> (Option<typed::Program>, Found) {
        let mut sources = self.sources.clone();
        let mut diagnostics = Diagnostics::default();
        let id = sources.add("program.pml", text, false);
        let decs = self.parsed(&sources, id, &mut diagnostics);
        let mut elaborator = self.elaborator.clone();
        let libraries = library::mentioned(&[text]);
        self.add(
            vec![text],
            &libraries,
            &mut sources,
            &mut elaborator,
            &mut diagnostics,
        );
        if diagnostics.has_errors() {
            elaborator.declare(&decs, false, &mut Diagnostics::default());
            return (None, found(&sources, diagnostics));
        }
        elaborator.declare(&decs, false, &mut diagnostics);
        if diagnostics.has_errors() {
            return (None, found(&sources, diagnostics));
        }
        let program = elaborator.finish();
        coverage::coverage(&program, &|span: Span| span.file == id, &mut diagnostics);
        (Some(program), found(&sources, diagnostics))
    }
}

fn found(sources: &Sources, mut diagnostics: Diagnostics) -> Found {
    diagnostics.sort();
    Found {
        codes: diagnostics
            .items()
            .iter()
            .map(|item| item.code.number())
            .collect(),
        messages: render(sources, diagnostics.items(), Style::default()),
        accepted: !diagnostics.has_errors(),
    }
}
