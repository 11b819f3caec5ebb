//! Simplifies definitions of functions: omits unused functions, and makes other functions candidates for inlining.

use std::rc::Rc;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Candidate, Simplifier};
use crate::anf::{Atom, Block, Callee, End, Fun, Rhs, Stmt, Var};
use crate::prim::Prim;

/// The maximum size of an inlined function that has several uses.
const LARGEST: usize = 200;

/// The depth of nested forks in a right side from which on the pass does not copy the right side into the owner's code. For such a right
/// side, the owner calls the function that thieves run. A copy would contain copies of all right sides inside of it, so each level of
/// nested tuples would double the code.
const FORKS: usize = 2;

/// The number by which the pass divides the size of a loop of the Basis. Most code of such a loop answers requests. The code that runs
/// while no idle worker requests work has about a third of the loop's size.
const ASKING: usize = 3;

impl Simplifier<'_> {
    pub(super) fn funs(&mut self, funs: Vec<Fun>, out: &mut Vec<Stmt>) {
        let used = |fun: &Fun| {
            let uses = self.census.uses(fun.name);
            uses.value + uses.calls > 0
        };
        let funs: Vec<Fun> = funs.into_iter().filter(used).collect();
        self.functions.extend(funs.iter().map(|fun| fun.name));
        for fun in &funs {
            let uses = self.census.uses(fun.name);
            if let Some(whole) = whole(fun)
                && (uses.calls > 0 && uses.calls + uses.value > 1 || self.whole.contains(&fun.name))
            {
                self.whole.insert(whole);
            }
        }
        for (group, recursive) in components(funs) {
            self.group(group, recursive, out);
        }
    }

    /// Simplifies a group: one function, or several functions that call each other.
    fn group(&mut self, mut group: Vec<Fun>, recursive: bool, out: &mut Vec<Stmt>) {
        if !recursive {
            let fun = &group[0];
            if let Some(target) = self.forwarded(fun) {
                self.functions.remove(&fun.name);
                self.replaced.insert(fun.name, target);
                return;
            }
            let uses = self.census.uses(fun.name);
            if uses.value == 0 && uses.calls == 1 && !self.whole.contains(&fun.name) {
                let fun = group.swap_remove(0);
                self.once.insert(fun.name, fun);
                return;
            }
        }
        // The outer function of a curried function may be inlined even inside of its group. It only returns a function that calls the
        // function with all arguments, so it never leads directly back to itself.
        for fun in group.iter().filter(|fun| recursive && whole(fun).is_some()) {
            self.candidate(fun.clone());
        }
        // As a rule, the body of a function does not use results that the code around the function has computed, because the function would
        // have to capture them. The functions of a loop of the Basis do use these results, as a plain loop would, unless one of these
        // functions is also used as a value.
        let shares = group.iter().any(|fun| asks_itself(&fun.body))
            && group
                .iter()
                .all(|fun| self.census.uses(fun.name).value == 0);
        let available = (!shares).then(|| std::mem::take(&mut self.available));
        let handled = std::mem::replace(&mut self.handled, false);
        let undo = std::mem::take(&mut self.undo);
        for fun in &mut group {
            let body = std::mem::take(&mut fun.body);
            fun.body = self.block(body);
        }
        if let Some(available) = available {
            self.available = available;
        }
        self.handled = handled;
        self.undo = undo;
        let copied = !group[0].forked || forks(&group[0].body) < FORKS;
        if !recursive && copied && group[0].body.size(LARGEST) < LARGEST {
            self.candidate(group[0].clone());
        }
        // After inlining, the group may consist of several separate groups.
        for (part, _) in components(group) {
            out.push(Stmt::Funs(part));
        }
    }

    fn candidate(&mut self, fun: Fun) {
        let mut called = FxHashSet::default();
        callees(&fun.body, &mut called);
        let called = fun
            .params
            .iter()
            .map(|param| called.contains(param))
            .collect();
        let mut size = fun.body.size(LARGEST);
        // Most code of a loop of the Basis runs only if an idle worker requests work.
        if asks(&fun.body) {
            size /= ASKING;
        }
        self.candidates.insert(
            fun.name,
            Candidate {
                fun: Rc::new(fun),
                size,
                called,
            },
        );
    }

    /// Returns the callee `f` of a function of the form `fn x => f x`, or `None` for other functions.
    fn forwarded(&self, fun: &Fun) -> Option<Atom> {
        // The thief of a fork must be a function, so no other atom can replace it.
        if fun.forked {
            return None;
        }
        let End::TailCall(callee, args, _) = &fun.body.end else {
            return None;
        };
        let params = fun.params.iter().map(|param| Atom::Var(*param));
        if !fun.body.stmts.is_empty() || !params.eq(args.iter().copied()) {
            return None;
        }
        match self.callee(*callee) {
            // A function in `once` moves to its only call, so it cannot be used as a value.
            Callee::Known(var) if self.once.contains_key(&var) => None,
            Callee::Known(var) => Some(Atom::Var(var)),
            Callee::Closure(atom) if !fun.params.iter().any(|param| Atom::Var(*param) == atom) => {
                Some(atom)
            }
            Callee::Closure(_) => None,
        }
    }
}

