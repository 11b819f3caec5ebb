//! Chooses the places at which code polls. With these polls, no program runs forever without a poll.
//!
//! - *Cycles of known calls*: a function polls before it calls a function of its own cycle, unless the calling activation has already
//!   polled. While a fork is under way, the poll at the end of the fork replaces this poll. If the join of the fork needs no check
//!   (`landings.rs`), the function polls before the fork.
//! - *Cycles through closures*: a call of a closure may reach any closure of its convention. The caller polls before a call of a closure if
//!   the call may lead back to the caller without a poll on the way.
//! - *Loops*: code polls at the head of a loop if some path around the loop neither allocates, polls, nor calls a function that always
//!   polls. An allocation counts as a poll, because a request also makes the memory check of the allocation fail. The loops of the Basis
//!   begin each iteration with `Par.asked`. `Par.asked` counts as a poll: it reads the word that contains the poll, and the Basis calls
//!   `Par.attend` if this word is not 0.
//! - *Ends of masked parts*: code polls after each end of a masked part of a strand (`safepoint::unmasks`), because polls in a masked part
//!   ignore cancellations.

use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::safepoint::{bytes_of, is_quiet, may_collect, unmasks};
use crate::anf::{Atom, Block, Callee, End, Label, Program, Rep, Rhs, Static, Stmt, Var};
use crate::prim::Prim;

/// The convention of a closure's function: the representations of the arguments (without the closure) and of the results.
type Convention = (Vec<Rep>, Vec<Rep>);

/// The places at which a program polls.
#[derive(Debug, Default)]
pub struct Polls {
    /// For each function, the number of the cycle of known calls that contains it, or `None` if no cycle contains it.
    known: Vec<Option<u32>>,
    /// For each function, its strongly connected component in the graph of the calls that functions make before they poll.
    component: Vec<u32>,
    /// For each convention of closures, the component of the calls with this convention, in the same graph as for the field `component`.
    closures: FxHashMap<Convention, u32>,
    /// For each function, whether it always polls before it returns.
    certain: Vec<bool>,
    /// The loops at whose head code polls.
    heads: FxHashSet<Label>,
}

impl Polls {
    /// Examines the functions of a program. `landings` has the forks that do not poll at their ends. If `open` is true, closures of this
    /// program and closures of other programs may call each other.
    #[must_use]
    pub fn new(program: &Program, landings: &FxHashSet<Label>, open: bool) -> Polls {
        let numbers: FxHashMap<Var, usize> = program
            .funs
            .iter()
            .enumerate()
            .map(|(index, fun)| (fun.name, index))
            .collect();
        let mut polls = Polls {
            known: vec![None; program.funs.len()],
            certain: vec![false; program.funs.len()],
            ..Polls::default()
        };
        let mut quiet: Vec<Vec<Target>> = vec![Vec::new(); program.funs.len()];
        // Callees come before callers.
        for (number, cycle) in known_cycles(program, &numbers).into_iter().enumerate() {
            if cycle.recursive {
                for index in &cycle.functions {
                    polls.known[*index] = Some(number as u32);
                }
            }
            for index in cycle.functions {
                let fun = &program.funs[index];
                let code = (program, landings, &numbers);
                let walk = Walk::over(&mut polls, code, Some(index), &fun.body);
                let (calls, certain) = (walk.quiet, walk.certain);
                quiet[index] = calls;
                polls.certain[index] = certain;
            }
        }
        let code = (program, landings, &numbers);
        Walk::over(&mut polls, code, None, &program.main);
        polls.connect(program, &numbers, &quiet, open);
        polls
    }

