//! Makes the functions that compare two values of a type.

use super::super::Lower;
use super::super::layout::{ConRep, Data, Field, Fields};
use super::super::value::Value;
use crate::anf::{Atom, Cmp, Cond, End, Fun, Label, Rep, Rhs, Stmt};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{PrimTy, Ty};

impl Lower {
    /// Makes all functions that code uses.
    pub fn equality_functions(&mut self) -> Vec<Fun> {
        let mut funs = Vec::new();
        let mut next = 0;
        while let Some(&(ty, name, span)) = self.equalities.pending.get(next) {
            next += 1;
            let (a, b) = (
                self.fresh(Rep::Ptr, self.names.arg),
                self.fresh(Rep::Ptr, self.names.arg),
            );
            let mut params = vec![a, b];
            for opaque in self.opaque_in(ty) {
                let closure = self.fresh(Rep::Ptr, self.names.equal);
                self.equalities.closures.insert(opaque, closure);
                params.push(closure);
            }
            self.level += 1;
            let body =
                self.block(|lower| lower.equality_body(ty, Atom::Var(a), Atom::Var(b), span));
            self.level -= 1;
            self.equalities.closures.clear();
            funs.push(Fun {
                name,
                params,
                results: vec![Rep::Int],
                body,
                span: Span::NONE,
                inside: Span::NONE,
                forked: false,
            });
        }
        funs
    }

    fn equality_body(&mut self, ty: Ty, a: Atom, b: Atom, span: Span) -> End {
        if let Some((PrimTy::Vector, Some(elem))) = self.layouts.prim(ty) {
            return self.equal_vectors(elem, a, b, span);
        }
        match self.layouts.record(ty) {
            Some(fields) => {
                let no = self.outcome(false);
                self.equal_fields(&fields, a, b, None, no, span)
            }
            None => self.equal_datas(ty, a, b, span),
        }
    }

    /// Makes a join point that returns the boolean `value` from the function.
    pub(super) fn outcome(&mut self, value: bool) -> Label {
        let label = self.label();
        let body = self.block(|_| End::Return(vec![Atom::Int(i64::from(value))]));
        self.stmt(Stmt::Join {
            label,
            params: Vec::new(),
            body,
            recursive: false,
        });
        label
    }

    /// Compares objects field by field. `again` has the type of the objects, and the label of the loop that compares two such objects. The
    /// code compares a field of the type in `again` last, by a jump to the loop.
    fn equal_fields(
        &mut self,
        fields: &Fields,
        a: Atom,
        b: Atom,
        again: Option<(Ty, Label)>,
        no: Label,
        span: Span,
    ) -> End {
        let mut order: Vec<_> = fields.fields.clone();
        let last = again.and_then(|(ty, label)| {
            let at = order.iter().rposition(|field| field.ty == ty)?;
            Some((order.remove(at), label))
        });
        order.sort_by_key(|field| field.rep == Rep::Ptr);
        self.equal_in_order(&order, a, b, last, no, span)
    }

    fn equal_in_order(
        &mut self,
        order: &[Field],
        a: Atom,
        b: Atom,
        last: Option<(Field, Label)>,
        no: Label,
        span: Span,
    ) -> End {
        let name = self.names.field;
        if let Some((field, rest)) = order.split_first() {
            let x = self.load(a, field.index, field.rep, name, span);
            let y = self.load(b, field.index, field.rep, name, span);
            let mut tests = Vec::new();
            self.add_parts(field.ty, Value::Atom(x), Value::Atom(y), span, &mut tests);
            return self.equal_parts_then(&tests, no, span, &mut |lower| {
                lower.equal_in_order(rest, a, b, last, no, span)
            });
        }
        match last {
            Some((field, label)) => {
                let x = self.load(a, field.index, field.rep, name, span);
                let y = self.load(b, field.index, field.rep, name, span);
                End::Jump(label, vec![x, y])
            }
            None => End::Return(vec![Atom::Int(1)]),
        }
    }

    pub(super) fn equal_parts_then(
        &mut self,
        parts: &[(Ty, Value, Value)],
        no: Label,
        span: Span,
        then: &mut dyn FnMut(&mut Self) -> End,
    ) -> End {
        let Some((&(ty, x, y), rest)) = parts.split_first() else {
            return then(self);
        };
        let test = self.equal(ty, x, y, span);
        self.choose(
            test.cond(),
            |lower| lower.equal_parts_then(rest, no, span, then),
            |_| End::Jump(no, Vec::new()),
        )
    }

