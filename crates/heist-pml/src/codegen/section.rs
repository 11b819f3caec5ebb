//! A section of an object file with places at which the linker fills in addresses.

use cranelift_codegen::gimli::LittleEndian;
use cranelift_codegen::gimli::write::{EndianVec, RelocateWriter, Relocation, RelocationTarget};
use cranelift_object::ObjectProduct;
use cranelift_object::object::write;
use cranelift_object::object::{RelocationEncoding, RelocationFlags, RelocationKind};

/// A section that is being written.
#[derive(Clone)]
pub struct Section {
    /// The bytes that have been written to the section.
    pub bytes: EndianVec<LittleEndian>,
    /// The places at which the linker fills in addresses.
    pub relocations: Vec<Relocation>,
}

impl Default for Section {
    fn default() -> Section {
        Section {
            bytes: EndianVec::new(LittleEndian),
            relocations: Vec::new(),
        }
    }
}

impl RelocateWriter for Section {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// Adds relocations to a section of the object file, so that the linker fills in addresses. `symbol` returns the symbol of a target.
///
/// # Errors
/// Returns an error if the format of the object file does not support a relocation.
pub fn relocate(
    product: &mut ObjectProduct,
    section: write::SectionId,
    relocations: Vec<Relocation>,
    kind: RelocationKind,
    mut symbol: impl FnMut(&mut ObjectProduct, RelocationTarget) -> write::SymbolId,
) -> Result<(), write::Error> {
    for relocation in relocations {
        let relocation = write::Relocation {
            offset: relocation.offset as u64,
            symbol: symbol(product, relocation.target),
            addend: relocation.addend,
            flags: RelocationFlags::Generic {
                kind,
                encoding: RelocationEncoding::Generic,
                size: relocation.size * 8,
            },
        };
        product.object.add_relocation(section, relocation)?;
    }
    Ok(())
}
