//! Functions: blocks, statements, ends.

use cranelift_codegen::ir::{
    self, BlockArg, FuncRef, InstBuilder, MemFlagsData, SourceLoc, StackSlot, StackSlotData,
    StackSlotKind, TrapCode, Value,
    condcodes::{FloatCC, IntCC},
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::Error;
use super::bits::Bits;
use super::call::{Raiser, Region};
use super::live::{Analysis, Before, Live, before, before_end, bound, bound_by, point};
use super::safepoint::{groups, is_quiet};
use super::slots::{Begun, State, Taken};
use super::unit::{NOWHERE, Tools, Unit, signature, type_of};
use crate::anf::{Atom, Block, Callee, Cmp, Cond, End, Label, Rep, Rhs, Stmt, Var};
use crate::runtime::object::WORD;
use crate::source::Span;

/// Up to this number of cases of a switch are tested one by one.
const FEW: usize = 4;

/// Plain loads and stores of objects and of the worker.
pub const FLAGS: MemFlagsData = MemFlagsData::trusted();

/// Place of the value of a variable.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Not bound yet.
    None,
    /// It does not change.
    Value(Value),
    /// It is loaded again after a possible collection.
    Variable(Variable),
}

/// A join point.
struct Target {
    block: ir::Block,
    params: Vec<Var>,
    /// Facts that hold on every path to it that was visited; none if no jump leads to it.
    state: Option<State>,
    /// Pointers that the handlers around it need: their slots are up to date on every way.
    handled: Bits,
}

/// The translation of one function.
pub struct Body<'u, 'p, 'b> {
    pub(super) unit: &'u mut Unit<'p>,
    pub(super) b: FunctionBuilder<'b>,
    pub(super) places: &'u mut Vec<Place>,
    pub(super) analysis: &'u Analysis<'p>,
    pub(super) live: Live,
    pub(super) slots: Option<StackSlot>,
    pub(super) state: State,
    labels: FxHashMap<Label, Target>,
    pub(super) regions: Vec<Region>,
    pub(super) raisers: FxHashMap<Raiser, ir::Block>,
    pub(super) taken: Option<Taken>,
    pub(super) functions: FxHashMap<FuncId, FuncRef>,
    /// The function's own name, and the head of the loop that its tail calls of itself become.
    own: Option<(Var, ir::Block)>,
    /// The function's number.
    index: Option<usize>,
    results: Vec<Rep>,
    /// The result of the last `Par.asked`.
    pub(super) asked: Option<Var>,
    /// The code answers a request, so its blocks are behind those of the function that run each time.
    rare: bool,
    /// Place of the code being translated.
    span: Span,
    /// Places where forks begin.
    pub(super) fork_spans: FxHashMap<Label, Span>,
    /// The origins of exceptions that handlers raise again.
    origins: FxHashMap<Var, Value>,
    /// In a program of clones, the number of the chain of a raise that represents several places, or 0.
    pub(super) raising: Option<u32>,
}

/// A function to be translated.
pub struct Source<'p> {
    /// Its name; `main` has none.
    pub name: Option<Var>,
    /// Its parameters.
    pub params: &'p [Var],
    /// Its results.
    pub results: &'p [Rep],
    /// The function's body.
    pub body: &'p Block,
    /// Its number; `main` has none.
    pub index: Option<usize>,
    /// Its place.
    pub span: Span,
}

