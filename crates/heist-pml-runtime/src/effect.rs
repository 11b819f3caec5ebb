//! Effects of primitives and of functions of the runtime.

/// Effects of a primitive besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// No effect: code may move, copy and drop the primitive.
    Pure,
    /// Makes an object that may change: code may drop an unused one, but not copy it or move it over writes.
    Alloc,
    /// Reads mutable data.
    Read,
    /// Writes mutable data.
    Write,
    /// May raise, and has no other effect.
    Raise,
    /// Any effect, as functions of the runtime may have.
    Any,
}
