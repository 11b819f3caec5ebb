//! Parallel forms. They are hints: here they are evaluated one after the other.

use super::Lower;
use super::value::Value;
use crate::typed::{Exp, Ty};

impl Lower {
    /// A parallel tuple: its parts from left to right.
    pub fn parallel_tuple(&mut self, parts: &[Exp], ty: Ty) -> Value {
        let fields = parts.iter().map(|part| self.exp(part)).collect();
        self.record(ty, fields)
    }
}
