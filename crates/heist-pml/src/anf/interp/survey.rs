//! Finds the functions, join points and forks of a program before it runs.

use super::super::{Atom, Block, Callee, End, Rhs, Stmt, Var};
use super::Machine;

impl<'p> Machine<'p> {
    /// Records the functions, join points and forks in a block.
    pub(super) fn survey(&mut self, block: &'p Block, region: usize) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(
                    _,
                    Rhs::Fork {
                        fork, thief, args, ..
                    },
                    _,
                ) => {
                    self.forks.insert(*fork, (*thief, args));
                }
                Stmt::Let(..) => {}
                Stmt::Funs(funs) => {
                    let mut free = Vec::new();
                    for fun in funs {
                        self.funs.insert(fun.name, fun);
                        self.survey(&fun.body, 0);
                        uses_of(&fun.body, &mut free);
                    }
                    free.sort_unstable();
                    free.dedup();
                    let names: Vec<Var> = funs.iter().map(|fun| fun.name).collect();
                    for fun in funs {
                        self.groups.insert(fun.name, (free.clone(), names.clone()));
                    }
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    ..
                } => {
                    self.joins.insert(*label, (region, params, body));
                    self.survey(body, region);
                }
            }
        }
        match &block.end {
            End::Handle { body, handler, .. } => {
                let inside = self.regions.len() + 1;
                self.regions.insert(&raw const **body, inside);
                self.survey(body, inside);
                self.survey(handler, region);
            }
            end => {
                for block in end.blocks() {
                    self.survey(block, region);
                }
            }
        }
    }
}

/// Adds all variables that a block mentions to `out`.
fn uses_of(block: &Block, out: &mut Vec<Var>) {
    let mut add = |atom: Atom| {
        if let Atom::Var(var) = atom {
            out.push(var);
        }
    };
    for stmt in &block.stmts {
        if let Stmt::Let(_, rhs, _) = stmt {
            rhs.each(&mut add);
            if let Rhs::Call(Callee::Known(fun), _) | Rhs::Fork { thief: fun, .. } = rhs {
                add(Atom::Var(*fun));
            }
        }
    }
    block.end.each(&mut add);
    if let End::TailCall(Callee::Known(fun), ..) = &block.end {
        add(Atom::Var(*fun));
    }
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(..) => {}
            Stmt::Funs(funs) => funs.iter().for_each(|fun| uses_of(&fun.body, out)),
            Stmt::Join { body, .. } => uses_of(body, out),
        }
    }
    for block in block.end.blocks() {
        uses_of(block, out);
    }
}
