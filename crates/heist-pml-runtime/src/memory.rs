//! Ways in which workers share the heap. All ways except `Memory::Split` exist for comparison.

/// The heap of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Each worker has a young generation. If a graph is small and immutable, a promotion copies it. Otherwise the promotion empties the
    /// young generation.
    #[default]
    Split,
    /// Each worker has a young generation. A promotion copies an immutable graph of any size (Rainey, section 3.1). A graph that leads to
    /// an object with an identity still empties the young generation: a second copy of such an object would be another object.
    Copying,
    /// There is one heap (Rainey, section 3.4.3). Workers allocate in chunks of the old generation, and no object is young or is promoted.
    /// Every collection stops all workers.
    Flat,
}
