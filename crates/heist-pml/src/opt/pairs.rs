//! Turns two functions that call each other in tail position, such as `even` and `odd`, into a loop.
//!
//! One function of the pair, the *head*, receives a copy of the other function as a join point. The head then calls only itself, so it
//! becomes a loop, which keeps values in registers from iteration to iteration. The other function also remains, for callers outside of the
//! pair.

use super::rename::Renamer;
use super::turns::redirect;
use crate::anf::{Atom, Block, Callee, End, Fun, Program, Rhs, Stmt, Var};

/// The maximum size of a function that the pass copies into the head.
const LARGEST: usize = 60;

/// Turns all pairs of functions of a program that call each other in tail position into loops.
pub fn pairs(program: &mut Program) {
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
                if let [one, two] = &mut funs[..]
                    && is_pair(one, two)
                {
                    let (head, other) = if one.body.size(LARGEST) < two.body.size(LARGEST) {
                        (two, one)
                    } else {
                        (one, two)
                    };
                    if other.body.size(LARGEST) < LARGEST {
                        absorb(program, head, other);
                    }
                }
                for fun in funs {
                    block(program, &mut fun.body);
                }
            }
        }
    }
    of.end
        .blocks_mut()
        .into_iter()
        .for_each(|inner| block(program, inner));
}

/// Returns true if two functions call each other, and use each other and themselves only in tail calls.
fn is_pair(one: &Fun, two: &Fun) -> bool {
    let calls = |from: &Fun, to: &Fun| tail_calls(&from.body, to.name);
    let themselves = calls(one, one).is_some() && calls(two, two).is_some();
    let other = |calls: Option<usize>| calls.is_some_and(|calls| calls > 0);
    !one.forked && !two.forked && themselves && other(calls(one, two)) && other(calls(two, one))
}

/// Returns the number of tail calls of a function, or `None` if the block uses the function in another way.
fn tail_calls(of: &Block, name: Var) -> Option<usize> {
    let mut count = 0;
    let mut value = false;
    for stmt in &of.stmts {
        match stmt {
            Stmt::Let(_, rhs, _) => {
                value |= matches!(rhs, Rhs::Call(Callee::Known(callee), _) if *callee == name);
                value |= matches!(rhs, Rhs::Fork { thief, .. } if *thief == name);
                rhs.each(|atom| value |= atom == Atom::Var(name));
            }
            Stmt::Join { body, .. } => count += tail_calls(body, name)?,
            // A tail call in an inner function returns to the caller of the inner function, so it does not count.
            Stmt::Funs(funs) => {
                for fun in funs {
                    value |= tail_calls(&fun.body, name)? > 0;
                }
            }
        }
    }
    of.end.each(|atom| value |= atom == Atom::Var(name));
    if let End::TailCall(Callee::Known(callee), ..) = &of.end {
        count += usize::from(*callee == name);
    }
    for inner in of.end.blocks() {
        count += tail_calls(inner, name)?;
    }
    (!value).then_some(count)
}

/// Puts a copy of `other` into `head` as a join point, and replaces the calls in `head` by jumps.
fn absorb(program: &mut Program, head: &mut Fun, other: &Fun) {
    let label = program.label();
    let mut renamer = Renamer::new(program);
    let params = (other.params.iter())
        .map(|param| renamer.fresh(*param))
        .collect();
    let mut copy = renamer.block(&other.body);
    let recursive = redirect(&mut copy, other.name, label);
    redirect(&mut head.body, other.name, label);
    head.body.stmts.insert(
        0,
        Stmt::Join {
            label,
            params,
            body: copy,
            recursive,
        },
    );
}
