//! Ways in which the heap is shared among workers. All but the first are there to compare with.

/// The heap of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// A young generation for each worker. A promotion copies a small immutable graph, and otherwise empties the young generation.
    #[default]
    Split,
    /// A young generation for each worker. A promotion copies an immutable graph of any size (Rainey, section 3.1). A graph that leads to an object with
    /// an identity still empties the young generation: a second copy of such an object would be another object.
    Copying,
    /// One heap (Rainey, section 3.4.3): workers allocate in chunks of the old generation, nothing is young, nothing is promoted,
    /// and every collection stops all workers.
    Flat,
}
