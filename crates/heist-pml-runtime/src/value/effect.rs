//! Effects of primitives and of functions of the runtime.

/// The effect of a primitive, apart from its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// No effect: the compiler may move, copy and drop the primitive.
    Pure,
    /// Makes a mutable object: the compiler may drop the primitive if the object is unused, but may not copy it or move it past writes.
    Alloc,
    /// Reads mutable data.
    Read,
    /// Writes mutable data.
    Write,
    /// May raise, and has no other effect.
    Raise,
    /// Any effect. Functions of the runtime may have this effect.
    Any,
}
