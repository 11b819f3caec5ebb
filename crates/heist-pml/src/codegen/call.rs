//! Translates calls, handled regions, and raises.

use cranelift_codegen::ir::{
    self, BlockArg, BlockCall, ExceptionTableData, ExceptionTableItem, ExceptionTag, FuncRef,
    InstBuilder, SigRef, SourceLoc, TrapCode, Value, types::I64,
};
use cranelift_codegen::isa::CallConv;
use cranelift_module::FuncId;
use rustc_hash::FxHashMap;

use super::Error;
use super::bits::Bits;
use super::body::{Body, FLAGS};
use super::live::Point;
use super::thunk::load_packet;
use super::unit::{LANDS, Thunk, signature};
use crate::anf::{Atom, Callee, Rep, Var};
use crate::prim::BuiltinExn;
use crate::runtime::state::worker::offsets::Offsets;
use crate::runtime::value::object::WORD;

/// A handled region that surrounds the place being translated.
pub struct Region {
    handler: ir::Block,
    /// Whether the handler may raise its exception again or report it. Such a handler also takes the origin of the exception.
    again: bool,
    /// The pointers that the handler and the enclosing handlers need, whose slots are up to date in the whole region.
    needed: Bits,
    /// Whether code in the region may raise.
    pub reached: bool,
    /// Blocks of the region that raise exceptions of the runtime.
    pub raisers: FxHashMap<Raiser, ir::Block>,
    /// The number of forks under way where the region begins. An exception that reaches the handler leaves the left
    /// sides of all forks that began later.
    pub forks: usize,
}

/// The key of a block that raises: the exception, the result of [`Body::leaving`] at the raise, and the spot.
pub type Raiser = (BuiltinExn, u32, u32);

impl Region {
    /// Makes a region whose code does not raise yet.
    pub fn new(handler: ir::Block, needed: Bits, forks: usize, again: bool) -> Region {
        Region {
            handler,
            again,
            needed,
            reached: false,
            raisers: FxHashMap::default(),
            forks,
        }
    }
}

/// An exception that code raises.
#[derive(Clone, Copy)]
enum Raised {
    /// A new exception, raised at a spot.
    First(Value, u32),
    /// An exception that was raised before, and its origin.
    Again(Value, Value),
    /// The exception of the right side of a fork, or an exception that a callee has returned. In both cases, the
    /// worker has the exception's origin.
    Joined(Value),
    /// An exception of the runtime, raised at a spot.
    Builtin(BuiltinExn, u32),
}

/// The place from which code takes an exception's origin when the code jumps to a handler.
enum Origin {
    Given(Value),
    /// The runtime has noted the origin in the worker.
    Noted,
    /// The origin is this spot, the place of the raise.
    Spot(u32),
}

/// The target of a call in machine code.
#[derive(Clone, Copy)]
pub enum Callable {
    /// A function of the program, or a thunk.
    Known(FuncRef),
    /// Code at an address.
    Code(SigRef, Value),
}

/// The empty set of pointers, for code without a handler.
static NONE: Bits = Bits::new();

