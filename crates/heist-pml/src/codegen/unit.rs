//! State that code generation shares between the functions of a program.

use std::num::NonZeroU32;

use cranelift_codegen::ir::{
    self, AbiParam, ExternalName, FuncRef, GlobalValueData, Inst, Signature, SourceLoc, StackSlot,
    Type, UserExternalName, UserStackMapEntry,
    types::{F64, I64},
};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::{
    Context, Final, FinalizedMachCallSite, FinalizedMachExceptionHandler, MachDebugTagPos,
    MachSrcLoc,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{DataId, FuncId, Linkage, Module};
use rustc_hash::{FxHashMap, FxHashSet};

use super::debug::Function;
use super::polls::Polls;
use super::spots::Spots;
use super::unwind::unwind_info;
use super::{Dump, Error, addresses};
use crate::anf::{Label, Program, Rep, Var};
use crate::prim::BuiltinExn;
use crate::runtime::code::sites::{self, Argument, Call, Calls, Chain, ForkTable};
use crate::runtime::entry::table::by_name;
use crate::source::Span;

/// The value that [`Unit::globals`] has for variables that are not globals.
pub const NOWHERE: u32 = u32::MAX;

/// A flag in the tag of a call's exception table. The flag says that the address in the table is the call's landing (see the module
/// `landings`) and not a handler. The tag also has the number of the call's chain.
pub const LANDS: u32 = 1 << 30;

/// The kinds of thunks, through which compiled code calls the runtime (see the module `thunk`).
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Thunk {
    /// Calls the function of the runtime with this number in `runtime::entry::table`.
    Function(u16),
    /// Raises an exception.
    Raise,
    /// Raises an exception that was raised before.
    Again,
    /// Raises the exception of the right side of a fork.
    Joined,
    /// Raises an exception of the runtime.
    Builtin(BuiltinExn),
    /// Allocates an object when the young generation has no room for it.
    Allocate,
    /// Handles a poll that has found a request.
    Poll,
    /// Enlarges the list of remembered slots.
    Remember,
    /// Copies a small young object before code stores it into an object that other workers may see.
    Copy,
    /// Promotes a young object that is not small.
    Promote,
    /// Prepares a new array whose elements other workers will read.
    Settle,
    /// Promotes the young objects that code has stored into globals.
    Globals,
    /// Makes a new array.
    Array,
    /// Makes a new array without initial elements; code stores each element before it reads the element.
    Blank,
    /// Makes new bytes.
    Bytes,
    /// Ends the left side of a fork on the slow path, which code takes if the worker's poll is set.
    Join,
    /// Ends the left side of a fork whose right side is not needed, on the slow path, which code takes if the worker's poll is set.
    Drop,
    /// Promotes the arguments of a fork that has begun.
    Environment,
    /// Enlarges the deque of tasks.
    Grow,
    /// Runs the function of a fork for a thief.
    Steal(Var),
}

/// A fork of the program.
#[derive(Clone, Debug)]
struct Fork {
    /// The function that a thief calls.
    stub: FuncId,
    /// The places and representations of the arguments. A place is an offset into the slots of the frame or, in a program with clones, into
    /// the task.
    args: Vec<(i32, Rep)>,
    /// The representations of the results.
    results: Vec<Rep>,
    /// Whether the fork begins to compute a lazy value.
    lazy: bool,
    /// The slots of the frame. The places in `args` are offsets from the start of these slots until the layout of the frame is known.
    slots: Option<StackSlot>,
}

/// The translation of a program.
pub struct Unit<'a> {
    /// The module that receives code and data.
    pub module: &'a mut dyn Module,
    /// The program that is translated.
    pub program: &'a Program,
    /// The offsets of the globals, indexed by variable. Other variables have `NOWHERE`.
    pub globals: Vec<u32>,
    /// The data object with the cells of the globals, one word for each.
    pub globals_data: DataId,
    /// The data object and the offset of each static object.
    pub statics: Vec<(DataId, u32)>,
    /// The data object with the static objects.
    pub statics_data: DataId,
    /// The data object with the exceptions of the runtime.
    pub exns_data: DataId,
    /// Whether another program contains the data of the runtime's exceptions. In that case, code of this program cannot use relative
    /// addresses for this data, because the distance may be too long.
    pub exns_given: bool,
    /// The functions, keyed by their variables.
    pub funs: FxHashMap<Var, (FuncId, usize)>,
    /// For each function, whether it returns its exception as an additional result (see the module `returned`).
    pub returned: Vec<bool>,
    /// The forks whose joins need no check (see the module `landings`).
    pub landings: FxHashSet<Label>,
    /// The places at which code polls.
    pub polls: Polls,
    /// The declared thunks, in the order of their declarations.
    pub thunks: Vec<(Thunk, FuncId)>,
    thunk_ids: FxHashMap<Thunk, FuncId>,
    /// The ids of the defined functions, in the order of their definitions.
    pub functions: Vec<FuncId>,
    /// The table of the calls in the defined functions (see `runtime::code::sites`).
    pub table: Vec<u32>,
    /// The number of each fork.
    pub fork_numbers: FxHashMap<Label, u32>,
    forks: Vec<Fork>,
    /// The number of forks whose arguments already have their final places.
    placed: usize,
    /// The chains of forks at calls: the forks that are under way, and the number of these forks that are still under way at the call's
    /// handler.
    chains: Vec<Chain>,
    chain_numbers: FxHashMap<Chain, u32>,
    /// The numbers of places in the source texts.
    pub spots: Spots,
    /// A data object with a byte for each spot, and a byte that means "no spot". The address of a byte identifies the spot.
    pub spots_data: DataId,
    /// The functions, for debuggers and profilers.
    pub defined: Vec<Function>,
    /// Whether to record the source lines of the functions' instructions.
    pub debug: bool,
    /// The stage of code generation to print, if any.
    pub dump: Option<Dump>,
    /// The text of the stage `dump`.
    pub text: String,
}

