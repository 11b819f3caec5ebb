//! Translates functions, with their blocks and statements.

mod branch;
mod end;
mod polling;

use cranelift_codegen::ir::{
    self, BlockArg, FuncRef, InstBuilder, MemFlagsData, SourceLoc, StackSlot, StackSlotData,
    StackSlotKind, Value,
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::Error;
use super::bits::Bits;
use super::call::{Raiser, Region};
use super::landings::last_call;
use super::live::{Analysis, Before, Live, Point};
use super::numbers::{BlockId, Number};
use super::safepoint::{groups, is_quiet, unmasks};
use super::slots::{Begun, State, Taken};
use super::unit::{NOWHERE, Tools, Unit, signature, type_of};
use crate::anf::{Atom, Block, Callee, End, Label, Rep, Rhs, Stmt, Var};
use crate::runtime::value::object::WORD;
use crate::source::Span;

/// The flags of plain loads and stores of objects and of the worker.
pub const FLAGS: MemFlagsData = MemFlagsData::trusted();

/// The place of a variable's value.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The variable is not bound yet.
    None,
    /// A value that collections do not change, such as an integer.
    Value(Value),
    /// A pointer that may move, so the code loads it again after a possible collection.
    Variable(Variable),
}

/// A join point.
struct Target {
    block: ir::Block,
    params: Vec<Var>,
    /// The facts that hold on every visited path to the join point, or `None` before the first visited jump to the join point.
    state: Option<State>,
    /// The pointers that the enclosing handlers need, whose slots are up to date on every path to the join point.
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
    /// The function's own name, and the block to which code jumps in place of a tail call of the function by itself.
    own: Option<(Var, ir::Block)>,
    /// The function's index in the program, or `None` for `main`.
    index: Option<usize>,
    pub(super) results: Vec<Rep>,
    /// Whether the function returns its exception as an additional result (see the module `returned`).
    pub(super) returned: bool,
    /// The variable that holds the result of the last `Par.asked`.
    pub(super) asked: Option<Var>,
    /// Whether the code that is being translated answers a request of an idle worker. Such code runs rarely, so its blocks come after all
    /// other blocks.
    rare: bool,
    /// The place, in the source texts, of the code that is being translated.
    pub(super) span: Span,
    /// For each fork, the place in the source texts where the fork begins.
    pub(super) fork_spans: FxHashMap<Label, Span>,
    /// The origins of the exceptions that handlers raise again or report, keyed by the variables of the exceptions.
    pub(super) origins: FxHashMap<Var, Value>,
    /// The call that ends the left side of a fork whose join needs no check: the number of its statement, the callee, the arguments, and
    /// the variables of the results. The translation of the join makes this call.
    pub(super) last_call: Option<(Number, Callee, Vec<Atom>, Vec<Var>)>,
    /// In a program with clones, several places may share the code of a raise. While this code is being translated, the field has the
    /// number of the raise's chain of forks, or 0. Otherwise the field is `None`.
    pub(super) raising: Option<u32>,
}

/// The code of a function that is to be translated.
pub struct Source<'p> {
    /// The function's name, or `None` for `main`.
    pub name: Option<Var>,
    /// The function's parameters.
    pub params: &'p [Var],
    /// The representations of the function's results.
    pub results: &'p [Rep],
    /// The function's body.
    pub body: &'p Block,
    /// The function's index in the program, or `None` for `main`.
    pub index: Option<usize>,
    /// The function's place in the source texts.
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
    let returned = source.index.is_some_and(|index| unit.returned[index]);
    let results = source
        .index
        .map_or_else(Vec::new, |index| unit.results(index));
    tools.context.func.signature = signature(CallConv::Tail, &args, &results);
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
        returned,
        asked: None,
        rare: false,
        span: Span::NONE,
        fork_spans: FxHashMap::default(),
        origins: FxHashMap::default(),
        last_call: None,
        raising: None,
    };
    body.whole(source, &args)?;
    let Body { mut b, .. } = body;
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    let (text, name) = match source.name {
        // The symbol `main` belongs to C.
        None => ("pml_main", "main".to_owned()),
        Some(name) => {
            let text = unit.program.vars[name.0 as usize].name.as_str();
            (text, format!("{text}.{}", name.0))
        }
    };
    let text = Some((text, source.span));
    unit.define(id, &mut tools.context, &name, text)
}