    /// Computes the fields `component` and `closures`: the components of the graph of the calls that functions make before they poll.
    fn connect(
        &mut self,
        program: &Program,
        numbers: &FxHashMap<Var, usize>,
        quiet: &[Vec<Target>],
        open: bool,
    ) {
        let mut graph = DiGraph::<(), ()>::new();
        let funs: Vec<_> = program.funs.iter().map(|_| graph.add_node(())).collect();
        let elsewhere = graph.add_node(());
        let mut closures: FxHashMap<Convention, NodeIndex> = FxHashMap::default();
        for (index, targets) in quiet.iter().enumerate() {
            for target in targets {
                let to = match target {
                    Target::Function(callee) => funs[*callee],
                    Target::Closure(convention) => *closures
                        .entry(convention.clone())
                        .or_insert_with(|| graph.add_node(())),
                };
                graph.update_edge(funs[index], to, ());
            }
        }
        for entry in entries(program, numbers) {
            let fun = &program.funs[entry];
            let args = fun.params.iter().skip(1);
            let args = args.map(|var| program.rep(Atom::Var(*var))).collect();
            if let Some(node) = closures.get(&(args, fun.results.clone())) {
                graph.update_edge(*node, funs[entry], ());
            }
            if open {
                graph.update_edge(elsewhere, funs[entry], ());
            }
        }
        if open {
            for node in closures.values() {
                graph.update_edge(*node, elsewhere, ());
            }
        }
        let mut component = vec![0; graph.node_count()];
        for (number, nodes) in petgraph::algo::tarjan_scc(&graph).into_iter().enumerate() {
            for node in nodes {
                component[node.index()] = number as u32;
            }
        }
        self.closures = closures
            .into_iter()
            .map(|(convention, node)| (convention, component[node.index()]))
            .collect();
        component.truncate(funs.len());
        self.component = component;
    }

    /// Returns true if two functions are in one cycle of known calls.
    #[must_use]
    pub fn is_cycle(&self, caller: usize, callee: usize) -> bool {
        self.known[caller].is_some() && self.known[caller] == self.known[callee]
    }

    /// Returns true if a function is in a cycle of known calls.
    #[must_use]
    pub fn in_cycle(&self, function: usize) -> bool {
        self.known[function].is_some()
    }

    /// Returns true if a call of a closure with these arguments and results may lead back to the caller without a poll
    /// on the way.
    #[must_use]
    pub fn may_return_to(&self, caller: usize, args: Vec<Rep>, results: Vec<Rep>) -> bool {
        self.closures.get(&(args, results)) == Some(&self.component[caller])
    }

    /// Returns true if a function may have to poll before some of its calls of closures.
    #[must_use]
    pub fn calls_back(&self, caller: usize) -> bool {
        let component = self.component[caller];
        self.closures.values().any(|other| *other == component)
    }

    /// Returns true if a function always polls before it returns.
    #[must_use]
    pub fn is_certain(&self, function: usize) -> bool {
        self.certain[function]
    }

    /// Returns true if code polls at the head of a loop.
    #[must_use]
    pub fn at_head(&self, label: Label) -> bool {
        self.heads.contains(&label)
    }
}

/// A component of the graph of known calls: functions that call each other, or a single function.
struct Cycle {
    functions: Vec<usize>,
    /// Whether one of these functions calls itself or another of these functions.
    recursive: bool,
}

/// Returns the components of the graph of known calls, callees first.
fn known_cycles(program: &Program, numbers: &FxHashMap<Var, usize>) -> Vec<Cycle> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = program.funs.iter().map(|_| graph.add_node(())).collect();
    for (index, fun) in program.funs.iter().enumerate() {
        each_callee(&fun.body, &mut |callee| {
            if let Some(other) = numbers.get(&callee) {
                graph.update_edge(nodes[index], nodes[*other], ());
            }
        });
    }
    let components = petgraph::algo::tarjan_scc(&graph).into_iter();
    components
        .map(|nodes| Cycle {
            recursive: nodes.len() > 1 || graph.contains_edge(nodes[0], nodes[0]),
            functions: nodes.into_iter().map(NodeIndex::index).collect(),
        })
        .collect()
}

fn each_callee(block: &Block, look: &mut impl FnMut(Var)) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(_, Rhs::Call(Callee::Known(callee), _), _) => look(*callee),
            Stmt::Join { body, .. } => each_callee(body, look),
            _ => {}
        }
    }
    if let End::TailCall(Callee::Known(callee), ..) = &block.end {
        look(*callee);
    }
    for inner in block.end.blocks() {
        each_callee(inner, look);
    }
}

