//! Simplifies join points. If only one jump leads to a join point, the walk moves the join point's body to this jump. The walk copies small
//! bodies to all jumps. If a body first tests a parameter, the walk splits the join point, so that a jump with a known argument leads
//! directly to the correct branch.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::branch::go_on;
use super::{Copied, Point, Simplifier};
use crate::anf::{Atom, Block, End, Label, Rhs, Stmt, Var};
use crate::opt::census;
use crate::opt::rename::Renamer;

/// The maximum size of a join point's body that the walk copies to every jump.
const SMALL: usize = 3;

impl Simplifier<'_> {
    pub(super) fn join(
        &mut self,
        label: Label,
        params: Vec<Var>,
        body: Block,
        recursive: bool,
        out: &mut Vec<Stmt>,
    ) {
        let (jumps, crossed, informed) = match self.made.get(&label) {
            Some(&(jumps, crossed)) => (jumps, crossed, census::tested(&params, &body).is_some()),
            None => (
                self.census.jumps(label),
                self.census.crossed(label),
                self.census.informed(label),
            ),
        };
        if jumps == 0 {
            return;
        }
        if recursive && self.census.loops(label) {
            let body = self.block(body);
            out.push(Stmt::Join {
                label,
                params,
                body,
                recursive,
            });
            return;
        }
        if jumps == 1 && !crossed {
            self.moved.insert(label, (params, body));
            return;
        }
        let body = if informed && !crossed {
            self.split(&params, body, out)
        } else {
            body
        };
        let body = self.block(body);
        if !crossed && body.size(SMALL + 1) <= SMALL {
            self.copied.insert(
                label,
                Copied {
                    params: params.clone(),
                    body: Rc::new(body.clone()),
                },
            );
        }
        out.push(Stmt::Join {
            label,
            params,
            body,
            recursive: false,
        });
    }

    /// Simplifies a jump. Returns the new end, or `None` if the walk continues with the join point's body.
    pub(super) fn jump(&mut self, label: Label, args: Vec<Atom>, point: Point<'_>) -> Option<End> {
        if let Some((params, body)) = self.moved.remove(&label) {
            self.replaced.extend(params.into_iter().zip(args));
            go_on(body, point);
            return None;
        }
        let Some(copied) = self.copied.get(&label) else {
            return Some(End::Jump(label, args));
        };
        let body = copied.body.clone();
        let mut renamer = Renamer::new(self.program);
        for (param, arg) in copied.params.iter().zip(args) {
            renamer.replace(*param, arg);
        }
        let body = renamer.block(&body);
        go_on(body, point);
        None
    }

    /// Splits a body that tests a parameter first. The branches of the test become join points. Returns the rest of the body; this rest is
    /// small.
    fn split(&mut self, params: &[Var], mut body: Block, out: &mut Vec<Stmt>) -> Block {
        let mut bound: Vec<Var> = params.to_vec();
        for stmt in &body.stmts {
            if let Stmt::Let(vars, ..) = stmt {
                bound.extend(vars);
            }
        }
        for branch in body.end.blocks_mut() {
            if branch.size(SMALL) < SMALL && branch.stmts.is_empty() {
                continue;
            }
            let mut used = FxHashSet::default();
            mentioned(branch, &mut used);
            let passed: Vec<Var> = bound
                .iter()
                .copied()
                .filter(|var| used.contains(var))
                .collect();
            let label = self.program.label();
            let end = End::Jump(label, passed.iter().map(|var| Atom::Var(*var)).collect());
            let moved = std::mem::replace(
                branch,
                Block {
                    stmts: Vec::new(),
                    end,
                },
            );
            // The parameters are new variables, which replace the variables that the branch uses.
            let mut renamer = Renamer::moving(self.program);
            let params: Vec<Var> = passed.iter().map(|var| renamer.fresh(*var)).collect();
            let moved = renamer.block(&moved);
            let moved = self.block(moved);
            out.push(Stmt::Join {
                label,
                params,
                body: moved,
                recursive: false,
            });
        }
        body
    }
}

/// Adds all variables that a block mentions to `vars`.
pub fn mentioned(block: &Block, vars: &mut FxHashSet<Var>) {
    let mut atom = |atom: Atom| {
        if let Atom::Var(var) = atom {
            vars.insert(var);
        }
    };
    block.end.each(&mut atom);
    if let End::TailCall(crate::anf::Callee::Known(var), ..) = &block.end {
        vars.insert(*var);
    }
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(_, rhs, _) => {
                rhs.each(|atom| {
                    if let Atom::Var(var) = atom {
                        vars.insert(var);
                    }
                });
                if let Rhs::Call(crate::anf::Callee::Known(var), _) | Rhs::Fork { thief: var, .. } =
                    rhs
                {
                    vars.insert(*var);
                }
            }
            Stmt::Funs(funs) => funs.iter().for_each(|fun| mentioned(&fun.body, vars)),
            Stmt::Join { body, .. } => mentioned(body, vars),
        }
    }
    block
        .end
        .blocks()
        .into_iter()
        .for_each(|block| mentioned(block, vars));
}
