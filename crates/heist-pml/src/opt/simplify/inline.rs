//! Inlines calls: replaces each call by the body of the called function.

use std::rc::Rc;

use super::branch::{go_on, known};
use super::{Point, Simplifier};
use crate::anf::{Atom, Block, Callee, End, Fun, Rep, Rhs, Stmt, Var};
use crate::opt::divert::divert;
use crate::opt::rename::Renamer;
use crate::source::Span;

/// The maximum size of a function that the walk inlines at all of its calls.
const SMALL: usize = 16;
/// The size by which the limit [`SMALL`] grows for each argument that is a known function and that the body calls.
const FOR_KNOWN: usize = 60;
/// The size by which the limit [`SMALL`] grows for each constant argument.
const FOR_CONSTANT: usize = 4;

impl Simplifier<'_> {
    /// Simplifies a call that is not a tail call.
    pub(super) fn call(
        &mut self,
        vars: Vec<Var>,
        callee: Callee,
        args: Vec<Atom>,
        span: Span,
        point: Point<'_>,
    ) {
        let mut body = match self.inlined(callee, args, span) {
            Ok(body) => body,
            Err(args) => {
                let call = Rhs::Call(callee, args);
                point.out.push(Stmt::Let(vars, call, span));
                return;
            }
        };
        // If the body has no branches, its statements come before the code that follows the call.
        match body.end {
            End::Return(atoms) => {
                let bound = vars.into_iter().zip(atoms);
                let bound: Vec<_> = bound
                    .map(|(var, atom)| Stmt::Let(vec![var], Rhs::Atom(atom), span))
                    .collect();
                point.pending.extend(bound.into_iter().rev());
                point.pending.extend(body.stmts.into_iter().rev());
                return;
            }
            End::TailCall(callee, args, span) => {
                point
                    .pending
                    .push(Stmt::Let(vars, Rhs::Call(callee, args), span));
                point.pending.extend(body.stmts.into_iter().rev());
                return;
            }
            End::Raise(..) | End::Unreachable => {
                go_on(body, point);
                return;
            }
            _ => {}
        }
        // For other bodies, the code that follows the call becomes a join point, and jumps to it replace the returns of
        // the body.
        let label = self.program.label();
        let mut stmts = std::mem::take(point.pending);
        stmts.reverse();
        let rest = Block {
            stmts,
            end: std::mem::replace(point.end, End::Unreachable),
        };
        let reps: Vec<Rep> = vars
            .iter()
            .map(|var| self.program.rep(Atom::Var(*var)))
            .collect();
        let made = divert(self.program, &mut body, label, &reps);
        self.made.insert(label, made);
        *point.end = body.end;
        point.pending.extend(body.stmts.into_iter().rev());
        point.pending.push(Stmt::Join {
            label,
            params: vars,
            body: rest,
            recursive: false,
        });
    }

    /// Simplifies a call in tail position. Returns the new end, or `None` if the walk continues with the body of the called function.
    pub(super) fn tail_call(
        &mut self,
        callee: Callee,
        args: Vec<Atom>,
        span: Span,
        point: Point<'_>,
    ) -> Option<End> {
        match self.inlined(callee, args, span) {
            Ok(body) => {
                go_on(body, point);
                None
            }
            Err(args) => Some(End::TailCall(callee, args, span)),
        }
    }

    /// Returns the block that replaces a call if the walk inlines the call. Otherwise returns the arguments as the error.
    fn inlined(&mut self, callee: Callee, args: Vec<Atom>, span: Span) -> Result<Block, Vec<Atom>> {
        if let Some(mut fun) = known(callee).and_then(|name| self.once.remove(&name)) {
            // The call of a right side is not in the source text, so it has no place.
            if !fun.forked {
                self.program.places.inline_block(&mut fun.body, span);
            }
            self.replaced.extend(fun.params.into_iter().zip(args));
            return Ok(fun.body);
        }
        let Some(fun) = self.worthwhile(callee, &args) else {
            return Err(args);
        };
        let mut renamer = Renamer::inlining(self.program, span);
        for (param, arg) in fun.params.iter().zip(args) {
            renamer.replace(*param, arg);
        }
        let body = renamer.block(&fun.body);
        self.census.add(self.program, &body);
        Ok(body)
    }

    /// Returns the called function, if a copy of its body should replace this call.
    fn worthwhile(&mut self, callee: Callee, args: &[Atom]) -> Option<Rc<Fun>> {
        let candidate = self.candidates.get(&known(callee)?)?;
        let mut limit = SMALL + args.len();
        for (arg, called) in args.iter().zip(&candidate.called) {
            match arg {
                Atom::Var(var) if self.functions.contains(var) && *called => limit += FOR_KNOWN,
                Atom::Var(_) => {}
                _ => limit += FOR_CONSTANT,
            }
        }
        // The copy replaces a call, which has about this size. Each copy costs something, so that the walk ends if a function reaches
        // itself through a value, as in `fun f (D g) = g (D g)` with the argument `D f`.
        let growth = candidate.size.saturating_sub(args.len() + 2).max(1);
        if candidate.size > limit || growth > self.budget {
            return None;
        }
        self.budget -= growth;
        Some(candidate.fun.clone())
    }
}
