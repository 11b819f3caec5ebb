//! Functions: blocks, statements, ends.
//!
//! Pointers that are live where something may collect are kept in slots of the frame there: stored before, if they were not
//! yet on every way to this place, and loaded again after. Where the collector only runs on a slow path (allocations, polls),
//! all of this happens on the slow path.

use cranelift_codegen::ir::{
    self, BlockArg, BlockCall, ExceptionTableData, ExceptionTableItem, FuncRef, Inst, InstBuilder,
    MemFlagsData, SigRef, StackSlot, StackSlotData, StackSlotKind, TrapCode, Value,
    condcodes::{FloatCC, IntCC},
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::Error;
use super::bits::Bits;
use super::live::{Analysis, Live, point};
use super::safepoint::{groups, may_collect};
use super::unit::{NOWHERE, Thunk, Tools, Unit, hold, signature, type_of};
use crate::anf::{Atom, Block, Callee, Cmp, Cond, End, Label, Rep, Rhs, Stmt, Var};
use crate::prim::BuiltinExn;
use crate::runtime::object::WORD;
use crate::runtime::worker::Offsets;

/// So many cases of a switch are tested one by one.
const FEW: usize = 4;

/// Plain loads and stores of objects and of the worker.
pub const FLAGS: MemFlagsData = MemFlagsData::trusted();

/// Where the value of a variable is found.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Not bound yet.
    None,
    /// It does not change.
    Value(Value),
    /// It is loaded anew after what may collect.
    Variable(Variable),
}

/// A join point.
struct Target {
    block: ir::Block,
    params: Vec<Var>,
    /// Pointers whose slots are up to date on every way to it that was seen.
    stored: Option<Bits>,
}

/// A handled region that surrounds the place being translated.
struct Region {
    handler: ir::Block,
    stored: Option<Bits>,
    /// Blocks that raise exceptions of the runtime, by number.
    raisers: FxHashMap<BuiltinExn, ir::Block>,
}

/// Memory that was taken by the check before a group of allocations.
pub struct Taken {
    /// Where it starts.
    pub base: Value,
    /// How much of it is used.
    pub used: usize,
}

/// The translation of one function.
pub struct Body<'u, 'p, 'b> {
    pub(super) unit: &'u mut Unit<'p>,
    pub(super) b: FunctionBuilder<'b>,
    places: &'u mut Vec<Place>,
    analysis: &'u Analysis<'p>,
    live: Live,
    slots: Option<StackSlot>,
    /// Pointers whose slots are up to date here.
    stored: Bits,
    labels: FxHashMap<Label, Target>,
    regions: Vec<Region>,
    raisers: FxHashMap<BuiltinExn, ir::Block>,
    pub(super) taken: Option<Taken>,
    functions: FxHashMap<FuncId, FuncRef>,
    /// The function's own name, and the head of the loop that calls of itself in tail position make.
    own: Option<(Var, ir::Block)>,
    results: Vec<Rep>,
}

/// A function to be translated.
pub struct Source<'p> {
    /// Its name; `main` has none.
    pub name: Option<Var>,
    /// Its parameters.
    pub params: &'p [Var],
    /// Its results.
    pub results: &'p [Rep],
    /// What it does.
    pub body: &'p Block,
    /// Whether its prologue polls.
    pub polls: bool,
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
    let live = analysis.function(source.params, source.body);
    let b = FunctionBuilder::new(&mut tools.context.func, &mut tools.builder);
    let mut body = Body {
        unit,
        b,
        places,
        analysis,
        live,
        slots: None,
        stored: Bits::default(),
        labels: FxHashMap::default(),
        regions: Vec::new(),
        raisers: FxHashMap::default(),
        taken: None,
        functions: FxHashMap::default(),
        own: None,
        results: source.results.to_vec(),
    };
    body.whole(source, &args, id)?;
    let Body { mut b, .. } = body;
    b.seal_all_blocks();
    b.finalize(unit.module.target_config());
    let name = source.name.map_or_else(
        || "main".to_owned(),
        |name| format!("{}.{}", unit.program.vars[name.0 as usize].name, name.0),
    );
    unit.define(id, &mut tools.context, &name)
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
            End::If(_, yes, no) => calls_itself(yes, name) || calls_itself(no, name),
            End::Switch { cases, default, .. } => cases
                .iter()
                .map(|case| &case.1)
                .chain(default.as_deref())
                .any(|block| calls_itself(block, name)),
            End::Handle { body, handler, .. } => {
                calls_itself(body, name) || calls_itself(handler, name)
            }
            _ => false,
        }
}

