//! Finds the labels of records that the text does not list, such as `#key` and `{key, ...}` (section 4.11 of the
//! Definition).
//!
//! A function that takes a record can be polymorphic in the types of the record's fields only if all labels are known. Code after the
//! declaration may determine the labels, for example two uses of `val pick = #key` for records with the same labels and different types. In
//! that case, the elaborator elaborates the file again, with the labels that the first elaboration has found.

use rustc_hash::FxHashMap;

use super::Elaborator;
use super::types::{Bound, Node, T};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::Types;

/// The records of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The types of records that the elaborator has made without knowing all labels, and the places of these records.
    pub made: Vec<(T, Span)>,
    /// The types in `made` that could not be generalised, because labels are missing.
    pub wanted: Vec<T>,
    /// For the place of a record, all labels of the record, if an earlier elaboration has found them.
    labels: FxHashMap<Span, Vec<Symbol>>,
}

impl Elaborator {
    /// Returns the type of a record with these fields and possibly other fields.
    pub(super) fn flexible(&mut self, mut fields: Vec<(Symbol, T)>, span: Span) -> T {
        let labels = self.rows.labels.get(&span).cloned();
        let Some(labels) = labels.filter(|labels| fields.iter().all(|it| labels.contains(&it.0)))
        else {
            let row = self.store.row(fields);
            let ty = self.store.fresh_var(false, Bound::Row(row));
            self.rows.made.push((ty, span));
            return ty;
        };
        for label in labels {
            if !fields.iter().any(|field| field.0 == label) {
                fields.push((label, self.store.fresh()));
            }
        }
        fields.sort_by(|a, b| Types::compare_labels(a.0, b.0));
        fields.dedup_by_key(|field| field.0);
        self.store.record(&fields)
    }

    /// Records labels of records whose types could not be generalised at their declarations. Inference has found these labels in later
    /// code. Returns true if there are such labels.
    pub(super) fn learn_labels(&mut self) -> bool {
        let mut learnt = false;
        for wanted in std::mem::take(&mut self.rows.wanted) {
            let (wanted, node) = self.store.look(wanted);
            let Node::Record(slice) = node else { continue };
            let fields = self.store.fields(slice);
            let labels: Vec<Symbol> = fields.iter().map(|field| field.0).collect();
            for (made, span) in self.rows.made.clone() {
                if self.store.look(made).0 == wanted && !self.rows.labels.contains_key(&span) {
                    self.rows.labels.insert(span, labels.clone());
                    learnt = true;
                }
            }
        }
        if learnt {
            self.rows.made.clear();
        }
        learnt
    }

    /// Reports an error for each record, from index `from` on, with fields that are not known. The context of these records has ended, so
    /// no later code can determine their fields.
    pub(super) fn settle_rows(&mut self, from: usize) {
        let made = self.rows.made[from..].to_vec();
        for (ty, span) in made {
            let (at, node) = self.store.look(ty);
            if let Node::Var {
                bound: Bound::Row(_),
                ..
            } = node
            {
                // After an error, labels may be missing because of that error.
                if self.found.is_empty() {
                    let text = self.show(at);
                    self.report(
                        Diagnostic::new(
                            Code::FlexibleRecord,
                            span,
                            format!("the fields of this record are not all known: {text}"),
                        )
                        .note("write the type of the record, or use this with a whole record in the same file"),
                    );
                }
                self.store.link(at, T::ERROR);
            }
        }
    }
}
