//! Lowers primitives.

use super::layout::Shape;
use super::value::{UNIT, Value};
use super::{Forms, Lower};
use crate::anf::{Atom, Elem, Rep, Rhs};
use crate::diag::Code;
use crate::prim::Prim;
use crate::runtime::entry::table::FUNCTIONS;
use crate::source::Span;
use crate::typed::{PrimTy, Ty, TyKind};

/// Returns the number of operands that a primitive takes. If a primitive takes one operand, this operand may be a tuple.
fn count(prim: Prim) -> usize {
    match prim {
        Prim::Runtime(number) => FUNCTIONS[number as usize].args.len(),
        Prim::IntNeg
        | Prim::IntCheck(_)
        | Prim::WordNot
        | Prim::WordSwap
        | Prim::WordLow(_)
        | Prim::WordSign(_)
        | Prim::RealNeg
        | Prim::RealAbs
        | Prim::RealSqrt
        | Prim::RealFloor
        | Prim::RealCeil
        | Prim::RealTrunc
        | Prim::RealNearest
        | Prim::RealFromInt
        | Prim::RealToInt
        | Prim::RealToSingle
        | Prim::RealBits
        | Prim::RealOfBits
        | Prim::RefNew
        | Prim::RefGet
        | Prim::ArrayBlank
        | Prim::ArrayUnset
        | Prim::ArrayLength
        | Prim::VectorLength
        | Prim::VectorOfArray
        | Prim::ArraySettle
        | Prim::StringSize
        | Prim::BytesNew
        | Prim::StringOfBytes
        | Prim::Cast
        | Prim::ExnName
        | Prim::ExnOrigin => 1,
        Prim::ArraySet | Prim::ArrayFill => 3,
        Prim::BytesSet | Prim::BytesSet16 | Prim::BytesSet32 | Prim::BytesSet64 => 3,
        Prim::RefSwap | Prim::ArrayFetchAdd => 3,
        Prim::ArraySwap => 4,
        Prim::ParAsked | Prim::ParAttend | Prim::LazyRecorded => 0,
        _ => 2,
    }
}

impl Lower {
    /// Divides the argument of a primitive into its operands.
    pub fn operands(&mut self, prim: Prim, arg: Value, ty: Ty, span: Span) -> Vec<Atom> {
        let count = count(prim);
        let fields = match self.layouts.types.kind(ty) {
            TyKind::Record(fields) => Some(fields.len()),
            _ => None,
        };
        match count {
            0 => Vec::new(),
            1 => vec![self.atom(arg, span)],
            count if fields == Some(count) => self.words(arg, ty, Shape::Flat, span),
            _ => {
                let message = format!("the primitive {} takes {count} arguments", prim.name());
                self.error(Code::Unsupported, span, message);
                vec![Atom::Int(0); count]
            }
        }
    }

    /// Lowers the application of a primitive, and returns its result.
    pub fn primitive(&mut self, prim: Prim, arg: Value, from: Ty, to: Ty, span: Span) -> Value {
        match prim {
            Prim::PolyEq | Prim::PolyNe => {
                let Some(ty) = self.compared(from) else {
                    return UNIT;
                };
                let a = self.field(arg, from, 0, span);
                let b = self.field(arg, from, 1, span);
                return self.equal_value(ty, a, b, prim == Prim::PolyNe, span);
            }
            // In a sequential program, no thief requests work, and no strand waits for lazy values.
            Prim::ParAsked | Prim::LazyRecorded if self.forms == Forms::Sequential => {
                return Value::Atom(Atom::Int(0));
            }
            // No other strand reads an array of a sequential program.
            Prim::ArraySettle if self.forms == Forms::Sequential => return UNIT,
            Prim::Same => {
                let Some(ty) = self.compared(from) else {
                    return UNIT;
                };
                let a = self.field(arg, from, 0, span);
                let b = self.field(arg, from, 1, span);
                return Value::Atom(self.same(ty, a, b, span));
            }
            Prim::Cast if from == to => return arg,
            Prim::Cast if self.layouts.rep(from) == self.layouts.rep(to) => {
                return Value::Atom(self.atom(arg, span));
            }
            _ => {}
        }
        let mut args = self.operands(prim, arg, from, span);
        let mut prim = prim;
        if prim == Prim::ArrayUnset {
            let elem = self.layouts.prim(to).and_then(|array| array.1);
            prim = match elem.and_then(|elem| self.filler(elem)) {
                Some(filler) => {
                    args.push(filler);
                    Prim::ArrayNew
                }
                None => Prim::ArrayBlank,
            };
        }
        let elem = match self.element(prim, from, to) {
            None if needs_element(prim) => {
                let message = format!("the primitive {} at a type without elements", prim.name());
                self.error(Code::Unsupported, span, message);
                None
            }
            elem => elem,
        };
        let rep = self.layouts.rep(to);
        let unit =
            matches!(self.layouts.types.kind(to), TyKind::Record(fields) if fields.is_empty());
        let name = match rep {
            _ if unit => self.names.unit,
            Rep::Ptr => self.kind(to, None, self.names.result),
            _ => self.names.result,
        };
        let rep = if unit { Rep::Int } else { rep };
        let result = self.compute(rep, name, Rhs::Prim { prim, elem, args }, span);
        if unit { UNIT } else { Value::Atom(result) }
    }

    /// Returns the representation of the elements of the array, vector or reference that a primitive returns or takes
    /// as its first operand.
    fn element(&mut self, prim: Prim, from: Ty, to: Ty) -> Option<Elem> {
        let first = match self.layouts.types.kind(from) {
            TyKind::Record(fields) => fields.first().map(|field| field.1),
            _ => Some(from),
        };
        let places = match prim {
            Prim::RefNew | Prim::ArrayNew | Prim::ArrayBlank => [Some(to), None],
            _ => [first, Some(to)],
        };
        places
            .into_iter()
            .flatten()
            .find_map(|ty| match self.layouts.prim(ty) {
                Some((PrimTy::Array | PrimTy::Vector | PrimTy::Ref, Some(elem))) => {
                    Some(self.layouts.rep(elem))
                }
                _ => None,
            })
    }
}

fn needs_element(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::RefNew
            | Prim::RefGet
            | Prim::RefSet
            | Prim::ArrayNew
            | Prim::ArrayBlank
            | Prim::ArrayGet
            | Prim::ArraySet
            | Prim::ArrayFill
            | Prim::ArraySettle
            | Prim::RefSwap
            | Prim::ArraySwap
            | Prim::VectorGet
    )
}
