//! Lowers expressions.

mod apply;

use super::Lower;
use super::cond::Target;
use super::layout::Shape;
use super::matching::Fallback;
use super::value::{UNIT, Value};
use crate::anf::{Atom, Block, Cmp, Cond, End, Label, Rep, Stmt};
use crate::prim::BuiltinExn;
use crate::source::Span;
use crate::typed::{Exp, ExpKind, Otherwise, PatKind, Rule, Ty, TyKind};

/// The destination of the value that a block computes.
#[derive(Clone, Copy, Debug)]
pub enum Dest {
    /// The value is the function's result.
    Return {
        /// The result's type.
        ty: Ty,
        /// Whether calls at the end of the block may be tail calls.
        tail: bool,
    },
    /// A jump passes the value to a join point.
    Jump {
        /// The join point.
        label: Label,
        /// The value's type.
        ty: Ty,
        /// The number of words in which the jump passes the value.
        shape: Shape,
    },
    /// The value is a boolean, which determines the label of a jump.
    Branch {
        /// The label if the value is true.
        yes: Label,
        /// The label if the value is false.
        no: Label,
    },
}

impl Dest {
    /// Returns the same destination, but without tail calls, for code inside of a handled region.
    fn handled(self) -> Dest {
        match self {
            Dest::Return { ty, .. } => Dest::Return { ty, tail: false },
            other => other,
        }
    }
}

/// Translates the behaviour of a match without a matching rule.
pub fn fallback(otherwise: Otherwise) -> Fallback {
    match otherwise {
        Otherwise::Match | Otherwise::Rest => Fallback::Raise(BuiltinExn::Match),
        Otherwise::Bind => Fallback::Raise(BuiltinExn::Bind),
    }
}

impl Lower {
    /// Returns an end for the current block that passes `value` to `dest`.
    pub fn give(&mut self, value: Value, dest: Dest, span: Span) -> End {
        match dest {
            Dest::Return { ty, .. } => {
                let shape = self.layouts.result_shape(ty);
                let words = self.words(value, ty, shape, span);
                self.leaving(End::Return(words))
            }
            Dest::Jump { label, ty, shape } => End::Jump(label, self.words(value, ty, shape, span)),
            Dest::Branch { yes, no } => match self.atom(value, span) {
                Atom::Int(0) => End::Jump(no, Vec::new()),
                Atom::Int(_) => End::Jump(yes, Vec::new()),
                atom => self.choose(
                    Cond::Int(Cmp::Ne, atom, Atom::Int(0)),
                    |_| End::Jump(yes, Vec::new()),
                    |_| End::Jump(no, Vec::new()),
                ),
            },
        }
    }

    /// Evaluates an expression. Returns an end for the current block that passes the expression's value to `dest`.
    pub fn into(&mut self, exp: &Exp, dest: Dest) -> End {
        match &exp.kind {
            ExpKind::If(cond, yes, no) => {
                if let Dest::Branch { yes: t, no: f } = dest {
                    return self.branch(exp, Target::Jump(t), Target::Jump(f));
                }
                self.branch(cond, Target::Exp(yes, dest), Target::Exp(no, dest))
            }
            ExpKind::Case {
                scrutinee,
                rules,
                otherwise,
            } => self.case(scrutinee, rules, fallback(*otherwise), dest, exp.span),
            ExpKind::Let(decs, body) => {
                let mark = self.open(decs, body);
                if self.speculates(mark) && !matches!(dest, Dest::Return { .. }) {
                    let value = self.exp(body);
                    self.close(mark);
                    return self.give(value, dest, exp.span);
                }
                let end = self.into(body, dest);
                self.pending.truncate(mark);
                end
            }
            ExpKind::Sequence(exps) => {
                let Some((last, first)) = exps.split_last() else {
                    return self.give(UNIT, dest, exp.span);
                };
                for exp in first {
                    self.effect(exp);
                }
                self.into(last, dest)
            }
            ExpKind::Handle(body, rules) => {
                let body = self.block(|lower| lower.into(body, dest.handled()));
                let exn = self.fresh(Rep::Ptr, self.names.exn);
                let ty = rules.first().map(|rule| rule.pat.ty);
                let handler = self.block(|lower| match ty {
                    Some(ty) => lower.rules(
                        Value::Atom(Atom::Var(exn)),
                        ty,
                        rules,
                        Fallback::Reraise,
                        dest,
                        exp.span,
                    ),
                    None => End::Raise(Atom::Var(exn), exp.span),
                });
                End::Handle {
                    body: Box::new(body),
                    exn,
                    handler: Box::new(handler),
                }
            }
            ExpKind::Raise(exn) => {
                let value = self.exp(exn);
                let atom = self.atom(value, exn.span);
                End::Raise(atom, exp.span)
            }
            ExpKind::Apply(f, arg) => self.apply_into(exp, f, arg, dest),
            _ => {
                let value = self.exp(exp);
                self.give(value, dest, exp.span)
            }
        }
    }