/// Whether nothing in the straight line of a block looks at what others ask.
fn is_deaf(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| match stmt {
        Stmt::Let(_, rhs, _) => !may_collect(rhs) && super::safepoint::bytes_of(rhs).is_none(),
        _ => true,
    })
}

impl<'p> Body<'_, 'p, '_> {
    fn whole(&mut self, source: &Source<'p>, args: &[Rep], id: FuncId) -> Result<(), Error> {
        if self.live.size > 0 {
            self.slots = Some(self.b.create_sized_stack_slot(StackSlotData::new(
                StackSlotKind::ExplicitSlot,
                self.live.size * WORD as u32,
                3,
            )));
        }
        let entry = self.b.create_block();
        self.b.append_block_params_for_function_params(entry);
        self.b.switch_to_block(entry);
        self.b.seal_block(entry);
        let params = self.b.block_params(entry).to_vec();
        if source.polls {
            let fine = self.b.create_block();
            let slow = self.b.create_block();
            self.b.set_cold_block(slow);
            self.poll_word(slow, fine);
            self.b.switch_to_block(slow);
            self.b.seal_block(slow);
            let again = Thunk::Again(args.to_vec(), self.results.clone());
            let again = self.thunk(again)?;
            let own = self.function(id);
            let own = self.b.ins().func_addr(I64, own);
            let mut args = params.clone();
            args.push(own);
            self.b.ins().return_call(again, &args);
            self.b.switch_to_block(fine);
            self.b.seal_block(fine);
        }
        match source.name.filter(|name| calls_itself(source.body, *name)) {
            Some(name) => {
                let head = self.b.create_block();
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

    // --- Variables ---

    /// The value of an atom, here.
    pub(super) fn atom(&mut self, atom: Atom) -> Value {
        match atom {
            Atom::Int(n) => self.b.ins().iconst(I64, n),
            Atom::Imm(n) => self.b.ins().iconst(I64, (n << 1) | 1),
            Atom::Real(bits) => self.b.ins().f64const(f64::from_bits(bits)),
            Atom::Static(id) => {
                let offset = self.unit.statics[id.0 as usize];
                Unit::address(self.unit.statics_data, offset, &mut self.b)
            }
            Atom::Var(var) => {
                let offset = self.unit.globals[var.0 as usize];
                if offset != NOWHERE {
                    let rep = self.unit.program.vars[var.0 as usize].rep;
                    let cell = Unit::address(self.unit.globals_data, offset, &mut self.b);
                    return self.b.ins().load(type_of(rep), FLAGS, cell, 0);
                }
                match self.places[var.0 as usize] {
                    Place::Value(value) => value,
                    Place::Variable(variable) => self.b.use_var(variable),
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
            let cell = Unit::address(self.unit.globals_data, offset, &mut self.b);
            self.b.ins().store(FLAGS, value, cell, 0);
            return;
        }
        let moves = self
            .analysis
            .number(var)
            .filter(|number| self.live.slot(*number).is_some());
        if let Some(number) = moves {
            let variable = self.b.declare_var(I64);
            self.b.def_var(variable, value);
            self.places[at] = Place::Variable(variable);
            self.stored.remove(number);
        } else {
            self.places[at] = Place::Value(value);
        }
    }

    fn bind_all(&mut self, vars: &[Var], values: &[Value]) {
        debug_assert_eq!(vars.len(), values.len());
        for (var, value) in vars.iter().zip(values) {
            self.bind(*var, *value);
        }
    }

    // --- Slots ---

    fn slot_offset(&self, number: u32) -> i32 {
        let slot = self.live.slot(number).expect("live somewhere");
        slot as i32 * WORD as i32
    }

    fn variable(&self, number: u32) -> Variable {
        match self.places[self.live.vars[number as usize].0 as usize] {
            Place::Variable(variable) => variable,
            other => unreachable!("live, but {other:?}"),
        }
    }

    /// Stores what is live at a place and was not stored.
    fn save(&mut self, point: usize) -> Vec<u32> {
        let live = self.live.at(point).to_vec();
        for number in &live {
            if self.stored.insert(*number) {
                let variable = self.variable(*number);
                let value = self.b.use_var(variable);
                let offset = self.slot_offset(*number);
                let slots = self.slots.expect("something is live");
                self.b.ins().stack_store(I64, value, slots, offset);
            }
        }
        live
    }

    fn restore(&mut self, live: &[u32]) {
        for number in live {
            let offset = self.slot_offset(*number);
            let slots = self.slots.expect("something is live");
            let value = self.b.ins().stack_load(I64, I64, slots, offset);
            let variable = self.variable(*number);
            self.b.def_var(variable, value);
        }
    }

    // --- Calls ---

    fn function(&mut self, id: FuncId) -> FuncRef {
        if let Some(function) = self.functions.get(&id) {
            return *function;
        }
        let function = self.unit.import(id, self.b.func);
        self.functions.insert(id, function);
        function
    }

    pub(super) fn thunk(&mut self, thunk: Thunk) -> Result<FuncRef, Error> {
        let id = self.unit.thunk(thunk)?;
        Ok(self.function(id))
    }

    fn known(&mut self, callee: Var) -> (FuncRef, usize) {
        let (id, index) = self.unit.funs[&callee];
        (self.function(id), index)
    }

    /// A call on whose way back pointers are loaded anew, and which goes to the handler around if it raises.
    pub(super) fn call(&mut self, target: Callable, args: &[Value], point: usize) -> Vec<Value> {
        self.taken = None;
        let live = self.save(point);
        let results = if self.regions.is_empty() {
            let call = match target {
                Callable::Known(function) => self.b.ins().call(function, args),
                Callable::Code(signature, code) => {
                    self.b.ins().call_indirect(signature, code, args)
                }
            };
            self.mark(call, &live);
            self.b.inst_results(call).to_vec()
        } else {
            self.try_call(target, args, &live)
        };
        self.restore(&live);
        results
    }

    /// Says what the frame holds during a call.
    fn mark(&mut self, call: Inst, live: &[u32]) {
        if let Some(slots) = self.slots {
            let held = live
                .iter()
                .map(|number| self.live.slot(*number).expect("live somewhere"));
            hold(&mut self.b, call, slots, held);
        }
    }

    fn try_call(&mut self, target: Callable, args: &[Value], live: &[u32]) -> Vec<Value> {
        let signature = match target {
            Callable::Known(function) => self.b.func.dfg.ext_funcs[function].signature,
            Callable::Code(signature, _) => signature,
        };
        let types: Vec<_> = self.b.func.dfg.signatures[signature]
            .returns
            .iter()
            .map(|it| it.value_type)
            .collect();
        let (back, landing) = (self.b.create_block(), self.b.create_block());
        for ty in &types {
            self.b.append_block_param(back, *ty);
        }
        let exn = self.b.append_block_param(landing, I64);
        self.b.set_cold_block(landing);
        let results: Vec<_> = (0..types.len() as u32).map(BlockArg::TryCallRet).collect();
        let pool = &mut self.b.func.dfg.value_lists;
        let normal = BlockCall::new(back, results, pool);
        let raised = BlockCall::new(landing, [BlockArg::TryCallExn(0)], pool);
        let table = self
            .b
            .func
            .dfg
            .exception_tables
            .push(ExceptionTableData::new(
                signature,
                normal,
                [ExceptionTableItem::Default(raised)],
            ));
        let call = match target {
            Callable::Known(function) => self.b.ins().try_call(function, args, table),
            Callable::Code(_, code) => self.b.ins().try_call_indirect(code, args, table),
        };
        self.mark(call, live);
        self.b.switch_to_block(landing);
        self.b.seal_block(landing);
        self.restore(live);
        self.jump_to_handler(exn);
        self.b.switch_to_block(back);
        self.b.seal_block(back);
        self.b.block_params(back).to_vec()
    }

    /// Ends the block: goes to the handler around with an exception.
    fn jump_to_handler(&mut self, exn: Value) {
        let region = self.regions.last_mut().expect("in a region");
        meet(&mut region.stored, &self.stored);
        let handler = region.handler;
        self.jump(handler, &[exn]);
    }

    /// Ends the block: raises.
    fn raise(&mut self, exn: Value) -> Result<(), Error> {
        if self.regions.is_empty() {
            let raise = self.thunk(Thunk::Raise)?;
            self.b.ins().call(raise, &[exn]);
            self.b.ins().trap(TrapCode::unwrap_user(1));
        } else {
            self.jump_to_handler(exn);
        }
        Ok(())
    }

    /// Where to go to raise an exception of the runtime.
    fn raiser(&mut self, exn: BuiltinExn) -> ir::Block {
        if let Some(region) = self.regions.last_mut() {
            meet(&mut region.stored, &self.stored);
        }
        let raisers = match self.regions.last_mut() {
            Some(region) => &mut region.raisers,
            None => &mut self.raisers,
        };
        if let Some(block) = raisers.get(&exn) {
            return *block;
        }
        let block = self.b.create_block();
        raisers.insert(exn, block);
        self.b.set_cold_block(block);
        block
    }

    /// Fills the blocks that raise exceptions of the runtime. The block before is at its end.
    fn raisers(&mut self, mut raisers: Vec<(BuiltinExn, ir::Block)>) -> Result<(), Error> {
        raisers.sort_unstable_by_key(|raiser| raiser.0);
        for (exn, block) in raisers {
            self.enter(block);
            let worker = self.b.ins().get_pinned_reg(I64);
            let packets = self.b.ins().load(I64, FLAGS, worker, Offsets::PACKETS);
            let offset = exn as i32 * WORD as i32;
            let packet = self.b.ins().load(I64, FLAGS, packets, offset);
            match self.regions.last() {
                // What is stored was noted when the raiser was asked for.
                Some(region) => {
                    let handler = region.handler;
                    self.jump(handler, &[packet]);
                }
                None => self.raise(packet)?,
            }
        }
        Ok(())
    }

    /// Goes on here unless the condition holds, which raises.
    pub(super) fn raise_if(&mut self, condition: Value, exn: BuiltinExn) {
        let raiser = self.raiser(exn);
        let fine = self.b.create_block();
        self.b.ins().brif(condition, raiser, &[], fine, &[]);
        self.enter(fine);
    }

    // --- Slow paths ---

    fn poll_word(&mut self, slow: ir::Block, fine: ir::Block) {
        let worker = self.b.ins().get_pinned_reg(I64);
        let word = self.b.ins().load(I64, FLAGS, worker, Offsets::POLL);
        self.b.ins().brif(word, slow, &[], fine, &[]);
    }

    /// A call in a block of its own beside the way, which is `slow` now; ends in a jump to `fine`.
    fn slow_call(
        &mut self,
        thunk: Thunk,
        args: &[Value],
        point: usize,
        fine: ir::Block,
    ) -> Result<(), Error> {
        let stored = self.stored.clone();
        let function = self.thunk(thunk.clone())?;
        let live = self.save(point);
        let call = self.b.ins().call(function, args);
        self.mark(call, &live);
        self.restore(&live);
        let mut results = Vec::new();
        if thunk == Thunk::Allocate {
            let worker = self.b.ins().get_pinned_reg(I64);
            results.push(self.b.ins().load(I64, FLAGS, worker, Offsets::TAKEN));
        }
        self.jump(fine, &results);
        self.stored = stored;
        Ok(())
    }

    fn poll(&mut self, point: usize) -> Result<(), Error> {
        let (slow, fine) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(slow);
        self.poll_word(slow, fine);
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        self.slow_call(Thunk::Poll, &[], point, fine)?;
        self.b.switch_to_block(fine);
        self.b.seal_block(fine);
        Ok(())
    }

    /// The check before a group of allocations.
    fn take(&mut self, bytes: usize, point: usize) -> Result<(), Error> {
        let (slow, fast, fine) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        self.b.set_cold_block(slow);
        let base = self.b.append_block_param(fine, I64);
        let worker = self.b.ins().get_pinned_reg(I64);
        let next = self.b.ins().load(I64, FLAGS, worker, Offsets::ALLOC);
        let end = self.b.ins().iadd_imm_s(next, bytes as i64);
        let limit = self.b.ins().load(I64, FLAGS, worker, Offsets::LIMIT);
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThan, end, limit);
        self.b.ins().brif(full, slow, &[], fast, &[]);
        self.b.switch_to_block(fast);
        self.b.seal_block(fast);
        self.b.ins().store(FLAGS, end, worker, Offsets::ALLOC);
        self.jump(fine, &[next]);
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let size = self.b.ins().iconst(I64, bytes as i64);
        self.slow_call(Thunk::Allocate, &[size], point, fine)?;
        self.b.switch_to_block(fine);
        self.b.seal_block(fine);
        self.taken = Some(Taken { base, used: 0 });
        Ok(())
    }

    // --- Blocks ---

    pub(super) fn jump(&mut self, block: ir::Block, args: &[Value]) {
        let args: Vec<BlockArg> = args.iter().map(|arg| BlockArg::Value(*arg)).collect();
        self.b.ins().jump(block, &args);
    }

    fn block(&mut self, block: &Block) -> Result<(), Error> {
        let taken = self.taken.take();
        let mut joins = Vec::new();
        let mut groups = groups(&block.stmts).into_iter().peekable();
        for (at, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                Stmt::Let(vars, rhs, _) => {
                    if let Some(group) = groups.next_if(|group| group.first == at) {
                        self.take(group.bytes, point(stmt))?;
                    }
                    let values = match rhs {
                        Rhs::Call(callee, args) => {
                            self.non_tail_call(*callee, args, vars, point(stmt))?
                        }
                        rhs => self.rhs(rhs, vars, point(stmt))?,
                    };
                    self.bind_all(vars, &values);
                }
                Stmt::Join {
                    label,
                    params,
                    body,
                    recursive,
                } => {
                    let target = self.b.create_block();
                    for param in params {
                        let rep = self.unit.program.vars[param.0 as usize].rep;
                        self.b.append_block_param(target, type_of(rep));
                    }
                    let target = Target {
                        block: target,
                        params: params.clone(),
                        stored: None,
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
            self.join(stmt, label, body, recursive)?;
        }
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
        // Nobody jumps to it.
        let Some(stored) = target.stored.clone() else {
            return Ok(());
        };
        let (block, params) = (target.block, target.params.clone());
        self.b.switch_to_block(block);
        if !recursive {
            self.b.seal_block(block);
        }
        self.stored = stored;
        let values = self.b.block_params(block).to_vec();
        self.bind_all(&params, &values);
        if recursive && is_deaf(body) {
            self.poll(point(stmt))?;
        }
        self.block(body)?;
        if recursive {
            self.b.seal_block(block);
        }
        Ok(())
    }

    fn non_tail_call(
        &mut self,
        callee: Callee,
        args: &[Atom],
        vars: &[Var],
        point: usize,
    ) -> Result<Vec<Value>, Error> {
        let target = match callee {
            Callee::Known(fun) => Callable::Known(self.known(fun).0),
            Callee::Closure(closure) => {
                let results = self.unit.reps(vars);
                return self.unknown_call(closure, args, &results, point);
            }
        };
        let args = self.atoms(args);
        Ok(self.call(target, &args, point))
    }

    fn code_of(
        &mut self,
        closure: Atom,
        args: &[Atom],
        results: &[Rep],
    ) -> (SigRef, Value, Vec<Value>) {
        let mut reps = vec![Rep::Ptr];
        reps.extend(args.iter().map(|arg| self.unit.program.rep(*arg)));
        let signature = self
            .b
            .import_signature(signature(CallConv::Tail, &reps, results));
        let closure = self.atom(closure);
        let mut values = vec![closure];
        values.extend(self.atoms(args));
        let code = self.b.ins().load(I64, FLAGS, closure, WORD as i32);
        (signature, code, values)
    }

    fn unknown_call(
        &mut self,
        closure: Atom,
        args: &[Atom],
        results: &[Rep],
        point: usize,
    ) -> Result<Vec<Value>, Error> {
        let (signature, code, args) = self.code_of(closure, args, results);
        Ok(self.call(Callable::Code(signature, code), &args, point))
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
                let stored = self.stored.clone();
                let target = self.labels.get_mut(label).expect("in scope");
                meet(&mut target.stored, &stored);
                let block = target.block;
                self.jump(block, &args);
            }
            End::TailCall(Callee::Known(fun), args, _) => {
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
            End::TailCall(Callee::Closure(closure), args, _) => {
                let results = self.results.clone();
                let (signature, code, args) = self.code_of(*closure, args, &results);
                self.b.ins().return_call_indirect(signature, code, &args);
            }
            End::If(cond, yes, no) => {
                let condition = self.condition(*cond);
                let (then, other) = (self.branch(yes), self.branch(no));
                self.b.ins().brif(condition, then, &[], other, &[]);
                let stored = self.stored.clone();
                self.enter(then);
                self.block(yes)?;
                self.stored = stored;
                self.enter(other);
                self.block(no)?;
            }
            End::Switch { on, cases, default } => self.switch(*on, cases, default.as_deref())?,
            End::Raise(atom, _) => {
                let exn = self.atom(*atom);
                self.raise(exn)?;
            }
            End::Handle { body, exn, handler } => {
                let block = self.b.create_block();
                self.b.append_block_param(block, I64);
                self.b.set_cold_block(block);
                self.regions.push(Region {
                    handler: block,
                    stored: None,
                    raisers: FxHashMap::default(),
                });
                self.block(body)?;
                let raisers = self
                    .regions
                    .last_mut()
                    .map(|region| region.raisers.drain().collect());
                self.raisers(raisers.unwrap_or_default())?;
                let region = self.regions.pop().expect("pushed above");
                if let Some(stored) = region.stored {
                    self.stored = stored;
                    self.enter(block);
                    let value = self.b.block_params(block)[0];
                    self.bind(*exn, value);
                    self.block(handler)?;
                }
            }
            End::Unreachable => {
                self.b.ins().trap(TrapCode::unwrap_user(2));
            }
        }
        Ok(())
    }

    /// A block for a branch; off the way if all it does is to raise.
    fn branch(&mut self, block: &Block) -> ir::Block {
        let target = self.b.create_block();
        if matches!(block.end, End::Raise(..)) && self.regions.is_empty() {
            self.b.set_cold_block(target);
        }
        target
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
        let stored = self.stored.clone();
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
            self.stored = stored.clone();
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
                self.b.create_block()
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

/// Whom a call calls.
#[derive(Clone, Copy)]
pub enum Callable {
    /// A function of the unit.
    Known(FuncRef),
    /// Code at an address.
    Code(SigRef, Value),
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

/// What is stored on every way.
fn meet(all: &mut Option<Bits>, one: &Bits) {
    match all {
        Some(all) => all.intersect(one),
        None => *all = Some(one.clone()),
    }
}
