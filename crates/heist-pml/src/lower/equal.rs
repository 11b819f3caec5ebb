//! Compares values by their type. The code of `=` compares words inline. For each datatype, each vector type, and each type of records
//! inside of them, a separate function compares two values of the type.
//!
//! A datatype may contain itself with larger type arguments, as in `datatype 'a chain = Stop | Step of 'a * ('a * 'a) chain`. The values of
//! such a datatype contain values of infinitely many types. [`super::growth`] finds such datatypes. Each such datatype has one function for
//! each combination of representations of its type arguments. In this function, a new type, an *opaque* type, replaces each type argument
//! that is represented as a pointer. For each opaque type, the function takes a closure that compares two values of this type. The opaque
//! types do not change the layouts, because layouts depend only on the representations of the type arguments.

mod functions;

use std::collections::{HashMap, HashSet};

use super::Lower;
use super::cond::Target;
use super::exp::Dest;
use super::growth;
use super::layout::{Data, Shape};
use super::value::Value;
use crate::anf::{Atom, Callee, Cmp, Cond, End, Fun, Rep, Rhs, Stmt, Var};
use crate::diag::Code;
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{PrimTy, Ty, TyKind};

/// The maximum number of fields of a record that code compares inline.
const IN_PLACE: usize = 4;

/// The functions that compare values, and the opaque types.
#[derive(Default)]
pub struct Equalities {
    by_type: HashMap<Ty, Var>,
    /// The functions that code calls, but that are not made yet. Each entry has the type, the function's variable, and the place of the
    /// first use.
    pending: Vec<(Ty, Var, Span)>,
    /// For each type constructor, whether it contains itself with larger type arguments, or `None` before the first comparison of a
    /// datatype.
    growing: Option<Vec<bool>>,
    /// The opaque types that exist so far. Functions take the closures for these types in the same order.
    opaque: Vec<Ty>,
    /// The types that replace type arguments represented as integers or doubles, keyed by the representation.
    raw: HashMap<Rep, Ty>,
    /// For each opaque type, the closure that compares two of its values in the function that is being made.
    closures: HashMap<Ty, Var>,
}

/// The outcome of a comparison of two values.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// The values are equal if this condition holds.
    Cond(Cond),
    /// The values are equal if this boolean is true.
    Bool(Atom),
}

impl Test {
    /// Returns the condition that holds if the values are equal.
    pub fn cond(self) -> Cond {
        match self {
            Test::Cond(cond) => cond,
            Test::Bool(atom) => Cond::Int(Cmp::Ne, atom, Atom::Int(0)),
        }
    }
}

impl Lower {
    /// Returns pairs of parts of two values. The values are equal if and only if the parts in each pair are equal. Pairs of words come
    /// first. If the fields of a record are known, the parts are these fields.
    pub fn parts(&mut self, ty: Ty, a: Value, b: Value, span: Span) -> Vec<(Ty, Value, Value)> {
        let mut parts = Vec::new();
        self.add_parts(ty, a, b, span, &mut parts);
        self.cheap_first(&mut parts);
        parts
    }

    fn cheap_first(&mut self, parts: &mut [(Ty, Value, Value)]) {
        parts.sort_by_cached_key(|part| self.layouts.rep(part.0) == Rep::Ptr);
    }

