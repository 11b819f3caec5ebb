//! Chooses the joins that need no check.
//!
//! The left side of many forks ends with a call whose results are the results of the left side. If the fork cannot be published before this
//! call, it can be published only while the call runs. So code need not check after the call whether the fork was published. If a worker
//! publishes the fork, it replaces the return address of the call by a mark that leads to the call's *landing*, the slow path of the join.
//! If the fork was not published, the call returns to the code of the right side.

use rustc_hash::FxHashSet;

use super::safepoint::publishes_nothing;
use super::unit::NOWHERE;
use crate::anf::{Atom, Block, Callee, End, Label, Program, Rep, Rhs, Stmt, Var};

/// The maximum numbers of arguments in registers: of integers and pointers, and of reals.
const REGISTERS: (usize, usize) = (6, 8);

/// The call that ends the left side of a fork.
#[derive(Clone, Copy)]
pub struct LastCall<'b> {
    /// The function that is called.
    pub callee: Callee,
    /// The arguments.
    pub args: &'b [Atom],
    /// The variables that receive the results.
    pub vars: &'b [Var],
}

/// Returns the call that ends the left side of the fork at the statement `at`. Returns `None` if the left side is not in the same block, or
/// if a statement before the call lets a worker publish the fork.
#[must_use]
pub fn last_call(block: &Block, at: usize) -> Option<LastCall<'_>> {
    let (Stmt::Let(_, Rhs::Fork { fork, .. }, _), End::Resume { fork: ended, .. }) =
        (&block.stmts[at], &block.end)
    else {
        return None;
    };
    let (last, before) = block.stmts[at + 1..].split_last()?;
    let Stmt::Let(vars, Rhs::Call(callee, args), _) = last else {
        return None;
    };
    let is_quiet = before.iter().all(publishes_nothing);
    (fork == ended && is_quiet).then_some(LastCall {
        callee: *callee,
        args,
        vars,
    })
}

/// Returns the forks whose joins need no check. For each function, `returned` is true if the function returns its exception as an
/// additional result. `globals` has the offsets of the globals, indexed by variable.
#[must_use]
pub fn landings(program: &Program, returned: &[bool], globals: &[u32]) -> FxHashSet<Label> {
    let mut found = FxHashSet::default();
    // With clones, each join must check the deque of tasks. With eager promotion, code calls the runtime after the beginning of each fork.
    if program.clones || program.eager {
        return found;
    }
    let returning: FxHashSet<Var> = program
        .funs
        .iter()
        .zip(returned)
        .filter(|(_, returned)| **returned)
        .map(|(fun, _)| fun.name)
        .collect();
    let suits = |call: LastCall, left: &[Stmt]| {
        let has_global = |stmt: &Stmt| match stmt {
            Stmt::Let(vars, ..) => vars.iter().any(|var| globals[var.0 as usize] != NOWHERE),
            _ => true,
        };
        let returns = matches!(call.callee, Callee::Known(fun) if returning.contains(&fun));
        !left.iter().any(has_global) && !returns && is_in_registers(program, call)
    };
    let bodies = program.funs.iter().map(|fun| &fun.body);
    let mut waiting: Vec<&Block> = bodies.chain([&program.main]).collect();
    while let Some(block) = waiting.pop() {
        for (at, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                Stmt::Join { body, .. } => waiting.push(body),
                Stmt::Let(_, Rhs::Fork { fork, lazy, .. }, _) => {
                    let left = &block.stmts[at + 1..];
                    if !lazy && last_call(block, at).is_some_and(|call| suits(call, left)) {
                        found.insert(*fork);
                    }
                }
                Stmt::Let(..) | Stmt::Funs(_) => {}
            }
        }
        // Calls in a handled region get no landing, because they have a handler, and a call has at most one address besides its return
        // address.
        match &block.end {
            End::Handle { handler, .. } => waiting.push(handler),
            end => waiting.extend(end.blocks()),
        }
    }
    found
}

/// Returns true if the convention `SystemV` passes the arguments and the result of a call in the registers in which `Tail` passes them.
fn is_in_registers(program: &Program, call: LastCall) -> bool {
    let args = call.args.iter().map(|arg| program.rep(*arg));
    let reals = args.filter(|rep| *rep == Rep::Real).count();
    let words = call.args.len() - reals + usize::from(matches!(call.callee, Callee::Closure(_)));
    call.vars.len() <= 1 && words <= REGISTERS.0 && reals <= REGISTERS.1
}
