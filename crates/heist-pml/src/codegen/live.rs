//! Finds the pointers that are live at possible collections, and assigns them slots of the frame.
//!
//! The analysis considers only pointers that may move: variables with `Rep::Ptr` except globals. The values that a handler needs are live
//! in the whole region that this handler covers. Two variables may share a slot unless both are live at one possible collection.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Error;
use super::bits::Bits;
use super::landings::last_call;
use super::numbers::{BlockId, Inside, Number, Numbers};
use super::safepoint::{groups, may_collect, may_promote};
use crate::anf::{Atom, Block, Callee, End, Label, Program, Rep, Rhs, Stmt, Var, under_way};

/// The value that means "no slot" or "no number".
const NONE: u32 = u32::MAX;

/// Facts about a function's pointers.
#[derive(Debug, Default)]
pub struct Live {
    /// The live variables at each place of a possible collection.
    points: FxHashMap<Point, Box<[u32]>>,
    /// The live variables at each place where a fork stores the arguments of its thief. The collector cannot run at these places.
    stores: Vec<Box<[u32]>>,
    /// For each end of a block that begins a handled region, the values that the region's handler and the enclosing handlers need.
    handlers: FxHashMap<Number, Bits>,
    /// The variables of this function that have numbers, indexed by these numbers.
    pub vars: Vec<Var>,
    /// The slot of each variable, indexed by the variable's number. The slot is `u32::MAX` for a variable that is
    /// never live at a possible collection.
    slots: Vec<u32>,
    /// The number of slots.
    pub size: u32,
}

/// The kinds of calls before which a function may poll.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before {
    /// Calls of known functions.
    pub known: bool,
    /// Calls of closures.
    pub closures: bool,
}

impl Before {
    fn may_be(self, callee: Callee) -> bool {
        match callee {
            Callee::Known(_) => self.known,
            Callee::Closure(_) => self.closures,
        }
    }
}

/// A place at which the collector may run, given by the number of a statement or of the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// A statement that may collect, the check before allocations, or the head of a loop.
    At(Number),
    /// The place before a statement that calls or forks, or before an end that calls or begins a handled region.
    Before(Number),
    /// The place after a binding of globals. The number is that of the statement, join point or end of a block that binds them. An end
    /// binds the results of a thief, or an exception.
    Bound(Number),
}

impl Live {
    /// Returns the pointers that the handler of a region and the enclosing handlers need. `end` must be the end that begins the region.
    #[must_use]
    pub fn at_handler(&self, end: Number) -> &Bits {
        &self.handlers[&end]
    }

    /// Returns the numbers of pointers that are live at a place.
    #[must_use]
    pub fn at(&self, point: Point) -> &[u32] {
        self.points.get(&point).map_or(&[], |live| live)
    }

    /// Returns the slot of the pointer with this number, if it has one.
    #[must_use]
    pub fn slot(&self, number: u32) -> Option<u32> {
        let slot = self.slots[number as usize];
        (slot != NONE).then_some(slot)
    }
}

/// The analysis, which visits the functions of a program one after the other.
pub struct Analysis<'a> {
    program: &'a Program,
    /// For each variable, whether it is a global.
    is_global: &'a [bool],
    /// The forks whose joins need no check.
    landings: FxHashSet<Label>,
    /// For each variable of the program, its number in the function that binds it, or `u32::MAX` if it has no number.
    numbers: Vec<u32>,
    labels: FxHashMap<Label, Bits>,
    /// The kinds of calls before which the visited function may poll.
    polls: Before,
    /// For each enclosing handler, the variables that this handler and the handlers around it need.
    handlers: Vec<Bits>,
    /// For each variable, whether it is an argument of a thief. Arguments of a thief get slots even if they are not pointers.
    wanted: Vec<bool>,
    /// For each join point, the forks whose left side is under way where the join point begins.
    begun: FxHashMap<Label, Vec<Label>>,
    /// The forks whose left side is under way at the visited place.
    forks: Vec<Label>,
    /// For each fork, the numbers of the variables that are arguments of its thief.
    environments: FxHashMap<Label, Bits>,
    /// The numbers of the visited function's statements and ends.
    statements: Numbers,
    live: Live,
    record: bool,
}