    fn add_parts(
        &mut self,
        ty: Ty,
        a: Value,
        b: Value,
        span: Span,
        parts: &mut Vec<(Ty, Value, Value)>,
    ) {
        match self.layouts.types.kind(ty) {
            TyKind::Record(fields) if fields.is_empty() => {}
            TyKind::Record(fields) => {
                let flat = fields.len() <= IN_PLACE
                    && fields
                        .iter()
                        .all(|(_, ty)| !matches!(self.layouts.types.kind(*ty), TyKind::Record(_)));
                let known = matches!((a, b), (Value::Record(_), _) | (_, Value::Record(_)));
                if !flat && !known {
                    parts.push((ty, a, b));
                    return;
                }
                let fields: Vec<Ty> = fields.iter().map(|field| field.1).collect();
                for (at, field) in fields.into_iter().enumerate() {
                    let a = self.field(a, ty, at, span);
                    let b = self.field(b, ty, at, span);
                    self.add_parts(field, a, b, span, parts);
                }
            }
            TyKind::Con(..) if !self.layouts.constructors(ty).is_empty() => {
                if let Data::Wrapper(arg) = *self.layouts.data(ty) {
                    self.add_parts(arg, a, b, span, parts);
                } else {
                    parts.push((ty, a, b));
                }
            }
            _ => parts.push((ty, a, b)),
        }
    }

    /// Tests whether two values are equal. The values must be parts from [`Lower::parts`]: no value is a record with known fields.
    pub fn equal(&mut self, ty: Ty, a: Value, b: Value, span: Span) -> Test {
        let (a, b) = (self.atom(a, span), self.atom(b, span));
        if let Some(&closure) = self.equalities.closures.get(&ty) {
            let callee = Callee::Closure(Atom::Var(closure));
            let name = self.names.equal;
            let result = self.call(callee, vec![a, b], &[Rep::Int], name, span);
            return Test::Bool(result[0]);
        }
        if let Some((prim, _)) = self.layouts.prim(ty) {
            match prim {
                PrimTy::Real | PrimTy::Float => return Test::Cond(Cond::Real(Cmp::Eq, a, b)),
                PrimTy::Array | PrimTy::Ref | PrimTy::Bytes | PrimTy::Exn => {
                    return Test::Cond(Cond::Same(a, b));
                }
                PrimTy::String => return self.runtime_equal("rt.String.eq", a, b, span),
                // A small integer is always an immediate, so it is equal only to the same word.
                PrimTy::IntInf => {
                    if matches!(a, Atom::Imm(_)) || matches!(b, Atom::Imm(_)) {
                        return Test::Cond(Cond::Same(a, b));
                    }
                    return self.runtime_equal("rt.IntInf.eq", a, b, span);
                }
                PrimTy::Vector => return self.equal_by_function(ty, a, b, span),
                _ => return Test::Cond(Cond::Int(Cmp::Eq, a, b)),
            }
        }
        match self.layouts.types.kind(ty) {
            TyKind::Record(fields) if fields.is_empty() => Test::Bool(Atom::Int(1)),
            TyKind::Record(_) => self.equal_by_function(ty, a, b, span),
            TyKind::Con(..) => match *self.layouts.data(ty) {
                Data::Enum => Test::Cond(Cond::Int(Cmp::Eq, a, b)),
                Data::Wrapper(arg) => self.equal(arg, Value::Atom(a), Value::Atom(b), span),
                // One of the values is a constructor without argument, so it is equal only to the same word.
                Data::Mixed { .. } if matches!(a, Atom::Imm(_)) || matches!(b, Atom::Imm(_)) => {
                    Test::Cond(Cond::Same(a, b))
                }
                Data::Mixed { .. } => self.equal_by_function(ty, a, b, span),
            },
            TyKind::Arrow(..) => Test::Cond(Cond::Same(a, b)),
            TyKind::Var(_) => Test::Bool(Atom::Int(1)),
        }
    }

    /// Returns the value of `a = b`, or of `a <> b` if `negate` is true.
    pub fn equal_value(&mut self, ty: Ty, a: Value, b: Value, negate: bool, span: Span) -> Value {
        let parts = self.parts(ty, a, b, span);
        match parts.as_slice() {
            [] => Value::Atom(Atom::Int(i64::from(!negate))),
            &[(ty, a, b)] => {
                let test = self.equal(ty, a, b, span);
                Value::Atom(self.test_value(test, negate, span))
            }
            parts => {
                let label = self.label();
                let result = self.fresh(Rep::Int, self.names.equal);
                let rest = self.block(|lower| {
                    let no = lower.label();
                    let body =
                        lower.block(|_| End::Jump(label, vec![Atom::Int(i64::from(negate))]));
                    lower.stmt(Stmt::Join {
                        label: no,
                        params: Vec::new(),
                        body,
                        recursive: false,
                    });
                    let dest = Dest::Jump {
                        label,
                        ty,
                        shape: Shape::Word,
                    };
                    lower.all_equal(parts, span, Target::Give(!negate, dest), Target::Jump(no))
                });
                self.cut(rest, label, vec![result]);
                Value::Atom(Atom::Var(result))
            }
        }
    }