/// Returns the depth to which right sides of forks are nested in a block.
fn forks(block: &Block) -> usize {
    let within = block.stmts.iter().map(|stmt| match stmt {
        Stmt::Let(..) => 0,
        Stmt::Funs(funs) => {
            let depths = funs
                .iter()
                .map(|fun| usize::from(fun.forked) + forks(&fun.body));
            depths.max().unwrap_or(0)
        }
        Stmt::Join { body, .. } => forks(body),
    });
    let ends = block.end.blocks().into_iter().map(forks);
    within.chain(ends).max().unwrap_or(0)
}

/// Returns true if code in a block, or in a function in the block, checks for requests ([`Prim::ParAsked`]).
fn asks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Let(_, rhs, _) => is_request(rhs),
        Stmt::Join { body, .. } => asks(body),
        Stmt::Funs(funs) => funs.iter().any(|fun| asks(&fun.body)),
    }) || block.end.blocks().into_iter().any(asks)
}

/// Like [`asks`], without the functions that the block binds. The result is also true for a function around a loop that has already become
/// a join point. Such a function then captures a few more variables.
fn asks_itself(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match stmt {
        Stmt::Let(_, rhs, _) => is_request(rhs),
        Stmt::Join { body, .. } => asks_itself(body),
        Stmt::Funs(_) => false,
    }) || block.end.blocks().into_iter().any(asks_itself)
}

/// Returns true if a computation is the check for requests of a loop of the Basis.
fn is_request(rhs: &Rhs) -> bool {
    let asked = Prim::ParAsked;
    matches!(rhs, Rhs::Prim { prim, .. } if *prim == asked)
}

/// Returns the function `f'` that takes all arguments of the curried function `fun`. Returns `None` if `fun` does anything other than
/// return a function that calls `f'`.
fn whole(fun: &Fun) -> Option<Var> {
    let ([Stmt::Funs(inner)], End::Return(atoms)) = (&fun.body.stmts[..], &fun.body.end) else {
        return None;
    };
    match &inner[..] {
        [inner] if atoms[..] == [Atom::Var(inner.name)] && inner.body.stmts.is_empty() => {
            match inner.body.end {
                End::TailCall(Callee::Known(whole), ..) => Some(whole),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Adds the variables that a body calls as closures to `called`.
fn callees(block: &Block, called: &mut FxHashSet<Var>) {
    let mut callee = |callee: &Callee| {
        if let Callee::Closure(Atom::Var(var)) = callee {
            called.insert(*var);
        }
    };
    if let End::TailCall(target, ..) = &block.end {
        callee(target);
    }
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(_, Rhs::Call(target, _), _) => {
                if let Callee::Closure(Atom::Var(var)) = target {
                    called.insert(*var);
                }
            }
            Stmt::Let(..) => {}
            Stmt::Funs(funs) => funs.iter().for_each(|fun| callees(&fun.body, called)),
            Stmt::Join { body, .. } => callees(body, called),
        }
    }
    block
        .end
        .blocks()
        .into_iter()
        .for_each(|block| callees(block, called));
}

/// Divides functions into groups of functions that call each other. Callees come before their callers. The second component of each result
/// is true if the group is recursive.
fn components(funs: Vec<Fun>) -> Vec<(Vec<Fun>, bool)> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: FxHashMap<Var, NodeIndex> = funs
        .iter()
        .map(|fun| (fun.name, graph.add_node(())))
        .collect();
    for fun in &funs {
        let mut used = FxHashSet::default();
        super::mentioned(&fun.body, &mut used);
        // The edges are added in the order of the functions, so that the result does not depend on hashing.
        for other in &funs {
            if used.contains(&other.name) {
                graph.add_edge(nodes[&fun.name], nodes[&other.name], ());
            }
        }
    }
    let mut funs: Vec<Option<Fun>> = funs.into_iter().map(Some).collect();
    tarjan_scc(&graph)
        .into_iter()
        .map(|mut part| {
            part.sort_unstable();
            let recursive = part.len() > 1 || graph.contains_edge(part[0], part[0]);
            (
                part.into_iter()
                    .filter_map(|node| funs[node.index()].take())
                    .collect(),
                recursive,
            )
        })
        .collect()
}
