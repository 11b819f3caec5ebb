//! Who competes.

use heist::policy::SpawnPolicy;

/// A way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contender {
    /// The serial elision: every fork is two calls.
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
    /// The same, adaptive.
    HeistAdaptive,
    /// The same, work-sharing.
    HeistWorkSharing,
    /// A thread of the system for each task.
    Threads,
}

impl Contender {
    /// Every contender; the last four are for finish-style programs, and the hint for the others.
    pub const ALL: &'static [Contender] = &[
        Contender::Serial,
        Contender::Heist,
        Contender::HeistHint,
        Contender::Rayon,
        Contender::Chili,
        Contender::HeistWorkFirst,
        Contender::HeistAdaptive,
        Contender::HeistWorkSharing,
        Contender::Threads,
    ];

    /// The policy of Heist's scopes that it stands for.
    #[must_use]
    pub fn spawn_policy(self) -> Option<SpawnPolicy> {
        match self {
            Contender::Heist | Contender::HeistHint => Some(SpawnPolicy::HelpFirst),
            Contender::HeistWorkFirst => Some(SpawnPolicy::WorkFirst),
            Contender::HeistAdaptive => Some(SpawnPolicy::Adaptive),
            Contender::HeistWorkSharing => Some(SpawnPolicy::WorkSharing),
            Contender::Serial | Contender::Rayon | Contender::Chili | Contender::Threads => None,
        }
    }
}