    fn test_value(&mut self, test: Test, negate: bool, span: Span) -> Atom {
        let (prim, a, b) = match test {
            Test::Bool(atom) if !negate => return atom,
            Test::Bool(atom) => (Prim::IntEq, atom, Atom::Int(0)),
            Test::Cond(Cond::Real(_, a, b)) if negate => (Prim::RealNe, a, b),
            Test::Cond(Cond::Real(_, a, b)) => (Prim::RealEq, a, b),
            Test::Cond(Cond::Int(_, a, b)) if negate => (Prim::IntNe, a, b),
            Test::Cond(Cond::Int(_, a, b)) => (Prim::IntEq, a, b),
            Test::Cond(Cond::Same(a, b)) => {
                let same = self.boolean(Prim::Same, a, b, span);
                return self.test_value(Test::Bool(same), negate, span);
            }
            Test::Cond(Cond::Word(..) | Cond::IsImm(_)) => unreachable!("no test of equality"),
        };
        self.boolean(prim, a, b, span)
    }

    pub(super) fn boolean(&mut self, prim: Prim, a: Atom, b: Atom, span: Span) -> Atom {
        let rhs = Rhs::Prim {
            prim,
            elem: None,
            args: vec![a, b],
        };
        self.compute(Rep::Int, self.names.equal, rhs, span)
    }

    fn runtime_equal(&mut self, name: &'static str, a: Atom, b: Atom, span: Span) -> Test {
        match self.runtime_function(name, span) {
            Some(prim) => Test::Bool(self.boolean(prim, a, b, span)),
            None => Test::Cond(Cond::Same(a, b)),
        }
    }

    /// Returns a function of the runtime that the compiler itself needs. Reports an error if this function does not exist.
    pub fn runtime_function(&mut self, name: &'static str, span: Span) -> Option<Prim> {
        if let Some(&prim) = self.runtime.get(name) {
            return Some(prim);
        }
        match Prim::by_name(name) {
            Some(prim) => {
                self.runtime.insert(name, prim);
                Some(prim)
            }
            None => {
                let message = format!("not supported yet: the runtime has no {name}");
                self.error(Code::Unsupported, span, message);
                None
            }
        }
    }

    fn equal_by_function(&mut self, ty: Ty, a: Atom, b: Atom, span: Span) -> Test {
        let (ty, closures) = self.at_opaque_types(ty, span);
        let function = self.equality(ty, span);
        let name = self.names.equal;
        let args = [vec![a, b], closures].concat();
        let result = self.call(Callee::Known(function), args, &[Rep::Int], name, span);
        Test::Bool(result[0])
    }

    /// Returns a type whose comparison function also compares values of the type `ty`, and the closures that this function takes. If `ty`
    /// is a growing datatype, the returned type has opaque types as arguments.
    fn at_opaque_types(&mut self, ty: Ty, span: Span) -> (Ty, Vec<Atom>) {
        if let TyKind::Con(tycon, args) = self.layouts.types.kind(ty)
            && self
                .equalities
                .growing
                .get_or_insert_with(|| growth::growing(&self.layouts))[tycon.index()]
        {
            let (tycon, args) = (*tycon, args.clone());
            let mut closures = Vec::new();
            let mut stand_ins = Vec::with_capacity(args.len());
            for arg in args {
                let rep = self.layouts.rep(arg);
                if rep == Rep::Ptr {
                    stand_ins.push(self.opaque(closures.len()));
                    closures.push(self.equality_closure(arg, span));
                } else {
                    stand_ins.push(self.raw(rep));
                }
            }
            let ty = self.layouts.types.make(TyKind::Con(tycon, stand_ins));
            return (ty, closures);
        }
        let closures = self
            .opaque_in(ty)
            .iter()
            .map(|opaque| Atom::Var(self.equalities.closures[opaque]))
            .collect();
        (ty, closures)
    }

