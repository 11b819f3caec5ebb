//! Lowers conditions: expressions of type `bool` that the program only tests.

use super::Lower;
use super::exp::Dest;
use super::value::Value;
use crate::anf::{Atom, Cmp, Cond, End, Label, Stmt};
use crate::prim::Prim;
use crate::source::Span;
use crate::typed::{Exp, ExpKind, Ty, TyKind};

/// A target: the code to run if a condition is true, or if it is false.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// Evaluates an expression and passes its value to the destination.
    Exp(&'a Exp, Dest),
    /// Jumps to a label.
    Jump(Label),
    /// Evaluates an expression for its effects, then jumps to a label.
    Loop(&'a Exp, Label),
    /// Tests another condition, and continues with one of two other targets.
    Cond(&'a Exp, &'a Target<'a>, &'a Target<'a>),
    /// Passes this boolean to the destination.
    Give(bool, Dest),
}

/// Returns the number of places in the code of a condition that give true, and the number of places that give false.
fn outcomes(cond: &Exp, constant: &impl Fn(&Exp) -> Option<bool>) -> (u32, u32) {
    match &cond.kind {
        ExpKind::If(_, yes, no) => {
            let (a, b) = outcomes(yes, constant);
            let (c, d) = outcomes(no, constant);
            (a + c, b + d)
        }
        _ => match constant(cond) {
            Some(true) => (1, 0),
            Some(false) => (0, 1),
            None => (1, 1),
        },
    }
}

impl Lower {
    /// Returns the value of an expression that is the constructor `true` or `false`, and `None` for other expressions.
    fn bool_constant(&self, exp: &Exp) -> Option<bool> {
        match &exp.kind {
            ExpKind::Con { con, .. } => Some(self.layouts.con(*con).index == 1),
            _ => None,
        }
    }

    fn target(&mut self, target: Target<'_>) -> End {
        match target {
            Target::Exp(exp, dest) => self.into(exp, dest),
            Target::Jump(label) => End::Jump(label, Vec::new()),
            Target::Loop(body, label) => {
                self.effect(body);
                End::Jump(label, Vec::new())
            }
            Target::Cond(cond, yes, no) => self.branch(cond, *yes, *no),
            Target::Give(outcome, dest) => {
                let value = Value::Atom(Atom::Int(i64::from(outcome)));
                self.give(value, dest, Span::NONE)
            }
        }
    }

    /// Returns a label for a target. If the target is not a jump to a label, emits a join point for the target.
    fn target_label(&mut self, target: Target<'_>) -> Label {
        if let Target::Jump(label) = target {
            return label;
        }
        let label = self.label();
        let body = self.block(|lower| lower.target(target));
        self.stmt(Stmt::Join {
            label,
            params: Vec::new(),
            body,
            recursive: false,
        });
        label
    }

    /// Evaluates a condition, and continues with the target `yes` or the target `no`.
    pub fn branch(&mut self, cond: &Exp, mut yes: Target<'_>, mut no: Target<'_>) -> End {
        match &cond.kind {
            ExpKind::If(first, then, otherwise) => {
                let (t, f) = outcomes(cond, &|exp| self.bool_constant(exp));
                if t > 1 {
                    yes = Target::Jump(self.target_label(yes));
                }
                if f > 1 {
                    no = Target::Jump(self.target_label(no));
                }
                self.branch(
                    first,
                    Target::Cond(then, &yes, &no),
                    Target::Cond(otherwise, &yes, &no),
                )
            }
            ExpKind::Con { .. } => {
                let target = if self.bool_constant(cond) == Some(true) {
                    yes
                } else {
                    no
                };
                self.target(target)
            }
            ExpKind::Let(decs, body) => {
                let mark = self.open(decs, body);
                if self.speculates(mark) {
                    // The targets are outside of the scope, so the code evaluates the condition first. The end of the
                    // scope drops the forks that are not needed.
                    let value = self.exp(body);
                    self.close(mark);
                    return self.branch_on(value, cond.span, yes, no);
                }
                // Every path to the targets joins or drops the forks of the scope.
                let offers = self.pending.split_off(mark.min(self.pending.len()));
                if offers.is_empty() {
                    return self.branch(body, yes, no);
                }
                let (yes, no) = (self.target_label(yes), self.target_label(no));
                self.pending.extend(offers);
                let end = self.branch(body, Target::Jump(yes), Target::Jump(no));
                self.pending.truncate(mark);
                end
            }
            ExpKind::Sequence(exps) if !exps.is_empty() => {
                for exp in &exps[..exps.len() - 1] {
                    self.effect(exp);
                }
                self.branch(&exps[exps.len() - 1], yes, no)
            }
            ExpKind::Apply(f, arg) => match &f.kind {
                ExpKind::Prim { prim, .. } => self.branch_primitive(*prim, arg, cond, yes, no),
                ExpKind::Fn(_) => self.branch_labels(cond, yes, no),
                _ => self.branch_value(cond, yes, no),
            },
            ExpKind::Case { .. } | ExpKind::Handle(..) | ExpKind::Raise(_) => {
                self.branch_labels(cond, yes, no)
            }
            _ => self.branch_value(cond, yes, no),
        }
    }

    /// Tests a condition whose code reaches each target from several places. So the targets become join points.
    fn branch_labels(&mut self, cond: &Exp, yes: Target<'_>, no: Target<'_>) -> End {
        let yes = self.target_label(yes);
        let no = self.target_label(no);
        self.into(cond, Dest::Branch { yes, no })
    }

    /// Computes the value of a condition that has no special form, and then tests this value.
    fn branch_value(&mut self, cond: &Exp, yes: Target<'_>, no: Target<'_>) -> End {
        let value = self.exp(cond);
        self.branch_on(value, cond.span, yes, no)
    }

    /// Tests the value of a condition.
    fn branch_on(&mut self, value: Value, span: Span, yes: Target<'_>, no: Target<'_>) -> End {
        match self.atom(value, span) {
            Atom::Int(0) => self.target(no),
            Atom::Int(_) => self.target(yes),
            atom => self.test(Cond::Int(Cmp::Ne, atom, Atom::Int(0)), yes, no),
        }
    }

    fn test(&mut self, cond: Cond, yes: Target<'_>, no: Target<'_>) -> End {
        self.choose(cond, |lower| lower.target(yes), |lower| lower.target(no))
    }

    fn branch_primitive(
        &mut self,
        prim: Prim,
        arg: &Exp,
        cond: &Exp,
        yes: Target<'_>,
        no: Target<'_>,
    ) -> End {
        let (prim, yes, no) = match prim {
            Prim::PolyNe => (Prim::PolyEq, no, yes),
            prim => (prim, yes, no),
        };
        if prim == Prim::PolyEq {
            let value = self.scrutinee(arg, &[]);
            let Some(ty) = self.compared(arg.ty) else {
                return self.target(no);
            };
            let a = self.field(value, arg.ty, 0, cond.span);
            let b = self.field(value, arg.ty, 1, cond.span);
            let parts = self.parts(ty, a, b, cond.span);
            let no = match parts.len() {
                0 => return self.target(yes),
                1 => no,
                _ => Target::Jump(self.target_label(no)),
            };
            return self.all_equal(&parts, cond.span, yes, no);
        }
        // The comparison of two values by `Prim::Same` depends on their type.
        if prim == Prim::Same || comparison(prim, Atom::Int(0), Atom::Int(0)).is_none() {
            return self.branch_value(cond, yes, no);
        }
        let value = self.scrutinee(arg, &[]);
        let operands = self.operands(prim, value, arg.ty, cond.span);
        match comparison(prim, operands[0], operands[1]) {
            Some(test) => self.test(test, yes, no),
            None => self.target(no),
        }
    }

    /// Compares pairs of parts one after the other. Continues with the target `yes` if the parts of each pair are equal, and otherwise with
    /// `no`.
    pub fn all_equal(
        &mut self,
        parts: &[(Ty, Value, Value)],
        span: Span,
        yes: Target<'_>,
        no: Target<'_>,
    ) -> End {
        let Some((&(ty, a, b), rest)) = parts.split_first() else {
            return self.target(yes);
        };
        let test = self.equal(ty, a, b, span);
        self.choose(
            test.cond(),
            |lower| lower.all_equal(rest, span, yes, no),
            |lower| lower.target(no),
        )
    }

    /// Returns the type of the operands of a comparison. `pair` is the type of the pair of the two operands.
    pub fn compared(&self, pair: Ty) -> Option<Ty> {
        match self.layouts.types.kind(pair) {
            TyKind::Record(fields) if fields.len() == 2 => Some(fields[0].1),
            _ => None,
        }
    }
}

/// Returns the condition that a primitive of two operands tests.
pub fn comparison(prim: Prim, a: Atom, b: Atom) -> Option<Cond> {
    Some(match prim {
        Prim::IntLt => Cond::Int(Cmp::Lt, a, b),
        Prim::IntLe => Cond::Int(Cmp::Le, a, b),
        Prim::IntGt => Cond::Int(Cmp::Gt, a, b),
        Prim::IntGe => Cond::Int(Cmp::Ge, a, b),
        Prim::IntEq => Cond::Int(Cmp::Eq, a, b),
        Prim::IntNe => Cond::Int(Cmp::Ne, a, b),
        Prim::WordLt => Cond::Word(Cmp::Lt, a, b),
        Prim::WordLe => Cond::Word(Cmp::Le, a, b),
        Prim::WordGt => Cond::Word(Cmp::Gt, a, b),
        Prim::WordGe => Cond::Word(Cmp::Ge, a, b),
        Prim::RealLt => Cond::Real(Cmp::Lt, a, b),
        Prim::RealLe => Cond::Real(Cmp::Le, a, b),
        Prim::RealGt => Cond::Real(Cmp::Gt, a, b),
        Prim::RealGe => Cond::Real(Cmp::Ge, a, b),
        Prim::RealEq => Cond::Real(Cmp::Eq, a, b),
        Prim::RealNe => Cond::Real(Cmp::Ne, a, b),
        _ => return None,
    })
}
