//! Translates errors and warnings for the client.

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range,
};

use super::analysis::Analysis;
use crate::diag::{self, Severity};

/// The maximum number of diagnostics that the server sends for a file. `heist check` prints at most the same number.
const MOST: usize = 100;

impl Analysis {
    /// Returns the errors and warnings in a file.
    pub(super) fn diagnostics(&self, file: usize) -> Vec<Diagnostic> {
        // A diagnostic without a place is published with the first file.
        let here = |item: &&diag::Diagnostic| self.file_of(item.span).unwrap_or(0) == file;
        self.examined
            .diagnostics
            .items()
            .iter()
            .filter(here)
            .take(MOST)
            .map(|item| self.diagnostic(item))
            .collect()
    }

    fn diagnostic(&self, item: &diag::Diagnostic) -> Diagnostic {
        let mut message = item.message.clone();
        let mut related = Vec::new();
        for (span, label) in &item.labels {
            if *span == item.span {
                message.push('\n');
                message.push_str(label);
            } else if let Some(file) = self.file_of(*span) {
                related.push(DiagnosticRelatedInformation {
                    location: Location {
                        uri: self.files[file].uri.clone(),
                        range: self.range(file, span.start, span.end),
                    },
                    message: label.clone(),
                });
            }
        }
        for note in &item.notes {
            message.push('\n');
            message.push_str(note);
        }
        let range = match self.file_of(item.span) {
            Some(file) => self.range(file, item.span.start, item.span.end),
            None => Range::default(),
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
}
