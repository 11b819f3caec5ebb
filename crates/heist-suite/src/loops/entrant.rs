//! Entrants: ways to run the loops of a program.

/// A way in which Heist splits loops: see [`mod@heist::par`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// [`heist::par::Lazy`].
    Lazy,
    /// [`heist::par::Innermost`].
    Innermost,
    /// [`heist::par::Eager`] with this threshold.
    Eager(usize),
    /// [`heist::par::Tary`] with this number of pieces for each worker.
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
    /// Chili's joins, down to a grain that the program chooses.
    Chili,
}