    /// Evaluates an expression for its effects.
    pub fn effect(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::If(..) | ExpKind::Case { .. } | ExpKind::Handle(..) => {
                self.control(exp, Shape::Nothing);
            }
            ExpKind::Let(decs, body) => {
                let mark = self.open(decs, body);
                self.effect(body);
                self.close(mark);
            }
            ExpKind::Sequence(exps) => {
                for exp in exps {
                    self.effect(exp);
                }
            }
            ExpKind::Record(fields) => {
                for (_, exp) in fields {
                    self.effect(exp);
                }
            }
            _ => {
                self.exp(exp);
            }
        }
    }

    /// Adds the code of an expression to the current block. Returns the expression's value.
    pub fn exp(&mut self, exp: &Exp) -> Value {
        match &exp.kind {
            ExpKind::Const(value) => self.constant(value),
            ExpKind::Var { var, .. } => self.lookup(*var),
            ExpKind::Con { con, .. } => match self.layouts.con(*con).arg {
                None => self.constructor(*con, None, exp.ty, exp.span),
                Some(_) => {
                    let (con, name) = (*con, self.layouts.con(*con).name);
                    self.eta(exp.ty, name, exp.span, |lower, arg, _, to| {
                        lower.constructor(con, Some(arg), to, exp.span)
                    })
                }
            },
            ExpKind::Exn(tag) => match *self.layouts.types.kind(exp.ty) {
                TyKind::Arrow(..) => {
                    let (tag, name) = (*tag, self.names.exn);
                    self.eta(exp.ty, name, exp.span, |lower, arg, from, _| {
                        lower.exn_apply(tag, arg, from, exp.span)
                    })
                }
                _ => self.exn_constant(*tag),
            },
            ExpKind::Prim { prim, ty } => match *self.layouts.types.kind(*ty) {
                TyKind::Arrow(..) => {
                    let name = self.names.function;
                    // The span is unknown, so that an exception of the primitive gets the place of its caller.
                    self.eta(*ty, name, Span::NONE, |lower, arg, from, to| {
                        lower.primitive(*prim, arg, from, to, Span::NONE)
                    })
                }
                // The primitive takes no argument and returns a constant of the runtime.
                _ => {
                    let unit = self.layouts.types.unit();
                    self.primitive(*prim, UNIT, unit, *ty, exp.span)
                }
            },
            ExpKind::Record(fields) => {
                // The fields are evaluated in the order of the source text, and then sorted by labels.
                let mut values: Vec<_> = fields
                    .iter()
                    .map(|(label, exp)| (*label, self.exp(exp)))
                    .collect();
                if let Some(record) = self.layouts.record(exp.ty) {
                    values.sort_by_key(|(label, _)| record.position(*label));
                }
                let values = values.into_iter().map(|(_, value)| value).collect();
                self.record(exp.ty, values)
            }
            ExpKind::Select(label, inner) => {
                let value = self.scrutinee(inner, &[]);
                let position = self
                    .layouts
                    .record(inner.ty)
                    .and_then(|record| record.position(*label));
                match position {
                    Some(position) => self.field(value, inner.ty, position, exp.span),
                    None => UNIT,
                }
            }
            ExpKind::Apply(f, arg) => self.apply(exp, f, arg),
            ExpKind::Fn(rules) => self.lambda(rules, exp),
            ExpKind::Case {
                scrutinee,
                rules,
                otherwise,
            } => {
                let value = self.case_value(scrutinee, rules, fallback(*otherwise));
                value.unwrap_or_else(|| self.control(exp, self.join_shape(exp)))
            }
            ExpKind::If(..) | ExpKind::Handle(..) | ExpKind::Raise(_) => {
                self.control(exp, self.join_shape(exp))
            }
            ExpKind::While(cond, body) => {
                self.while_loop(cond, body);
                UNIT
            }
            ExpKind::Sequence(exps) => {
                let Some((last, first)) = exps.split_last() else {
                    return UNIT;
                };
                for exp in first {
                    self.effect(exp);
                }
                self.exp(last)
            }
            ExpKind::Let(decs, body) => {
                let mark = self.open(decs, body);
                let value = self.exp(body);
                self.close(mark);
                value
            }
            ExpKind::ParTuple(parts) => self.parallel_tuple(parts, exp.ty),
        }
    }

    /// Evaluates an expression before a match of its value against patterns. Where possible, the result has the fields of a record
    /// separately, without an object.
    pub fn scrutinee(&mut self, exp: &Exp, pats: &[&PatKind]) -> Value {
        let apart = pats
            .iter()
            .all(|pat| matches!(pat, PatKind::Record(_) | PatKind::Wild));
        match &exp.kind {
            ExpKind::If(..) | ExpKind::Handle(..) | ExpKind::Case { .. } if apart => {
                if let ExpKind::Case {
                    scrutinee,
                    rules,
                    otherwise,
                } = &exp.kind
                    && let Some(value) = self.case_value(scrutinee, rules, fallback(*otherwise))
                {
                    return value;
                }
                let shape = self.layouts.argument_shape(exp.ty);
                self.control(exp, shape)
            }
            ExpKind::Let(decs, body) => {
                let mark = self.open(decs, body);
                let value = self.scrutinee(body, pats);
                self.close(mark);
                value
            }
            _ => self.exp(exp),
        }
    }

    /// Returns the best shape for the value of an expression that branches. The shape is [`Shape::Flat`] only if at least one branch
    /// computes the fields of the record separately.
    fn join_shape(&self, exp: &Exp) -> Shape {
        match self.layouts.result_shape(exp.ty) {
            Shape::Flat if !self.gives_fields(exp) => Shape::Word,
            shape => shape,
        }
    }

    fn gives_fields(&self, exp: &Exp) -> bool {
        match &exp.kind {
            ExpKind::Record(_) | ExpKind::ParTuple(_) => true,
            ExpKind::Var { var, .. } => {
                matches!(
                    self.env[var.index()],
                    super::Binding::Value(Value::Record(_))
                )
            }
            ExpKind::Apply(f, _) => match &f.kind {
                ExpKind::Fn(rules) => rules.iter().any(|rule| self.gives_fields(&rule.exp)),
                ExpKind::Prim { .. } => false,
                _ => true,
            },
            ExpKind::Case { rules, .. } => rules.iter().any(|rule| self.gives_fields(&rule.exp)),
            ExpKind::If(_, yes, no) => self.gives_fields(yes) || self.gives_fields(no),
            ExpKind::Handle(body, rules) => {
                self.gives_fields(body) || rules.iter().any(|rule| self.gives_fields(&rule.exp))
            }
            ExpKind::Let(_, body) => self.gives_fields(body),
            ExpKind::Sequence(exps) => exps.last().is_some_and(|last| self.gives_fields(last)),
            _ => false,
        }
    }

    /// Evaluates an expression that branches, and continues after it in the body of a join point. Returns the expression's value.
    fn control(&mut self, exp: &Exp, shape: Shape) -> Value {
        let label = self.label();
        let dest = Dest::Jump {
            label,
            ty: exp.ty,
            shape,
        };
        let rest = self.block(|lower| lower.into(exp, dest));
        self.go_on(rest, label, exp.ty, shape)
    }

    /// Ends the current part of the block with `rest`, which passes a value to the join point `label`, and continues in the body of this
    /// join point. Returns the value.
    pub fn go_on(&mut self, rest: Block, label: Label, ty: Ty, shape: Shape) -> Value {
        if let End::Jump(to, words) = &rest.end
            && *to == label
            && !rest
                .stmts
                .iter()
                .any(|stmt| matches!(stmt, Stmt::Join { .. }))
        {
            let words = words.clone();
            self.splice(rest.stmts);
            return self.value_of_words(&words, ty, shape);
        }
        let name = self.names.join;
        let (params, value) = self.params(ty, shape, name);
        self.cut(rest, label, params);
        value
    }

    fn while_loop(&mut self, cond: &Exp, body: &Exp) {
        let (again, done) = (self.label(), self.label());
        let rest = self.block(|lower| {
            lower.level += 1;
            let body = lower
                .block(|lower| lower.branch(cond, Target::Loop(body, again), Target::Jump(done)));
            lower.level -= 1;
            lower.stmt(Stmt::Join {
                label: again,
                params: Vec::new(),
                body,
                recursive: true,
            });
            End::Jump(again, Vec::new())
        });
        self.cut(rest, done, Vec::new());
    }

    /// Lowers a `case`: evaluates an expression and matches its value against rules. Returns an end for the current block.
    fn case(
        &mut self,
        scrutinee: &Exp,
        rules: &[Rule],
        fallback: Fallback,
        dest: Dest,
        span: Span,
    ) -> End {
        let pats: Vec<&PatKind> = rules.iter().map(|rule| &rule.pat.kind).collect();
        let value = self.scrutinee(scrutinee, &pats);
        self.rules(value, scrutinee.ty, rules, fallback, dest, span)
    }

    /// Adds the code of the first rule to the current block, without a join point, and returns the rule's value. Returns `None` if the
    /// first rule does not always apply.
    fn case_value(&mut self, scrutinee: &Exp, rules: &[Rule], fallback: Fallback) -> Option<Value> {
        let rule = rules.first()?;
        if !self.irrefutable(&rule.pat) {
            return None;
        }
        let value = self.scrutinee(scrutinee, &[&rule.pat.kind]);
        self.bind_pattern(value, &rule.pat, fallback);
        Some(self.exp(&rule.exp))
    }
}
