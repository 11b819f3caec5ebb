//! Lays out the data of a program: static objects, the exceptions of the runtime, and the cells of globals.

use cranelift_module::{DataDescription, DataId, FuncId, Module};

use super::Error;
use super::unit::Unit;
use crate::anf::{Atom, Rep, Static};
use crate::prim::BuiltinExn;
use crate::runtime::value::object::{BUILTINS, Header, IDENTITY, MAX_FIELDS, Value, WORD, intinf};
use crate::runtime::value::shape::{Con, Field, Held, Node, Shape};

/// The data or code to which an address in a data object refers.
enum Target {
    /// An offset in the same data object.
    Data(u32),
    /// An offset in the data object of the runtime's exceptions.
    Exn(u32),
    /// The code of a function.
    Code(FuncId),
}

#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    relocations: Vec<(u32, Target)>,
}

impl Image {
    fn here(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn word(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn reference(&mut self, target: Target) {
        self.relocations.push((self.here(), target));
        self.word(0);
    }

    fn text(&mut self, tag: u16, text: &[u8]) -> u32 {
        let at = self.here();
        self.word(Header::bytes(tag, text.len()).0);
        self.bytes.extend_from_slice(text);
        self.bytes
            .resize(self.bytes.len().next_multiple_of(WORD), 0);
        at
    }
}

/// Returns the description of the payload `{name : string, function : string, cause : exn}`.
fn io_payload() -> Shape {
    let field = |label: &str, index, node| Field {
        label: label.into(),
        index,
        node,
    };
    Shape {
        nodes: vec![
            Node::Record(vec![
                field("cause", 0, 1),
                field("function", 1, 2),
                field("name", 2, 2),
            ]),
            Node::Exn,
            Node::String,
        ],
    }
}

/// Returns the description of the payload `string * int option`.
fn sys_err_payload() -> Shape {
    let field = |label: &str, index, node| Field {
        label: label.into(),
        index,
        node,
    };
    let con = |name: &str, held| Con {
        name: name.into(),
        held,
    };
    let some = Held::Object {
        tag: 0,
        index: 0,
        node: 3,
    };
    Shape {
        nodes: vec![
            Node::Tuple(vec![field("1", 0, 1), field("2", 1, 2)]),
            Node::String,
            Node::Data(vec![con("NONE", Held::Immediate(0)), con("SOME", some)]),
            Node::Int,
        ],
    }
}

/// The data of the runtime's exceptions: their identities, packets without payload, and a table with the addresses of the identities and
/// packets.
struct Exns {
    image: Image,
    identities: Vec<u32>,
    table: u32,
}

impl Exns {
    /// Makes the data of the runtime's exceptions, which is the same for every program.
    fn new() -> Exns {
        let mut image = Image::default();
        let mut identities = Vec::new();
        // Lowering encodes the payloads of the program's own exceptions in the same way.
        let fail = image.text(0, &Shape::of(Node::String).encode());
        let io = image.text(0, &io_payload().encode());
        let sys_err = image.text(0, &sys_err_payload().encode());
        for exn in BuiltinExn::ALL {
            let name = image.text(0, exn.name().as_bytes());
            identities.push(image.here());
            image.word(IDENTITY.0);
            image.reference(Target::Data(name));
            match exn {
                BuiltinExn::Fail => image.reference(Target::Data(fail)),
                BuiltinExn::Io => image.reference(Target::Data(io)),
                BuiltinExn::SysErr => image.reference(Target::Data(sys_err)),
                _ => image.word(0),
            }
        }
        let mut packets = Vec::new();
        for identity in &identities {
            packets.push(image.here());
            image.word(Header::record(0, 1, 0).0);
            image.reference(Target::Data(*identity));
        }
        let table = image.here();
        debug_assert_eq!(identities.len(), BUILTINS);
        for exn in identities.iter().chain(&packets) {
            image.reference(Target::Data(*exn));
        }
        Exns {
            image,
            identities,
            table,
        }
    }
}

/// Defines a data object of the module with the contents of an image.
fn define(unit: &mut Unit, id: DataId, image: Image) -> Result<(), Error> {
    let mut data = DataDescription::new();
    data.set_align(16);
    let own = unit.module.declare_data_in_data(id, &mut data);
    let exns = image
        .relocations
        .iter()
        .any(|(_, target)| matches!(target, Target::Exn(_)))
        .then(|| unit.module.declare_data_in_data(unit.exns_data, &mut data));
    for (at, target) in image.relocations {
        match target {
            Target::Data(to) => data.write_data_addr(at, own, i64::from(to)),
            Target::Exn(to) => {
                data.write_data_addr(at, exns.expect("declared above"), i64::from(to));
            }
            Target::Code(id) => {
                let function = unit.module.declare_func_in_data(id, &mut data);
                data.write_function_addr(at, function);
            }
        }
    }
    data.define(image.bytes.into_boxed_slice());
    unit.module.define_data(id, &data)?;
    Ok(())
}

/// Lays out static objects. Returns the offset of the table of the runtime's exceptions in the data object of these
/// exceptions.
pub fn lay_out(unit: &mut Unit) -> Result<u32, Error> {
    let exns = Exns::new();
    if !unit.exns_given {
        define(unit, unit.exns_data, exns.image)?;
    }
    let mut image = Image::default();
    let (own, others) = (unit.statics_data, unit.exns_data);
    let program = unit.program;
    let mut offsets: Vec<(DataId, u32)> = Vec::with_capacity(program.statics.len());
    for object in &program.statics {
        let at = image.here();
        match object {
            Static::String(text) => drop(image.text(0, text)),
            Static::IntInf(number) => match intinf(number) {
                Err((tag, bytes)) => drop(image.text(tag, &bytes)),
                Ok(_) => return Err(Error("a small IntInf as an object".into())),
            },
            Static::Object(layout, fields) => {
                let (ptrs, raws) = (layout.ptrs as usize, layout.raws as usize);
                if ptrs.max(raws) > MAX_FIELDS {
                    return Err(Error(
                        "not supported yet: a record of so many fields".into(),
                    ));
                }
                image.word(Header::record(layout.tag, ptrs, raws).0);
                atoms(&mut image, fields, &offsets, others)?;
            }
            Static::Closure(fun) => {
                image.word(Header::closure(0, 0).0);
                image.reference(Target::Code(unit.funs[fun].0));
            }
            Static::Exn(exn) => {
                offsets.push((others, exns.identities[*exn as usize]));
                continue;
            }
        }
        offsets.push((own, at));
    }
    define(unit, own, image)?;
    unit.statics = offsets;
    Ok(exns.table)
}

fn atoms(
    image: &mut Image,
    atoms: &[Atom],
    offsets: &[(DataId, u32)],
    exns: DataId,
) -> Result<(), Error> {
    for atom in atoms {
        match atom {
            Atom::Int(n) => image.word(*n as u64),
            Atom::Real(bits) => image.word(*bits),
            Atom::Imm(n) => image.word(Value::immediate(*n).0 as u64),
            Atom::Static(id) => {
                let at = offsets.get(id.0 as usize);
                let (data, at) =
                    *at.ok_or_else(|| Error("a static object before its part".into()))?;
                image.reference(if data == exns {
                    Target::Exn(at)
                } else {
                    Target::Data(at)
                });
            }
            Atom::Var(_) => return Err(Error("a variable in a static object".into())),
        }
    }
    Ok(())
}

/// Assigns each global a cell (a word of the program's data), first to the globals that are pointers. Returns the number of pointers.
pub fn globals(unit: &mut Unit) -> Result<usize, Error> {
    let program = unit.program;
    let is_ptr = |var: &&crate::anf::Var| program.vars[var.0 as usize].rep == Rep::Ptr;
    let pointers = program.globals.iter().filter(is_ptr);
    let others = program.globals.iter().filter(|var| !is_ptr(var));
    for (index, var) in pointers.chain(others).enumerate() {
        unit.globals[var.0 as usize] = (index * WORD) as u32;
    }
    let mut data = DataDescription::new();
    data.set_align(16);
    // A cell is an immediate until its global is bound, so that the collector always finds a valid value.
    let mut bytes = Vec::new();
    for _ in 0..program.globals.len().max(1) {
        bytes.extend_from_slice(&1_u64.to_le_bytes());
    }
    data.define(bytes.into_boxed_slice());
    unit.module.define_data(unit.globals_data, &data)?;
    Ok(program.globals.iter().filter(is_ptr).count())
}