impl<'a> Analysis<'a> {
    /// Prepares to visit the functions of this program. `landings` has the forks whose joins need no check.
    pub fn new(
        program: &'a Program,
        is_global: &'a [bool],
        landings: FxHashSet<Label>,
    ) -> Analysis<'a> {
        Analysis {
            program,
            is_global,
            landings,
            numbers: vec![NONE; program.vars.len()],
            labels: FxHashMap::default(),
            polls: Before::default(),
            handlers: Vec::new(),
            wanted: wanted(program),
            begun: FxHashMap::default(),
            forks: Vec::new(),
            environments: FxHashMap::default(),
            statements: Numbers::default(),
            live: Live::default(),
            record: true,
        }
    }

    /// Returns the number of a variable, if it is a pointer that may move.
    #[must_use]
    pub fn number(&self, var: Var) -> Option<u32> {
        let number = self.numbers[var.0 as usize];
        (number != NONE).then_some(number)
    }

    /// Returns the numbers of the statements and ends of the last visited function.
    #[must_use]
    pub fn statements(&self) -> &Numbers {
        &self.statements
    }

    /// Returns the pointers that are live at a join point of the last visited function.
    #[must_use]
    pub fn at_label(&self, label: Label) -> &Bits {
        &self.labels[&label]
    }

    /// Visits a function. `polls` has the kinds of calls before which the function may poll.
    ///
    /// # Errors
    /// Returns an error if the forks of the function are not nested.
    pub fn function(&mut self, params: &[Var], body: &Block, polls: Before) -> Result<Live, Error> {
        self.live = Live::default();
        self.statements = Numbers::of(body);
        self.polls = polls;
        self.labels.clear();
        self.begun =
            under_way(body).map_err(|why| Error(format!("forks are not nested: {why}")))?;
        self.environments.clear();
        self.forks.clear();
        let live = self.block(body, BlockId::BODY);
        debug_assert!(
            live.iter()
                .all(|number| params.contains(&self.live.vars[number as usize])),
            "a function without free variables"
        );
        let mut live = std::mem::take(&mut self.live);
        colour(&mut live);
        Ok(live)
    }

    /// Returns the number of a pointer that may move. Assigns a number if the pointer has none.
    fn pointer(&mut self, var: Var) -> Option<u32> {
        let at = var.0 as usize;
        if self.numbers[at] != NONE {
            return Some(self.numbers[at]);
        }
        if self.is_global[at] || self.program.vars[at].rep != Rep::Ptr && !self.wanted[at] {
            return None;
        }
        self.numbers[at] = self.live.vars.len() as u32;
        self.live.vars.push(var);
        Some(self.numbers[at])
    }

    fn use_atom(&mut self, atom: Atom, live: &mut Bits) {
        if let Atom::Var(var) = atom
            && let Some(number) = self.pointer(var)
        {
            live.insert(number);
        }
    }

    fn define(&mut self, vars: &[Var], live: &mut Bits) {
        for &var in vars {
            if let Some(number) = self.pointer(var) {
                live.remove(number);
            }
        }
    }

    fn note(&mut self, point: Point, live: &Bits) {
        if self.record {
            self.live.points.insert(point, live.iter().collect());
        }
    }

    /// Returns true if at least one of these variables is a global pointer.
    pub fn any_global(&self, vars: &[Var]) -> bool {
        vars.iter().any(|var| {
            self.is_global[var.0 as usize] && self.program.vars[var.0 as usize].rep == Rep::Ptr
        })
    }

    /// Records that the collector may run after the binding of these variables, if at least one of them is a global pointer.
    fn note_bound(&mut self, vars: &[Var], point: Point, live: &Bits) {
        if self.any_global(vars) {
            self.note(point, live);
        }
    }

    /// Returns the pointers that are live before a block.
    fn block(&mut self, block: &Block, id: BlockId) -> Bits {
        let outside = self.forks.clone();
        let mut inner = self.statements.inside(id);
        for (at, stmt) in block.stmts.iter().enumerate() {
            if let Stmt::Join {
                label,
                params,
                body,
                recursive,
            } = stmt
            {
                // A join point to which no path leads produces no code. The analysis nevertheless visits its body, with no fork under way,
                // because the visit numbers the pointers, and these numbers determine the order of slots.
                let begun = self.begun.get(label).cloned().unwrap_or_default();
                let here = std::mem::replace(&mut self.forks, begun);
                let (number, inside) = (self.statements.stmt(id, at), inner.take());
                if *recursive {
                    self.recursive(number, *label, params, body, inside);
                } else {
                    let mut live = self.block(body, inside);
                    self.note_bound(params, Point::Bound(number), &live);
                    self.define(params, &mut live);
                    self.labels.insert(*label, live);
                }
                self.forks = here;
            }
            if let Stmt::Let(_, Rhs::Fork { fork, args, .. }, _) = stmt {
                let mut wanted = Bits::default();
                // In a program with clones, the task has copies of the arguments.
                if !self.program.clones {
                    args.iter().for_each(|arg| self.use_atom(*arg, &mut wanted));
                }
                self.environments.insert(*fork, wanted);
                self.forks.push(*fork);
            }
        }
        let end = self.statements.end(id);
        let mut live = self.end(&block.end, end, inner);
        // A thief may read the arguments at any time while the left side runs, even if the left side raises later.
        for fork in &self.forks {
            live.union(&self.environments[fork]);
        }
        if let Some(handler) = self.handlers.last() {
            live.union(handler);
        }
        if let End::TailCall(callee, ..) = &block.end
            && self.polls.may_be(*callee)
        {
            self.note(Point::Before(end), &live);
        }
        let groups = groups(block, self.program, |vars| self.any_global(vars));
        let mut groups = groups.into_iter().rev().peekable();
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let Stmt::Let(vars, rhs, _) = stmt else {
                continue;
            };
            let number = self.statements.stmt(id, at);
            self.note_bound(vars, Point::Bound(number), &live);
            self.define(vars, &mut live);
            if let Rhs::Fork { fork, .. } = rhs {
                // The fork stores the thief's arguments at this place, so none of them may share a slot with a pointer that is up to date
                // only in its slot.
                let mut around = live.clone();
                around.union(&self.environments[fork]);
                if self.record {
                    self.live.stores.push(around.iter().collect());
                }
            }
            let promotes = self.program.eager && matches!(rhs, Rhs::Fork { .. });
            if may_collect(rhs) || may_promote(rhs) || promotes {
                self.note(Point::At(number), &live);
            }
            if let Rhs::Call(Callee::Closure(atom), _) = rhs {
                self.use_atom(*atom, &mut live);
            }
            rhs.each(|atom| self.use_atom(atom, &mut live));
            let callee = match rhs {
                Rhs::Call(callee, _) => Some(*callee),
                // If a poll is needed before the call that ends the left side, the code polls before the fork.
                Rhs::Fork { fork, .. } if self.landings.contains(fork) => {
                    last_call(block, at).map(|call| call.callee)
                }
                _ => None,
            };
            if callee.is_some_and(|callee| self.polls.may_be(callee)) {
                self.note(Point::Before(number), &live);
            }
            if groups.next_if(|group| group.first == at).is_some() {
                self.note(Point::At(number), &live);
            }
        }
        self.forks = outside;
        live
    }

    /// Visits a loop. The values that the loop needs are live at each jump back to the loop's head.
    fn recursive(
        &mut self,
        number: Number,
        label: Label,
        params: &[Var],
        body: &Block,
        id: BlockId,
    ) {
        let record = std::mem::replace(&mut self.record, false);
        self.labels.insert(label, Bits::default());
        let mut live = self.block(body, id);
        self.define(params, &mut live);
        self.labels.insert(label, live.clone());
        self.record = record;
        if record {
            let mut inside = self.block(body, id);
            // The poll at the loop's head comes after the parameters.
            self.note(Point::At(number), &inside);
            self.note_bound(params, Point::Bound(number), &inside);
            self.define(params, &mut inside);
            debug_assert_eq!(
                inside.iter().collect::<Vec<_>>(),
                live.iter().collect::<Vec<_>>()
            );
        }
    }

    /// Adds to `live` the variables that handlers need at the end of a fork, and the variables that the thieves of the enclosing forks
    /// need.
    fn around_fork(&self, live: &mut Bits) {
        if let Some(handler) = self.handlers.last() {
            live.union(handler);
        }
        for fork in &self.forks {
            live.union(&self.environments[fork]);
        }
    }

    /// Ends a fork. The fork is the innermost fork under way (see [`under_way`]). In unreachable code, the fork may not be under way, and
    /// then this function does nothing.
    fn ends(&mut self, fork: Label) {
        if self.forks.last() == Some(&fork) {
            self.forks.pop();
        }
    }

    fn end(&mut self, end: &End, number: Number, mut inner: Inside) -> Bits {
        let mut live = match end {
            End::Jump(label, _) => self.labels.get(label).cloned().unwrap_or_default(),
            End::Handle { body, exn, handler } => {
                let (body_id, handler_id) = (inner.take(), inner.take());
                let mut after = self.block(handler, handler_id);
                self.note_bound(&[*exn], Point::Bound(number), &after);
                self.define(&[*exn], &mut after);
                if let Some(outer) = self.handlers.last() {
                    after.union(outer);
                }
                self.handlers.push(after);
                let mut live = self.block(body, body_id);
                if let Some(needed) = self.handlers.pop() {
                    live.union(&needed);
                    // Where the region begins, code stores the pointers that the handler needs. So none of these pointers may share a slot
                    // with a pointer that is live at this place.
                    self.note(Point::Before(number), &live);
                    if self.record {
                        self.live.handlers.insert(number, needed);
                    }
                }
                live
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                let (right_id, stolen_id) = (inner.take(), inner.take());
                let inside = self.forks.clone();
                self.ends(*fork);
                let mut live = self.block(stolen, stolen_id);
                self.note_bound(taken, Point::Bound(number), &live);
                self.define(taken, &mut live);
                live.union(&self.block(right, right_id));
                self.around_fork(&mut live);
                self.note(Point::Before(number), &live);
                self.forks = inside;
                live
            }
            End::Drop { fork, rest } => {
                let inside = self.forks.clone();
                self.ends(*fork);
                let mut live = self.block(rest, inner.take());
                self.around_fork(&mut live);
                self.note(Point::Before(number), &live);
                self.forks = inside;
                live
            }
            End::If(_, yes, no) => {
                let mut live = self.block(yes, inner.take());
                live.union(&self.block(no, inner.take()));
                live
            }
            End::Switch { cases, default, .. } => {
                let mut live = Bits::default();
                for block in cases.iter().map(|case| &case.1).chain(default.as_deref()) {
                    live.union(&self.block(block, inner.take()));
                }
                live
            }
            _ => Bits::default(),
        };
        end.each(|atom| self.use_atom(atom, &mut live));
        live
    }
}

