//! Removes forks whose left side has only a few instructions. Such a left side neither calls, polls nor allocates, so the fork ends before
//! another worker can see the fork. The Basis's loops over parallel arrays fork in each iteration, and the left side is the call of a
//! function. If the optimiser inlines this call, the left side may have only a few instructions. Without the fork, such a loop still
//! divides itself when `Par.asked` reports a request of an idle worker.

use super::light::is_light;
use crate::anf::{Block, End, Label, Program, Rhs, Stmt};

/// Removes the forks of a program whose left side has only a few instructions.
pub fn forks(program: &mut Program) {
    block(&mut program.main);
}

fn block(of: &mut Block) {
    let forks = of
        .stmts
        .iter()
        .enumerate()
        .filter_map(|(at, stmt)| match stmt {
            Stmt::Let(_, Rhs::Fork { fork, .. }, _) => Some((at, *fork)),
            _ => None,
        });
    // Forks are nested, so the loop begins with the last fork, which is the innermost fork.
    for (at, fork) in forks.collect::<Vec<_>>().into_iter().rev() {
        if is_quiet(&of.stmts[at + 1..], &of.end, fork, &mut Vec::new()) {
            let mut left = Block {
                stmts: of.stmts.split_off(at + 1),
                end: std::mem::replace(&mut of.end, End::Unreachable),
            };
            resume(&mut left, fork);
            of.stmts.pop();
            of.stmts.append(&mut left.stmts);
            of.end = left.end;
        }
    }
    for stmt in &mut of.stmts {
        match stmt {
            Stmt::Let(..) => {}
            Stmt::Join { body, .. } => block(body),
            Stmt::Funs(funs) => funs.iter_mut().for_each(|fun| block(&mut fun.body)),
        }
    }
    of.end.blocks_mut().into_iter().for_each(block);
}

/// Returns true if all paths through statements and an end consist of light statements, and lead to the end of the fork or raise. `inside`
/// has the join points whose paths this function has already checked.
fn is_quiet(stmts: &[Stmt], end: &End, fork: Label, inside: &mut Vec<Label>) -> bool {
    for stmt in stmts {
        match stmt {
            Stmt::Join {
                label,
                body,
                recursive: false,
                ..
            } => {
                if !is_quiet(&body.stmts, &body.end, fork, inside) {
                    return false;
                }
                inside.push(*label);
            }
            stmt if is_light(stmt) => {}
            _ => return false,
        }
    }
    match end {
        End::Resume { fork: ended, .. } | End::Drop { fork: ended, .. } => *ended == fork,
        End::Raise(..) | End::Unreachable => true,
        End::Jump(label, _) => inside.contains(label),
        End::If(..) | End::Switch { .. } => end
            .blocks()
            .into_iter()
            .all(|inner| is_quiet(&inner.stmts, &inner.end, fork, inside)),
        End::Return(_) | End::TailCall(..) | End::Handle { .. } => false,
    }
}

/// Replaces each end of the fork in a block by the code that follows this end: the right side, or the code after a drop.
fn resume(of: &mut Block, fork: Label) {
    for stmt in &mut of.stmts {
        if let Stmt::Join { body, .. } = stmt {
            resume(body, fork);
        }
    }
    match std::mem::replace(&mut of.end, End::Unreachable) {
        End::Resume {
            fork: ended,
            right: mut on,
            ..
        }
        | End::Drop {
            fork: ended,
            rest: mut on,
        } if ended == fork => {
            of.stmts.append(&mut on.stmts);
            of.end = on.end;
        }
        mut end => {
            for inner in end.blocks_mut() {
                resume(inner, fork);
            }
            of.end = end;
        }
    }
}
