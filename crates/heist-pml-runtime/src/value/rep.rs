//! Representation of values in compiled code.

/// Representation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rep {
    /// 64 bits that the collector ignores: integers, words, characters, booleans, enumerations, `unit`.
    Int,
    /// A double.
    Real,
    /// A pointer to an object, or an odd number (a constructor without argument, a small IntInf).
    Ptr,
}
