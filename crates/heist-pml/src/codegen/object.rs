//! Object files: the same code and data, and a description of them that the runtime of an executable reads.
//!
//! `heist_pml_program` is: a version, the address of `main`, the globals, how many of them are pointers, the table of the
//! runtime's exceptions, the addresses of functions and their number, the table of frames and its number of words.

use cranelift_module::{Linkage, Module, default_libcall_names};
use cranelift_object::{ObjectBuilder, ObjectModule};

use super::{Error, isa, statics, translate};
use crate::anf::Program;
use crate::runtime::object::WORD;

/// The version of the description.
pub const VERSION: u64 = 1;

/// Translates a program into an object file.
///
/// # Errors
/// What is not supported.
pub fn object(program: &Program) -> Result<Vec<u8>, Error> {
    let builder = ObjectBuilder::new(isa(false)?, "pml", default_libcall_names())?;
    let mut module = ObjectModule::new(builder);
    let translated = translate(program, &mut module, None)?;
    let functions = translated.functions.clone();
    let addresses = statics::define(
        &mut module,
        "pml_functions",
        Linkage::Local,
        |module, data| {
            data.define(vec![0; functions.len() * WORD].into_boxed_slice());
            for (index, id) in functions.iter().enumerate() {
                let function = module.declare_func_in_data(*id, data);
                data.write_function_addr((index * WORD) as u32, function);
            }
        },
    )?;
    let words: Vec<u8> = translated
        .table
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let table = statics::define(&mut module, "pml_frames", Linkage::Local, |_, data| {
        data.define(words.into_boxed_slice());
    })?;
    statics::define(
        &mut module,
        "heist_pml_program",
        Linkage::Export,
        |module, data| {
            let numbers = [
                VERSION,
                0,
                0,
                translated.pointers as u64,
                0,
                0,
                translated.functions.len() as u64,
                0,
                translated.table.len() as u64,
            ];
            let bytes: Vec<u8> = numbers.iter().flat_map(|word| word.to_le_bytes()).collect();
            data.define(bytes.into_boxed_slice());
            let main = module.declare_func_in_data(translated.main, data);
            data.write_function_addr(8, main);
            let parts = [
                (16, translated.globals, 0),
                (32, translated.statics, i64::from(translated.exns)),
                (40, addresses, 0),
                (56, table, 0),
            ];
            for (at, part, offset) in parts {
                let part = module.declare_data_in_data(part, data);
                data.write_data_addr(at, part, offset);
            }
        },
    )?;
    module
        .finish()
        .emit()
        .map_err(|error| Error(error.to_string()))
}
