//! Ways in which workers share the heap. All ways except `Memory::Split` exist for comparison.

/// The heap of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// Each worker has a young generation. A promotion copies a small immutable graph. For any other graph, a promotion empties the young
    /// generation.
    #[default]
    Split,
    /// Each worker has a young generation. A promotion copies an immutable graph of any size (Rainey, section 3.1). If a graph contains an
    /// object with an identity, a promotion empties the young generation instead, because a copy of that object would be a different
    /// object.
    Copying,
    /// All workers share one heap (Rainey, section 3.4.3). Workers allocate in chunks of the old generation, and no object is young or is
    /// promoted. Every collection stops all workers.
    Flat,
}
