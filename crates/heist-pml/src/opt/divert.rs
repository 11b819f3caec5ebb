//! Prepares a copy of a function's body for a place in another function where more code follows: replaces the returns by jumps to that
//! code.

use crate::anf::{Atom, Block, End, Label, Program, Rep, Rhs, Stmt, Var};

/// Replaces the returns in a function's body by jumps that pass the results to a label. Tail calls become plain calls. Returns the number
/// of these jumps, and whether at least one of them leaves a handled region.
pub fn divert(program: &mut Program, body: &mut Block, label: Label, reps: &[Rep]) -> (u32, bool) {
    let mut diversion = Diversion {
        program,
        label,
        reps,
        jumps: 0,
        crossed: false,
        handled: false,
    };
    diversion.block(body);
    (diversion.jumps, diversion.crossed)
}

struct Diversion<'a> {
    program: &'a mut Program,
    label: Label,
    reps: &'a [Rep],
    jumps: u32,
    crossed: bool,
    handled: bool,
}

impl Diversion<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let Stmt::Join { body, .. } = stmt {
                self.block(body);
            }
        }
        match &mut block.end {
            End::Return(atoms) => {
                let atoms = std::mem::take(atoms);
                self.jump(block, atoms);
            }
            End::TailCall(callee, args, span) => {
                let vars: Vec<Var> = self
                    .reps
                    .iter()
                    .map(|rep| self.program.fresh(*rep, "r"))
                    .collect();
                let results = vars.iter().map(|var| Atom::Var(*var)).collect();
                block.stmts.push(Stmt::Let(
                    vars,
                    Rhs::Call(*callee, std::mem::take(args)),
                    *span,
                ));
                self.jump(block, results);
            }
            End::Handle { body, handler, .. } => {
                let outside = std::mem::replace(&mut self.handled, true);
                self.block(body);
                self.handled = outside;
                self.block(handler);
            }
            end => end
                .blocks_mut()
                .into_iter()
                .for_each(|block| self.block(block)),
        }
    }

    fn jump(&mut self, block: &mut Block, args: Vec<Atom>) {
        self.jumps += 1;
        self.crossed |= self.handled;
        block.end = End::Jump(self.label, args);
    }
}
