//! Each of the Basis's loops over parallel arrays is a function that calls itself in tail position. This pass turns these functions into
//! loops.
//!
//! Two places call the function of such a loop: the function that defines it, and the code that divides the loop for an idle worker. So
//! `contify` cannot turn the function of such a loop into a join point. After this pass, the function keeps its free variables in registers
//! from iteration to iteration, and does not pass them in calls of itself.

use super::rename::Renamer;
use crate::anf::{Atom, Block, Callee, End, Fun, Label, Program, Rhs, Stmt, Var};
use crate::prim::Prim;

/// Turns the functions of the Basis's loops over parallel arrays in a program into loops.
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

/// Returns true if the code of a block, not counting functions in it, checks for requests of idle workers.
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

/// Turns a function that calls itself in tail position into a loop. Does not change other functions.
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

/// Turns the tail calls of a function in a block into jumps to a label. Returns true if there are such calls.
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