impl Body<'_, '_, '_> {
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

    pub(super) fn known(&mut self, callee: Var) -> (FuncRef, usize) {
        let (id, index) = self.unit.funs[&callee];
        (self.function(id), index)
    }

    /// Calls a function. After the call, the live pointers are up to date only in their slots. If the function raises, execution continues
    /// at the enclosing handler, if there is one.
    pub(super) fn call(&mut self, target: Callable, args: &[Value], point: Point) -> Vec<Value> {
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
        self.leave_to_slots(&live);
        results
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
        let (back, landing) = (self.new_block(), self.new_block());
        for ty in &types {
            self.b.append_block_param(back, *ty);
        }
        let exn = self.b.append_block_param(landing, I64);
        self.b.set_cold_block(landing);
        let results: Vec<_> = (0..types.len() as u32).map(BlockArg::TryCallRet).collect();
        let pool = &mut self.b.func.dfg.value_lists;
        let normal = BlockCall::new(back, results, pool);
        let raised = BlockCall::new(landing, [BlockArg::TryCallExn(0)], pool);
        let mut items = vec![ExceptionTableItem::Default(raised)];
        // Cranelift may lose the tag of an instruction that ends a block, so the exception table has the number of the
        // chain.
        if let Some(chain) = self.fork_chain() {
            let tag = ExceptionTag::with_number(chain).expect("a small number");
            items.insert(0, ExceptionTableItem::Tag(tag, raised));
        }
        let table = self
            .b
            .func
            .dfg
            .exception_tables
            .push(ExceptionTableData::new(signature, normal, items));
        let call = match target {
            Callable::Known(function) => self.b.ins().try_call(function, args, table),
            Callable::Code(_, code) => self.b.ins().try_call_indirect(code, args, table),
        };
        self.mark(call, live);
        self.b.switch_to_block(landing);
        self.b.seal_block(landing);
        self.jump_to_handler(exn, Origin::Noted);
        self.b.switch_to_block(back);
        self.b.seal_block(back);
        self.b.block_params(back).to_vec()
    }

    /// Calls a function at the end of the left side of a fork, outside of handled regions, and ends the block. If the fork is not published
    /// when the function returns, execution continues at `fine`, whose parameter is the result. Otherwise execution continues at `landing`,
    /// which `Body::landed` begins.
    ///
    /// The call has the convention `SystemV`, because an address besides the return address makes Cranelift save all registers around a
    /// call with the convention `Tail`. For the arguments and results of this call, both conventions use the same registers
    /// (`landings.rs`). Code reaches the landing by a return, so callee-saved registers have their values.
    pub(super) fn call_before_join(
        &mut self,
        target: Callable,
        args: &[Value],
        (fine, landing): (ir::Block, ir::Block),
        point: Point,
    ) {
        debug_assert!(self.regions.is_empty(), "a region has a handler");
        self.taken = None;
        let live = self.save(point);
        let tail = match target {
            Callable::Known(function) => self.b.func.dfg.ext_funcs[function].signature,
            Callable::Code(signature, _) => signature,
        };
        let mut signature = self.b.func.dfg.signatures[tail].clone();
        signature.call_conv = CallConv::SystemV;
        let count = signature.returns.len() as u32;
        let signature = self.b.import_signature(signature);
        let returned: Vec<_> = (0..count).map(BlockArg::TryCallRet).collect();
        // The landing receives a result that is an integer or a pointer in the register in which a handler receives an exception.
        let words = self.b.block_params(landing).len() as u32;
        let landed: Vec<_> = (0..words).map(BlockArg::TryCallExn).collect();
        let chain = self.fork_chain().expect("the fork is under way");
        let tag = ExceptionTag::with_number(chain | LANDS).expect("a small number");
        let pool = &mut self.b.func.dfg.value_lists;
        let normal = BlockCall::new(fine, returned, pool);
        let landed = BlockCall::new(landing, landed, pool);
        let items = vec![ExceptionTableItem::Tag(tag, landed)];
        let table = ExceptionTableData::new(signature, normal, items);
        let table = self.b.func.dfg.exception_tables.push(table);
        let call = match target {
            Callable::Known(function) => {
                let mut function = self.b.func.dfg.ext_funcs[function].clone();
                function.signature = signature;
                let function = self.b.func.import_function(function);
                self.b.ins().try_call(function, args, table)
            }
            Callable::Code(_, code) => self.b.ins().try_call_indirect(code, args, table),
        };
        self.mark(call, &live);
        self.leave_to_slots(&live);
    }

    /// Ends the block with a jump to the enclosing handler, which receives the exception.
    fn jump_to_handler(&mut self, exn: Value, origin: Origin) {
        let region = self.regions.last_mut().expect("in a region");
        region.reached = true;
        let handler = region.handler;
        if !region.again {
            return self.jump(handler, &[exn]);
        }
        let origin = match origin {
            Origin::Given(origin) => origin,
            Origin::Noted => {
                let worker = self.b.ins().get_pinned_reg(I64);
                self.b.ins().load(I64, FLAGS, worker, Offsets::RAISED)
            }
            Origin::Spot(spot) => self.unit.address(self.unit.spots_data, spot, &mut self.b),
        };
        self.jump(handler, &[exn, origin]);
    }

    /// Ends the block with a raise. If the exception was raised before, `origin` is its origin.
    pub(super) fn raise(&mut self, exn: Value, origin: Option<Value>) -> Result<(), Error> {
        let leaving = self.leaving();
        let spot = self.spot();
        let raised = match origin {
            Some(origin) => Raised::Again(exn, origin),
            None => Raised::First(exn, spot),
        };
        self.raise_from(raised, leaving != 0)
    }

    /// Returns 1 if two conditions hold: other workers may have seen a fork that is under way, and an exception at this place leaves the
    /// fork's left side before it reaches a handler of this function. Otherwise returns 0. In a program with clones, returns the result of
    /// [`Body::leaving_tasks`].
    fn leaving(&mut self) -> u32 {
        if self.unit.program.clones {
            return self.leaving_tasks();
        }
        let region = self.regions.last();
        u32::from(region.is_some_and(|region| {
            let mut inside = self.state.forks.iter().skip(region.forks);
            inside.any(|begun| begun.exposed)
        }))
    }

    /// Ends the block: raises the exception that a right side has raised on a thief. The runtime raises this exception even if the handler
    /// is in this function. If the thief's work was cancelled together with the owner's work, `exn` is the immediate 0 instead of an
    /// exception. The runtime then ends the cancelled part of the strand, and no handler receives the 0.
    pub(super) fn raise_of_thief(&mut self, exn: Value) -> Result<(), Error> {
        self.raise_from(Raised::Joined(exn), true)
    }

    /// Ends the block with a raise of the exception that a callee has returned.
    fn raise_joined(&mut self, exn: Value) -> Result<(), Error> {
        let leaving = self.leaving();
        self.raise_from(Raised::Joined(exn), leaving != 0)
    }

    fn raise_from(&mut self, raised: Raised, leaves_fork: bool) -> Result<(), Error> {
        if self.regions.is_empty() && self.returned {
            self.return_raised(raised);
            return Ok(());
        }
        let thunk = match raised {
            Raised::First(..) => Thunk::Raise,
            Raised::Again(..) => Thunk::Again,
            Raised::Joined(_) => Thunk::Joined,
            Raised::Builtin(exn, _) => Thunk::Builtin(exn),
        };
        let args = match raised {
            Raised::First(exn, _) | Raised::Joined(exn) => vec![exn],
            Raised::Again(exn, origin) => vec![exn, origin],
            Raised::Builtin(..) => Vec::new(),
        };
        if self.regions.is_empty() {
            let raise = self.thunk(thunk)?;
            let call = self.b.ins().call(raise, &args);
            if self.unit.program.clones {
                // The table tells the runtime how many tasks to remove.
                self.mark(call, &[]);
            }
            self.b.ins().trap(TrapCode::unwrap_user(1));
        } else if leaves_fork {
            // The fork may have been published. In that case, the runtime removes the record of the fork before it continues at the
            // handler.
            let raise = self.thunk(thunk)?;
            self.try_call(Callable::Known(raise), &args, &[]);
            self.b.ins().trap(TrapCode::unwrap_user(1));
        } else {
            match raised {
                Raised::First(exn, spot) => self.jump_to_handler(exn, Origin::Spot(spot)),
                Raised::Again(exn, origin) => self.jump_to_handler(exn, Origin::Given(origin)),
                Raised::Joined(exn) => self.jump_to_handler(exn, Origin::Noted),
                Raised::Builtin(exn, spot) => {
                    let worker = self.b.ins().get_pinned_reg(I64);
                    let packet = load_packet(&mut self.b, worker, exn);
                    self.jump_to_handler(packet, Origin::Spot(spot));
                }
            }
        }
        Ok(())
    }

    /// Returns the block that raises an exception of the runtime.
    fn raiser(&mut self, exn: BuiltinExn) -> ir::Block {
        let exn = (exn, self.leaving(), self.spot());
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

    /// Fills the blocks that raise exceptions of the runtime. The current block must already be complete.
    pub(super) fn raisers(&mut self, mut raisers: Vec<(Raiser, ir::Block)>) -> Result<(), Error> {
        raisers.sort_unstable_by_key(|raiser| raiser.0);
        for ((exn, leaving, spot), block) in raisers {
            self.b.set_srcloc(SourceLoc::new(spot));
            self.enter(block);
            self.raising = self.unit.program.clones.then_some(leaving);
            self.raise_from(Raised::Builtin(exn, spot), leaving != 0)?;
        }
        self.raising = None;
        Ok(())
    }

    /// Emits code that raises an exception of the runtime if the condition holds, and otherwise continues with the code that follows.
    pub(super) fn raise_if(&mut self, condition: Value, exn: BuiltinExn) {
        let raiser = self.raiser(exn);
        let fine = self.new_block();
        self.b.ins().brif(condition, raiser, &[], fine, &[]);
        self.enter(fine);
    }

    pub(super) fn non_tail_call(
        &mut self,
        callee: Callee,
        args: &[Atom],
        vars: &[Var],
        point: Point,
    ) -> Result<Vec<Value>, Error> {
        let target = match callee {
            Callee::Known(fun) => Callable::Known(self.known(fun).0),
            Callee::Closure(closure) => {
                let results = self.unit.reps(vars);
                return self.unknown_call(closure, args, &results, point);
            }
        };
        let args = self.atoms(args);
        let mut results = self.call(target, &args, point);
        if let Callee::Known(fun) = callee
            && self.unit.returned[self.unit.funs[&fun].1]
        {
            let exn = results.pop().expect("the exception comes last");
            self.raise_returned(exn)?;
        }
        Ok(results)
    }

    // --- Exceptions that functions return ---

    /// Ends the block with a return of results. If the function returns its exceptions, adds a result: 0, for no exception.
    pub(super) fn return_(&mut self, mut results: Vec<Value>) {
        if self.returned {
            results.push(self.b.ins().iconst(I64, 0));
        }
        self.b.ins().return_(&results);
    }

    /// Ends the block with the return of an exception as the additional result.
    fn return_exception(&mut self, exn: Value) {
        let results = self.results.clone();
        let mut values: Vec<Value> = results
            .iter()
            .map(|rep| match rep {
                Rep::Int | Rep::Ptr => self.b.ins().iconst(I64, 0),
                Rep::Real => self.b.ins().f64const(0.0),
            })
            .collect();
        values.push(exn);
        self.b.ins().return_(&values);
    }

    /// Ends the block with the return of an exception, and stores the exception's origin in the worker.
    fn return_raised(&mut self, raised: Raised) {
        let worker = self.b.ins().get_pinned_reg(I64);
        let exn = match raised {
            Raised::First(exn, _) | Raised::Again(exn, _) | Raised::Joined(exn) => exn,
            Raised::Builtin(exn, _) => load_packet(&mut self.b, worker, exn),
        };
        let origin = match raised {
            Raised::First(_, spot) | Raised::Builtin(_, spot) => {
                Some(self.unit.address(self.unit.spots_data, spot, &mut self.b))
            }
            Raised::Again(_, origin) => Some(origin),
            Raised::Joined(_) => None,
        };
        if let Some(origin) = origin {
            self.b.ins().store(FLAGS, origin, worker, Offsets::RAISED);
        }
        self.return_exception(exn);
    }

    /// Emits code that raises the exception that a callee has returned, if there is one, and otherwise continues with the code that
    /// follows.
    fn raise_returned(&mut self, exn: Value) -> Result<(), Error> {
        let (raised, fine) = (self.b.create_block(), self.new_block());
        self.b.set_cold_block(raised);
        self.b.ins().brif(exn, raised, &[], fine, &[]);
        self.enter(raised);
        // The callee has stored the origin in the worker.
        self.raise_joined(exn)?;
        self.enter(fine);
        Ok(())
    }

    /// Ends the block with a plain call and a return in place of a tail call, because this function returns its exceptions and the callee
    /// does not.
    pub(super) fn call_and_return(&mut self, function: FuncRef, args: &[Value]) {
        let call = self.b.ins().call(function, args);
        self.mark(call, &[]);
        let results = self.b.inst_results(call).to_vec();
        self.return_(results);
    }

    pub(super) fn code_of(
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
        point: Point,
    ) -> Result<Vec<Value>, Error> {
        let (signature, code, args) = self.code_of(closure, args, results);
        Ok(self.call(Callable::Code(signature, code), &args, point))
    }

    /// Returns the pointers that the enclosing handlers need.
    pub(super) fn handled(&self) -> &Bits {
        self.regions.last().map_or(&NONE, |region| &region.needed)
    }
}
