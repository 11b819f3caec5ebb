//! Writes the section `.eh_frame`, with which debuggers, profilers and unwinders find the caller of each function of an
//! object file.
//!
//! This file does not use `ObjectBuilder::unwind_info`, which writes absolute addresses. The loader would have to change these absolute
//! addresses in a section that is not writable, so linkers warn about them. Instead, each address that this file writes is relative to the
//! place where it is stored.

use cranelift_codegen::gimli::write::{
    Address, CommonInformationEntry, EhFrame, FrameTable, RelocationTarget,
};
use cranelift_codegen::isa::unwind::UnwindInfo;
use cranelift_codegen::{CompiledCode, gimli};
use cranelift_module::{FuncId, Module};
use cranelift_object::ObjectProduct;
use cranelift_object::object::RelocationKind;
use cranelift_object::object::write::StandardSection;

use super::Error;
use super::section::{Section, relocate};

/// Returns the entry of a function in `.eh_frame`, or `None` if the function's module is in memory.
///
/// # Errors
/// Returns an error if the code generator cannot describe the function.
pub fn unwind_info(module: &dyn Module, code: &CompiledCode) -> Result<Option<UnwindInfo>, Error> {
    if !module.isa().flags().unwind_info() {
        return Ok(None);
    }
    let info = code.create_unwind_info(module.isa());
    info.map_err(|error| Error(format!("unwind tables: {error}")))
}

/// Adds the section `.eh_frame`, with an entry for each of these functions, to an object file in memory.
///
/// # Errors
/// Returns an error if the program is too large for the format of the section.
pub fn add<'a>(
    product: &mut ObjectProduct,
    mut common: CommonInformationEntry,
    functions: impl Iterator<Item = (FuncId, &'a UnwindInfo)>,
) -> Result<(), Error> {
    let failed = |error: &dyn std::fmt::Display| Error(format!("unwind tables: {error}"));
    common.fde_address_encoding = gimli::DwEhPe(gimli::DW_EH_PE_pcrel.0 | gimli::DW_EH_PE_sdata4.0);
    let mut table = FrameTable::default();
    let common = table.add_cie(common);
    let mut ids = Vec::new();
    for (id, info) in functions {
        if let UnwindInfo::SystemV(info) = info {
            let address = Address::Symbol {
                symbol: ids.len(),
                addend: 0,
            };
            table.add_fde(common, info.to_fde(address));
            ids.push(id);
        }
    }
    let mut section = EhFrame(Section::default());
    table
        .write_eh_frame(&mut section)
        .map_err(|error| failed(&error))?;
    let EhFrame(Section { bytes, relocations }) = section;
    let made = product.object.section_id(StandardSection::EhFrame);
    product.object.append_section_data(made, bytes.slice(), 8);
    relocate(
        product,
        made,
        relocations,
        RelocationKind::Relative,
        |product, target| match target {
            RelocationTarget::Symbol(number) => product.function_symbol(ids[number]),
            RelocationTarget::Section(_) => unreachable!("entries refer to functions only"),
        },
    )
    .map_err(|error| failed(&error))
}
