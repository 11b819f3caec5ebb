//! Tests whether two values are identical.

use super::Lower;
use super::layout::Data;
use super::value::Value;
use crate::anf::{Atom, Rep, Rhs};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{Ty, TyKind};

impl Lower {
    /// Returns 1 if two values are identical, otherwise 0. Two pointers to the same object are identical, and so are two numbers with the
    /// same bits. Two records are identical if all their fields are identical. The addresses of records do not matter, because code may
    /// pass a record as separate fields and later make another object from these fields.
    pub fn same(&mut self, ty: Ty, a: Value, b: Value, span: Span) -> Atom {
        match self.layouts.types.kind(ty) {
            TyKind::Record(fields) => {
                let fields: Vec<Ty> = fields.iter().map(|field| field.1).collect();
                let mut all = Atom::Int(1);
                for (at, field) in fields.into_iter().enumerate() {
                    let a = self.field(a, ty, at, span);
                    let b = self.field(b, ty, at, span);
                    let same = self.same(field, a, b, span);
                    all = match all {
                        Atom::Int(1) => same,
                        all => self.boolean(Prim::WordAnd, all, same, span),
                    };
                }
                all
            }
            TyKind::Con(..) if !self.layouts.constructors(ty).is_empty() => {
                if let Data::Wrapper(arg) = *self.layouts.data(ty) {
                    self.same(arg, a, b, span)
                } else {
                    self.same_words(ty, a, b, span)
                }
            }
            _ => self.same_words(ty, a, b, span),
        }
    }

    fn same_words(&mut self, ty: Ty, a: Value, b: Value, span: Span) -> Atom {
        let (a, b) = (self.atom(a, span), self.atom(b, span));
        match self.layouts.rep(ty) {
            Rep::Ptr => self.boolean(Prim::Same, a, b, span),
            Rep::Real => {
                let [a, b] = [a, b].map(|word| {
                    let rhs = Rhs::Prim {
                        prim: Prim::RealBits,
                        elem: None,
                        args: vec![word],
                    };
                    self.compute(Rep::Int, self.names.result, rhs, span)
                });
                self.boolean(Prim::IntEq, a, b, span)
            }
            Rep::Int => self.boolean(Prim::IntEq, a, b, span),
        }
    }
}
