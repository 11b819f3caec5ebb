//! The order in which thieves look at victims.

/// The order in which a thief looks at the other workers until it finds work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum VictimChoice {
    /// The order begins with a random worker, and continues by number (Blumofe and Leiserson). This order is the default.
    #[default]
    Random,
    /// The order is cyclic by number. Each search begins with the worker after the worker with which the previous search began.
    RoundRobin,
    /// The order begins with the nearest workers: first workers whose CPU shares the last level of cache with
    /// the thief's CPU, then workers of the same memory node, then the other workers. In each group the order
    /// begins with a random worker. Linux provides the distances between CPUs when a pool of
    /// [pinned](crate::Builder::pin) workers is built. For other workers, and on other systems, the distances
    /// are unknown, and this choice acts like [`Random`](Self::Random).
    Hierarchical,
    /// The order begins with the victim of the thief's last steal.
    LastVictim,
}
