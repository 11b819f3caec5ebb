//! Elaborates the programs that contain the open documents.

use std::path::{Path, PathBuf};

use lsp_types::TextEdit;

use super::super::checker::{Checker, Examined};
use super::super::files::Unusable;
use super::super::mlb::Lists;
use super::super::program::{self, Texts};
use super::super::settings::Dialect;
use super::position::Lines;
use crate::basis;

/// The program of a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// The document alone.
    Alone(PathBuf),
    /// The files that the list of files at this path names.
    List(PathBuf),
}

/// An elaborator of programs. An `Analyser` elaborates the Basis only once, and an earlier top level of Manticore's dialect only if a
/// program needs that top level.
#[derive(Debug)]
pub(super) struct Analyser {
    dialect: Dialect,
    variables: Vec<(String, String)>,
    levels: Vec<Checker>,
}

impl Analyser {
    pub(super) fn new(dialect: Dialect, variables: Vec<(String, String)>) -> Analyser {
        let levels = vec![Checker::new(dialect)];
        Analyser {
            dialect,
            variables,
            levels,
        }
    }

    /// Checks a program as `heist check` does. If the current top level rejects the program, tries the earlier top levels. If all top
    /// levels reject the program, returns the result of the current top level. `open` has the texts of open documents. The second component
    /// of the result is the number of the top level that the program uses.
    ///
    /// # Errors
    ///
    /// Returns an error if a list, or a file that the list names, cannot be read.
    pub(super) fn analyse(
        &mut self,
        program: &Program,
        open: &Texts,
    ) -> Result<(Examined, usize), Unusable> {
        let first = self.examine(program, open, 0, None)?;
        if self.dialect != Dialect::Manticore || !first.diagnostics.has_errors() {
            return Ok((first, 0));
        }
        for level in 1..=2 {
            if self.levels.len() == level {
                let mut checker = Checker::new(self.dialect);
                checker.declare(basis::TUPLES);
                if level == 2 {
                    checker.declare(basis::OLDER);
                }
                self.levels.push(checker);
            }
            let earlier = self.examine(program, open, level, None)?;
            if !earlier.diagnostics.has_errors() {
                return Ok((earlier, level));
            }
        }
        Ok((first, 0))
    }

    /// Elaborates a program with a marker in one of its texts. `level` is the number of the top level.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`Analyser::analyse`].
    pub(super) fn mark(
        &self,
        program: &Program,
        open: &Texts,
        level: usize,
        marker: &str,
    ) -> Result<Examined, Unusable> {
        self.examine(program, open, level, Some(marker))
    }

    fn examine(
        &self,
        program: &Program,
        open: &Texts,
        level: usize,
        marker: Option<&str>,
    ) -> Result<Examined, Unusable> {
        let path = match program {
            Program::Alone(path) | Program::List(path) => path,
        };
        let given = [Lists::new(&self.variables).path(path)?];
        let texts = program::texts(&given, open.clone())?;
        self.levels[level].examine(&given, &texts, self.dialect, marker)
    }

    /// Returns true if a file has parallel forms.
    pub(super) fn is_parallel(&self, path: &Path) -> bool {
        self.dialect.options(path).parallel_forms
    }

    /// Returns the edits that put a text into the uniform layout, or `None` if the text has errors.
    pub(super) fn format(&self, path: &Path, text: &str) -> Option<Vec<TextEdit>> {
        let options = self.dialect.options(path);
        let formatted = self.levels[0].formatted(path, text, options)?;
        let new_text = String::from_utf8(formatted).ok()?;
        if new_text == text {
            return Some(Vec::new());
        }
        let range = Lines::of(text).whole(text);
        Some(vec![TextEdit { range, new_text }])
    }
}
