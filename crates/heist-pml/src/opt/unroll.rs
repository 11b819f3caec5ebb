//! Unrolls small recursive functions: replaces each recursive call that is not in tail position by a copy of the body. The recursive calls
//! in the copies remain calls.
//!
//! The copies remove half of the calls. If the recursion is tree-shaped, the copies remove most of the calls, because the code for the
//! leaves is then in the caller.

use crate::anf::{Block, Callee, End, Fun, Program, Rep, Rhs, Stmt, Var};

use super::divert::divert;
use super::rename::Renamer;

/// The maximum size of a body that the pass copies.
const LARGEST: usize = 30;
/// The maximum number of recursive calls in a function that the pass unrolls.
const CALLS: usize = 2;

/// Unrolls all small recursive functions of a program.
pub fn unroll(program: &mut Program) {
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
                if let [fun] = &mut funs[..]
                    && fun.body.size(LARGEST) < LARGEST
                    && calls(&fun.body, fun.name).is_some_and(|calls| (1..=CALLS).contains(&calls))
                {
                    let original = fun.clone();
                    replace(program, &original, &mut fun.body);
                } else {
                    funs.iter_mut()
                        .for_each(|fun| block(program, &mut fun.body));
                }
            }
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

/// Returns the number of calls of a function that are not in tail position. Returns `None` if the block defines functions, handles
/// exceptions or contains loops. The pass does not copy such a block.
fn calls(block: &Block, name: Var) -> Option<usize> {
    let mut count = 0;
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(_, Rhs::Call(callee, _), _) => {
                count += usize::from(*callee == Callee::Known(name));
            }
            Stmt::Let(..) => {}
            Stmt::Join {
                recursive: false,
                body,
                ..
            } => count += calls(body, name)?,
            Stmt::Funs(funs) if funs.iter().all(|fun| fun.forked) => {}
            Stmt::Funs(_) | Stmt::Join { .. } => return None,
        }
    }
    match &block.end {
        End::Handle { .. } => return None,
        End::TailCall(Callee::Known(callee), ..) if *callee == name => return None,
        _ => {}
    }
    for inner in block.end.blocks() {
        count += calls(inner, name)?;
    }
    Some(count)
}

/// Replaces the calls of a function in a block by copies of the function's body.
fn replace(program: &mut Program, fun: &Fun, of: &mut Block) {
    for stmt in &mut of.stmts {
        if let Stmt::Join { body, .. } = stmt {
            replace(program, fun, body);
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| replace(program, fun, inner));
    let is_call = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, Rhs::Call(callee, _), _) if *callee == Callee::Known(fun.name));
    // The loop begins with the last call, so that the code after a call is already rewritten.
    let mut end = of.stmts.len();
    while let Some(at) = of.stmts[..end].iter().rposition(is_call) {
        end = at;
        let rest = Block {
            stmts: of.stmts.split_off(at + 1),
            end: std::mem::replace(&mut of.end, End::Unreachable),
        };
        let Some(Stmt::Let(results, Rhs::Call(_, args), span)) = of.stmts.pop() else {
            unreachable!("found above");
        };
        let mut renamer = Renamer::inlining(program, span);
        for (param, arg) in fun.params.iter().zip(args) {
            renamer.replace(*param, arg);
        }
        let mut body = renamer.block(&fun.body);
        let after = program.label();
        let reps: Vec<Rep> = results
            .iter()
            .map(|var| program.vars[var.0 as usize].rep)
            .collect();
        divert(program, &mut body, after, &reps);
        of.stmts.push(Stmt::Join {
            label: after,
            params: results,
            body: rest,
            recursive: false,
        });
        // The code of the body follows the statements before the call.
        of.stmts.extend(body.stmts);
        of.end = body.end;
    }
}
