//! Effects of primitives and of functions of the runtime.

/// Effects of a primitive besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: may be moved, copied and dropped.
    Pure,
    /// Makes an object that may change (dropped if unused, not copied nor moved over writes).
    Alloc,
    /// Reads mutable data.
    Read,
    /// Writes.
    Write,
    /// May raise, and has no other effect.
    Raise,
    /// Anything (runtime functions with effects).
    Any,
}
