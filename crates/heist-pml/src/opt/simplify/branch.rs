//! Simplifies ends of blocks: decides branches, and uses the facts in each branch.

use std::collections::hash_map::Entry;

use super::{Def, Point, Simplifier, Undo, fold};
use crate::anf::{Atom, Block, Callee, Cmp, Cond, End, Rhs, Stmt, Var};
use crate::prim::{Effect, Prim};

impl Simplifier<'_> {
    /// Rewrites the end of a block. Returns the new end, or `None` if the walk continues with other statements and another end, which this
    /// function has stored in `point`.
    pub(super) fn end(&mut self, mut end: End, point: Point<'_>) -> Option<End> {
        end.map(&mut |atom| *atom = self.resolve(*atom));
        match end {
            End::If(cond, yes, no) => self.branch(cond, yes, no, point),
            End::Switch { on, cases, default } => self.switch(on, cases, default, point),
            End::Jump(label, args) => self.jump(label, args, point),
            End::TailCall(callee, args, span) => {
                let callee = self.callee(callee);
                self.tail_call(callee, args, span, point)
            }
            End::Return(atoms) => Some(self.tail(atoms, point.out)),
            End::Handle { body, exn, handler } => {
                if !may_raise(&body) {
                    go_on(*body, point);
                    return None;
                }
                let outside = std::mem::replace(&mut self.handled, true);
                let body = self.block(*body);
                self.handled = outside;
                let handler = self.block(*handler);
                Some(End::Handle {
                    body: Box::new(body),
                    exn,
                    handler: Box::new(handler),
                })
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                let right = Box::new(self.block(*right));
                let stolen = Box::new(self.block(*stolen));
                Some(End::Resume {
                    fork,
                    right,
                    taken,
                    stolen,
                })
            }
            End::Drop { fork, rest } => Some(End::Drop {
                fork,
                rest: Box::new(self.block(*rest)),
            }),
            End::Raise(..) | End::Unreachable => Some(end),
        }
    }

    /// Returns an end that returns these results from the function. If the last statement is a call with exactly these results, replaces
    /// the statement by a tail call as the end.
    fn tail(&mut self, atoms: Vec<Atom>, out: &mut Vec<Stmt>) -> End {
        if !self.handled
            && let Some(Stmt::Let(vars, Rhs::Call(..), _)) = out.last()
            && vars.len() == atoms.len()
            && vars
                .iter()
                .zip(&atoms)
                .all(|(var, atom)| Atom::Var(*var) == *atom)
            && let Some(Stmt::Let(_, Rhs::Call(callee, args), span)) = out.pop()
        {
            return End::TailCall(callee, args, span);
        }
        End::Return(atoms)
    }

    fn branch(
        &mut self,
        cond: Cond,
        yes: Box<Block>,
        no: Box<Block>,
        point: Point<'_>,
    ) -> Option<End> {
        let (cond, yes, no) = match self.truth_of(cond) {
            (cond, false) => (cond, yes, no),
            (cond, true) => (cond, no, yes),
        };
        if let Some(holds) = self.decided(cond) {
            go_on(if holds { *yes } else { *no }, point);
            return None;
        }
        let mark = self.undo.len();
        self.learn(cond, true);
        let yes = self.block(*yes);
        self.forget(mark);
        self.learn(cond, false);
        let no = self.block(*no);
        self.forget(mark);
        if let Some(both) = same(&yes, &no) {
            return Some(both);
        }
        Some(End::If(cond, Box::new(yes), Box::new(no)))
    }

    fn switch(
        &mut self,
        on: Atom,
        mut cases: Vec<(i64, Block)>,
        default: Option<Box<Block>>,
        point: Point<'_>,
    ) -> Option<End> {
        let value = match on {
            Atom::Int(value) => Some(value),
            Atom::Var(var) => self.values.get(&var).copied(),
            _ => None,
        };
        if let Some(value) = value {
            let at = cases.iter().position(|case| case.0 == value);
            let block = at
                .map(|at| cases.swap_remove(at).1)
                .or(default.map(|block| *block));
            go_on(
                block.unwrap_or(Block {
                    stmts: Vec::new(),
                    end: End::Unreachable,
                }),
                point,
            );
            return None;
        }
        cases.retain(|case| self.decided(Cond::Int(Cmp::Eq, on, Atom::Int(case.0))) != Some(false));
        if default.is_none() && cases.len() == 1 {
            go_on(cases.swap_remove(0).1, point);
            return None;
        }
        if cases.is_empty() {
            go_on(
                default.map_or(
                    Block {
                        stmts: Vec::new(),
                        end: End::Unreachable,
                    },
                    |block| *block,
                ),
                point,
            );
            return None;
        }
        if cases.len() + usize::from(default.is_some()) == 2 {
            let (value, first) = cases.swap_remove(0);
            let second = default.unwrap_or_else(|| Box::new(cases.swap_remove(0).1));
            return self.branch(
                Cond::Int(Cmp::Eq, on, Atom::Int(value)),
                Box::new(first),
                second,
                point,
            );
        }
        let mark = self.undo.len();
        let cases = cases
            .into_iter()
            .map(|(value, block)| {
                self.learn(Cond::Int(Cmp::Eq, on, Atom::Int(value)), true);
                let block = self.block(block);
                self.forget(mark);
                (value, block)
            })
            .collect();
        let default = default.map(|block| Box::new(self.block(*block)));
        Some(End::Switch { on, cases, default })
    }

    /// Replaces a condition that tests the boolean result of a comparison by the comparison itself. Returns other conditions unchanged. The
    /// second component of the result is true if the branches must be exchanged.
    fn truth_of(&self, cond: Cond) -> (Cond, bool) {
        if let Cond::Int(cmp @ (Cmp::Eq | Cmp::Ne), Atom::Var(var), Atom::Int(value @ (0 | 1))) =
            cond
            && let Some(Def::Prim(prim, args)) = self.defs.get(&var)
            && let Some(inner) = fold::comparison(*prim, args)
        {
            let negated = (cmp == Cmp::Eq) == (value == 0);
            return match fold::negation(inner) {
                Some(negation) if negated => (negation, false),
                _ => (inner, negated),
            };
        }
        (cond, false)
    }

    /// Returns whether a condition holds at the current place, or `None` if this is not known.
    pub(super) fn decided(&self, cond: Cond) -> Option<bool> {
        if let Some(holds) = fold::cond(cond) {
            return Some(holds);
        }
        if let Some(&holds) = self.holds.get(&cond) {
            return Some(holds);
        }
        let value = |atom: Atom| match atom {
            Atom::Var(var) => self
                .values
                .get(&var)
                .map_or(atom, |value| Atom::Int(*value)),
            other => other,
        };
        match cond {
            Cond::IsImm(Atom::Var(var)) => match self.defs.get(&var) {
                Some(Def::Alloc(..)) => Some(false),
                _ => None,
            },
            Cond::Int(cmp, a, b) => fold::cond(Cond::Int(cmp, value(a), value(b))),
            Cond::Word(cmp, a, b) => fold::cond(Cond::Word(cmp, value(a), value(b))),
            _ => None,
        }
    }

    /// Records that a condition is true or false until the end of the block.
    fn learn(&mut self, cond: Cond, holds: bool) {
        self.hold(cond, holds);
        if let Some(negation) = fold::negation(cond) {
            self.hold(negation, !holds);
        }
        let equal = match cond {
            Cond::Int(Cmp::Eq, a, b) if holds => Some((a, b)),
            Cond::Int(Cmp::Ne, a, b) if !holds => Some((a, b)),
            _ => None,
        };
        if let Some((Atom::Var(var), Atom::Int(value)) | (Atom::Int(value), Atom::Var(var))) = equal
        {
            self.value(var, value);
        }
    }

    fn hold(&mut self, cond: Cond, holds: bool) {
        if let Entry::Vacant(entry) = self.holds.entry(cond) {
            entry.insert(holds);
            self.undo.push(Undo::Holds(cond));
        }
    }

    fn value(&mut self, var: Var, value: i64) {
        if self.values.insert(var, value).is_none() {
            self.undo.push(Undo::Value(var));
        }
    }
}

