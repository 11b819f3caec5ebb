//! Counts of the workers' actions.

use crate::platform::ticks;
use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Totals over all workers since the pool was built. Each total only grows.
        ///
        /// If work runs during a reading, the reading is not an atomic snapshot of all counters. Subtract an earlier reading from a later
        /// reading to get the counts of the time between them.
        ///
        /// ```
        /// let pool = heist::Pool::new(2).unwrap();
        /// let before = pool.counters();
        /// pool.install(|| heist::join(|| 1, || 2));
        /// let spent = pool.counters() - before;
        /// assert!(spent.steals <= 1);
        /// ```
        #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Counters { $($(#[$doc])* pub $name: u64),* }

        /// The counters of one worker. Only this worker writes the counters, and any thread may read them.
        #[derive(Default, Debug)]
        pub(crate) struct OwnCounters { $(pub(crate) $name: Counter),* }

        impl Counters {
            pub(crate) fn add(&mut self, own: &OwnCounters) {
                $(self.$name += own.$name.get();)*
            }
        }

        impl Sub for Counters {
            type Output = Counters;
            fn sub(self, earlier: Counters) -> Counters {
                Counters { $($name: self.$name.wrapping_sub(earlier.$name)),* }
            }
        }
    };
}

counters! {
    /// Number of frames and tasks that were stolen: taken by a worker other than their forker.
    steals,
    /// Number of free steals: the work was public already, so the thief had made no request since its last steal.
    free_steals,
    /// Number of times that a worker made frames public to answer a request. (Exposures by a signal
    /// handler do not count: see [`signals`](Self::signals).)
    exposes,
    /// Number of times that a thief itself made a victim's frames public, by the asymmetric fence.
    forced_exposes,
    /// Number of attempts to steal that found no work or were too late.
    failed_steals,
    /// Number of requests by thieves that saw work that was not public. A request to all victims counts once.
    requests,
    /// Number of times that a victim stopped for a thief, or handed work to a thief. Only the protocols in which a thief asks a single
    /// victim count these events.
    direct_requests,
    /// Number of signals that thieves sent to victims that did not check for requests.
    signals,
    /// Number of times that a worker went to sleep because there was no work.
    parks,
    /// Number of times that a sleeping worker was woken because there was work.
    wakes,
    /// Number of times that a waiting worker gave its slot away and blocked.
    handovers,
    /// Number of frames that a waiter took back from its thief, or from the thief's thieves.
    steal_backs,
    /// Number of pops that reached the return barrier.
    barrier_hits,
    /// Time that workers lost to thieves, because they were stopped or made frames public. The unit is a tick of
    /// [`ticks_per_second`](crate::ticks_per_second). The value is 0 unless the builder of the pool was [timed](crate::Builder::timed).
    lost_ticks,
    /// Time that workers spent on waking other workers for exposed frames, in ticks like
    /// `lost_ticks`.
    waking_ticks,
    /// Time that workers spent in the slow path of pops that reached the barrier, without waits for stolen frames, in ticks like
    /// `lost_ticks`.
    barrier_ticks,
    /// Number of suspending tasks (async tasks, fibers) that were spawned on workers.
    async_begins,
    /// Number of suspending tasks that have ended.
    async_ends,
    /// Number of times that a suspending task left its worker because it had to wait.
    suspensions,
    /// Number of times that a worker put a suspended task back into a queue.
    resumptions,
}

/// A counter with one writer.
#[derive(Default, Debug)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`. Only the counter's worker may call this function, so a load and a store suffice.
    pub(crate) fn add(&self, n: u64) {
        // Relaxed: no other access depends on the order of this store.
        self.0.store(self.get().wrapping_add(n), Ordering::Relaxed);
    }

    /// Adds the time since `began`, if it is given. Only the counter's worker may call this function.
    pub(crate) fn add_since(&self, began: Option<u64>) {
        self.add_between(began, began.map(|_| ticks()));
    }

    /// Adds the time from `began` to `ended`, if both are given. Only the counter's worker may call this function.
    pub(crate) fn add_between(&self, began: Option<u64>, ended: Option<u64>) {
        if let (Some(began), Some(ended)) = (began, ended) {
            self.add(ended.wrapping_sub(began));
        }
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
