//! Answers requests about the name at a place: its type, the place of its binding, and the places of its uses.

use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, Hover, HoverContents, Location, MarkupContent,
    MarkupKind,
};

use super::analysis::Analysis;

/// The maximum number of lines of a structure or signature that the server shows.
const LINES: usize = 40;

impl Analysis {
    /// Returns the type or declaration of the innermost name at a place.
    pub(super) fn hover(&mut self, file: usize, byte: u32) -> Option<Hover> {
        let name = self.name_at(file, byte)?;
        let (fact, text) = (self.fact(&name), self.text(&name).to_owned());
        let whole = self.examined.elaborator.fact_declaration(&text, &fact);
        let mut lines: Vec<&str> = whole.lines().take(LINES + 1).collect();
        if lines.len() > LINES {
            lines[LINES] = "  ...";
        }
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: format!("```sml\n{}\n```", lines.join("\n")),
            }),
            range: Some(self.range(file, name.start, name.end)),
        })
    }

    /// Returns the place that binds the name at a place, or `None` if the Basis binds the name.
    pub(super) fn definition(&self, file: usize, byte: u32) -> Option<Location> {
        let bound = self.fact(&self.name_at(file, byte)?).bound;
        let file = self.file_of(bound)?;
        Some(Location {
            uri: self.files[file].uri.clone(),
            range: self.range(file, bound.start, bound.end),
        })
    }

    /// Returns all places that use the name at a place. If requested, also returns the places that bind the name.
    pub(super) fn references(
        &self,
        file: usize,
        byte: u32,
        bindings: bool,
    ) -> Option<Vec<Location>> {
        let name = self.name_at(file, byte)?;
        let all = self.all_of(name.class);
        Some(
            all.filter(|name| bindings || !name.binding)
                .map(|name| self.location(name))
                .collect(),
        )
    }

    /// Returns all places in this file that use or bind the name at a place.
    pub(super) fn highlights(&self, file: usize, byte: u32) -> Option<Vec<DocumentHighlight>> {
        let at = self.name_at(file, byte)?;
        let all = self.names_in(file).iter();
        let all = all.filter(|name| name.class == at.class);
        Some(
            all.map(|name| DocumentHighlight {
                range: self.range(file, name.start, name.end),
                kind: Some(if name.binding {
                    DocumentHighlightKind::WRITE
                } else {
                    DocumentHighlightKind::READ
                }),
            })
            .collect(),
        )
    }
}
