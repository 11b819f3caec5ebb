//! Lowers calls, and values of datatypes.

use super::super::Lower;
use super::super::cond::Target;
use super::super::layout::{ConRep, Data, Shape};
use super::super::matching::Fallback;
use super::super::speculate;
use super::super::value::{UNIT, Value, arrange};
use super::Dest;
use crate::anf::{Atom, Callee, End, Rep, Rhs};
use crate::prim::BuiltinExn;
use crate::source::Span;
use crate::typed::{Con, Exp, ExpKind, Ty};

impl Lower {
    pub(super) fn apply_into(&mut self, exp: &Exp, f: &Exp, arg: &Exp, dest: Dest) -> End {
        match (&f.kind, dest) {
            (ExpKind::Fn(rules), _) => self.case(
                arg,
                rules,
                Fallback::Raise(BuiltinExn::Match),
                dest,
                exp.span,
            ),
            (ExpKind::Prim { .. }, Dest::Branch { yes, no }) => {
                self.branch(exp, Target::Jump(yes), Target::Jump(no))
            }
            (ExpKind::Con { .. } | ExpKind::Exn(_) | ExpKind::Prim { .. }, _)
            | (_, Dest::Jump { .. } | Dest::Branch { .. } | Dest::Return { tail: false, .. }) => {
                let value = self.exp(exp);
                self.give(value, dest, exp.span)
            }
            (_, Dest::Return { tail: true, .. })
                if self.outlives_calls() || self.is_pending(arg) =>
            {
                let value = self.exp(exp);
                self.give(value, dest, exp.span)
            }
            (_, Dest::Return { tail: true, .. }) => {
                let (callee, args) = self.callee(f, arg);
                self.leaving(End::TailCall(callee, args, exp.span))
            }
        }
    }

    /// Evaluates the function and the argument of a call. Returns the callee and the words of the argument.
    fn callee(&mut self, f: &Exp, arg: &Exp) -> (Callee, Vec<Atom>) {
        let function = self.exp(f);
        let value = match self.layouts.argument_shape(arg.ty) {
            Shape::Flat => self.scrutinee(arg, &[]),
            _ => self.exp(arg),
        };
        let callee = match self.atom(function, f.span) {
            Atom::Var(var) if self.known.contains(&var) => Callee::Known(var),
            atom => Callee::Closure(atom),
        };
        let shape = self.layouts.argument_shape(arg.ty);
        (callee, self.words(value, arg.ty, shape, arg.span))
    }

    pub(super) fn apply(&mut self, exp: &Exp, f: &Exp, arg: &Exp) -> Value {
        match &f.kind {
            ExpKind::Con { con, .. } => {
                let value = self.exp(arg);
                self.constructor(*con, Some(value), exp.ty, exp.span)
            }
            ExpKind::Exn(tag) => {
                let value = self.exp(arg);
                self.exn_apply(*tag, value, arg.ty, exp.span)
            }
            ExpKind::Prim { prim, .. } if speculate::is_form(*prim) => {
                self.form(*prim, arg, exp.span)
            }
            ExpKind::Prim { prim, .. } => {
                let value = self.exp(arg);
                self.primitive(*prim, value, arg.ty, exp.ty, exp.span)
            }
            ExpKind::Fn(rules) => {
                let value = self.case_value(arg, rules, Fallback::Raise(BuiltinExn::Match));
                value.unwrap_or_else(|| self.control(exp, self.join_shape(exp)))
            }
            _ => {
                let (callee, args) = self.callee(f, arg);
                let shape = self.layouts.result_shape(exp.ty);
                let results = self.layouts.words(exp.ty, shape);
                let name = self.names.result;
                let words = self.call(callee, args, &results, name, exp.span);
                self.value_of_words(&words, exp.ty, shape)
            }
        }
    }

    /// Makes a value of a datatype.
    pub(super) fn constructor(
        &mut self,
        con: Con,
        arg: Option<Value>,
        ty: Ty,
        span: Span,
    ) -> Value {
        let index = self.layouts.con(con).index;
        match &*self.layouts.data(ty) {
            Data::Enum => Value::Atom(Atom::Int(i64::from(index))),
            Data::Wrapper(_) => arg.unwrap_or(UNIT),
            Data::Mixed { cons, .. } => match &cons[index as usize] {
                ConRep::Imm(number) => Value::Atom(Atom::Imm(*number)),
                ConRep::Object {
                    fields,
                    spread,
                    arg: arg_ty,
                } => {
                    let shape = if *spread { Shape::Flat } else { Shape::Word };
                    let words = self.words(arg.unwrap_or(UNIT), *arg_ty, shape, span);
                    let atoms = arrange(&fields.fields, &words);
                    if atoms.iter().all(|atom| !matches!(atom, Atom::Var(_))) {
                        return Value::Atom(self.static_object(fields.layout, atoms));
                    }
                    let rhs = Rhs::Alloc(fields.layout, atoms);
                    let name = self.kind(ty, Some(con), self.names.con);
                    Value::Atom(self.compute(Rep::Ptr, name, rhs, span))
                }
            },
        }
    }
}
