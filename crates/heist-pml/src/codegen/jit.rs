//! Code in memory, and how it is run.

use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::default_libcall_names;

use super::object::describe;
use super::{Dump, Error, Processor, isa, translate};
use crate::anf::Program;
use crate::runtime::program::{self, Description, Outcome};
use crate::runtime::worker::Worker;

/// Addresses for code and data: so near that jumps and loads reach them.
const ARENA: usize = 1 << 30;

/// A program in memory.
pub struct Loaded {
    // Code lives as long as this.
    module: Option<JITModule>,
    description: *const Description,
    /// What was to be printed.
    pub text: String,
}

/// Translates a program into memory.
///
/// # Errors
/// What is not supported.
pub fn load(program: &Program, dump: Option<Dump>) -> Result<Loaded, Error> {
    let mut builder = JITBuilder::with_isa(isa(Processor::This, false)?, default_libcall_names());
    if let Ok(arena) = ArenaMemoryProvider::new_with_size(ARENA) {
        builder.memory_provider(Box::new(arena));
    }
    let mut module = JITModule::new(builder);
    let translated = translate(program, &mut module, dump)?;
    let description = describe(&mut module, &translated)?;
    module.finalize_definitions()?;
    let (description, _) = module.get_finalized_data(description);
    Ok(Loaded {
        description: description.cast(),
        text: translated.text,
        module: Some(module),
    })
}

impl Loaded {
    /// Runs the program, once: what it binds stays bound.
    pub fn run(&mut self, worker: &mut Worker) -> Outcome {
        // SAFETY: `describe` made it; the code is freed after this.
        unsafe { program::run(&*self.description, worker) }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody runs this code any more: `run` has come back.
            unsafe { module.free_memory() };
        }
    }
}