/// Returns true if a block has a tail call of the function `name`.
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
        self.block(source.body, BlockId::BODY)?;
        let raisers = self.raisers.drain().collect();
        self.raisers(raisers)
    }

    // --- Places ---

    /// Sets the source place of the code that follows. Code without a place gets the place of the code before it.
    pub(super) fn at(&mut self, span: Span) {
        if span != Span::NONE {
            self.span = span;
            let number = self.unit.spots.number(span);
            self.b.set_srcloc(SourceLoc::new(number));
        }
    }

    /// Returns the spot of the code being translated.
    pub(super) fn spot(&mut self) -> u32 {
        self.unit.spots.number(self.span)
    }

    // --- Variables ---

    /// Returns the value of an atom at the current place in the code.
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

    /// Returns the values of atoms.
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

    pub(super) fn block(&mut self, block: &Block, id: BlockId) -> Result<(), Error> {
        let numbers = self.analysis.statements();
        let mut inner = numbers.inside(id);
        let taken = self.taken.take();
        let around = self.span;
        let mut joins = Vec::new();
        let groups = groups(block, self.unit.program, |vars| {
            self.analysis.any_global(vars)
        });
        let mut groups = groups.into_iter().peekable();
        for (at, stmt) in block.stmts.iter().enumerate() {
            let number = numbers.stmt(id, at);
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
                        self.take_for(&block.stmts[at..], group.bytes, Point::At(number))?;
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
                    if self.unit.landings.contains(fork)
                        && let Some(last) = last_call(block, at)
                    {
                        let results = self.unit.reps(last.vars);
                        if self.must_poll(last.callee, last.args, &results) {
                            self.poll(Point::Before(number))?;
                        }
                    }
                    self.fork(*fork, *thief, args, *lazy)?;
                    if self.unit.program.eager && !lazy {
                        self.promote_environment(args, Point::At(number))?;
                    }
                }
                // The translation of the block's end also emits this call.
                Stmt::Let(vars, Rhs::Call(callee, args), _)
                    if at + 1 == block.stmts.len() && self.lands(&block.end) =>
                {
                    self.last_call = Some((number, *callee, args.clone(), vars.clone()));
                }
                Stmt::Let(vars, rhs, _) => {
                    if let Some(group) = groups.next_if(|group| group.first == at) {
                        self.take_for(&block.stmts[at..], group.bytes, Point::At(number))?;
                    }
                    let values = match rhs {
                        Rhs::Call(callee, args) => {
                            let results = self.unit.reps(vars);
                            if self.must_poll(*callee, args, &results) {
                                self.poll(Point::Before(number))?;
                            }
                            let values =
                                self.non_tail_call(*callee, args, vars, Point::At(number))?;
                            self.state.polled |= self.has_polled(*callee);
                            values
                        }
                        rhs => {
                            self.name_call(vars, rhs);
                            let values = self.rhs(rhs, vars, Point::At(number))?;
                            self.unname();
                            if unmasks(rhs) {
                                self.poll(Point::At(number))?;
                            }
                            values
                        }
                    };
                    self.bind_all(vars, &values);
                    self.share_globals(vars, Point::Bound(number))?;
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
                    joins.push((number, *label, body, inner.take(), *recursive));
                }
                Stmt::Funs(_) => {
                    return Err(Error(
                        "a function inside another after closure conversion".into(),
                    ));
                }
            }
        }
        self.end(&block.end, numbers.end(id), inner)?;
        for (number, label, body, inside, recursive) in joins.into_iter().rev() {
            self.at(around);
            self.join(number, label, (body, inside), recursive)?;
        }
        self.at(around);
        self.taken = taken;
        Ok(())
    }

    /// Returns true if a block's end is a join that needs no check.
    fn lands(&self, end: &End) -> bool {
        matches!(end, End::Resume { fork, .. } if self.unit.landings.contains(fork))
    }

    fn join(
        &mut self,
        number: Number,
        label: Label,
        (body, id): (&Block, BlockId),
        recursive: bool,
    ) -> Result<(), Error> {
        let target = &self.labels[&label];
        // No jump leads to the join point.
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
            // An earlier iteration of the loop may have published the forks that are under way.
            self.expose();
        }
        let values = self.b.block_params(block).to_vec();
        self.bind_all(&params, &values);
        self.share_globals(&params, Point::Bound(number))?;
        if recursive && self.unit.polls.at_head(label) {
            self.poll(Point::At(number))?;
        }
        self.block(body, id)?;
        if recursive {
            self.b.seal_block(block);
        }
        Ok(())
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

    /// Emits the load of a field or element with the representation `rep`.
    pub(super) fn load(&mut self, rep: Rep, object: Value, offset: i32) -> Value {
        let ty = if rep == Rep::Real { F64 } else { I64 };
        self.b.ins().load(ty, FLAGS, object, offset)
    }
}
