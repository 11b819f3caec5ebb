//! Diagnostics, which are errors and warnings: their codes, messages and rendering.

mod code;
mod explain;
mod render;

pub use code::{Code, Severity};
pub use explain::explain;
pub use render::{Style, render};

use crate::source::Span;

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the diagnostic.
    pub code: Code,
    /// The fault, in one sentence without a full stop.
    pub message: String,
    /// The place of the fault.
    pub span: Span,
    /// Places that the message shows, each with a text. A label at `span` describes the place of the fault itself.
    pub labels: Vec<(Span, String)>,
    /// Further help, for example a way to correct the fault.
    pub notes: Vec<String>,
    /// Whether an annotation makes the diagnostic an error although its kind is a warning.
    pub refused: bool,
}

impl Diagnostic {
    /// Makes a message without labels and notes.
    #[must_use]
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            span,
            labels: Vec::new(),
            notes: Vec::new(),
            refused: false,
        }
    }

    /// Returns the severity of the diagnostic.
    #[must_use]
    pub fn severity(&self) -> Severity {
        if self.refused {
            Severity::Error
        } else {
            self.code.severity()
        }
    }

    /// Adds a label: a place with a text.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }
}

/// A list of diagnostics.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn push(&mut self, item: Diagnostic) {
        if item.severity() == Severity::Error {
            self.errors += 1;
        }
        self.items.push(item);
    }

    /// Returns the number of errors, without warnings.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns true if at least one diagnostic is an error. The compiler must then reject the program.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns all diagnostics, in the order in which they were found.
    #[must_use]
    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// Returns true if there are neither errors nor warnings.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Sorts the diagnostics by place. The sort is stable, and diagnostics without a place come last.
    pub fn sort(&mut self) {
        self.items
            .sort_by_key(|item| (item.span.file, item.span.start, item.span.end));
    }
}