/// Translates a function.
pub fn define<'p>(
    unit: &mut Unit<'p>,
    tools: &mut Tools,
    places: &mut Vec<Place>,
    analysis: &mut Analysis<'p>,
    source: &Source<'p>,
    id: FuncId,
) -> Result<(), Error> {
    let args = unit.reps(source.params);
    tools.context.func.signature = signature(CallConv::Tail, &args, source.results);
    let polls = Before {
        known: source.index.is_some_and(|index| unit.polls.in_cycle(index)),
        closures: source
            .index
            .is_some_and(|index| unit.polls.calls_back(index)),
    };
    let live = analysis.function(source.params, source.body, polls)?;
    let b = FunctionBuilder::new(&mut tools.context.func, &mut tools.builder);
    let mut body = Body {
        unit,
        b,
        places,
        analysis,
        live,
        slots: None,
        state: State::default(),
        labels: FxHashMap::default(),
        regions: Vec::new(),
        raisers: FxHashMap::default(),
        taken: None,
        functions: FxHashMap::default(),
        own: None,
        index: source.index,
        results: source.results.to_vec(),
        asked: None,
        rare: false,
        span: Span::NONE,
        fork_spans: FxHashMap::default(),
        origins: FxHashMap::default(),
        raising: None,
    };
    body.whole(source, &args)?;
    let Body { mut b, .. } = body;
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    let (text, name) = match source.name {
        // `main` is a function of C.
        None => ("pml_main", "main".to_owned()),
        Some(name) => {
            let text = unit.program.vars[name.0 as usize].name.as_str();
            (text, format!("{text}.{}", name.0))
        }
    };
    let text = Some((text, source.span));
    unit.define(id, &mut tools.context, &name, text)
}

/// Whether a block calls this function in tail position.
fn calls_itself(block: &Block, name: Var) -> bool {
    let stmts = block
        .stmts
        .iter()
        .any(|stmt| matches!(stmt, Stmt::Join { body, .. } if calls_itself(body, name)));
    stmts
        || match &block.end {
            End::TailCall(Callee::Known(callee), ..) => *callee == name,
            end => end
                .blocks()
                .into_iter()
                .any(|block| calls_itself(block, name)),
        }
}

/// Whether a handler raises its exception again.
fn raises(block: &Block, exn: Var) -> bool {
    let inside = |stmt: &Stmt| matches!(stmt, Stmt::Join { body, .. } if raises(body, exn));
    matches!(block.end, End::Raise(Atom::Var(var), _) if var == exn)
        || block.stmts.iter().any(inside)
        || block.end.blocks().iter().any(|block| raises(block, exn))
}

impl<'p> Body<'_, 'p, '_> {
    fn whole(&mut self, source: &Source<'p>, args: &[Rep]) -> Result<(), Error> {
        if self.live.size > 0 {
            self.slots = Some(self.b.create_sized_stack_slot(StackSlotData::new(
                StackSlotKind::ExplicitSlot,
                self.live.size * WORD as u32,
                3,
            )));
        }
        self.at(source.span);
        let entry = self.new_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let params = self.b.block_params(entry).to_vec();
        match source.name.filter(|name| calls_itself(source.body, *name)) {
            Some(name) => {
                let head = self.new_block();
                for rep in args {
                    self.b.append_block_param(head, type_of(*rep));
                }
                self.jump(head, &params);
                self.b.switch_to_block(head);
                let params = self.b.block_params(head).to_vec();
                self.own = Some((name, head));
                self.bind_all(source.params, &params);
            }
            None => self.bind_all(source.params, &params),
        }
        self.block(source.body)?;
        let raisers = self.raisers.drain().collect();
        self.raisers(raisers)
    }

    // --- Places ---

    /// The code to come is from here. Code that the compiler makes belongs to the code before it.
    pub(super) fn at(&mut self, span: Span) {
        if span != Span::NONE {
            self.span = span;
            let number = self.unit.spots.number(span);
            self.b.set_srcloc(SourceLoc::new(number));
        }
    }

    /// The spot of the code being translated.
    pub(super) fn spot(&mut self) -> u32 {
        self.unit.spots.number(self.span)
    }

    // --- Variables ---

