//! Patterns in the form that the algorithm of usefulness uses.

use crate::typed::{Con, Const, ExnTag, Pat, PatKind, Program, Ty, TyKind};

/// The maximum number of combinations of alternatives in a pattern. The decision tree of a match has a row for each
/// combination.
pub const COMBINATIONS: usize = 10_000;

/// A pattern without names.
#[derive(Clone, Debug)]
pub enum Simple<'p> {
    /// Matches all values.
    Wild,
    /// Matches values with this head, if the parts match these patterns.
    Node(Head<'p>, Vec<Simple<'p>>),
}

/// The head of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Head<'p> {
    /// A constructor.
    Con(Con),
    /// A record or tuple of this type.
    Record(Ty),
    /// A reference.
    Ref,
    /// A constant and the constant's type.
    Const(&'p Const, Ty),
    /// An exception, and whether it has an argument.
    Exn(ExnTag, bool),
    /// A vector of this length.
    Vector(usize),
}

impl Simple<'_> {
    /// Returns true if the pattern consists only of variables, records and references.
    pub fn matches_all(&self) -> bool {
        match self {
            Simple::Wild => true,
            Simple::Node(Head::Record(_) | Head::Ref, parts) => {
                parts.iter().all(Simple::matches_all)
            }
            Simple::Node(..) => false,
        }
    }
}

/// Makes and prints patterns.
#[derive(Clone, Copy)]
pub struct Patterns<'p> {
    /// The program in which the patterns occur.
    pub program: &'p Program,
}

impl Patterns<'_> {
    /// Returns the alternatives of a pattern, or `None` if there are more than [`COMBINATIONS`] alternatives.
    pub fn simple<'q>(&self, pat: &'q Pat) -> Option<Vec<Simple<'q>>> {
        match &pat.kind {
            PatKind::Wild | PatKind::Var(_) => Some(vec![Simple::Wild]),
            PatKind::As(_, pat) => self.simple(pat),
            PatKind::Const(value) => {
                Some(vec![Simple::Node(Head::Const(value, pat.ty), Vec::new())])
            }
            PatKind::Con { con, arg, .. } => {
                self.node(Head::Con(*con), arg.iter().map(|arg| &**arg))
            }
            PatKind::Exn { tag, arg } => {
                self.node(Head::Exn(*tag, arg.is_some()), arg.iter().map(|arg| &**arg))
            }
            PatKind::Record(fields) => {
                let TyKind::Record(labels) = self.program.types.kind(pat.ty) else {
                    return Some(vec![Simple::Wild]);
                };
                if labels.is_empty() {
                    return Some(vec![Simple::Wild]);
                }
                let parts = labels.iter().map(|known| {
                    fields
                        .iter()
                        .find(|field| field.0 == known.0)
                        .map(|field| &field.1)
                });
                self.product(Head::Record(pat.ty), parts)
            }
            PatKind::Ref(inner) => self.node(Head::Ref, [&**inner]),
            PatKind::Vector(parts) => self.node(Head::Vector(parts.len()), parts),
            PatKind::Or(pats) => {
                let mut all = Vec::new();
                for pat in pats {
                    all.extend(self.simple(pat)?);
                }
                Some(all)
            }
        }
    }

    fn node<'q>(
        &self,
        head: Head<'q>,
        parts: impl IntoIterator<Item = &'q Pat>,
    ) -> Option<Vec<Simple<'q>>> {
        self.product(head, parts.into_iter().map(Some))
    }

    /// Returns patterns with this head, one for each combination of the alternatives of its parts.
    fn product<'q>(
        &self,
        head: Head<'q>,
        parts: impl Iterator<Item = Option<&'q Pat>>,
    ) -> Option<Vec<Simple<'q>>> {
        let mut rows: Vec<Vec<Simple<'q>>> = vec![Vec::new()];
        for part in parts {
            let choices = match part {
                Some(part) => self.simple(part)?,
                None => vec![Simple::Wild],
            };
            if let [only] = choices.as_slice() {
                rows.iter_mut().for_each(|row| row.push(only.clone()));
                continue;
            }
            if rows.len() * choices.len() > COMBINATIONS {
                return None;
            }
            rows = rows
                .iter()
                .flat_map(|row| {
                    choices.iter().map(|choice| {
                        let mut row = row.clone();
                        row.push(choice.clone());
                        row
                    })
                })
                .collect();
        }
        Some(
            rows.into_iter()
                .map(|row| Simple::Node(head, row))
                .collect(),
        )
    }
}
