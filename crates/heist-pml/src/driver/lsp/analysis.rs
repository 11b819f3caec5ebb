//! Facts about a document.

use std::path::{Path, PathBuf};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, NumberOrString, Position, Range, TextEdit, Uri,
};

use super::super::checker::{Checker, Examined};
use super::super::settings::Dialect;
use super::position::Lines;
use crate::basis;
use crate::diag::{self, Severity};
use crate::elab::Fact;

/// More of them would not be read: see the renderer's limit.
const MOST: usize = 100;

/// The Basis, elaborated once, and the earlier top levels of Manticore's dialect when a program needs them.
#[derive(Debug)]
pub(super) struct Analyser {
    dialect: Dialect,
    levels: Vec<Checker>,
}

impl Analyser {
    pub(super) fn new(dialect: Dialect) -> Analyser {
        let levels = vec![Checker::new(dialect)];
        Analyser { dialect, levels }
    }

    /// Checks a text as `heist check` does: a text that the last top level rejects is tried with the earlier ones, and if none of
    /// them suits, the result of the last one holds.
    pub(super) fn analyse(&mut self, path: &Path, text: &str) -> Analysis {
        let options = self.dialect.options(path);
        let first = self.levels[0].examine(path, text, options);
        if self.dialect != Dialect::Manticore || !first.diagnostics.has_errors() {
            return Analysis::of(first, text);
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
            let earlier = self.levels[level].examine(path, text, options);
            if !earlier.diagnostics.has_errors() {
                return Analysis::of(earlier, text);
            }
        }
        Analysis::of(first, text)
    }

    /// Edits that bring a text into the uniform layout: none if it has errors.
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

/// Facts about one version of a document.
#[derive(Debug)]
pub(super) struct Analysis {
    lines: Lines,
    examined: Examined,
    /// The names in the document, by place, inner ones after the surrounding ones.
    facts: Vec<Fact>,
}

impl Analysis {
    fn of(examined: Examined, text: &str) -> Analysis {
        let mut facts: Vec<Fact> = examined
            .elaborator
            .facts()
            .iter()
            .copied()
            .filter(|fact| fact.span.file == examined.file)
            .collect();
        // The order is stable: of facts on one name, the first one is that of the name itself.
        facts.sort_by_key(|fact| (fact.span.start, std::cmp::Reverse(fact.span.end)));
        Analysis {
            lines: Lines::of(text),
            examined,
            facts,
        }
    }

    /// Errors and warnings.
    pub(super) fn diagnostics(&self, uri: &Uri, text: &str) -> Vec<Diagnostic> {
        self.examined
            .diagnostics
            .items()
            .iter()
            .take(MOST)
            .map(|item| self.diagnostic(item, uri, text))
            .collect()
    }

    fn diagnostic(&self, item: &diag::Diagnostic, uri: &Uri, text: &str) -> Diagnostic {
        let file = self.examined.file;
        let mut message = item.message.clone();
        let mut related = Vec::new();
        for (span, label) in &item.labels {
            if *span == item.span {
                message.push('\n');
                message.push_str(label);
            } else if span.file == file {
                related.push(DiagnosticRelatedInformation {
                    location: Location {
                        uri: uri.clone(),
                        range: self.lines.range(text, span.start, span.end),
                    },
                    message: label.clone(),
                });
            }
        }
        for note in &item.notes {
            message.push('\n');
            message.push_str(note);
        }
        let range = if item.span.file == file {
            self.lines.range(text, item.span.start, item.span.end)
        } else {
            Range::default()
        };
        Diagnostic {
            range,
            severity: Some(match item.severity() {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
            }),
            code: Some(NumberOrString::String(item.code.number().to_owned())),
            source: Some("heist".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }

    /// The type of the innermost name at a place.
    pub(super) fn hover(&mut self, text: &str, position: Position) -> Option<Hover> {
        let fact = self.fact(text, position)?;
        let name = text.get(fact.span.start as usize..fact.span.end as usize)?;
        let ty = self.examined.elaborator.fact_text(fact);
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: format!("```sml\n{name} : {ty}\n```"),
            }),
            range: Some(self.lines.range(text, fact.span.start, fact.span.end)),
        })
    }

    /// The place where the name at a position is bound; `None` if that is in the Basis.
    pub(super) fn definition(&self, text: &str, position: Position) -> Option<Range> {
        let bound = self.fact(text, position)?.bound;
        let inside = bound.file == self.examined.file;
        inside.then(|| self.lines.range(text, bound.start, bound.end))
    }

    /// The shortest name that contains a place, including its end, where the cursor is after typing it.
    fn fact(&self, text: &str, position: Position) -> Option<Fact> {
        let byte = self.lines.byte(text, position);
        let begun = self.facts.partition_point(|fact| fact.span.start <= byte);
        // One that begins here has precedence over one that ends here.
        let ends = |fact: &&Fact| byte == fact.span.end;
        self.facts[..begun]
            .iter()
            .filter(|fact| byte <= fact.span.end)
            .min_by_key(|fact| (ends(fact), fact.span.end - fact.span.start))
            .copied()
    }
}

/// The path in a document's name. For names that are not paths (`untitled:1`) it uses their path-like part.
pub(super) fn path(uri: &Uri) -> PathBuf {
    let decoded = uri.path().as_estr().decode();
    PathBuf::from(decoded.into_string_lossy().into_owned())
}
