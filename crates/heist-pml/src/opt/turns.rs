//! Makes loops of functions that call themselves last, if they are turns of the loops of the Basis over parallel arrays.
//!
//! Such a function is called from two places, its home and the code that divides the loop for an idle worker, so it is no join
//! point (`contify`). As a loop it keeps its free variables in registers from turn to turn, while calls of itself would pass
//! them on.

use super::rename::Renamer;
use crate::anf::{Atom, Block, Callee, End, Fun, Label, Program, Rhs, Stmt, Var};
use crate::prim::Prim;

/// Transforms all such functions.
pub fn turns(program: &mut Program) {
    let mut main = std::mem::take(&mut program.main);
    block(program, &mut main);
    program.main = main;
}

fn block(program: &mut Program, of: &mut Block) {
    for stmt in &mut of.stmts {
        match stmt {
            Stmt::Let(..) => {}
            Stmt::Join { body, .. } => block(program, body),
            Stmt::Funs(funs) => {
                for fun in funs {
                    block(program, &mut fun.body);
                    if asks(&fun.body) {
                        turn(program, fun);
                    }
                }
            }
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

/// Returns true if code asks for idle workers, not counting functions inside.
fn asks(of: &Block) -> bool {
    of.stmts.iter().any(|stmt| match stmt {
        Stmt::Let(_, rhs, _) => matches!(
            rhs,
            Rhs::Prim {
                prim: Prim::ParAsked,
                ..
            }
        ),
        Stmt::Join { body, .. } => asks(body),
        Stmt::Funs(_) => false,
    }) || of.end.blocks().into_iter().any(asks)
}

/// Makes a loop of a function that calls itself in tail position; otherwise leaves it.
pub fn turn(program: &mut Program, fun: &mut Fun) {
    let label = program.label();
    if !redirect(&mut fun.body, fun.name, label) {
        return;
    }
    let fresh: Vec<Var> = {
        let mut renamer = Renamer::new(program);
        fun.params
            .iter()
            .map(|param| renamer.fresh(*param))
            .collect()
    };
    let params = std::mem::replace(&mut fun.params, fresh);
    let body = Block {
        stmts: Vec::new(),
        end: End::Jump(label, fun.params.iter().copied().map(Atom::Var).collect()),
    };
    let body = std::mem::replace(&mut fun.body, body);
    fun.body.stmts.push(Stmt::Join {
        label,
        params,
        body,
        recursive: true,
    });
}

/// Turns the calls of a function in tail position into jumps. Returns true if there are any.
pub fn redirect(of: &mut Block, name: Var, label: Label) -> bool {
    let mut any = false;
    for stmt in &mut of.stmts {
        if let Stmt::Join { body, .. } = stmt {
            any |= redirect(body, name, label);
        }
    }
    if let End::TailCall(Callee::Known(callee), args, _) = &mut of.end
        && *callee == name
    {
        of.end = End::Jump(label, std::mem::take(args));
        return true;
    }
    for inner in of.end.blocks_mut() {
        any |= redirect(inner, name, label);
    }
    any
}
