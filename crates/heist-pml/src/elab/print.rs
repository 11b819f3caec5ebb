//! Writes types as text, for messages.

use super::Elaborator;
use super::types::{Bound, Node, T};
use crate::symbol::Symbol;

/// The maximum length of a type's text in a message.
const LONGEST: usize = 400;

/// Names for unnamed variables. A variable has the same name in all types of one message.
#[derive(Default)]
pub(super) struct Names {
    unknown: Vec<T>,
}

impl Names {
    fn name(&mut self, ty: T) -> String {
        let at = self
            .unknown
            .iter()
            .position(|&other| other == ty)
            .unwrap_or_else(|| {
                self.unknown.push(ty);
                self.unknown.len() - 1
            });
        let letter = char::from(b'a' + (at % 26) as u8);
        match at / 26 {
            0 => format!("'_{letter}"),
            round => format!("'_{letter}{round}"),
        }
    }
}

/// The type of a function, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The components of each argument. An argument that is not a tuple has one component.
    pub arguments: Vec<Vec<String>>,
    /// The type of the result.
    pub result: String,
}

/// The place of a part in a type, which determines whether the part needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Anywhere,
    ArrowLeft,
    TuplePart,
    Argument,
}

impl Elaborator {
    /// Returns a type as text.
    pub(super) fn show(&mut self, ty: T) -> String {
        self.show_with(ty, &mut Names::default())
    }

    /// Returns a type as text. `names` has the names of variables, so a variable has the same name in all types of a message.
    pub(super) fn show_with(&mut self, ty: T, names: &mut Names) -> String {
        let mut text = String::new();
        self.write(ty, Place::Anywhere, names, &mut text);
        text
    }

    /// Returns a type constructor's name in a form that a program can use.
    pub(super) fn show_con(&self, con: crate::typed::TyCon) -> &'static str {
        match self.program.tycons[con.index()].name.as_str() {
            "Prim.intinf" => "IntInf.int",
            // These types come from internal structures of the Basis.
            "Core.ByteVector.vector" => "Word8Vector.vector",
            "ByteSequences'.Rep.array" => "Word8Array.array",
            "ByteSequences'.ArraySlice.slice" => "Word8ArraySlice.slice",
            "ByteSequences'.VectorSlice.slice" => "Word8VectorSlice.slice",
            "CharSequences.Rep.array" => "CharArray.array",
            "CharSequences.ArraySlice.slice" => "CharArraySlice.slice",
            "CharSequences.VectorSlice.slice" => "substring",
            // These types belong to the dialect of Manticore.
            "Prim.wrap32" => "int",
            "Prim.wrap64" => "long",
            name => name.strip_prefix("Prim.").unwrap_or(name),
        }
    }

    fn write(&mut self, ty: T, place: Place, names: &mut Names, text: &mut String) {
        if text.len() > LONGEST {
            if !text.ends_with("...") {
                text.push_str("...");
            }
            return;
        }
        let (ty, node) = self.store.look(ty);
        match node {
            Node::Error | Node::Link(_) => text.push('_'),
            Node::Var {
                bound: Bound::None,
                eq,
                ..
            } => {
                let name = names.name(ty);
                text.push_str(&if eq { format!("'{name}") } else { name });
            }
            Node::Var {
                bound: Bound::Class(class),
                ..
            } => {
                let con = self.default_of(class);
                let name = self.show_con(con);
                text.push_str(name);
            }
            Node::Var {
                bound: Bound::Row(row),
                ..
            } => {
                text.push('{');
                for (label, field) in self.store.rows[row.0 as usize].clone() {
                    text.push_str(label.as_str());
                    text.push_str(": ");
                    self.write(field, Place::Anywhere, names, text);
                    text.push_str(", ");
                }
                text.push_str("...}");
            }
            Node::Rigid(var) => text.push_str(self.program.tyvars[var.index()].as_str()),
            Node::Con(con, slice) => {
                let args = self.store.args(slice).to_vec();
                match args[..] {
                    [] => {}
                    [arg] => {
                        self.write(arg, Place::Argument, names, text);
                        text.push(' ');
                    }
                    _ => {
                        text.push('(');
                        for (at, arg) in args.into_iter().enumerate() {
                            if at > 0 {
                                text.push_str(", ");
                            }
                            self.write(arg, Place::Anywhere, names, text);
                        }
                        text.push_str(") ");
                    }
                }
                text.push_str(self.show_con(con));
            }
            Node::Arrow(from, to) => {
                let brackets = place >= Place::ArrowLeft;
                if brackets {
                    text.push('(');
                }
                self.write(from, Place::ArrowLeft, names, text);
                text.push_str(" -> ");
                self.write(to, Place::Anywhere, names, text);
                if brackets {
                    text.push(')');
                }
            }
            Node::Record(slice) => {
                let fields = self.store.fields(slice).to_vec();
                if fields.is_empty() {
                    text.push_str("unit");
                } else if self.is_tuple(&fields) {
                    let brackets = place >= Place::TuplePart;
                    if brackets {
                        text.push('(');
                    }
                    for (at, (_, field)) in fields.into_iter().enumerate() {
                        if at > 0 {
                            text.push_str(" * ");
                        }
                        self.write(field, Place::TuplePart, names, text);
                    }
                    if brackets {
                        text.push(')');
                    }
                } else {
                    text.push('{');
                    for (at, (label, field)) in fields.into_iter().enumerate() {
                        if at > 0 {
                            text.push_str(", ");
                        }
                        text.push_str(label.as_str());
                        text.push_str(": ");
                        self.write(field, Place::Anywhere, names, text);
                    }
                    text.push('}');
                }
            }
        }
    }

    /// Returns the texts of the argument types and of the result type of a function's type, or `None` for other types.
    pub(super) fn function_parts(&mut self, ty: T) -> Option<Parts> {
        let mut names = Names::default();
        let mut arguments = Vec::new();
        let (mut ty, mut node) = self.store.look(ty);
        while let Node::Arrow(from, to) = node {
            let fields = match self.store.look(from).1 {
                Node::Record(slice) => self.store.fields(slice).to_vec(),
                _ => Vec::new(),
            };
            let (parts, place) = if self.is_tuple(&fields) {
                (
                    fields.into_iter().map(|field| field.1).collect(),
                    Place::TuplePart,
                )
            } else {
                (vec![from], Place::ArrowLeft)
            };
            let mut texts = Vec::with_capacity(parts.len());
            for part in parts {
                let mut text = String::new();
                self.write(part, place, &mut names, &mut text);
                texts.push(text);
            }
            arguments.push(texts);
            (ty, node) = self.store.look(to);
        }
        let mut result = String::new();
        self.write(ty, Place::Anywhere, &mut names, &mut result);
        (!arguments.is_empty()).then_some(Parts { arguments, result })
    }

    fn is_tuple(&mut self, fields: &[(Symbol, T)]) -> bool {
        fields.len() >= 2
            && fields
                .iter()
                .enumerate()
                .all(|(at, field)| field.0 == self.store.label(at + 1))
    }
}
