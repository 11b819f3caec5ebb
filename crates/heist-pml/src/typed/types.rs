//! Types. A table contains each type only once (hash-consing), so equal types have equal numbers.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::{TyCon, TyVar};
use crate::symbol::Symbol;

/// The number of a type in the table [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(u32);

impl Ty {
    /// Returns the type's index in a table of all types.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the type with this number. During inference, the number in the type of a node is the number of a type in the elaborator's
    /// store.
    #[must_use]
    pub(crate) const fn from_raw(number: u32) -> Ty {
        Ty(number)
    }

    /// Returns the number of the type.
    #[must_use]
    pub(crate) const fn raw(self) -> u32 {
        self.0
    }
}

/// The kind of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// A type variable in scope.
    Var(TyVar),
    /// A type constructor and its arguments.
    Con(TyCon, Vec<Ty>),
    /// A record or tuple, with its fields in the order of [`compare_labels`](crate::typed::Types::compare_labels). The labels of a tuple
    /// are 1, 2, ...
    Record(Vec<(Symbol, Ty)>),
    /// A function.
    Arrow(Ty, Ty),
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: Vec<TyKind>,
    numbers: FxHashMap<TyKind, Ty>,
}

impl Types {
    /// Returns true if the fields of a record are the fields of a tuple.
    #[must_use]
    pub fn is_tuple(fields: &[(Symbol, Ty)]) -> bool {
        super::dump::is_tuple(fields.iter().map(|field| field.0))
    }

    /// Returns the type of this kind, and adds it to the table if necessary. Sorts the fields of a record.
    pub fn make(&mut self, mut kind: TyKind) -> Ty {
        if let TyKind::Record(fields) = &mut kind {
            fields.sort_by(|a, b| Types::compare_labels(a.0, b.0));
        }
        self.make_ordered(kind)
    }

    /// Returns the type of this kind, and adds it to the table if necessary. The fields of a record must be in the order of labels.
    pub(crate) fn make_ordered(&mut self, kind: TyKind) -> Ty {
        if let Some(&ty) = self.numbers.get(&kind) {
            return ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.numbers.insert(kind, ty);
        ty
    }

    /// Returns the type `()`.
    pub fn unit(&mut self) -> Ty {
        self.make(TyKind::Record(Vec::new()))
    }

    /// Returns the type `t1 * ... * tn`.
    pub fn tuple(&mut self, parts: &[Ty]) -> Ty {
        let fields = parts
            .iter()
            .enumerate()
            .map(|(at, &ty)| (Symbol::new(&(at + 1).to_string()), ty))
            .collect();
        self.make(TyKind::Record(fields))
    }

    /// Returns the kind of a type.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> &TyKind {
        &self.kinds[ty.0 as usize]
    }

    /// Returns `ty` with the types of `by` in place of type variables. Type variables for which `by` has no type remain in the result.
    pub fn substitute(&mut self, ty: Ty, by: &HashMap<TyVar, Ty>) -> Ty {
        if by.is_empty() {
            return ty;
        }
        match self.kind(ty).clone() {
            TyKind::Var(var) => by.get(&var).copied().unwrap_or(ty),
            TyKind::Con(con, args) => {
                let args = args
                    .into_iter()
                    .map(|arg| self.substitute(arg, by))
                    .collect();
                self.make(TyKind::Con(con, args))
            }
            TyKind::Record(fields) => {
                let fields = fields
                    .into_iter()
                    .map(|(label, ty)| (label, self.substitute(ty, by)))
                    .collect();
                self.make(TyKind::Record(fields))
            }
            TyKind::Arrow(from, to) => {
                let (from, to) = (self.substitute(from, by), self.substitute(to, by));
                self.make(TyKind::Arrow(from, to))
            }
        }
    }

    /// Compares two labels by the order of fields in records. Numbers come before words. Numbers are in the order of their values, and
    /// words are in alphabetical order.
    #[must_use]
    pub fn compare_labels(a: Symbol, b: Symbol) -> std::cmp::Ordering {
        let number = |label: Symbol| label.as_str().parse::<u64>().ok();
        match (number(a), number(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => a.as_str().cmp(b.as_str()),
        }
    }
}
