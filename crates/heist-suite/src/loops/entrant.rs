//! Contenders of the loops.

/// Heist's way of splitting: see [`mod@heist::par`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// [`heist::par::Lazy`].
    Lazy,
    /// [`heist::par::Innermost`].
    Innermost,
    /// [`heist::par::Eager`] with that threshold.
    Eager(usize),
    /// [`heist::par::Tary`] with that many pieces a worker.
    Tary(usize),
    /// [`heist::par::Structural`].
    Structural,
}

/// A way to run a program of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entrant {
    /// Iterators over slices.
    Serial,
    /// Heist's sequences over slices and ranges.
    Slices(How),
    /// Iterators over ropes.
    SerialRopes,
    /// Heist's sequences over ropes.
    Ropes(How),
    /// Rayon's parallel iterators, untuned.
    Rayon,
    /// Chili's joins, down to a grain that the program picks.
    Chili,
}
