//! The contenders under which programs run: other runtimes, and Heist with each of its policies.

use heist::policy::{Delivery, Protocol, SpawnPolicy};

/// A way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contender {
    /// The serial elision: every fork becomes two calls, one after the other.
    Serial,
    /// Heist's `join`.
    Heist,
    /// Heist's `join_hint`.
    HeistHint,
    /// Rayon.
    Rayon,
    /// Chili with its default heartbeat.
    Chili,
    /// Heist's scopes under the work-first policy.
    HeistWorkFirst,
    /// Heist's scopes under the adaptive policy.
    HeistAdaptive,
    /// Heist's scopes under the work-sharing policy.
    HeistWorkSharing,
    /// A thread of the system for each task.
    Threads,
    /// Heist under the given steal protocol, in a pool of its own that measures the time of steals. Scopes are help-first. Needs the
    /// feature `study`.
    Under(Protocol),
}

impl Contender {
    /// The contenders for programs that fork and join. Only these programs can use the hint of [`Contender::HeistHint`].
    pub const JOINS: &'static [Contender] = if crate::STUDY {
        Contender::STUDIED
    } else {
        Contender::STUDIED.split_at(5).0
    };

    /// The contenders for programs that fork and join, with the feature `study`. Without this feature, only the first five of these
    /// contenders exist.
    const STUDIED: &'static [Contender] = &[
        Contender::Serial,
        Contender::Heist,
        Contender::HeistHint,
        Contender::Rayon,
        Contender::Chili,
        Contender::Under(Protocol::ReturnBarrier(Delivery::Fence)),
        Contender::Under(Protocol::ReturnBarrier(Delivery::Signal)),
        Contender::Under(Protocol::ReturnBarrier(Delivery::Polling)),
        Contender::Under(Protocol::StopVictim),
        Contender::Under(Protocol::Polled(Delivery::Fence)),
        Contender::Under(Protocol::Polled(Delivery::Signal)),
        Contender::Under(Protocol::Polled(Delivery::Polling)),
        Contender::Under(Protocol::ChaseLev),
        Contender::Under(Protocol::The),
    ];

    /// The contenders for programs whose scopes spawn tasks.
    pub const SCOPES: &'static [Contender] = &[
        Contender::Serial,
        Contender::Heist,
        Contender::Rayon,
        Contender::Chili,
        Contender::HeistWorkFirst,
        Contender::HeistAdaptive,
        Contender::HeistWorkSharing,
        Contender::Threads,
    ];

    /// The contenders for programs of loops.
    pub const LOOPS: &'static [Contender] = &[
        Contender::Serial,
        Contender::Heist,
        Contender::Rayon,
        Contender::Chili,
    ];

    /// Returns all contenders, each once.
    pub fn all() -> impl Iterator<Item = Contender> {
        let more = |who: &&Contender| !Contender::JOINS.contains(who);
        Contender::JOINS
            .iter()
            .chain(Contender::SCOPES.iter().filter(more))
            .copied()
    }

    /// Returns the policy of Heist's scopes under this contender, or `None` if the contender has no such policy.
    #[must_use]
    pub fn spawn_policy(self) -> Option<SpawnPolicy> {
        match self {
            Contender::Heist | Contender::HeistHint => Some(SpawnPolicy::HelpFirst),
            Contender::HeistWorkFirst => Some(SpawnPolicy::WorkFirst),
            Contender::HeistAdaptive => Some(SpawnPolicy::Adaptive),
            Contender::HeistWorkSharing => Some(SpawnPolicy::WorkSharing),
            Contender::Serial
            | Contender::Rayon
            | Contender::Chili
            | Contender::Threads
            | Contender::Under(_) => None,
        }
    }
}