/// Replaces the current end by the statements and the end of a block. The walk then continues with these statements.
pub(super) fn go_on(block: Block, point: Point<'_>) {
    *point.pending = block.stmts;
    point.pending.reverse();
    *point.end = block.end;
}

/// Returns the common end of the two branches of an `If`, or `None` if a branch has statements or the ends differ.
fn same(a: &Block, b: &Block) -> Option<End> {
    if !a.stmts.is_empty() || !b.stmts.is_empty() {
        return None;
    }
    match (&a.end, &b.end) {
        (End::Return(x), End::Return(y)) if x == y => Some(End::Return(x.clone())),
        (End::Jump(k, x), End::Jump(l, y)) if k == l && x == y => Some(End::Jump(*k, x.clone())),
        _ => None,
    }
}

/// Returns true if code in a block or in its join points may raise or call.
fn may_raise(block: &Block) -> bool {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::Let(_, Rhs::Call(..), _) => true,
        Stmt::Let(_, Rhs::Prim { prim, .. }, _) => {
            matches!(prim.effect(), Effect::Raise | Effect::Any) || runtime(*prim)
        }
        Stmt::Let(..) | Stmt::Funs(_) => false,
        Stmt::Join { body, .. } => may_raise(body),
    };
    block.stmts.iter().any(stmt)
        || matches!(
            block.end,
            End::Raise(..) | End::TailCall(..) | End::Resume { .. }
        )
        || block.end.blocks().into_iter().any(may_raise)
}

fn runtime(prim: Prim) -> bool {
    matches!(prim, Prim::Runtime(number) if crate::runtime::entry::table::FUNCTIONS[number as usize].raises)
}

/// Returns the function of a known call, or `None` for a call of a closure.
pub(super) fn known(callee: Callee) -> Option<Var> {
    match callee {
        Callee::Known(var) => Some(var),
        Callee::Closure(_) => None,
    }
}
