//! Tests the debug information of `heist build -g` and the unwind tables in object files.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::gimli::{
    self, BaseAddresses, DebuggingInformationEntry, EndianSlice, LittleEndian, SectionId,
    UnwindSection,
};
use cranelift_object::object::read::elf::ElfFile64;
use cranelift_object::object::{self, Object, ObjectSection, ObjectSymbol, RelocationTarget};
use heist_pml::driver::{self, Build, Settings};

const PROGRAM: &str = "fun n () = length (CommandLine.arguments ())
fun f x =
  if x > 2
  then raise Fail \"big\"
  else x * 3
fun deep x =
  if x = 0 then n ()
  else 1
    + deep (x - 1) * deep (x - 2)
val y = deep (n ())
val () = print (Int.toString (f y))
";

/// Returns the object file of a program.
fn built(debug: bool) -> Vec<u8> {
    built_in(&tempfile::tempdir().unwrap(), debug)
}

fn built_in(folder: &tempfile::TempDir, debug: bool) -> Vec<u8> {
    let file = folder.path().join("program.sml");
    std::fs::write(&file, PROGRAM).unwrap();
    let out = folder.path().join("object.o");
    let build = Build {
        out: Some(out.clone()),
        object: true,
        native: false,
        debug,
        runtime: &[],
    };
    let settings = Settings::default();
    assert_eq!(driver::build(&[file], &build, &settings), driver::ACCEPTED);
    std::fs::read(out).unwrap()
}

type Elf<'a> = ElfFile64<'a, object::Endianness>;

/// Returns a section with the relocations of an executable whose sections all begin at address 0.
fn linked(elf: &Elf<'_>, name: &str) -> Vec<u8> {
    let Some(section) = elf.section_by_name(name) else {
        return Vec::new();
    };
    let mut bytes = section.data().unwrap().to_vec();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(symbol) = relocation.target() else {
            panic!("a relocation without a symbol");
        };
        let symbol = elf.symbol_by_index(symbol).unwrap();
        let mut value = symbol.address().wrapping_add_signed(relocation.addend());
        if relocation.kind() == object::RelocationKind::Relative {
            value = value.wrapping_sub(offset);
        }
        let size = usize::from(relocation.size()) / 8;
        let offset = offset as usize;
        bytes[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    bytes
}

fn text(entry: &DebuggingInformationEntry<Slice<'_>>, dwarf: &gimli::Dwarf<Slice<'_>>) -> String {
    let name = entry.attr_value(gimli::DW_AT_name).unwrap();
    let unit = dwarf.units().next().unwrap().unwrap();
    let unit = dwarf.unit(unit).unwrap();
    let name = dwarf.attr_string(&unit, name).unwrap();
    name.to_string_lossy().into_owned()
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

#[test]
fn functions_have_their_names_and_lines() {
    let bytes = built(true);
    let elf = Elf::parse(&bytes[..]).unwrap();
    let mut sections = BTreeMap::new();
    for id in [
        SectionId::DebugInfo,
        SectionId::DebugAbbrev,
        SectionId::DebugLine,
        SectionId::DebugStr,
        SectionId::DebugRanges,
    ] {
        sections.insert(id.name(), linked(&elf, id.name()));
    }
    let empty = Vec::new();
    let dwarf = gimli::Dwarf::load(|id| -> Result<Slice<'_>, gimli::Error> {
        let bytes = sections.get(id.name()).unwrap_or(&empty);
        Ok(EndianSlice::new(bytes, LittleEndian))
    })
    .unwrap();
    let header = dwarf.units().next().unwrap().expect("a unit");
    let unit = dwarf.unit(header).unwrap();
    // Pairs of an address and the line of the program to which it belongs.
    let mut lines: Vec<(u64, Option<u64>)> = Vec::new();
    let mut rows = unit.line_program.clone().unwrap().rows();
    while let Some((header, row)) = rows.next_row().unwrap() {
        let file = row.file(header).unwrap();
        let name = dwarf.attr_string(&unit, file.path_name()).unwrap();
        let own = name.to_string_lossy().ends_with("program.sml") && !row.end_sequence();
        let line = row.line().filter(|_| own).map(|line| line.get());
        lines.push((row.address(), line));
    }
    let mut found = BTreeMap::new();
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs().unwrap() {
        if entry.tag() != gimli::DW_TAG_subprogram {
            continue;
        }
        let number = |at| match entry.attr_value(at).unwrap() {
            gimli::AttributeValue::Udata(number) => number,
            gimli::AttributeValue::Addr(address) => address,
            other => panic!("{other:?}"),
        };
        let (start, size) = (number(gimli::DW_AT_low_pc), number(gimli::DW_AT_high_pc));
        let own: BTreeSet<u64> = lines
            .iter()
            .filter(|(address, _)| (start..start + size).contains(address))
            .filter_map(|(_, line)| *line)
            .collect();
        found.insert(text(entry, &dwarf), (start, own));
    }
    let (start, deep) = &found["deep"];
    assert_eq!(*deep, BTreeSet::from([6, 7, 8, 9]), "{found:?}");
    let symbol = elf.symbols().find(|symbol| symbol.address() == *start);
    let name = symbol.unwrap().name().unwrap().to_owned();
    assert!(name.starts_with("pml.deep."), "{name}");
    let (_, main) = &found["pml_main"];
    assert!(
        main.is_superset(&BTreeSet::from([4, 5, 10, 11])),
        "{main:?}"
    );
    assert!(found.contains_key("pml.raise"), "{:?}", found.keys());
}

#[test]
fn every_function_can_be_unwound() {
    let bytes = built(false);
    let elf = Elf::parse(&bytes[..]).unwrap();
    let frames = linked(&elf, ".eh_frame");
    let frames = gimli::EhFrame::new(&frames, LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(0).set_text(0);
    let mut known = BTreeSet::new();
    let mut entries = frames.entries(&bases);
    while let Some(entry) = entries.next().unwrap() {
        if let gimli::CieOrFde::Fde(partial) = entry {
            let entry = partial.parse(gimli::EhFrame::cie_from_offset).unwrap();
            known.insert(entry.initial_address());
        }
    }
    let code = elf.section_by_name(".text").unwrap().index();
    let functions: BTreeSet<u64> = elf
        .symbols()
        .filter(|symbol| symbol.kind() == object::SymbolKind::Text)
        .filter(|symbol| symbol.section_index() == Some(code))
        .map(|symbol| symbol.address())
        .collect();
    assert!(functions.len() > 10);
    assert_eq!(known, functions);
}

#[test]
fn lines_do_not_change_the_code() {
    // The file's name is part of the data, so both programs must be in the same folder.
    let folder = tempfile::tempdir().unwrap();
    let (plain, debug) = (built_in(&folder, false), built_in(&folder, true));
    let code = |bytes: &[u8]| {
        let elf = Elf::parse(bytes).unwrap();
        let names = [".text", ".data", ".eh_frame"];
        names.map(|name| linked(&elf, name))
    };
    assert!(code(&plain)[0].len() > 1000);
    assert!(code(&plain) == code(&debug), "the code differs");
    let elf = Elf::parse(&plain[..]).unwrap();
    assert!(elf.section_by_name(".debug_line").is_none());
}
