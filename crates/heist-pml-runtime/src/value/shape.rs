//! Shapes: the shape of a type tells the runtime how to print values of the type without the compiler.
//!
//! A shape is a table of nodes that refer to each other by number, because types are recursive. Compiled programs contain the
//! shapes of their exceptions' payloads as bytes.

use serde::{Deserialize, Serialize};

/// The number of a node in its table.
pub type Id = u32;

/// A node of a shape: how a value is represented, and how it is printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A value that is not shown.
    Opaque,
    /// A function.
    Function,
    /// The value `()`, which takes no word.
    Unit,
    /// An integer in a word.
    Int,
    /// A word.
    Word,
    /// A character, in a word.
    Char,
    /// A double.
    Real,
    /// A float, held as a double.
    Float,
    /// An integer of any size.
    IntInf,
    /// A string.
    String,
    /// An exception, which contains the shape of its payload.
    Exn,
    /// A reference to a value of this shape.
    Ref(Id),
    /// An array or vector of elements of this shape.
    Array(Id),
    /// A parallel array of elements of this shape, held as a vector.
    ParallelArray(Id),
    /// An object with fields.
    Record(Vec<Field>),
    /// An object whose fields are numbered from 1.
    Tuple(Vec<Field>),
    /// A list. Each cell of the list is an object. Any value that is not an object ends the list.
    List {
        /// The shape of the elements.
        element: Id,
        /// Index of the element in a cell.
        head: u32,
        /// Index of the next cell.
        tail: u32,
    },
    /// A value of a datatype with these constructors.
    Data(Vec<Con>),
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The field's name or number.
    pub label: String,
    /// Offset of the field in words from the object's first field.
    pub index: u32,
    /// The shape of the field.
    pub node: Id,
}

/// A constructor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Con {
    /// The constructor's name.
    pub name: String,
    /// The representation of this constructor's values, which differs from the representations of the type's other values.
    pub held: Held,
}

/// Representation of the values that a constructor makes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Held {
    /// The number of the constructor, if no constructor of the type has an argument.
    Place,
    /// The immediate of this number. All other values of the type are objects.
    Immediate(u32),
    /// The constructor's argument itself, because the type has no other constructor.
    Argument(Id),
    /// An object with this tag and one field, the argument.
    Object {
        /// The object's tag.
        tag: u16,
        /// Index of the argument.
        index: u32,
        /// The shape of the argument.
        node: Id,
    },
    /// An object with this tag. The argument is a record, and the object has the record's fields.
    Spread {
        /// The object's tag.
        tag: u16,
        /// The shape of the argument.
        node: Id,
    },
}

/// The shape of a type. The first node describes the type itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The nodes, by number.
    pub nodes: Vec<Node>,
}

impl Shape {
    /// Returns a shape of one node.
    #[must_use]
    pub fn of(node: Node) -> Shape {
        Shape { nodes: vec![node] }
    }

    /// Encodes the shape for the data of a program.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("a shape is plain data")
    }

    /// Reads the output of [`encode`](Self::encode). Returns `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Shape> {
        postcard::from_bytes(bytes).ok()
    }

    /// Returns a node, or [`Node::Opaque`] if the table lacks it.
    pub(crate) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id as usize).unwrap_or(&Node::Opaque)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_come_back_from_bytes() {
        // datatype tree = Leaf | Node of {key: int, left: tree, right: tree} | Other of string ref
        let field = |label: &str, index, node| Field {
            label: label.into(),
            index,
            node,
        };
        let con = |name: &str, held| Con {
            name: name.into(),
            held,
        };
        let shape = Shape {
            nodes: vec![
                Node::Data(vec![
                    con("Leaf", Held::Immediate(0)),
                    con("Node", Held::Spread { tag: 700, node: 1 }),
                    con(
                        "Other",
                        Held::Object {
                            tag: 1,
                            index: 0,
                            node: 3,
                        },
                    ),
                ]),
                Node::Record(vec![
                    field("key", 2, 2),
                    field("left", 0, 0),
                    field("right", 1, 0),
                ]),
                Node::Int,
                Node::Ref(4),
                Node::String,
            ],
        };
        let bytes = shape.encode();
        assert_eq!(Shape::decode(&bytes), Some(shape));
        assert_eq!(Shape::decode(&bytes[..bytes.len() - 1]), None);
    }
}