    /// Returns the opaque type with index `at`. Makes the type if it does not exist.
    fn opaque(&mut self, at: usize) -> Ty {
        while self.equalities.opaque.len() <= at {
            let ty = self.layouts.stand_in(PrimTy::Exn);
            self.equalities.opaque.push(ty);
        }
        self.equalities.opaque[at]
    }

    /// Returns the type that replaces all type arguments with the representation `rep`. The code compares values of these types as words.
    fn raw(&mut self, rep: Rep) -> Ty {
        if let Some(&ty) = self.equalities.raw.get(&rep) {
            return ty;
        }
        let prim = match rep {
            Rep::Real => PrimTy::Real,
            _ => PrimTy::Int,
        };
        let ty = self.layouts.stand_in(prim);
        self.equalities.raw.insert(rep, ty);
        ty
    }

    /// Returns the opaque types that occur in a type, in the order of [`Equalities::opaque`].
    fn opaque_in(&self, ty: Ty) -> Vec<Ty> {
        if self.equalities.opaque.is_empty() {
            return Vec::new();
        }
        let mut seen = HashSet::from([ty]);
        let mut stack = vec![ty];
        while let Some(ty) = stack.pop() {
            let mut push = |part: Ty| {
                if seen.insert(part) {
                    stack.push(part);
                }
            };
            match self.layouts.types.kind(ty) {
                TyKind::Var(_) => {}
                TyKind::Con(_, args) => args.iter().copied().for_each(&mut push),
                TyKind::Record(fields) => fields.iter().for_each(|field| push(field.1)),
                TyKind::Arrow(from, to) => [*from, *to].into_iter().for_each(&mut push),
            }
        }
        let all = self.equalities.opaque.iter().copied();
        all.filter(|opaque| seen.contains(opaque)).collect()
    }

    /// Returns a closure that compares two values of a type whose representation is a pointer.
    fn equality_closure(&mut self, ty: Ty, span: Span) -> Atom {
        if let Some(&closure) = self.equalities.closures.get(&ty) {
            return Atom::Var(closure);
        }
        let name = self.fresh(Rep::Ptr, self.names.equal);
        let (a, b) = (
            self.fresh(Rep::Ptr, self.names.arg),
            self.fresh(Rep::Ptr, self.names.arg),
        );
        self.level += 1;
        let body = self.block(|lower| {
            let no = lower.outcome(false);
            let (a, b) = (Value::Atom(Atom::Var(a)), Value::Atom(Atom::Var(b)));
            let parts = lower.parts(ty, a, b, span);
            lower.equal_parts_then(&parts, no, span, &mut |_| End::Return(vec![Atom::Int(1)]))
        });
        self.level -= 1;
        self.stmt(Stmt::Funs(vec![Fun {
            name,
            params: vec![a, b],
            results: vec![Rep::Int],
            body,
            span: Span::NONE,
            inside: Span::NONE,
            forked: false,
        }]));
        Atom::Var(name)
    }

    /// Returns the function that compares two values of a type, each passed as one word.
    fn equality(&mut self, ty: Ty, span: Span) -> Var {
        if let Some(&var) = self.equalities.by_type.get(&ty) {
            return var;
        }
        let var = self.fresh(Rep::Ptr, self.names.equal);
        self.equalities.by_type.insert(ty, var);
        self.equalities.pending.push((ty, var, span));
        var
    }
}
