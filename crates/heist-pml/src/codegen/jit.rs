//! Code in memory, and how it is run.

use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::default_libcall_names;

use super::{Dump, Error, isa, translate};
use crate::anf::Program;
use crate::runtime::frames::Frames;
use crate::runtime::object::{Value, WORD};
use crate::runtime::stack;
use crate::runtime::worker::Worker;

/// Addresses for code and data: so near that jumps and loads reach them.
const ARENA: usize = 1 << 30;

/// A program in memory.
pub struct Loaded {
    // Code lives as long as this.
    module: Option<JITModule>,
    main: usize,
    frames: Option<Frames>,
    globals: Vec<*mut usize>,
    exns: *const Value,
    /// What was to be printed.
    pub text: String,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At its end.
    Done,
    /// By an exception that nobody handled: its name and payload.
    Uncaught(Vec<u8>),
}

/// Translates a program into memory.
///
/// # Errors
/// What is not supported.
pub fn load(program: &Program, dump: Option<Dump>) -> Result<Loaded, Error> {
    let mut builder = JITBuilder::with_isa(isa(true)?, default_libcall_names());
    if let Ok(arena) = ArenaMemoryProvider::new_with_size(ARENA) {
        builder.memory_provider(Box::new(arena));
    }
    let mut module = JITModule::new(builder);
    let translated = translate(program, &mut module, dump)?;
    module.finalize_definitions()?;
    let functions: Vec<usize> = translated
        .functions
        .iter()
        .map(|id| module.get_finalized_function(*id) as usize)
        .collect();
    let (globals, _) = module.get_finalized_data(translated.globals);
    let (statics, _) = module.get_finalized_data(translated.statics);
    Ok(Loaded {
        main: module.get_finalized_function(translated.main) as usize,
        frames: Some(Frames::read(&functions, &translated.table)),
        globals: (0..translated.pointers)
            .map(|index| (globals as usize + index * WORD) as *mut usize)
            .collect(),
        exns: (statics as usize + translated.exns as usize) as *const Value,
        text: translated.text,
        module: Some(module),
    })
}

impl Loaded {
    /// Runs the program, once.
    pub fn run(&mut self, worker: &mut Worker) -> Outcome {
        let frames = self.frames.take().expect("a program runs once");
        worker.attach(frames, std::mem::take(&mut self.globals), self.exns);
        // SAFETY: the code is that of the program that was attached; it is freed after this.
        unsafe {
            if stack::run(worker, self.main) == 0 {
                return Outcome::Done;
            }
            Outcome::Uncaught(crate::runtime::raise::describe(worker.pending))
        }
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
