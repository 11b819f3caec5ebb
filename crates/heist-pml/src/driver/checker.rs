//! Many programs in one process: the Basis is elaborated once.

use std::path::Path;

use super::settings::Dialect;
use crate::basis::{self, BasisFile};
use crate::codegen;
use crate::diag::{Diagnostics, Style, render};
use crate::elab::{self, Elaborator};
use crate::source::{FileId, Sources, Span};
use crate::syntax::{self, FixityEnv};
use crate::{anf, close, coverage, lower, mono, opt, typed};

/// Checks programs after the Basis, without printing or running them.
///
/// It stays on its thread, whose stack must be large: see [`super::on_large_stack`].
#[derive(Debug)]
pub struct Checker {
    sources: Sources,
    fixity: FixityEnv,
    elaborator: Elaborator,
    parallel_forms: bool,
    manticore: bool,
}

/// Result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The codes of errors and warnings, ordered by place.
    pub codes: Vec<&'static str>,
    /// The messages, as `heist check` prints them.
    pub messages: String,
    /// Whether the program is accepted.
    pub accepted: bool,
}

/// Result of [`Checker::examine`].
#[derive(Debug)]
pub(super) struct Examined {
    /// The text.
    pub(super) file: FileId,
    /// Its faults.
    pub(super) diagnostics: Diagnostics,
    /// It knows the facts.
    pub(super) elaborator: Elaborator,
}

impl Checker {
    /// Elaborates the Basis of a dialect. Files without a name have the parallel forms, unless the dialect is plain Standard ML.
    ///
    /// # Panics
    ///
    /// Panics if the Basis has an error, which would be one of the compiler.
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
        let more: &[BasisFile] = if dialect == Dialect::Manticore {
            basis::MANTICORE
        } else {
            &[]
        };
        let mut diagnostics = Diagnostics::default();
        for file in basis::STANDARD.iter().chain(more) {
            let id = checker.sources.add(file.name, file.text, true);
            let options = syntax::Options {
                parallel_forms: false,
                ..syntax::Options::default()
            };
            let decs = syntax::parse(
                &checker.sources,
                id,
                &mut checker.fixity,
                options,
                &mut diagnostics,
            );
            checker.elaborator.declare(&decs, true, &mut diagnostics);
        }
        assert!(
            !diagnostics.has_errors(),
            "{}",
            render(&checker.sources, diagnostics.items(), Style::default())
        );
        checker
    }

    /// Declares an earlier top level of the dialect of Manticore, which takes precedence over the present one.
    pub(super) fn declare(&mut self, files: &[BasisFile]) {
        let mut diagnostics = Diagnostics::default();
        for file in files {
            let id = self.sources.add(file.name, file.text, true);
            let options = syntax::Options {
                parallel_forms: false,
                ..syntax::Options::default()
            };
            let fixity = &mut self.fixity;
            let decs = syntax::parse(&self.sources, id, fixity, options, &mut diagnostics);
            self.elaborator.declare(&decs, false, &mut diagnostics);
        }
        assert!(
            !diagnostics.has_errors(),
            "{}",
            render(&self.sources, diagnostics.items(), Style::default())
        );
    }

    /// Facts about a text for tools: its diagnostics, ordered by place, and the facts of elaboration.
    pub(super) fn examine(&self, path: &Path, text: &str, options: syntax::Options) -> Examined {
        let mut sources = self.sources.clone();
        let mut diagnostics = Diagnostics::default();
        let id = sources.add(path, text, false);
        let fixity = &mut self.fixity.clone();
        let decs = syntax::parse(&sources, id, fixity, options, &mut diagnostics);
        let mut elaborator = self.elaborator.clone();
        elaborator.record_facts();
        if diagnostics.has_errors() {
            elaborator.declare(&decs, false, &mut Diagnostics::default());
        } else {
            elaborator.declare(&decs, false, &mut diagnostics);
            if !diagnostics.has_errors() {
                let wanted = |span: Span| span.file == id;
                coverage::coverage(elaborator.program(), &wanted, &mut diagnostics);
            }
        }
        diagnostics.sort();
        Examined {
            file: id,
            diagnostics,
            elaborator,
        }
    }

    /// A text in the uniform layout; none if it has errors.
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

    /// All that `heist check` does.
    #[must_use]
    pub fn check(&self, text: &[u8]) -> Found {
        self.front(text).1
    }

    /// All that `heist build` does, up to the object file, which is thrown away. An error of the compiler is an error here, too.
    ///
    /// # Errors
    ///
    /// If the program is accepted, and no code can be made for it: why.
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
        };
        syntax::parse(sources, id, &mut self.fixity.clone(), options, diagnostics)
    }

    /// The program, if it is accepted.
    fn front(&self, text: &[u8]) -> (Option<typed::Program>, Found) {
        let mut sources = self.sources.clone();
        let mut diagnostics = Diagnostics::default();
        let id = sources.add("program.pml", text, false);
        let decs = self.parsed(&sources, id, &mut diagnostics);
        let mut elaborator = self.elaborator.clone();
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