/// Returns, for each variable, whether it is an argument of a thief.
fn wanted(program: &Program) -> Vec<bool> {
    let mut wanted = vec![false; program.vars.len()];
    if program.clones {
        return wanted;
    }
    let bodies = program.funs.iter().map(|fun| &fun.body);
    let mut waiting: Vec<&Block> = bodies.chain([&program.main]).collect();
    while let Some(block) = waiting.pop() {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, Rhs::Fork { args, .. }, _) => {
                    for arg in args {
                        if let Atom::Var(var) = arg {
                            wanted[var.0 as usize] = true;
                        }
                    }
                }
                Stmt::Join { body, .. } => waiting.push(body),
                Stmt::Let(..) | Stmt::Funs(_) => {}
            }
        }
        waiting.extend(block.end.blocks());
    }
    wanted
}

/// Assigns slots: two variables that are live at one place get different slots. A variable that is live at no possible collection gets no
/// slot.
fn colour(live: &mut Live) {
    let mut points: Vec<_> = live.points.iter().collect();
    // The places are sorted, so that the result does not depend on the order of the hash table.
    points.sort_unstable_by(|a, b| a.1.cmp(b.1));
    let mut of_var = vec![Vec::new(); live.vars.len()];
    for (at, point) in points.iter().enumerate() {
        for number in point.1 {
            of_var[*number as usize].push(at);
        }
    }
    let needed: Vec<bool> = of_var.iter().map(|at| !at.is_empty()).collect();
    for (at, store) in live.stores.iter().enumerate() {
        for number in store.iter().filter(|number| needed[**number as usize]) {
            of_var[*number as usize].push(points.len() + at);
        }
    }
    let mut taken = vec![Bits::default(); points.len() + live.stores.len()];
    live.slots = vec![NONE; live.vars.len()];
    for (number, at) in of_var.iter().enumerate() {
        if at.is_empty() {
            continue;
        }
        let mut used = Bits::default();
        for point in at {
            used.union(&taken[*point]);
        }
        let slot = used.first_absent();
        for point in at {
            taken[*point].insert(slot);
        }
        live.slots[number] = slot;
        live.size = live.size.max(slot + 1);
    }
}