    fn equal_datas(&mut self, ty: Ty, a: Atom, b: Atom, span: Span) -> End {
        let data = self.layouts.data(ty);
        let Data::Mixed { cons, imms, .. } = &*data else {
            unreachable!("enumerations and wrappers are compared in place");
        };
        let (yes, no) = (self.outcome(true), self.outcome(false));
        let again = self.label();
        let (x, y) = (
            self.fresh(Rep::Ptr, self.names.arg),
            self.fresh(Rep::Ptr, self.names.arg),
        );
        let body = self.block(|lower| {
            let (x, y) = (Atom::Var(x), Atom::Var(y));
            lower.choose(
                Cond::Same(x, y),
                |_| End::Jump(yes, Vec::new()),
                |lower| {
                    if *imms == 0 {
                        return lower.equal_objects(ty, cons, x, y, again, no, span);
                    }
                    lower.choose(
                        Cond::IsImm(x),
                        |_| End::Jump(no, Vec::new()),
                        |lower| {
                            lower.choose(
                                Cond::IsImm(y),
                                |_| End::Jump(no, Vec::new()),
                                |lower| lower.equal_objects(ty, cons, x, y, again, no, span),
                            )
                        },
                    )
                },
            )
        });
        self.stmt(Stmt::Join {
            label: again,
            params: vec![x, y],
            body,
            recursive: true,
        });
        End::Jump(again, vec![a, b])
    }

    /// Compares two objects of a datatype.
    #[allow(clippy::too_many_arguments)]
    fn equal_objects(
        &mut self,
        ty: Ty,
        cons: &[ConRep],
        a: Atom,
        b: Atom,
        again: Label,
        no: Label,
        span: Span,
    ) -> End {
        let objects: Vec<&Fields> = cons
            .iter()
            .filter_map(|con| match con {
                ConRep::Object { fields, .. } => Some(&**fields),
                ConRep::Imm(_) => None,
            })
            .collect();
        if let [fields] = objects.as_slice() {
            return self.equal_fields(fields, a, b, Some((ty, again)), no, span);
        }
        let name = self.names.tag;
        let tag = self.compute(Rep::Int, name, Rhs::Tag(a), span);
        let other = self.compute(Rep::Int, name, Rhs::Tag(b), span);
        self.choose(
            Cond::Int(Cmp::Eq, tag, other),
            |lower| {
                let cases = objects
                    .iter()
                    .map(|fields| {
                        let block = lower.block(|lower| {
                            lower.equal_fields(fields, a, b, Some((ty, again)), no, span)
                        });
                        (i64::from(fields.layout.tag), block)
                    })
                    .collect();
                End::Switch {
                    on: tag,
                    cases,
                    default: None,
                }
            },
            |_| End::Jump(no, Vec::new()),
        )
    }

    fn equal_vectors(&mut self, elem: Ty, a: Atom, b: Atom, span: Span) -> End {
        let rep = self.layouts.rep(elem);
        let (yes, no) = (self.outcome(true), self.outcome(false));
        let name = self.names.equal;
        let prim = |prim, args| Rhs::Prim {
            prim,
            elem: Some(rep),
            args,
        };
        let length = self.compute(Rep::Int, name, prim(Prim::VectorLength, vec![a]), span);
        let other = self.compute(Rep::Int, name, prim(Prim::VectorLength, vec![b]), span);
        let again = self.label();
        let at = self.fresh(Rep::Int, name);
        self.choose(
            Cond::Int(Cmp::Eq, length, other),
            |lower| {
                let body = lower.block(|lower| {
                    let at = Atom::Var(at);
                    lower.choose(
                        Cond::Int(Cmp::Ge, at, length),
                        |_| End::Jump(yes, Vec::new()),
                        |lower| {
                            let get = |object| prim(Prim::VectorGet, vec![object, at]);
                            let x = lower.compute(rep, name, get(a), span);
                            let y = lower.compute(rep, name, get(b), span);
                            let mut parts = Vec::new();
                            let (x, y) = (Value::Atom(x), Value::Atom(y));
                            lower.add_parts(elem, x, y, span, &mut parts);
                            lower.equal_parts_then(&parts, no, span, &mut |lower| {
                                let step = prim(Prim::WordAdd, vec![at, Atom::Int(1)]);
                                let next = lower.compute(Rep::Int, name, step, span);
                                End::Jump(again, vec![next])
                            })
                        },
                    )
                });
                lower.stmt(Stmt::Join {
                    label: again,
                    params: vec![at],
                    body,
                    recursive: true,
                });
                End::Jump(again, vec![Atom::Int(0)])
            },
            |_| End::Jump(no, Vec::new()),
        )
    }
}
