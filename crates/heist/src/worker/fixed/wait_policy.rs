//! The waiting policy of a pool, and the decisions that depend on it.

/// The waiting policy of a pool: it decides whether a worker keeps its slot while its code waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitPolicy {
    /// A waiting worker that finds no work gives its slot to another thread, and sleeps.
    GivesSlot,
    /// The pool has a fixed number of threads, so a waiting worker keeps its slot, and runs other work on the same stack: see the README of
    /// this folder.
    KeepsSlot,
}

impl WaitPolicy {
    /// Returns true if workers keep their slots while they wait, and run other work.
    #[inline]
    pub(crate) fn keeps_slots(self) -> bool {
        self == WaitPolicy::KeepsSlot
    }

    /// Returns true if a worker's main loop always runs the newest of its own tasks first, even if there are latency jobs or old tasks.
    #[inline]
    pub(crate) fn runs_newest_first(self) -> bool {
        self == WaitPolicy::KeepsSlot
    }

    /// Returns true if the policy expects programs that run short loops, of several hundred microseconds, one after the other. Under such a
    /// policy a worker searches longer before it sleeps than under other policies, always offers frames (if the pool has several threads),
    /// and does not answer requests at every fork.
    #[inline]
    pub(crate) fn expects_short_loops(self) -> bool {
        self == WaitPolicy::KeepsSlot
    }

    /// Returns true if the program may start the pool's threads one by one, each when the previous thread has ended. A closing pool with
    /// this policy does not wait for threads that have not started.
    #[inline]
    pub(crate) fn has_late_threads(self) -> bool {
        self == WaitPolicy::KeepsSlot
    }

    /// Returns true if a thread of the program that has become a worker remains a worker until the thread ends.
    #[inline]
    pub(crate) fn keeps_adopted_threads(self) -> bool {
        self == WaitPolicy::KeepsSlot
    }
}
