//! The values of expressions during lowering: words, and records as lists of fields. Code makes an object for such a record only if a use
//! needs the object.

use super::Lower;
use super::layout::Shape;
use super::matching::OccId;
use crate::anf::{Atom, Rep, Rhs, Var};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::Ty;

/// A value that the code has computed.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A word.
    Atom(Atom),
    /// A record whose fields are known.
    Record(RecordId),
}

/// An index of [`Lower::records`].
#[derive(Clone, Copy, Debug)]
pub struct RecordId(pub usize);

/// A record whose fields are known. If a use needs an object, code makes the object at most once on each path. Code makes the object in the
/// function and loop that bind the record, not in inner functions or loops.
#[derive(Debug)]
pub struct Record {
    /// The type of the record.
    ty: Ty,
    /// The fields, in the order of labels.
    fields: Vec<Value>,
    /// The object, if code has made it.
    pub boxed: Option<Atom>,
    /// The object for code in inner functions and loops, and the level at which code makes this object. Code makes the object only if such
    /// inner code uses it.
    pub home: Option<(Var, u32)>,
}

impl Record {
    /// Returns the field at a position, in the order of labels.
    pub fn field(&self, position: usize) -> Value {
        self.fields[position]
    }
}

/// An earlier value of a part of the state. The builder restores this value at the end of a block.
#[derive(Debug)]
pub enum Memo {
    /// The earlier value of the field `boxed` of a record.
    Boxed(RecordId, Option<Atom>),
    /// The earlier value of the field `home` of a record.
    Home(RecordId, Option<(Var, u32)>),
    /// The earlier value of [`Occurrence::value`](super::matching::Occurrence::value) of a place.
    Seen(OccId, Option<Value>),
}

/// The value `()`.
pub const UNIT: Value = Value::Atom(Atom::Int(0));

impl Lower {
    /// Makes a record of fields in the order of labels.
    pub fn record(&mut self, ty: Ty, fields: Vec<Value>) -> Value {
        if fields.is_empty() {
            return UNIT;
        }
        self.records.push(Record {
            ty,
            fields,
            boxed: None,
            home: None,
        });
        Value::Record(RecordId(self.records.len() - 1))
    }

    /// Returns a value as one word. If the value is a record without an object, makes the object.
    pub fn atom(&mut self, value: Value, span: Span) -> Atom {
        match value {
            Value::Atom(atom) => atom,
            Value::Record(id) => self.object(id, span),
        }
    }

    fn object(&mut self, id: RecordId, span: Span) -> Atom {
        if let Some(atom) = self.records[id.0].boxed {
            return atom;
        }
        let atom = match self.records[id.0].home {
            Some((home, level)) if level < self.level || self.optional.needed(home) => {
                self.optional.need(home);
                Atom::Var(home)
            }
            _ => {
                let atoms = self.field_atoms(id, span);
                let Some(layout) = self.layouts.record(self.records[id.0].ty) else {
                    return Atom::Int(0);
                };
                let atoms = arrange(&layout.fields, &atoms);
                if atoms.iter().all(|atom| !matches!(atom, Atom::Var(_))) {
                    self.static_object(layout.layout, atoms)
                } else {
                    let name = self.kind(self.records[id.0].ty, None, self.names.record);
                    self.compute(Rep::Ptr, name, Rhs::Alloc(layout.layout, atoms), span)
                }
            }
        };
        let old = self.records[id.0].boxed.replace(atom);
        self.trail.push(Memo::Boxed(id, old));
        atom
    }

    fn field_atoms(&mut self, id: RecordId, span: Span) -> Vec<Atom> {
        (0..self.records[id.0].fields.len())
            .map(|at| {
                let field = self.records[id.0].fields[at];
                self.atom(field, span)
            })
            .collect()
    }

    /// Prepares the value of a variable for uses in inner functions and loops.
    pub fn settle(&mut self, value: Value, span: Span) {
        let Value::Record(id) = value else { return };
        let record = &self.records[id.0];
        if record.boxed.is_some() || record.home.is_some() {
            return;
        }
        let mut atoms = Vec::with_capacity(record.fields.len());
        for at in 0..self.records[id.0].fields.len() {
            let field = self.records[id.0].fields[at];
            self.settle(field, span);
            let atom = match field {
                Value::Atom(atom) => atom,
                Value::Record(part) => {
                    match (self.records[part.0].boxed, self.records[part.0].home) {
                        (Some(atom), _) => atom,
                        (None, Some((home, _))) => Atom::Var(home),
                        // The part has no object and no home because it consists of constants.
                        (None, None) => self.object(part, span),
                    }
                }
            };
            atoms.push(atom);
        }
        if atoms.iter().all(|atom| !matches!(atom, Atom::Var(_))) {
            return;
        }
        let Some(layout) = self.layouts.record(self.records[id.0].ty) else {
            return;
        };
        let atoms = arrange(&layout.fields, &atoms);
        let name = self.kind(self.records[id.0].ty, None, self.names.record);
        let home = self.optional(layout.layout, atoms, name, span);
        let old = self.records[id.0].home.replace((home, self.level));
        self.trail.push(Memo::Home(id, old));
    }

    /// Returns the field at a position (in the order of labels) of a record.
    pub fn field(&mut self, value: Value, ty: Ty, position: usize, span: Span) -> Value {
        match value {
            Value::Record(id) => self.records[id.0].fields[position],
            Value::Atom(object) => {
                let Some(record) = self.layouts.record(ty) else {
                    return UNIT;
                };
                let (layout, field) = (Some(record.layout), &record.fields[position]);
                Value::Atom(self.load_from(object, layout, field, self.names.field, span))
            }
        }
    }

    /// Returns the words of a value in this shape.
    pub fn words(&mut self, value: Value, ty: Ty, shape: Shape, span: Span) -> Vec<Atom> {
        match shape {
            Shape::Nothing => Vec::new(),
            Shape::Word => vec![self.atom(value, span)],
            Shape::Flat => {
                if let Value::Record(id) = value {
                    return self.field_atoms(id, span);
                }
                let count = self.layouts.words(ty, shape).len();
                (0..count)
                    .map(|at| {
                        let field = self.field(value, ty, at, span);
                        self.atom(field, span)
                    })
                    .collect()
            }
        }
    }

    /// Returns the value with these words in this shape. For [`Shape::Nothing`], returns `()`, even if the type is not `unit`.
    pub fn value_of_words(&mut self, words: &[Atom], ty: Ty, shape: Shape) -> Value {
        match shape {
            Shape::Nothing => UNIT,
            Shape::Word => Value::Atom(words[0]),
            Shape::Flat => {
                let fields = words.iter().map(|&word| Value::Atom(word)).collect();
                self.record(ty, fields)
            }
        }
    }

    /// Makes new parameters for a value of this type and shape. Returns the parameters and the value.
    pub fn params(&mut self, ty: Ty, shape: Shape, name: Symbol) -> (Vec<Var>, Value) {
        let vars: Vec<Var> = self
            .layouts
            .words(ty, shape)
            .into_iter()
            .map(|rep| self.fresh(rep, name))
            .collect();
        let words: Vec<Atom> = vars.iter().map(|&var| Atom::Var(var)).collect();
        let value = self.value_of_words(&words, ty, shape);
        (vars, value)
    }
}

/// Reorders fields from the order of labels to the order of the object.
pub fn arrange(fields: &[super::layout::Field], atoms: &[Atom]) -> Vec<Atom> {
    let mut out = vec![Atom::Int(0); atoms.len()];
    for (field, &atom) in fields.iter().zip(atoms) {
        out[field.index as usize] = atom;
    }
    out
}
