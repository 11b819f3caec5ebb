//! Puts code into memory, and runs it.

use std::fmt::Write;

use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::default_libcall_names;

use super::debug::Function;
use super::object::describe;
use super::{Dump, EXNS, Error, Processor, isa, translate};
use crate::anf::Program;
use crate::runtime::code::description::Description;
use crate::runtime::launch::program::{self, Outcome};
use crate::runtime::state::worker::Worker;

/// The size in bytes of the address range for a program's code and data. Relative jumps and loads reach all addresses
/// in a range of this size.
const ARENA: usize = 1 << 30;
/// The size in bytes of the address range for one of several programs that are loaded together.
const SMALL_ARENA: usize = 1 << 28;

/// A program in memory.
pub struct Loaded {
    // The module owns the memory of the code and data.
    module: Option<JITModule>,
    description: *const Description,
    exns: *const u8,
    functions: Vec<Function>,
    /// The text of the dump that the caller requested.
    pub text: String,
}

/// Translates a program to code in memory.
///
/// # Errors
/// Returns an error if the code generator does not support a part of the program.
pub fn load(program: &Program, dump: Option<Dump>) -> Result<Loaded, Error> {
    place(program, None, false, dump)
}

/// Translates one of several programs to code in memory. The programs run on one worker, one after the other. `first` is the first of these
/// programs, or `None` if `program` itself is the first. All of these programs use the exceptions of the runtime that the first program's
/// data object contains.
///
/// # Errors
/// Returns an error if the code generator does not support a part of the program.
pub fn load_after(
    first: Option<&Loaded>,
    program: &Program,
    dump: Option<Dump>,
) -> Result<Loaded, Error> {
    place(program, first, true, dump)
}

fn place(
    program: &Program,
    first: Option<&Loaded>,
    open: bool,
    dump: Option<Dump>,
) -> Result<Loaded, Error> {
    let mut builder = JITBuilder::with_isa(isa(Processor::This, false)?, default_libcall_names());
    let arena = if open { SMALL_ARENA } else { ARENA };
    if let Ok(arena) = ArenaMemoryProvider::new_with_size(arena) {
        builder.memory_provider(Box::new(arena));
    }
    if let Some(first) = first {
        builder.symbol(EXNS, first.exns);
    }
    let mut module = JITModule::new(builder);
    let translated = translate(program, &mut module, first.is_some(), open, false, dump)?;
    let description = describe(&mut module, &translated)?;
    module.finalize_definitions()?;
    let (description, _) = module.get_finalized_data(description);
    let exns = match first {
        Some(first) => first.exns,
        None => module.get_finalized_data(translated.exns.0).0,
    };
    Ok(Loaded {
        description: description.cast(),
        exns,
        functions: translated.defined,
        text: translated.text,
        module: Some(module),
    })
}

impl Loaded {
    /// Runs the program. The caller must not run a program twice, because the values of its globals persist.
    ///
    /// # Safety
    /// The worker's heap keeps closures of this program. The caller must keep this program alive as long as the worker runs anything. If
    /// [`load_after`] has loaded this program, the caller must also keep alive the program that it passed to `load_after` as `first`.
    pub unsafe fn run(&mut self, worker: &mut Worker) -> Outcome {
        // SAFETY: `describe` has made the description in the module's memory, and `self`, which owns the module, cannot be
        // dropped during this call.
        unsafe { program::run(&*self.description, worker) }
    }

    /// Returns the addresses, sizes and names of the program's functions, in the format of the file
    /// `/tmp/perf-PID.map`, which perf and samply read.
    #[must_use]
    pub fn perf_map(&self) -> String {
        let mut map = String::new();
        let module = self.module.iter();
        for (module, function) in
            module.flat_map(|module| self.functions.iter().map(move |it| (module, it)))
        {
            let address = module.get_finalized_function(function.id) as usize;
            let Function { size, symbol, .. } = function;
            let _ = writeln!(map, "{address:x} {size:x} {symbol}");
        }
        map
    }

    /// Runs the only program of a process: reports an exception that the program did not handle, then runs the program's
    /// `OS.Process.atExit` functions. Returns the exit code.
    ///
    /// # Safety
    /// The worker's heap keeps closures of this program. So the caller must keep the program alive as long as the
    /// worker runs anything.
    pub unsafe fn run_to_end(&mut self, worker: &mut Worker) -> i32 {
        // SAFETY: `describe` has made the description in the module's memory, and `self`, which owns the module, cannot be
        // dropped during this call.
        unsafe { program::run_to_end(&*self.description, worker) }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: no thread runs this code. `run` and `run_to_end` have returned, and by their contracts a worker that has closures of
            // this program runs nothing from now on.
            unsafe { module.free_memory() };
        }
    }
}
