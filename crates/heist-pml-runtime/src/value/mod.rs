//! Values: their layout in memory, their representations in compiled code, and their text.

pub mod effect;
pub mod exn;
pub mod made;
pub mod object;
pub mod rep;
pub mod shape;
pub mod show;
