//! Lowers constants, and objects whose fields are constants. Code does not make these objects at run time: they are data of the program.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::Lower;
use super::value::Value;
use crate::anf::{Atom, Layout, Static, StaticId};
use crate::prim::BuiltinExn;
use crate::typed::Const;

/// The smallest `IntInf` integer that is an immediate. An immediate has 63 bits.
const SMALLEST: i64 = -(1 << 62);
const LARGEST: i64 = (1 << 62) - 1;

/// The static objects of a program. Equal objects exist only once.
#[derive(Default)]
pub struct Statics {
    /// The static objects, indexed by [`StaticId`].
    pub objects: Vec<Static>,
    strings: HashMap<Vec<u8>, StaticId>,
    records: HashMap<(Layout, Vec<Atom>), StaticId>,
    exns: HashMap<BuiltinExn, StaticId>,
    integers: HashMap<BigInt, StaticId>,
}

impl Statics {
    fn add(&mut self, object: Static) -> StaticId {
        self.objects.push(object);
        StaticId(self.objects.len() as u32 - 1)
    }

    /// Returns the static object of a string.
    pub fn string(&mut self, bytes: &[u8]) -> StaticId {
        if let Some(&id) = self.strings.get(bytes) {
            return id;
        }
        let id = self.add(Static::String(bytes.to_vec()));
        self.strings.insert(bytes.to_vec(), id);
        id
    }

    /// Returns an integer of type `IntInf`: an immediate if the integer fits in 63 bits, and otherwise a static object.
    pub fn integer(&mut self, value: &BigInt) -> Atom {
        match i64::try_from(value) {
            Ok(small) if (SMALLEST..=LARGEST).contains(&small) => return Atom::Imm(small),
            _ => {}
        }
        if let Some(&id) = self.integers.get(value) {
            return Atom::Static(id);
        }
        let id = self.add(Static::IntInf(value.clone()));
        self.integers.insert(value.clone(), id);
        Atom::Static(id)
    }

    /// Returns the identity of an exception of the runtime.
    pub fn exn(&mut self, exn: BuiltinExn) -> Atom {
        if let Some(&id) = self.exns.get(&exn) {
            return Atom::Static(id);
        }
        let id = self.add(Static::Exn(exn));
        self.exns.insert(exn, id);
        Atom::Static(id)
    }

    /// Returns the static object with these constants as fields.
    pub fn object(&mut self, layout: Layout, atoms: Vec<Atom>) -> Atom {
        if let Some(&id) = self.records.get(&(layout, atoms.clone())) {
            return Atom::Static(id);
        }
        let id = self.add(Static::Object(layout, atoms.clone()));
        self.records.insert((layout, atoms), id);
        Atom::Static(id)
    }
}

impl Lower {
    /// Returns a static object with this layout and these constants as fields.
    pub fn static_object(&mut self, layout: Layout, atoms: Vec<Atom>) -> Atom {
        self.statics.object(layout, atoms)
    }

    /// Returns the value of a constant.
    pub fn constant(&mut self, value: &Const) -> Value {
        Value::Atom(match value {
            Const::Int(value) => Atom::Int(*value),
            Const::Word(value) => Atom::Int(*value as i64),
            Const::IntInf(value) => self.statics.integer(value),
            Const::Real(value) => Atom::Real(value.to_bits()),
            Const::Char(value) => Atom::Int(i64::from(*value)),
            Const::String(bytes) => Atom::Static(self.statics.string(bytes)),
        })
    }
}
