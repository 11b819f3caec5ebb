//! Patterns as the algorithm sees them.

use crate::typed::{Con, Const, ExnTag, Pat, PatKind, Program, TyKind};

/// A pattern without names.
#[derive(Clone, Debug)]
pub enum Simple<'p> {
    /// Matches all.
    Wild,
    /// Something with parts.
    Node(Head<'p>, Vec<Simple<'p>>),
}

/// Head of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Head<'p> {
    /// A constructor.
    Con(Con),
    /// A record of this type.
    Record(crate::typed::Ty),
    /// A reference.
    Ref,
    /// A constant.
    Const(&'p Const),
    /// An exception, and its number of arguments (0 or 1).
    Exn(ExnTag, bool),
}

impl Simple<'_> {
    /// Returns true if it is a variable, or a record or reference of variables.
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
    /// The program they are of.
    pub program: &'p Program,
}

impl Patterns<'_> {
    /// A pattern without names.
    pub fn simple<'q>(&self, pat: &'q Pat) -> Simple<'q> {
        match &pat.kind {
            PatKind::Wild | PatKind::Var(_) => Simple::Wild,
            PatKind::As(_, pat) => self.simple(pat),
            PatKind::Const(value) => Simple::Node(Head::Const(value), Vec::new()),
            PatKind::Con { con, arg, .. } => {
                let parts = arg.iter().map(|arg| self.simple(arg)).collect();
                Simple::Node(Head::Con(*con), parts)
            }
            PatKind::Exn { tag, arg } => {
                let parts = arg.iter().map(|arg| self.simple(arg)).collect();
                Simple::Node(Head::Exn(*tag, arg.is_some()), parts)
            }
            PatKind::Record(fields) => {
                let TyKind::Record(labels) = self.program.types.kind(pat.ty) else {
                    return Simple::Wild;
                };
                if labels.is_empty() {
                    return Simple::Wild;
                }
                let mut parts = vec![Simple::Wild; labels.len()];
                for (label, field) in fields {
                    if let Some(at) = labels.iter().position(|known| known.0 == *label) {
                        parts[at] = self.simple(field);
                    }
                }
                Simple::Node(Head::Record(pat.ty), parts)
            }
            PatKind::Ref(inner) => Simple::Node(Head::Ref, vec![self.simple(inner)]),
        }
    }
}
