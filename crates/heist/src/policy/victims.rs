//! The order in which thieves look at victims.

/// The order in which a thief looks at the other workers until it finds work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum VictimChoice {
    /// Begins with a random worker, and continues by number (Blumofe and Leiserson). The default.
    #[default]
    Random,
    /// Begins with the worker after the one with which the last search began.
    RoundRobin,
    /// The nearest first: workers whose CPU shares the last level of cache with the thief's, then those of the same
    /// memory node, then the others; in each group it begins with a random one. Linux is asked which CPUs are near,
    /// when a pool of [pinned](crate::Builder::pin) workers is built. For other workers, and on other systems, the
    /// distance is unknown, and this is [`Random`](Self::Random).
    Hierarchical,
    /// Begins with the victim of its last steal.
    LastVictim,
}
