//! Chooses the functions that return their exceptions.
//!
//! A raise searches the frames of the stack for a handler, which takes as long as about twenty calls. If a program uses exceptions for
//! frequent events, such as a match that fails, most of its exceptions are handled one or two calls away from the raise. This module
//! chooses functions that get an additional result: the exception that the function raises, or 0. The caller of a chosen function tests
//! this result. If the result is an exception, the caller continues at its own handler, or also returns the exception. If the runtime, or a
//! function that is not chosen, raises an exception, the runtime unwinds the frame of a chosen function like any other frame.
//!
//! The module chooses a function that meets all of these conditions:
//! - The program uses the function only in calls by name, the function has no fork, and no thief runs it as a right side.
//! - Outside of handled regions, the function raises or calls a chosen function.
//! - Each call of the function is in a handled region or in a chosen function. So the message about an exception without a handler still
//!   lists the calls that had not returned.
//! - The function makes tail calls only to chosen functions and to functions that cannot call it again, directly or indirectly. A chosen
//!   function's tail call of another function becomes a plain call, which leaves the caller's frame on the stack.
//! - At most [`FAR`] calls lead to the function from a call in a handled region. Without this limit, a handler for rare failures in `main`
//!   would make every function of the program test for exceptions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::anf::{Block, Callee, End, Program, Rhs, Static, Stmt, Var};

/// The maximum number of calls between a handled region and a chosen function.
const FAR: usize = 3;
/// The maximum number of results of a chosen function, without the exception.
const RESULTS: usize = 3;

/// A call of a function by name.
#[derive(Clone, Copy)]
struct Call {
    callee: usize,
    handled: bool,
    tail: bool,
}

/// Facts about a function.
#[derive(Default)]
struct Facts {
    /// Whether the function raises outside of handled regions.
    raises: bool,
    /// Whether the function has forks.
    forks: bool,
    /// Whether the function calls closures.
    unknown: bool,
    /// Whether the function calls closures in tail position.
    unknown_tail: bool,
    calls: Vec<Call>,
}

struct Survey {
    numbers: FxHashMap<Var, usize>,
    /// For each function, whether the program also uses the function as a value.
    taken: Vec<bool>,
    facts: Facts,
}

/// Returns, for each function of the program, whether the function is chosen.
pub fn returned(program: &Program) -> Vec<bool> {
    let numbers = program.funs.iter().enumerate();
    let mut survey = Survey {
        numbers: numbers.map(|(at, fun)| (fun.name, at)).collect(),
        taken: vec![false; program.funs.len()],
        facts: Facts::default(),
    };
    let mut all: Vec<Facts> = Vec::with_capacity(program.funs.len());
    for fun in &program.funs {
        survey.block(&fun.body, false);
        all.push(std::mem::take(&mut survey.facts));
    }
    survey.block(&program.main, false);
    let main = survey.facts;
    for object in &program.statics {
        if let Static::Closure(fun) = object
            && let Some(number) = survey.numbers.get(fun)
        {
            survey.taken[*number] = true;
        }
    }
    let near = near(&all, &main);
    let mut chosen: Vec<bool> = program
        .funs
        .iter()
        .enumerate()
        .map(|(at, fun)| {
            let by_name =
                !survey.taken[at] && !fun.forked && !all[at].forks && !all[at].unknown_tail;
            by_name && near[at] && fun.results.len() <= RESULTS
        })
        .collect();
    while drop_some(&all, &main, &mut chosen) {}
    chosen
}

/// Returns, for each function, whether at most [`FAR`] calls lead to it from a call in a handled region.
fn near(all: &[Facts], main: &Facts) -> Vec<bool> {
    let mut near = vec![false; all.len()];
    let mut next: Vec<usize> = Vec::new();
    for call in all.iter().chain([main]).flat_map(|facts| &facts.calls) {
        if call.handled && !std::mem::replace(&mut near[call.callee], true) {
            next.push(call.callee);
        }
    }
    for _ in 0..FAR {
        for caller in std::mem::take(&mut next) {
            for call in &all[caller].calls {
                if !call.handled && !std::mem::replace(&mut near[call.callee], true) {
                    next.push(call.callee);
                }
            }
        }
    }
    near
}