/// The maximum number of results of a function that a thief runs.
pub const RESULTS: usize = 8;

/// Records which slots of the frame hold pointers during a call. Each slot has one word.
pub fn hold(b: &mut FunctionBuilder, call: Inst, slot: StackSlot, held: impl Iterator<Item = u32>) {
    let entries = held.map(|number| UserStackMapEntry {
        ty: I64,
        slot,
        offset: number * 8,
    });
    b.func.dfg.append_user_stack_map_entries(call, entries);
}

/// Returns Cranelift's type for a representation.
pub fn type_of(rep: Rep) -> Type {
    match rep {
        Rep::Int | Rep::Ptr => I64,
        Rep::Real => F64,
    }
}

/// Returns the signature of functions with these arguments and results.
pub fn signature(conv: CallConv, args: &[Rep], results: &[Rep]) -> Signature {
    let mut signature = Signature::new(conv);
    signature.params = args
        .iter()
        .map(|rep| AbiParam::new(type_of(*rep)))
        .collect();
    signature.returns = results
        .iter()
        .map(|rep| AbiParam::new(type_of(*rep)))
        .collect();
    signature
}

/// Returns the tag in the exception table of a call, and the offset of the code that belongs to it.
fn tag(call: &FinalizedMachCallSite) -> Option<(u32, u32)> {
    call.exception_handlers.iter().find_map(|it| match it {
        FinalizedMachExceptionHandler::Tag(tag, at) => Some((tag.as_u32(), *at)),
        _ => None,
    })
}

/// Returns the offset of a call's landing, if the call has one.
fn landing(call: &FinalizedMachCallSite) -> Option<u32> {
    tag(call)
        .filter(|(tag, _)| tag & LANDS != 0)
        .map(|tag| tag.1)
}

/// Returns the offsets at which the spot of the instructions changes, each with the new spot.
fn lines_of(ranges: &[MachSrcLoc<Final>]) -> Vec<(u32, u32)> {
    let mut lines = Vec::with_capacity(ranges.len());
    let mut end = 0;
    for range in ranges {
        if range.start > end {
            lines.push((end, 0));
        }
        lines.push((range.start, spot_of(range.loc)));
        end = range.end;
    }
    lines
}

/// Returns the spot that a source location stands for.
fn spot_of(loc: SourceLoc) -> u32 {
    if loc.is_default() { 0 } else { loc.bits() }
}

