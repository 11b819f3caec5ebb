//! Writes DWARF for debuggers and profilers: the functions of an object file, and the source line of each instruction.

use std::collections::HashSet;

use cranelift_codegen::gimli::write::{
    Address, AttributeValue, DwarfUnit, FileId, LineProgram, LineString, Range, RangeList,
    RelocationTarget, Sections, UnitEntryId,
};
use cranelift_codegen::gimli::{self, Encoding, Format, LineEncoding, SectionId};
use cranelift_codegen::isa::unwind::UnwindInfo;
use cranelift_module::FuncId;
use cranelift_object::ObjectProduct;
use cranelift_object::object::write;
use cranelift_object::object::{RelocationKind, SectionKind};
use rustc_hash::FxHashMap;

use super::Error;
use super::section::{Section, relocate};
use crate::anf;
use crate::runtime::code::places::{Places, Spot};
use crate::source;

/// A function of an object file.
#[derive(Debug)]
pub struct Function {
    /// The function.
    pub id: FuncId,
    /// The function's name in the text, or the name of the thunk.
    pub name: String,
    /// The function's symbol, a name that no other function has.
    pub symbol: String,
    /// The number of bytes of the function's code.
    pub size: u32,
    /// The spot of the function's declaration.
    pub spot: u32,
    /// Pairs of an offset in the code and a spot. The instructions from the offset on have this spot, or 0 if their spot is unknown.
    pub lines: Vec<(u32, u32)>,
    /// The unwind information of the function, if it belongs to an object file.
    pub unwind: Option<UnwindInfo>,
}

/// Adds the DWARF sections to an object file in memory.
///
/// # Errors
/// Returns an error if the program is too large for the format of DWARF.
pub fn add(
    product: &mut ObjectProduct,
    functions: &[Function],
    places: &Places,
    program: &anf::Places,
) -> Result<(), Error> {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 4,
        address_size: 8,
    };
    let folder = std::env::current_dir().unwrap_or_default();
    let folder = folder.into_os_string().into_encoded_bytes();
    let folder = if folder.is_empty() || folder.contains(&0) {
        b".".to_vec()
    } else {
        folder
    };
    let texts = Texts::new(places, program);
    let mut unit = DwarfUnit::new(encoding);
    unit.unit.line_program = LineProgram::new(
        encoding,
        LineEncoding::default(),
        LineString::String(folder.clone()),
        None,
        LineString::String(texts.main.clone()),
        None,
    );
    let mut files = FxHashMap::default();
    let mut ranges = Vec::with_capacity(functions.len());
    let root = unit.unit.root();
    for (number, function) in functions.iter().enumerate() {
        let start = Address::Symbol {
            symbol: number,
            addend: 0,
        };
        let length = u64::from(function.size);
        ranges.push(Range::StartLength {
            begin: start,
            length,
        });
        let name = unit.strings.add(function.name.replace('\0', ""));
        let entry = unit.unit.add(root, gimli::DW_TAG_subprogram);
        set(
            &mut unit,
            entry,
            gimli::DW_AT_name,
            AttributeValue::StringRef(name),
        );
        set(
            &mut unit,
            entry,
            gimli::DW_AT_low_pc,
            AttributeValue::Address(start),
        );
        set(
            &mut unit,
            entry,
            gimli::DW_AT_high_pc,
            AttributeValue::Udata(length),
        );
        if let Some(spot) = texts.shown(function.spot) {
            let file = file(&mut unit, &mut files, places, spot);
            let line = AttributeValue::Udata(u64::from(spot.line));
            set(
                &mut unit,
                entry,
                gimli::DW_AT_decl_file,
                AttributeValue::FileIndex(Some(file)),
            );
            set(&mut unit, entry, gimli::DW_AT_decl_line, line);
        }
        unit.unit.line_program.begin_sequence(Some(start));
        let mut last = None;
        for (offset, spot) in &function.lines {
            // The prologue, which has no spot, gets the place of the function's declaration.
            let prologue = *offset == 0 && *spot == 0;
            let spot = texts.shown(if prologue { function.spot } else { *spot });
            let shown = spot.map(|spot| (spot.file, spot.line, spot.column));
            if last == Some(shown) {
                continue;
            }
            last = Some(shown);
            let file = spot.map(|spot| file(&mut unit, &mut files, places, spot));
            let row = unit.unit.line_program.row();
            row.address_offset = u64::from(*offset);
            row.line = spot.map_or(0, |spot| u64::from(spot.line));
            row.column = spot.map_or(0, |spot| u64::from(spot.column));
            if let Some(file) = file {
                row.file = file;
            }
            unit.unit.line_program.generate_row();
        }
        unit.unit.line_program.end_sequence(length);
    }
    let ranges = unit.unit.ranges.add(RangeList(ranges));
    let producer = unit
        .strings
        .add(concat!("heist ", env!("CARGO_PKG_VERSION")));
    let name = unit.strings.add(texts.main.clone());
    let folder = unit.strings.add(folder);
    for (at, value) in [
        (gimli::DW_AT_producer, AttributeValue::StringRef(producer)),
        (gimli::DW_AT_name, AttributeValue::StringRef(name)),
        (gimli::DW_AT_comp_dir, AttributeValue::StringRef(folder)),
        (
            gimli::DW_AT_low_pc,
            AttributeValue::Address(Address::Constant(0)),
        ),
        (gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges)),
        (gimli::DW_AT_stmt_list, AttributeValue::LineProgramRef),
    ] {
        set(&mut unit, root, at, value);
    }
    let mut sections = Sections::new(Section::default());
    let failed = |error: &dyn std::fmt::Display| Error(format!("debug information: {error}"));
    unit.write(&mut sections).map_err(|error| failed(&error))?;
    write(product, functions, &mut sections)
}

