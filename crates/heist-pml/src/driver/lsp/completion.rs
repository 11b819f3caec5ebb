//! Completes the word that the user types.

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};
use rustc_hash::FxHashSet;

use super::marked::Marked;
use crate::basis;
use crate::elab::{Fact, NameKind, Place};
use crate::symbol::Symbol;
use crate::syntax;

/// Words that are reserved only in files with parallel forms.
const PARALLEL: &[&str] = &["pcase", "pval", "spawn"];

impl Marked {
    /// Returns all completions that fit the typed word. Names of the program come before names of the Basis, and reserved words come last.
    pub(super) fn completion(mut self, parallel: bool) -> Vec<CompletionItem> {
        let mut items = Vec::new();
        let visible = self.visible.take();
        let place = visible.as_ref().map(|visible| visible.place);
        if self.before == Some('#') || place == Some(Place::Label) {
            self.labels(visible.as_ref(), &mut items);
            return items;
        }
        let names = match visible {
            Some(visible) => visible.names,
            None if self.before == Some('.') => Vec::new(),
            // The elaborator has not reached the marker, so the completions are the names that are visible at the end
            // of the program.
            None => self.examined.elaborator.visible(Place::Value),
        };
        let qualified = self.before == Some('.');
        for (name, fact) in names {
            self.add_name(name, &fact, qualified, &mut items);
        }
        if !qualified {
            self.words(parallel, &mut items);
        }
        items.sort_by(|a, b| (&a.sort_text, &a.label).cmp(&(&b.sort_text, &b.label)));
        items
    }

    fn add_name(
        &mut self,
        name: Symbol,
        fact: &Fact,
        qualified: bool,
        items: &mut Vec<CompletionItem>,
    ) {
        let label = name.as_str();
        let symbolic = !label.starts_with(|c: char| c.is_ascii_alphabetic());
        let sources = &self.examined.sources;
        let own = sources
            .file(fact.bound.file)
            .is_some_and(|file| !file.builtin);
        let inner = !own && !qualified && basis::INNER.contains(&label);
        if !self.fits(label) || inner || (symbolic && !qualified) || label == Marked::NAME {
            return;
        }
        let detail = match fact.kind {
            NameKind::Structure => "structure".to_owned(),
            NameKind::Signature => "signature".to_owned(),
            NameKind::Functor => "functor".to_owned(),
            NameKind::Type => self.examined.elaborator.fact_declaration(label, fact),
            _ => self.examined.elaborator.fact_text(fact),
        };
        let kind = match fact.kind {
            NameKind::Value if detail.contains("->") => CompletionItemKind::FUNCTION,
            NameKind::Value => CompletionItemKind::VARIABLE,
            NameKind::Constructor => CompletionItemKind::ENUM_MEMBER,
            NameKind::Exception => CompletionItemKind::EVENT,
            NameKind::Type => CompletionItemKind::CLASS,
            NameKind::Structure | NameKind::Functor => CompletionItemKind::MODULE,
            NameKind::Signature => CompletionItemKind::INTERFACE,
        };
        let order = if own { "0" } else { "1" };
        items.push(self.item(label, kind, Some(detail), order));
    }

    fn words(&self, parallel: bool, items: &mut Vec<CompletionItem>) {
        let more: &[&str] = if parallel { PARALLEL } else { &[] };
        for word in syntax::reserved().iter().chain(more) {
            if self.fits(word) {
                items.push(self.item(word, CompletionItemKind::KEYWORD, None, "2"));
            }
        }
    }

    /// Adds the labels of the record at the marker, or the labels of all records of the program if the record's type is
    /// unknown.
    fn labels(&mut self, visible: Option<&crate::elab::Visible>, items: &mut Vec<CompletionItem>) {
        let mut known = visible.map_or(Vec::new(), |visible| {
            self.examined.elaborator.visible_labels(visible)
        });
        if known.is_empty() {
            let mut seen = FxHashSet::default();
            for (id, _) in &self.examined.trees {
                if let Some(file) = self.examined.sources.file(*id) {
                    for label in written_labels(&file.text) {
                        if seen.insert(label) && label.as_str() != Marked::NAME {
                            known.push((label, String::new()));
                        }
                    }
                }
            }
        }
        for (label, ty) in known {
            if self.fits(label.as_str()) {
                let ty = (!ty.is_empty()).then_some(ty);
                items.push(self.item(label.as_str(), CompletionItemKind::FIELD, ty, "0"));
            }
        }
        items.sort_by(|a, b| a.label.cmp(&b.label));
    }

    /// Returns true if a name begins with the first typed character and contains all typed characters in their order.
    fn fits(&self, name: &str) -> bool {
        let mut rest = name.chars().map(|c| c.to_ascii_lowercase());
        let mut typed = self.prefix.chars().map(|c| c.to_ascii_lowercase());
        let Some(first) = typed.next() else {
            return true;
        };
        rest.next() == Some(first) && typed.all(|c| rest.any(|other| other == c))
    }

    fn item(
        &self,
        label: &str,
        kind: CompletionItemKind,
        detail: Option<String>,
        order: &str,
    ) -> CompletionItem {
        CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail,
            sort_text: Some(format!("{order}{label}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: self.range,
                new_text: label.to_owned(),
            })),
            ..CompletionItem::default()
        }
    }
}

/// Returns the labels of records in a text. A label is a name after `#`, or a name that follows `{` or `,` and precedes `=` or `:`.
fn written_labels(text: &[u8]) -> Vec<Symbol> {
    let pieces = syntax::pieces(text);
    let sign = |at: usize| {
        let piece = pieces.get(at)?;
        text.get(piece.start as usize..piece.end as usize)
    };
    let mut labels = Vec::new();
    for (at, piece) in pieces.iter().enumerate().skip(1) {
        let selected = sign(at - 1) == Some(b"#");
        let field =
            matches!(sign(at - 1), Some(b"{" | b",")) && matches!(sign(at + 1), Some(b"=" | b":"));
        if piece.role == syntax::Role::Name
            && (selected || field)
            && let Some(Ok(name)) = sign(at).map(std::str::from_utf8)
        {
            labels.push(Symbol::new(name));
        }
    }
    labels
}