impl Unit<'_> {
    /// Returns the representations of variables.
    pub fn reps(&self, vars: &[Var]) -> Vec<Rep> {
        vars.iter()
            .map(|var| self.program.vars[var.0 as usize].rep)
            .collect()
    }

    /// Returns the representations of the results of a function's code, including the exception if the function returns
    /// it.
    pub fn results(&self, index: usize) -> Vec<Rep> {
        let mut results = self.program.funs[index].results.clone();
        if self.returned[index] {
            results.push(Rep::Ptr);
        }
        results
    }

    /// Returns the thunk of a kind. Declares the thunk at its first use; a later step defines all declared thunks.
    pub fn thunk(&mut self, thunk: Thunk) -> Result<FuncId, Error> {
        if let Some(id) = self.thunk_ids.get(&thunk) {
            return Ok(*id);
        }
        let name = format!("pml_thunk_{}", self.thunks.len());
        let signature = super::thunk::signature_of(&thunk);
        let id = self
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        self.thunk_ids.insert(thunk.clone(), id);
        self.thunks.push((thunk, id));
        Ok(id)
    }

    /// Records a fork: the function that a thief calls, and the places of its arguments in a frame, as offsets into
    /// the slots of the frame.
    pub fn fork(
        &mut self,
        fork: Label,
        thief: Var,
        (args, slots): (Vec<(i32, Rep)>, Option<StackSlot>),
        lazy: bool,
    ) -> Result<(), Error> {
        let stub = self.thunk(Thunk::Steal(thief))?;
        let (_, index) = self.funs[&thief];
        let results = self.program.funs[index].results.clone();
        if results.len() > RESULTS || args.len() > usize::from(u16::MAX) {
            return Err(Error("a fork of so many words".into()));
        }
        self.fork_numbers.insert(fork, self.forks.len() as u32);
        self.forks.push(Fork {
            stub,
            args,
            results,
            lazy,
            slots,
        });
        Ok(())
    }

    /// Returns the number of a chain, or `None` for an empty chain.
    pub fn chain(&mut self, forks: &[Label], kept: usize) -> Option<u32> {
        if forks.is_empty() {
            return None;
        }
        let chain = Chain {
            kept: kept as u32,
            forks: forks.iter().map(|fork| self.fork_numbers[fork]).collect(),
        };
        if let Some(number) = self.chain_numbers.get(&chain) {
            return Some(*number);
        }
        self.chains.push(chain.clone());
        // The numbers of chains begin with 1, because 0 stands for no chain.
        let number = self.chains.len() as u32;
        self.chain_numbers.insert(chain, number);
        Some(number)
    }

    /// Returns the table of forks (`runtime::code::sites`).
    #[must_use]
    pub fn fork_table(&self) -> ForkTable {
        let places: FxHashMap<FuncId, usize> = self
            .functions
            .iter()
            .enumerate()
            .map(|(at, id)| (*id, at))
            .collect();
        // Workers look for ready strands only if `threads` is true. A strand becomes ready only after it has waited or has let other
        // strands run. To do so, it first calls one of these functions.
        let threads = ["rt.Thread.current", "rt.Thread.giveWay"]
            .iter()
            .any(|name| {
                let thunk = by_name(name).map(Thunk::Function);
                thunk.is_some_and(|thunk| self.thunk_ids.contains_key(&thunk))
            });
        let argument = |(distance, rep): &(i32, Rep)| Argument {
            distance: *distance as u32,
            pointer: *rep == Rep::Ptr,
        };
        let forks = self.forks.iter().map(|fork| sites::Fork {
            stub: places[&fork.stub] as u32,
            lazy: fork.lazy,
            args: fork.args.iter().map(argument).collect(),
            results: fork.results.iter().map(|rep| *rep == Rep::Ptr).collect(),
        });
        ForkTable {
            threads,
            clones: self.program.clones,
            forks: forks.collect(),
            chains: self.chains.clone(),
        }
    }

    /// Declares the function `id` of the unit inside `function`. Returns a reference with which `function` can call it.
    pub fn import(&mut self, id: FuncId, function: &mut ir::Function) -> FuncRef {
        self.module.declare_func_in_func(id, function)
    }

    /// Emits the address of an offset in a data object.
    pub fn address(&self, data: DataId, offset: u32, b: &mut FunctionBuilder) -> ir::Value {
        use cranelift_codegen::ir::InstBuilder;
        // The name has the form that the module uses for data objects. Its second part is the offset.
        let name = b.func.declare_imported_user_function(UserExternalName {
            namespace: 1,
            index: data.as_u32(),
        });
        let global = b.create_global_value(GlobalValueData::Symbol {
            name: ExternalName::user(name),
            offset: i64::from(offset).into(),
            colocated: data != self.exns_data || !self.exns_given,
            tls: false,
        });
        b.ins().symbol_value(I64, global)
    }

    /// Compiles the function in the context, and records its calls. For a function of the program, `text` has the function's name in the
    /// source text, and its place.
    pub fn define(
        &mut self,
        id: FuncId,
        context: &mut Context,
        name: &str,
        text: Option<(&str, Span)>,
    ) -> Result<(), Error> {
        if self.dump == Some(Dump::Clif) {
            self.text
                .push_str(&format!("; {name}\n{}\n", context.func.display()));
        }
        context.set_disasm(self.dump == Some(Dump::Asm));
        let code = addresses::define(self.module, id, context)
            .map_err(|Error(error)| Error(format!("{name}: {error}")))?;
        if let (Some(Dump::Asm), Some(text)) = (self.dump, &code.vcode) {
            self.text.push_str(&format!("{name}:\n{text}\n"));
        }
        let unwind = unwind_info(self.module, &code)?;
        let frame_size = code
            .buffer
            .frame_layout()
            .expect("there is a frame")
            .frame_to_fp_offset;
        let layout = code.buffer.frame_layout().expect("there is a frame");
        for fork in &mut self.forks[self.placed..] {
            if let Some(slots) = fork.slots {
                let start = layout.stackslots[slots].offset;
                for (at, _) in &mut fork.args {
                    *at = (frame_size - start) as i32 - *at;
                }
            }
        }
        self.placed = self.forks.len();
        // The tag of a call comes after the call and after the code that frees the call's arguments on the stack, but
        // before the next call.
        let mut chains = code
            .buffer
            .debug_tags()
            .filter_map(|tags| match (tags.pos, tags.tags) {
                (MachDebugTagPos::Post, [ir::DebugTag::User(chain)]) => Some((tags.offset, *chain)),
                _ => None,
            })
            .peekable();
        let mut maps = code.buffer.user_stack_maps().iter().peekable();
        let mut lines = code.buffer.get_srclocs_sorted().iter().peekable();
        self.defined.push(Function {
            id,
            name: text.map_or_else(|| format!("pml.{name}"), |(text, _)| text.to_owned()),
            symbol: format!("pml.{name}"),
            size: code.code_buffer().len() as u32,
            spot: text.map_or(0, |(_, span)| self.spots.number(span)),
            lines: if self.debug {
                lines_of(code.buffer.get_srclocs_sorted())
            } else {
                Vec::new()
            },
            unwind,
        });
        self.functions.push(id);
        let mut table = Calls::begin(&mut self.table);
        let mut slots = Vec::new();
        // Both lists are in the order of addresses. A call without a stack map has no live pointers in its frame.
        let mut calls = code.buffer.call_sites().peekable();
        let landings: FxHashSet<u32> = code
            .buffer
            .call_sites()
            .filter_map(|call| landing(&call))
            .collect();
        while let Some(call) = calls.next() {
            // Cranelift also lists tail calls. A tail call does not return, so the address after it may be a landing.
            if landings.contains(&call.ret_addr) {
                continue;
            }
            let behind = calls.peek().map_or(u32::MAX, |next| next.ret_addr);
            let handler = call.exception_handlers.iter().find_map(|it| match it {
                FinalizedMachExceptionHandler::Default(at) => Some(*at),
                _ => None,
            });
            let mut chain = tag(&call).map_or(0, |(tag, _)| tag & !LANDS);
            while let Some((_, number)) = chains.next_if(|(offset, _)| *offset < behind) {
                chain = number;
            }
            while lines.next_if(|line| line.end < call.ret_addr).is_some() {}
            let here = lines.peek().filter(|line| line.start < call.ret_addr);
            let spot = here.map_or(0, |line| spot_of(line.loc));
            slots.clear();
            if let Some((_, _, map)) = maps.next_if(|map| map.0 == call.ret_addr) {
                slots.extend(map.entries().map(|(_, offset)| frame_size - offset));
            }
            table.add(&Call {
                address: call.ret_addr,
                handler: NonZeroU32::new(handler.unwrap_or(0)),
                landing: NonZeroU32::new(landing(&call).unwrap_or(0)),
                frame: frame_size,
                chain: NonZeroU32::new(chain),
                spot: NonZeroU32::new(spot),
                slots: &slots,
            });
        }
        assert!(maps.next().is_none(), "a map without a call");
        drop((chains, calls, lines));
        self.module.clear_context(context);
        Ok(())
    }

    /// Makes a unit for a program, without any code.
    pub fn new<'a>(
        module: &'a mut dyn Module,
        program: &'a Program,
        exns_given: bool,
        dump: Option<Dump>,
    ) -> Result<Unit<'a>, Error> {
        let globals_data = module.declare_data("pml_globals", Linkage::Local, true, false)?;
        let statics_data = module.declare_data("pml_statics", Linkage::Local, true, false)?;
        let spots_data = module.declare_data("pml_spots", Linkage::Local, true, false)?;
        let linkage = if exns_given {
            Linkage::Import
        } else {
            Linkage::Local
        };
        let exns_data = module.declare_data(super::EXNS, linkage, true, false)?;
        Ok(Unit {
            module,
            program,
            globals: vec![NOWHERE; program.vars.len()],
            globals_data,
            statics: Vec::new(),
            statics_data,
            exns_data,
            exns_given,
            funs: FxHashMap::default(),
            returned: Vec::new(),
            landings: FxHashSet::default(),
            polls: Polls::default(),
            thunks: Vec::new(),
            thunk_ids: FxHashMap::default(),
            functions: Vec::new(),
            table: Vec::new(),
            fork_numbers: FxHashMap::default(),
            forks: Vec::new(),
            placed: 0,
            chains: Vec::new(),
            chain_numbers: FxHashMap::default(),
            spots: Spots::default(),
            spots_data,
            defined: Vec::new(),
            debug: false,
            dump,
            text: String::new(),
        })
    }
}

/// Cranelift's state for building functions, which all functions use one after the other.
pub struct Tools {
    /// The function being built.
    pub context: Context,
    /// The memory that the builders of all functions use one after the other.
    pub builder: FunctionBuilderContext,
}