/// Returns the functions for which the program makes closures.
fn entries(program: &Program, numbers: &FxHashMap<Var, usize>) -> FxHashSet<usize> {
    let mut found = FxHashSet::default();
    for object in &program.statics {
        if let Static::Closure(fun) = object {
            found.insert(numbers[fun]);
        }
    }
    let bodies = program.funs.iter().map(|fun| &fun.body);
    let mut waiting: Vec<&Block> = bodies.chain([&program.main]).collect();
    while let Some(block) = waiting.pop() {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, Rhs::Closure(fun, _), _) => {
                    found.insert(numbers[fun]);
                }
                Stmt::Join { body, .. } => waiting.push(body),
                Stmt::Let(..) | Stmt::Funs(_) => {}
            }
        }
        waiting.extend(block.end.blocks());
    }
    found
}

/// The callee of a call that a function makes before it polls.
#[derive(Clone, Debug)]
enum Target {
    Function(usize),
    Closure(Convention),
}

/// Facts that hold at a place in a function, whatever path leads to this place.
#[derive(Clone, Default)]
struct State {
    /// Whether this activation has polled.
    polled: bool,
    /// The enclosing loops for which some path from the head of the loop to this place has no poll.
    open: Vec<Label>,
    /// For each fork that is under way, whether it polls at its end. A fork whose join needs no check is not in this list.
    forks: Vec<bool>,
}

impl State {
    fn poll(&mut self) {
        self.polled = true;
        self.open.clear();
        self.expose();
    }

    /// Records a `Par.asked`, which counts as a poll.
    fn asked(&mut self) {
        self.polled = true;
        self.open.clear();
    }

    fn expose(&mut self) {
        self.forks.fill(true);
    }
}

/// A walk over a function, in the order of code generation.
struct Walk<'a> {
    polls: &'a mut Polls,
    program: &'a Program,
    landings: &'a FxHashSet<Label>,
    numbers: &'a FxHashMap<Var, usize>,
    /// The function's index in the program, or `None` for `main`.
    index: Option<usize>,
    /// For each label, the facts that hold on all visited paths to the label.
    labels: FxHashMap<Label, State>,
    /// The loops for which the walk has decided whether they poll.
    decided: FxHashSet<Label>,
    /// The calls that the function makes before it polls.
    quiet: Vec<Target>,
    /// Whether the function has polled on every path to a return.
    certain: bool,
}

