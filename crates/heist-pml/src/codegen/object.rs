//! Object files, and the description of a program that both they and memory have.

use cranelift_module::{DataDescription, DataId, Linkage, Module, default_libcall_names};
use cranelift_object::{ObjectBuilder, ObjectModule};

use super::{Error, Translated, isa, translate};
use crate::anf::Program;
use crate::runtime::object::WORD;
use crate::runtime::program::VERSION;

/// Translates a program into an object file. Its symbol `heist_pml_program` is a `runtime::program::Description`.
///
/// # Errors
/// What is not supported.
pub fn object(program: &Program) -> Result<Vec<u8>, Error> {
    let builder = ObjectBuilder::new(isa(false)?, "pml", default_libcall_names())?;
    let mut module = ObjectModule::new(builder);
    let translated = translate(program, &mut module, None)?;
    describe(&mut module, &translated)?;
    module
        .finish()
        .emit()
        .map_err(|error| Error(error.to_string()))
}

/// Defines the description of a program, with what it refers to.
pub fn describe(module: &mut dyn Module, translated: &Translated) -> Result<DataId, Error> {
    let mut data = DataDescription::new();
    let functions = &translated.functions;
    data.define(vec![0; functions.len() * WORD].into_boxed_slice());
    for (index, id) in functions.iter().enumerate() {
        let function = module.declare_func_in_data(*id, &mut data);
        data.write_function_addr((index * WORD) as u32, function);
    }
    let addresses = define(module, "pml_functions", Linkage::Local, data)?;

    let mut data = DataDescription::new();
    let words = translated.table.iter().flat_map(|word| word.to_le_bytes());
    data.define(words.collect());
    let table = define(module, "pml_frames", Linkage::Local, data)?;

    let mut data = DataDescription::new();
    let words = [
        VERSION,
        0,
        0,
        translated.pointers as u64,
        0,
        0,
        functions.len() as u64,
        0,
        translated.table.len() as u64,
    ];
    data.define(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let main = module.declare_func_in_data(translated.main, &mut data);
    data.write_function_addr(WORD as u32, main);
    let parts = [
        (2, translated.globals, 0),
        (4, translated.statics, i64::from(translated.exns)),
        (5, addresses, 0),
        (7, table, 0),
    ];
    for (at, part, offset) in parts {
        let part = module.declare_data_in_data(part, &mut data);
        data.write_data_addr(at * WORD as u32, part, offset);
    }
    define(module, "heist_pml_program", Linkage::Export, data)
}

fn define(
    module: &mut dyn Module,
    name: &str,
    linkage: Linkage,
    mut data: DataDescription,
) -> Result<DataId, Error> {
    data.set_align(16);
    let id = module.declare_data(name, linkage, true, false)?;
    module.define_data(id, &data)?;
    Ok(id)
}
