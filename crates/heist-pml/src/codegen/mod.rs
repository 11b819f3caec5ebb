//! Code generation: translates programs after closure conversion to machine code, with Cranelift.
//!
//! - Functions have the calling convention for tail calls, and keep frame pointers. The pinned register has the address of the worker.
//! - A table, keyed by return addresses (`runtime::code::frames`), describes the frame at each possible collection or raise. Code that neither
//!   collects nor raises does not use the table.
//! - Compiled code reaches data outside of the program only through the worker, so the same code runs in memory and in
//!   an executable.

mod addresses;
mod bits;
mod body;
mod call;
mod clones;
mod compute;
mod copy;
mod debug;
mod jit;
mod joins;
mod kinds;
mod landings;
mod live;
mod numbers;
mod object;
mod polls;
mod returned;
mod safepoint;
mod section;
mod slots;
mod spots;
mod statics;
#[cfg(test)]
mod tests;
mod thunk;
mod unit;
mod unwind;

use std::fmt;

use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::{FuncId, Linkage, Module, ModuleError};

use crate::anf::Program;
use crate::runtime::code::places::Places;
use crate::source::Span;
use body::{Place, Source};
use debug::Function;
use live::Analysis;
use polls::Polls;
use unit::{NOWHERE, Tools, Unit};

pub use crate::runtime::launch::program::Outcome;
pub use jit::{Loaded, load, load_after};
pub use object::object;

/// The reason why code generation cannot translate a program.
#[derive(Clone, Debug)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ModuleError> for Error {
    fn from(error: ModuleError) -> Error {
        Error(error.to_string())
    }
}

/// The stages of code generation that a dump can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// Cranelift's intermediate language.
    Clif,
    /// Machine code.
    Asm,
}

/// A translated program in a module.
struct Translated {
    main: FuncId,
    /// All functions of the program, in the order of `table`.
    functions: Vec<FuncId>,
    /// The table of calls (`runtime::code::sites`).
    table: Vec<u32>,
    /// The table of forks (`runtime::code::sites`).
    forks: Vec<u32>,
    /// The number of globals that are pointers. Pointers come before the other globals.
    pointers: usize,
    globals: cranelift_module::DataId,
    /// The data object of the runtime's exceptions, and the offset of their table in this object.
    exns: (cranelift_module::DataId, u32),
    /// The data object whose addresses identify spots, and the number of these addresses.
    spots: (cranelift_module::DataId, usize),
    /// The descriptions of the program's spots.
    places: Places,
    /// The names, sizes and lines of all functions, for debuggers and profilers.
    defined: Vec<Function>,
    text: String,
}

/// The processors on which code must run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// This processor, with all its features.
    This,
    /// Any processor of this machine's architecture, except very old processors.
    Any,
}

/// Makes the code generator for these processors. If `anywhere` is true, the code does not depend on its address in
/// memory.
fn isa(processor: Processor, anywhere: bool) -> Result<OwnedTargetIsa, Error> {
    let fail = |error: &dyn fmt::Display| Error(error.to_string());
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("preserve_frame_pointers", "true"),
        ("enable_pinned_reg", "true"),
        ("unwind_info", if anywhere { "true" } else { "false" }),
        ("is_pic", if anywhere { "true" } else { "false" }),
        (
            "enable_verifier",
            if cfg!(debug_assertions) {
                "true"
            } else {
                "false"
            },
        ),
        ("enable_probestack", "false"),
        ("log2_min_function_alignment", "6"),
    ] {
        flags.set(name, value).map_err(|error| fail(&error))?;
    }
    let native = processor == Processor::This;
    let mut builder =
        cranelift_native::builder_with_options(native).map_err(|error| fail(&error))?;
    if !native && cfg!(target_arch = "x86_64") {
        // Rounding needs SSE 4.1. All x86-64 processors of the last fifteen years have the features in this list.
        for name in [
            "has_sse3",
            "has_ssse3",
            "has_sse41",
            "has_sse42",
            "has_popcnt",
        ] {
            builder.enable(name).map_err(|error| fail(&error))?;
        }
    }
    builder
        .finish(settings::Flags::new(flags))
        .map_err(|error| fail(&error))
}

/// The symbol of the data object with the runtime's exceptions.
const EXNS: &str = "pml_exns";

/// Translates a program into a module. If `exns_given` is true, another program defines the symbol [`EXNS`]. If `open` is true, the program
/// shares closures with other programs. If `debug` is true, the result has the source lines of the instructions.
fn translate(
    program: &Program,
    module: &mut dyn Module,
    exns_given: bool,
    open: bool,
    debug: bool,
    dump: Option<Dump>,
) -> Result<Translated, Error> {
    let mut unit = Unit::new(module, program, exns_given, dump)?;
    unit.debug = debug;
    unit.returned = returned::returned(program);
    for (index, fun) in program.funs.iter().enumerate() {
        let args = unit.reps(&fun.params);
        let results = unit.results(index);
        let signature = unit::signature(CallConv::Tail, &args, &results);
        // Profilers and debuggers show this symbol. The index makes it different from all other symbols.
        let name = format!("pml.{}.{index}", program.vars[fun.name.0 as usize].name);
        let id = unit
            .module
            .declare_function(&name, Linkage::Local, &signature)?;
        unit.funs.insert(fun.name, (id, index));
    }
    let signature = unit::signature(CallConv::Tail, &[], &[]);
    let main = unit
        .module
        .declare_function("pml_main", Linkage::Local, &signature)?;
    let pointers = statics::globals(&mut unit)?;
    let exns = statics::lay_out(&mut unit)?;
    let mut tools = Tools {
        context: unit.module.make_context(),
        builder: FunctionBuilderContext::new(),
    };
    let is_global: Vec<bool> = unit.globals.iter().map(|at| *at != NOWHERE).collect();
    let mut places = vec![Place::None; program.vars.len()];
    unit.landings = landings::landings(program, &unit.returned, &unit.globals);
    unit.polls = Polls::new(program, &unit.landings, open);
    let mut analysis = Analysis::new(program, &is_global, unit.landings.clone());
    for (index, fun) in program.funs.iter().enumerate() {
        let source = Source {
            name: Some(fun.name),
            params: &fun.params,
            results: &fun.results,
            body: &fun.body,
            index: Some(index),
            span: fun.span,
        };
        let (id, _) = unit.funs[&fun.name];
        body::define(
            &mut unit,
            &mut tools,
            &mut places,
            &mut analysis,
            &source,
            id,
        )?;
    }
    let source = Source {
        name: None,
        params: &[],
        results: &[],
        body: &program.main,
        index: None,
        span: Span::NONE,
    };
    body::define(
        &mut unit,
        &mut tools,
        &mut places,
        &mut analysis,
        &source,
        main,
    )?;
    let mut done = 0;
    while done < unit.thunks.len() {
        let (kind, id) = unit.thunks[done].clone();
        thunk::define(&mut unit, &mut tools, &kind, id)?;
        done += 1;
    }
    let count = unit.spots.count() + 1;
    let mut data = cranelift_module::DataDescription::new();
    data.define_zeroinit(count);
    unit.module.define_data(unit.spots_data, &data)?;
    Ok(Translated {
        main,
        spots: (unit.spots_data, count),
        places: unit.spots.finish(&program.places),
        forks: unit.fork_table().write(),
        defined: unit.defined,
        pointers,
        exns: (unit.exns_data, exns),
        globals: unit.globals_data,
        functions: unit.functions,
        table: unit.table,
        text: unit.text,
    })
}
