//! Makes the initial elements of arrays that `ForkJoin.alloc` returns. The program overwrites these elements.
//!
//! A program may move an element that it has not written, for example when it copies a partly filled array to a longer array. Code that
//! passes a tuple may load the tuple's fields, and code that matches a datatype relies on tags. So unwritten elements of tuple types and
//! datatypes must be valid objects. All unwritten elements of a tuple type or datatype are the same object. If the elements are references,
//! arrays or functions, an unwritten element is an immediate. A program may move this immediate, but must not use it.

use super::Lower;
use super::layout::{ConRep, Data, Fields};
use crate::anf::{Atom, Rep};
use crate::typed::{PrimTy, Ty, TyKind};

/// The maximum depth of nested objects in an unwritten element. Only types without finite values reach this depth, because other types in
/// programs are less deep.
const DEPTH: usize = 24;

impl Lower {
    /// Returns the value of unwritten elements of type `ty`, or `None` if every word is a valid value of this type.
    pub fn filler(&mut self, ty: Ty) -> Option<Atom> {
        if self.layouts.rep(ty) == Rep::Ptr {
            return Some(self.stand_in(ty, DEPTH));
        }
        match self.layouts.types.kind(ty) {
            // The number 0 stands for a constructor without argument.
            TyKind::Con(..) if self.layouts.prim(ty).is_none() => Some(Atom::Int(0)),
            _ => None,
        }
    }

    fn stand_in(&mut self, ty: Ty, depth: usize) -> Atom {
        match self.layouts.rep(ty) {
            Rep::Int => return Atom::Int(0),
            Rep::Real => return Atom::Real(0),
            Rep::Ptr if depth == 0 => return Atom::Imm(0),
            Rep::Ptr => {}
        }
        if let Some(&known) = self.fillers.get(&ty) {
            return known;
        }
        let atom = self.new_stand_in(ty, depth);
        self.fillers.insert(ty, atom);
        atom
    }

    fn new_stand_in(&mut self, ty: Ty, depth: usize) -> Atom {
        if let Some(fields) = self.layouts.record(ty) {
            return self.stand_ins(&fields, depth);
        }
        if let Some((prim, _)) = self.layouts.prim(ty) {
            return match prim {
                PrimTy::String | PrimTy::Bytes => Atom::Static(self.statics.string(b"")),
                _ => Atom::Imm(0),
            };
        }
        if self.layouts.constructors(ty).is_empty() {
            return Atom::Imm(0);
        }
        match &*self.layouts.data(ty) {
            Data::Enum => Atom::Int(0),
            Data::Wrapper(arg) => self.stand_in(*arg, depth - 1),
            Data::Mixed { imms: 1.., .. } => Atom::Imm(0),
            Data::Mixed { cons, .. } => match cons.first() {
                Some(ConRep::Object { fields, .. }) => {
                    let fields = fields.clone();
                    self.stand_ins(&fields, depth)
                }
                _ => Atom::Imm(0),
            },
        }
    }

    fn stand_ins(&mut self, fields: &Fields, depth: usize) -> Atom {
        let mut atoms = vec![Atom::Int(0); fields.fields.len()];
        for field in &fields.fields {
            atoms[field.index as usize] = self.stand_in(field.ty, depth - 1);
        }
        self.static_object(fields.layout, atoms)
    }
}
