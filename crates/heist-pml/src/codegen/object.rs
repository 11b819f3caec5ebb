//! Makes object files. This module also makes the description of a program, which both object files and programs in memory contain.

use cranelift_codegen::Context;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature};
use cranelift_codegen::isa::CallConv;
use cranelift_codegen::isa::unwind::UnwindInfo;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{DataDescription, DataId, FuncId, Linkage, Module, default_libcall_names};
use cranelift_object::{ObjectBuilder, ObjectModule};

use super::unwind::{self, unwind_info};
use super::{Dump, Error, Processor, Translated, debug, isa, translate};
use crate::anf::Program;
use crate::runtime::code::description::VERSION;
use crate::runtime::value::object::WORD;

/// An object file.
pub struct Object {
    /// The contents of the object file.
    pub bytes: Vec<u8>,
    /// The text of the dump that the caller requested.
    pub text: String,
}

/// Translates a program into an object file, which the driver links with the runtime into an executable. The symbol
/// `heist_pml_program` of the file is a `runtime::code::description::Description`. If `debug` is true, the file has DWARF line
/// tables.
///
/// # Errors
/// Returns an error if the code generator does not support a part of the program.
pub fn object(
    program: &Program,
    processor: Processor,
    debug: bool,
    dump: Option<Dump>,
) -> Result<Object, Error> {
    let isa = isa(processor, true)?;
    let builder = ObjectBuilder::new(isa, "pml", default_libcall_names())?;
    let mut module = ObjectModule::new(builder);
    let translated = translate(program, &mut module, false, false, debug, dump)?;
    let description = describe(&mut module, &translated)?;
    let main = define_main(&mut module, description)?;
    let common = module.isa().create_systemv_cie();
    let mut product = module.finish();
    let Translated {
        defined, places, ..
    } = &translated;
    if let Some(common) = common {
        let functions = defined
            .iter()
            .map(|function| (function.id, &function.unwind))
            .chain([(main.0, &main.1)])
            .filter_map(|(id, info)| Some((id, info.as_ref()?)));
        unwind::add(&mut product, common, functions)?;
    }
    if debug {
        debug::add(&mut product, defined, places, &program.places)?;
    }
    let bytes = product.emit();
    Ok(Object {
        bytes: bytes.map_err(|error| Error(error.to_string()))?,
        text: translated.text,
    })
}

/// Defines `main`, which calls `runtime::launch::start` with the system's arguments and the description.
fn define_main(
    module: &mut ObjectModule,
    description: DataId,
) -> Result<(FuncId, Option<UnwindInfo>), Error> {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = [I32, I64].map(AbiParam::new).to_vec();
    signature.returns = vec![AbiParam::new(I32)];
    let main = module.declare_function("main", Linkage::Export, &signature)?;
    let mut callee = signature.clone();
    callee.params.push(AbiParam::new(I64));
    let start = module.declare_function("heist_pml_start", Linkage::Import, &callee)?;
    let mut context = Context::new();
    context.func.signature = signature;
    let mut memory = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut context.func, &mut memory);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let mut args = b.block_params(entry).to_vec();
    let description = module.declare_data_in_func(description, b.func);
    args.push(b.ins().symbol_value(I64, description));
    let start = module.declare_func_in_func(start, b.func);
    let call = b.ins().call(start, &args);
    let results = b.inst_results(call).to_vec();
    b.ins().return_(&results);
    b.finalize(module.target_config());
    module
        .define_function(main, &mut context)
        .map_err(|error| Error(format!("main: {error:?}")))?;
    let code = context.compiled_code().expect("just compiled");
    Ok((main, unwind_info(module, code)?))
}

/// Defines the data object that describes a program to the runtime.
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
    let words = translated.forks.iter().flat_map(|word| word.to_le_bytes());
    data.define(words.collect());
    let forks = define(module, "pml_forks", Linkage::Local, data)?;

    let mut data = DataDescription::new();
    let encoded = translated.places.encode();
    let place_bytes = encoded.len() as u64;
    data.define(encoded.into_boxed_slice());
    let places = define(module, "pml_places", Linkage::Local, data)?;

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
        0,
        translated.forks.len() as u64,
        0,
        translated.spots.1 as u64,
        0,
        place_bytes,
    ];
    data.define(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let main = module.declare_func_in_data(translated.main, &mut data);
    data.write_function_addr(WORD as u32, main);
    let parts = [
        (2, translated.globals, 0),
        (4, translated.exns.0, i64::from(translated.exns.1)),
        (5, addresses, 0),
        (7, table, 0),
        (9, forks, 0),
        (11, translated.spots.0, 0),
        (13, places, 0),
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