/// Removes functions that do not meet the conditions from the current choice. Returns true if this removes at least one function.
fn drop_some(all: &[Facts], main: &Facts, chosen: &mut [bool]) -> bool {
    let mut keeps = chosen.to_vec();
    // Drops functions whose callers do not pass on exceptions.
    let others = all.iter().enumerate().filter(|(at, _)| !chosen[*at]);
    for facts in others.map(|(_, facts)| facts).chain([main]) {
        for call in facts.calls.iter().filter(|call| !call.handled) {
            keeps[call.callee] = false;
        }
    }
    // Drops functions that do not raise.
    let mut raises = vec![false; all.len()];
    let mut callers = vec![Vec::new(); all.len()];
    let mut next = Vec::new();
    for (at, facts) in all.iter().enumerate().filter(|(at, _)| chosen[*at]) {
        for call in facts.calls.iter().filter(|call| !call.handled) {
            callers[call.callee].push(at);
        }
        if facts.raises {
            raises[at] = true;
            next.push(at);
        }
    }
    while let Some(at) = next.pop() {
        for caller in &callers[at] {
            if !std::mem::replace(&mut raises[*caller], true) {
                next.push(*caller);
            }
        }
    }
    for (keep, raises) in keeps.iter_mut().zip(raises) {
        *keep &= raises;
    }
    // Drops functions whose tail calls would become plain calls within a recursion.
    for (at, keep) in keeps.iter_mut().enumerate().filter(|(_, keep)| **keep) {
        let mut tails = all[at].calls.iter().filter(|call| call.tail);
        *keep = tails.all(|call| chosen[call.callee] || !may_reach(all, call.callee, at));
    }
    let dropped = keeps != chosen;
    chosen.copy_from_slice(&keeps);
    dropped
}

/// Returns true if a call of the function `from` may lead to a call of the function `to`.
fn may_reach(all: &[Facts], from: usize, to: usize) -> bool {
    let mut seen = FxHashSet::from_iter([from]);
    let mut next = vec![from];
    while let Some(at) = next.pop() {
        let facts = &all[at];
        if at == to || facts.unknown || facts.forks {
            return true;
        }
        for call in &facts.calls {
            if seen.insert(call.callee) {
                next.push(call.callee);
            }
        }
    }
    false
}

impl Survey {
    fn block(&mut self, block: &Block, handled: bool) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, rhs, _) => self.rhs(rhs, handled),
                Stmt::Join { body, .. } => self.block(body, handled),
                Stmt::Funs(funs) => {
                    debug_assert!(funs.is_empty(), "closure conversion has moved them");
                }
            }
        }
        match &block.end {
            End::Raise(..) => self.facts.raises |= !handled,
            End::TailCall(callee, ..) => self.call(*callee, handled, true),
            End::Handle { body, handler, .. } => {
                self.block(body, true);
                self.block(handler, handled);
            }
            end => {
                for block in end.blocks() {
                    self.block(block, handled);
                }
            }
        }
    }

    fn rhs(&mut self, rhs: &Rhs, handled: bool) {
        match rhs {
            Rhs::Call(callee, _) => self.call(*callee, handled, false),
            Rhs::Closure(fun, _) => self.take(*fun),
            Rhs::Fork { thief, .. } => {
                self.facts.forks = true;
                self.take(*thief);
            }
            _ => {}
        }
    }

    fn call(&mut self, callee: Callee, handled: bool, tail: bool) {
        let known = match callee {
            Callee::Known(fun) => self.numbers.get(&fun).copied(),
            Callee::Closure(_) => None,
        };
        match known {
            Some(callee) => self.facts.calls.push(Call {
                callee,
                handled,
                tail,
            }),
            None => {
                self.facts.unknown = true;
                self.facts.unknown_tail |= tail;
            }
        }
    }

    fn take(&mut self, fun: Var) {
        if let Some(number) = self.numbers.get(&fun) {
            self.taken[*number] = true;
        }
    }
}