fn set(unit: &mut DwarfUnit, entry: UnitEntryId, at: gimli::DwAt, value: AttributeValue) {
    unit.unit.get_mut(entry).set(at, value);
}

fn file(
    unit: &mut DwarfUnit,
    files: &mut FxHashMap<u32, FileId>,
    places: &Places,
    spot: Spot,
) -> FileId {
    *files.entry(spot.file).or_insert_with(|| {
        let program = &mut unit.unit.line_program;
        let folder = program.default_directory();
        program.add_file(text(&places.files[spot.file as usize - 1]), folder, None)
    })
}

/// Returns a path without the characters that DWARF does not allow.
fn text(path: &str) -> LineString {
    let path = path.replace('\0', "");
    LineString::String(if path.is_empty() {
        "-".into()
    } else {
        path.into()
    })
}

/// The information about source texts that goes into the DWARF sections.
struct Texts<'a> {
    places: &'a Places,
    /// The names of the files of the Basis, which a debugger cannot open.
    builtin: HashSet<String>,
    /// The name of the last file of the program.
    main: Vec<u8>,
}

impl Texts<'_> {
    fn new<'a>(places: &'a Places, program: &anf::Places) -> Texts<'a> {
        let mut builtin = HashSet::new();
        let mut main = b"program".to_vec();
        let files = (0..).map_while(|id| program.sources.file(source::FileId(id)));
        for file in files {
            let name = file.path.display().to_string();
            if file.builtin {
                builtin.insert(name);
            } else if let LineString::String(name) = text(&name) {
                main = name;
            }
        }
        Texts {
            places,
            builtin,
            main,
        }
    }

    /// Returns the place that a debugger shows for a spot. If the code comes from an inlined function of the Basis, the result is the place
    /// of the program's call.
    fn shown(&self, number: u32) -> Option<Spot> {
        let spots = &self.places.spots;
        let get = |number: u32| spots.get((number as usize).checked_sub(1)?).copied();
        let innermost = get(number).filter(|spot| spot.line != 0)?;
        let mut spot = innermost;
        while self.is_builtin(spot) {
            match get(spot.call).filter(|call| call.line != 0) {
                Some(call) => spot = call,
                None => return Some(innermost),
            }
        }
        Some(spot)
    }

    fn is_builtin(&self, spot: Spot) -> bool {
        let file = (spot.file as usize).checked_sub(1);
        let file = file.and_then(|file| self.places.files.get(file));
        file.is_some_and(|file| self.builtin.contains(file))
    }
}

/// Puts the DWARF sections into the object file.
fn write(
    product: &mut ObjectProduct,
    functions: &[Function],
    sections: &mut Sections<Section>,
) -> Result<(), Error> {
    let mut ids: FxHashMap<SectionId, write::SectionId> = FxHashMap::default();
    let mut relocations = Vec::new();
    sections.for_each_mut(|id, section: &mut Section| -> Result<(), Error> {
        if section.bytes.slice().is_empty() {
            return Ok(());
        }
        let name = id.name().as_bytes().to_vec();
        let made = product
            .object
            .add_section(Vec::new(), name, SectionKind::Debug);
        product
            .object
            .append_section_data(made, section.bytes.slice(), 1);
        ids.insert(id, made);
        relocations.push((made, std::mem::take(&mut section.relocations)));
        Ok(())
    })?;
    for (section, wanted) in relocations {
        relocate(
            product,
            section,
            wanted,
            RelocationKind::Absolute,
            |product, target| match target {
                RelocationTarget::Symbol(number) => product.function_symbol(functions[number].id),
                RelocationTarget::Section(id) => product.object.section_symbol(ids[&id]),
            },
        )
        .map_err(|error| Error(error.to_string()))?;
    }
    Ok(())
}