    /// The value of an atom, here.
    pub(super) fn atom(&mut self, atom: Atom) -> Value {
        match atom {
            Atom::Int(n) => self.b.ins().iconst(I64, n),
            Atom::Imm(n) => self.b.ins().iconst(I64, (n << 1) | 1),
            Atom::Real(bits) => self.b.ins().f64const(f64::from_bits(bits)),
            Atom::Static(id) => {
                let (data, offset) = self.unit.statics[id.0 as usize];
                self.unit.address(data, offset, &mut self.b)
            }
            Atom::Var(var) => {
                let offset = self.unit.globals[var.0 as usize];
                if offset != NOWHERE {
                    let rep = self.unit.program.vars[var.0 as usize].rep;
                    let cell = self
                        .unit
                        .address(self.unit.globals_data, offset, &mut self.b);
                    return self.b.ins().load(type_of(rep), FLAGS, cell, 0);
                }
                match self.places[var.0 as usize] {
                    Place::Value(value) => value,
                    Place::Variable(variable) => self.moving(var, variable),
                    Place::None => unreachable!("{} is used before it is bound", var.0),
                }
            }
        }
    }

    /// The values of atoms.
    pub(super) fn atoms(&mut self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    fn bind(&mut self, var: Var, value: Value) {
        let at = var.0 as usize;
        let offset = self.unit.globals[at];
        if offset != NOWHERE {
            let cell = self
                .unit
                .address(self.unit.globals_data, offset, &mut self.b);
            self.b.ins().store(FLAGS, value, cell, 0);
            return;
        }
        let moves = self
            .analysis
            .number(var)
            .filter(|number| self.live.slot(*number).is_some());
        if let Some(number) = moves {
            let rep = self.unit.program.vars[at].rep;
            let variable = self.b.declare_var(type_of(rep));
            self.b.def_var(variable, value);
            self.places[at] = Place::Variable(variable);
            self.state.stored.remove(number);
            self.state.stale.remove(number);
        } else {
            self.places[at] = Place::Value(value);
        }
    }

    pub(super) fn bind_all(&mut self, vars: &[Var], values: &[Value]) {
        debug_assert_eq!(vars.len(), values.len());
        for (var, value) in vars.iter().zip(values) {
            self.bind(*var, *value);
        }
    }

    // --- Blocks ---

    pub(super) fn jump(&mut self, block: ir::Block, args: &[Value]) {
        let args: Vec<BlockArg> = args.iter().map(|arg| BlockArg::Value(*arg)).collect();
        self.b.ins().jump(block, &args);
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), Error> {
        let taken = self.taken.take();
        let around = self.span;
        let mut joins = Vec::new();
        let groups = groups(block, self.unit.program, |vars| {
            self.analysis.any_global(vars)
        });
        let mut groups = groups.into_iter().peekable();
        for (at, stmt) in block.stmts.iter().enumerate() {
            if let Stmt::Let(_, rhs, span) = stmt {
                self.at(*span);
                if let Rhs::Fork { fork, .. } = rhs {
                    self.fork_spans.insert(*fork, *span);
                }
            }
            match stmt {
                Stmt::Let(_, Rhs::Fork { fork, .. }, _)
                    if is_quiet(&block.stmts[at + 1..], &block.end) =>
                {
                    self.state.forks.push(Begun {
                        fork: *fork,
                        exposed: false,
                    });
                }
                Stmt::Let(
                    _,
                    Rhs::Fork {
                        fork,
                        thief,
                        args,
                        lazy,
                    },
                    _,
                ) if self.unit.program.clones => {
                    if let Some(group) = groups.next_if(|group| group.first == at) {
                        self.take(group.bytes, point(stmt))?;
                    }
                    self.push_task(*fork, *thief, args, *lazy)?;
                }
                Stmt::Let(
                    _,
                    Rhs::Fork {
                        fork,
                        thief,
                        args,
                        lazy,
                    },
                    _,
                ) => {
                    self.fork(*fork, *thief, args, *lazy)?;
                    if self.unit.program.eager && !lazy {
                        self.promote_environment(args, point(stmt))?;
                    }
                }
                Stmt::Let(vars, rhs, _) => {
                    if let Some(group) = groups.next_if(|group| group.first == at) {
                        self.take(group.bytes, point(stmt))?;
                    }
                    let values = match rhs {
                        Rhs::Call(callee, args) => {
                            let results = self.unit.reps(vars);
                            if self.must_poll(*callee, args, &results) {
                                self.poll(before(stmt))?;
                            }
                            let values = self.non_tail_call(*callee, args, vars, point(stmt))?;
                            self.state.polled |= self.has_polled(*callee);
                            values
                        }
                        rhs => self.rhs(rhs, vars, point(stmt))?,
                    };
                    self.bind_all(vars, &values);
                    self.share_globals(vars, bound(stmt))?;
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    recursive,
                } => {
                    let target = self.new_block();
                    for param in params {
                        let rep = self.unit.program.vars[param.0 as usize].rep;
                        self.b.append_block_param(target, type_of(rep));
                    }
                    let target = Target {
                        block: target,
                        params: params.clone(),
                        state: None,
                        handled: self.handled().clone(),
                    };
                    self.labels.insert(*label, target);
                    joins.push((stmt, *label, body, *recursive));
                }
                Stmt::Funs(_) => {
                    return Err(Error(
                        "a function inside another after closure conversion".into(),
                    ));
                }
            }
        }
        self.end(&block.end)?;
        for (stmt, label, body, recursive) in joins.into_iter().rev() {
            self.at(around);
            self.join(stmt, label, body, recursive)?;
        }
        self.at(around);
        self.taken = taken;
        Ok(())
    }

    fn join(
        &mut self,
        stmt: &Stmt,
        label: Label,
        body: &Block,
        recursive: bool,
    ) -> Result<(), Error> {
        let target = &self.labels[&label];
        // No jump leads to it.
        let Some(mut state) = target.state.clone() else {
            return Ok(());
        };
        state.stale = target.handled.clone();
        let (block, params) = (target.block, target.params.clone());
        self.b.switch_to_block(block);
        if !recursive {
            self.b.seal_block(block);
        }
        self.state = state;
        if recursive {
            // A turn before this one may have published what is still under way.
            self.expose();
        }
        let values = self.b.block_params(block).to_vec();
        self.bind_all(&params, &values);
        self.share_globals(&params, bound(stmt))?;
        if recursive && self.unit.polls.at_head(label) {
            self.poll(point(stmt))?;
        }
        self.block(body)?;
        if recursive {
            self.b.seal_block(block);
        }
        Ok(())
    }

    fn end(&mut self, end: &End) -> Result<(), Error> {
        self.taken = None;
        match end {
            End::Return(atoms) => {
                let values = self.atoms(atoms);
                self.b.ins().return_(&values);
            }
            End::Jump(label, args) => {
                let args = self.atoms(args);
                let analysis = self.analysis;
                let target = &self.labels[label];
                // What handlers need is loaded where it is used, if it is; other ways there may not have stored the rest.
                let handled = target.handled.clone();
                self.load_stale(analysis.at_label(*label), &handled);
                let target = self.labels.get_mut(label).expect("in scope");
                State::meet(&mut target.state, &self.state);
                let block = target.block;
                self.jump(block, &args);
            }
            End::TailCall(Callee::Known(fun), args, span) => {
                self.at(*span);
                if self.must_poll(Callee::Known(*fun), args, &[]) {
                    self.poll(before_end(end))?;
                }
                let values = self.atoms(args);
                match self.own {
                    Some((own, head)) if own == *fun => {
                        self.jump(head, &values);
                    }
                    _ => {
                        let (function, _) = self.known(*fun);
                        self.b.ins().return_call(function, &values);
                    }
                }
            }
            End::TailCall(Callee::Closure(closure), args, span) => {
                self.at(*span);
                let results = self.results.clone();
                if self.must_poll(Callee::Closure(*closure), args, &results) {
                    self.poll(before_end(end))?;
                }
                let (signature, code, args) = self.code_of(*closure, args, &results);
                self.b.ins().return_call_indirect(signature, code, &args);
            }
            End::If(cond, yes, no) => {
                let condition = self.condition(*cond);
                let (then, other) = (self.branch(yes), self.branch(no));
                self.b.ins().brif(condition, then, &[], other, &[]);
                let state = self.state.clone();
                let rare = self.rare;
                self.rare |= self.is_request(*cond);
                if self.rare {
                    self.b.set_cold_block(then);
                }
                self.enter(then);
                self.block(yes)?;
                self.rare = rare;
                self.state = state;
                self.enter(other);
                self.block(no)?;
            }
            End::Switch { on, cases, default } => self.switch(*on, cases, default.as_deref())?,
            End::Raise(atom, span) => {
                self.at(*span);
                let exn = self.atom(*atom);
                let origin = match atom {
                    Atom::Var(var) => self.origins.get(var).copied(),
                    _ => None,
                };
                self.raise(exn, origin)?;
            }
            End::Handle { body, exn, handler } => {
                let needed = self.live.at_handler(end).clone();
                self.store(&needed.iter().collect::<Vec<_>>());
                let after = State {
                    stored: needed.clone(),
                    stale: needed.clone(),
                    polled: self.state.polled,
                    forks: self.state.forks.clone(),
                };
                let block = self.new_block();
                self.b.append_block_param(block, I64);
                let again = raises(handler, *exn);
                if again {
                    self.b.append_block_param(block, I64);
                }
                self.b.set_cold_block(block);
                let forks = self.state.forks.len();
                self.regions.push(Region::new(block, needed, forks, again));
                let around = self.span;
                self.block(body)?;
                let raisers = self
                    .regions
                    .last_mut()
                    .map(|region| region.raisers.drain().collect());
                self.raisers(raisers.unwrap_or_default())?;
                let region = self.regions.pop().expect("pushed above");
                if region.reached {
                    self.state = after;
                    // Something on the way may have published what is still under way.
                    for begun in &mut self.state.forks {
                        begun.exposed = true;
                    }
                    self.enter(block);
                    self.at(around);
                    let params = self.b.block_params(block).to_vec();
                    self.bind(*exn, params[0]);
                    if let Some(origin) = params.get(1) {
                        self.origins.insert(*exn, *origin);
                    }
                    self.share_globals(&[*exn], bound_by(end))?;
                    self.block(handler)?;
                }
            }
            End::Resume {
                fork,
                right,
                taken,
                stolen,
            } => {
                self.resume(end, *fork, taken, stolen)?;
                self.block(right)?;
            }
            End::Drop { fork, rest } => {
                self.forget(end, *fork)?;
                self.block(rest)?;
            }
            End::Unreachable => {
                self.b.ins().trap(TrapCode::unwrap_user(2));
            }
        }
        Ok(())
    }

    /// Whether a call may lead back here with no poll on the way.
    fn must_poll(&self, callee: Callee, args: &[Atom], results: &[Rep]) -> bool {
        // Where a fork is under way, the poll at its end stands for it.
        let Some(index) = self.index else {
            return false;
        };
        if self.state.polled || !self.state.forks.is_empty() {
            return false;
        }
        match callee {
            Callee::Known(fun) => {
                let (_, callee) = self.unit.funs[&fun];
                self.unit.polls.is_cycle(index, callee)
            }
            Callee::Closure(_) => {
                let args = args.iter().map(|arg| self.unit.program.rep(*arg)).collect();
                let results = results.to_vec();
                self.unit.polls.may_return_to(index, args, results)
            }
        }
    }

    /// Whether a callee that has returned has polled.
    fn has_polled(&self, callee: Callee) -> bool {
        match callee {
            Callee::Known(fun) => self.unit.polls.is_certain(self.unit.funs[&fun].1),
            Callee::Closure(_) => false,
        }
    }

    /// A block for a branch; placed out of line if it only raises.
    fn branch(&mut self, block: &Block) -> ir::Block {
        let target = self.new_block();
        if matches!(block.end, End::Raise(..)) && self.regions.is_empty() {
            self.b.set_cold_block(target);
        }
        target
    }

    /// Whether a condition holds only if the worker has a request.
    fn is_request(&self, cond: Cond) -> bool {
        matches!(cond, Cond::Int(Cmp::Ne, Atom::Var(var), Atom::Int(0)) if self.asked == Some(var))
    }

    pub(super) fn new_block(&mut self) -> ir::Block {
        let block = self.b.create_block();
        if self.rare {
            self.b.set_cold_block(block);
        }
        block
    }

    pub(super) fn enter(&mut self, block: ir::Block) {
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }

    fn switch(
        &mut self,
        on: Atom,
        cases: &[(i64, Block)],
        default: Option<&Block>,
    ) -> Result<(), Error> {
        let value = self.atom(on);
        let state = self.state.clone();
        // Without a default the last case needs no test.
        let (cases, default) = match (default, cases) {
            (Some(default), cases) => (cases, default),
            (None, [cases @ .., (_, last)]) => (cases, last),
            (None, []) => {
                self.b.ins().trap(TrapCode::unwrap_user(2));
                return Ok(());
            }
        };
        let targets: Vec<_> = cases.iter().map(|(_, block)| self.branch(block)).collect();
        let otherwise = self.branch(default);
        let numbered = cases
            .iter()
            .map(|(number, _)| *number)
            .zip(targets.iter().copied());
        if cases.len() <= FEW {
            self.chain(value, numbered, otherwise);
        } else {
            let mut switch = Switch::new();
            for (number, target) in numbered {
                switch.set_entry(u128::from(number as u64), target);
            }
            switch.emit(&mut self.b, value, otherwise);
        }
        let blocks = targets
            .into_iter()
            .zip(cases.iter().map(|(_, block)| block));
        let blocks = blocks.chain([(otherwise, default)]);
        for (target, block) in blocks {
            self.state = state.clone();
            self.enter(target);
            self.block(block)?;
        }
        Ok(())
    }

    /// Tests one number after the other. With few of them that is quicker than a jump through a table, which is hard to
    /// predict.
    fn chain(
        &mut self,
        value: Value,
        cases: impl ExactSizeIterator<Item = (i64, ir::Block)>,
        otherwise: ir::Block,
    ) {
        let last = cases.len().saturating_sub(1);
        if cases.len() == 0 {
            self.jump(otherwise, &[]);
        }
        for (at, (number, target)) in cases.enumerate() {
            let is = self.b.ins().icmp_imm_s(IntCC::Equal, value, number);
            let next = if at == last {
                otherwise
            } else {
                self.new_block()
            };
            self.b.ins().brif(is, target, &[], next, &[]);
            if at != last {
                self.enter(next);
            }
        }
    }

    fn condition(&mut self, cond: Cond) -> Value {
        match cond {
            Cond::Int(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(signed(cmp), a, b)
            }
            Cond::Word(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(signed(cmp).unsigned(), a, b)
            }
            Cond::Real(cmp, a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                let code = match cmp {
                    Cmp::Eq => FloatCC::Equal,
                    Cmp::Ne => FloatCC::NotEqual,
                    Cmp::Lt => FloatCC::LessThan,
                    Cmp::Le => FloatCC::LessThanOrEqual,
                    Cmp::Gt => FloatCC::GreaterThan,
                    Cmp::Ge => FloatCC::GreaterThanOrEqual,
                };
                self.b.ins().fcmp(code, a, b)
            }
            Cond::Same(a, b) => {
                let (a, b) = (self.atom(a), self.atom(b));
                self.b.ins().icmp(IntCC::Equal, a, b)
            }
            Cond::IsImm(atom) => {
                let value = self.atom(atom);
                self.b.ins().band_imm_u(value, 1)
            }
        }
    }

    /// The type of a field or element.
    pub(super) fn load(&mut self, rep: Rep, object: Value, offset: i32) -> Value {
        let ty = if rep == Rep::Real { F64 } else { I64 };
        self.b.ins().load(ty, FLAGS, object, offset)
    }
}

fn signed(cmp: Cmp) -> IntCC {
    match cmp {
        Cmp::Eq => IntCC::Equal,
        Cmp::Ne => IntCC::NotEqual,
        Cmp::Lt => IntCC::SignedLessThan,
        Cmp::Le => IntCC::SignedLessThanOrEqual,
        Cmp::Gt => IntCC::SignedGreaterThan,
        Cmp::Ge => IntCC::SignedGreaterThanOrEqual,
    }
}