impl<'a> Walk<'a> {
    fn over(
        polls: &'a mut Polls,
        (program, landings, numbers): (
            &'a Program,
            &'a FxHashSet<Label>,
            &'a FxHashMap<Var, usize>,
        ),
        index: Option<usize>,
        body: &Block,
    ) -> Walk<'a> {
        let mut walk = Walk {
            polls,
            program,
            landings,
            numbers,
            index,
            labels: FxHashMap::default(),
            decided: FxHashSet::default(),
            quiet: Vec::new(),
            certain: true,
        };
        walk.block(body, State::default());
        walk
    }

    fn reps(&self, vars: &[Var]) -> Vec<Rep> {
        vars.iter()
            .map(|var| self.program.rep(Atom::Var(*var)))
            .collect()
    }

    fn results(&self) -> Vec<Rep> {
        self.index
            .map(|index| self.program.funs[index].results.clone())
            .unwrap_or_default()
    }

    /// Visits a call. A call in tail position also returns from this function.
    fn call(&mut self, callee: Callee, args: &[Atom], results: Vec<Rep>, state: &mut State) {
        match callee {
            Callee::Known(fun) => {
                let callee = self.numbers[&fun];
                let own = self
                    .index
                    .is_some_and(|caller| self.polls.is_cycle(caller, callee));
                if own && !state.polled && state.forks.is_empty() {
                    state.poll();
                }
                // While a fork is under way, the poll at the end of the fork replaces the poll before a call.
                if !state.polled && state.forks.is_empty() {
                    self.quiet.push(Target::Function(callee));
                }
                if self.polls.is_certain(callee) {
                    state.poll();
                }
            }
            Callee::Closure(_) => {
                if !state.polled && state.forks.is_empty() {
                    let args = args.iter().map(|arg| self.program.rep(*arg)).collect();
                    self.quiet.push(Target::Closure((args, results)));
                }
            }
        }
        state.expose();
    }

    fn block(&mut self, block: &Block, mut state: State) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                // If the call that ends the left side needs a poll, the code polls before the fork, as before a call outside of forks. This
                // fork is not added to the list of forks, because no other call or poll is between the fork and its end.
                Stmt::Let(_, Rhs::Fork { fork, .. }, _) if self.landings.contains(fork) => {}
                Stmt::Let(_, Rhs::Fork { .. }, _) => {
                    // The fork allocates a task, and the check before the allocation is a poll.
                    if self.program.clones && !is_quiet(&block.stmts[at + 1..], &block.end) {
                        state.poll();
                    }
                    state.forks.push(false);
                }
                Stmt::Let(vars, Rhs::Call(callee, args), _) => {
                    let results = self.reps(vars);
                    self.call(*callee, args, results, &mut state);
                }
                Stmt::Let(_, rhs, _) => {
                    if bytes_of(rhs).is_some() || unmasks(rhs) {
                        state.poll();
                    } else if matches!(
                        rhs,
                        Rhs::Prim {
                            prim: Prim::ParAsked,
                            ..
                        }
                    ) {
                        state.asked();
                    } else if may_collect(rhs) {
                        state.expose();
                    }
                }
                Stmt::Join { label, .. } => {
                    self.labels.remove(label);
                }
                Stmt::Funs(_) => {}
            }
        }
        self.end(&block.end, state);
        for stmt in block.stmts.iter().rev() {
            // No jump leads to a label without an entry.
            if let Stmt::Join {
                label,
                body,
                recursive,
                ..
            } = stmt
                && let Some(mut state) = self.labels.get(label).cloned()
            {
                if *recursive {
                    self.head(*label, body, &mut state);
                }
                self.block(body, state);
            }
        }
    }

    /// Decides whether code polls at the head of a loop.
    fn head(&mut self, label: Label, body: &Block, state: &mut State) {
        if self.decided.insert(label) {
            // The walk assumes that the activation has polled before the loop, so that the calls in the loop do not
            // poll. The result then holds for every path to the loop.
            let inside = State {
                polled: true,
                open: vec![label],
                forks: vec![true; state.forks.len()],
            };
            self.block(body, inside);
        }
        // An earlier iteration of the loop may have published the forks that are under way.
        state.expose();
        if self.polls.at_head(label) {
            state.poll();
        }
    }

    fn end(&mut self, end: &End, mut state: State) {
        match end {
            End::Return(_) => self.certain &= state.polled,
            End::TailCall(callee, args, _) => {
                let results = self.results();
                self.call(*callee, args, results, &mut state);
                self.certain &= state.polled;
            }
            End::Jump(label, _) => {
                if state.open.contains(label) {
                    self.polls.heads.insert(*label);
                }
                match self.labels.get_mut(label) {
                    Some(all) => {
                        all.polled &= state.polled;
                        for open in state.open {
                            if !all.open.contains(&open) {
                                all.open.push(open);
                            }
                        }
                        for (all, one) in all.forks.iter_mut().zip(state.forks) {
                            *all |= one;
                        }
                    }
                    None => {
                        self.labels.insert(*label, state);
                    }
                }
            }
            End::Handle { body, handler, .. } => {
                let mut after = state.clone();
                after.expose();
                self.block(body, state);
                self.block(handler, after);
            }
            End::Resume {
                fork,
                right,
                stolen,
                ..
            } => {
                if !self.landings.contains(fork)
                    && state.forks.pop() == Some(true)
                    && !self.program.clones
                {
                    state.poll();
                }
                self.block(right, state.clone());
                self.block(stolen, state);
            }
            End::Drop { rest, .. } => {
                if state.forks.pop() == Some(true) && !self.program.clones {
                    state.poll();
                }
                self.block(rest, state);
            }
            End::Raise(..) | End::Unreachable => {}
            End::If(..) | End::Switch { .. } => {
                for inner in end.blocks() {
                    self.block(inner, state.clone());
                }
            }
        }
    }
}
