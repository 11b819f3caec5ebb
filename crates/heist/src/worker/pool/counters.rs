//! Counts of the workers' actions.

use crate::platform::ticks;
use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Totals over all workers since the pool was built; each only grows.
        ///
        /// A reading taken while work runs is not an atomic snapshot. Subtract two readings to get the counts between them.
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

        /// The counters of one worker: it alone writes them, any thread reads them.
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
    /// Frames and tasks that a worker other than their forker took.
    steals,
    /// Steals by a thief without a request since its last one: the work was public already.
    free_steals,
    /// Times a worker made frames public for a request. (This does not count those of a signal's
    /// handler: see [`signals`](Self::signals).)
    exposes,
    /// Times that a thief made a victim's frames public itself, by the asymmetric fence.
    forced_exposes,
    /// Attempts that found nothing or were too late.
    failed_steals,
    /// Times that a thief asked a victim, or all of them at once, for work that existed but was not public.
    requests,
    /// Times that a victim stood still for a thief, or handed work over to it (protocols that ask one victim).
    direct_requests,
    /// Signals that thieves sent to victims that did not check for requests.
    signals,
    /// Times that a worker went to sleep because there was no work.
    parks,
    /// Times a sleeping worker was woken because there was work.
    wakes,
    /// Times a waiting worker gave its slot away and blocked.
    handovers,
    /// Frames a waiter took back from its thief, or from the thief's thieves.
    steal_backs,
    /// Times a pop met the return barrier.
    barrier_hits,
    /// Time that workers lost to thieves, while they stood still or made frames public. In ticks of
    /// [`ticks_per_second`](crate::ticks_per_second), if the pool was built to be [timed](crate::Builder::timed).
    lost_ticks,
    /// Time spent in waking others for exposed frames. In ticks, like `lost_ticks`.
    waking_ticks,
    /// Time spent in the slow path of pops that met the barrier, without waits for stolen frames. In ticks, like `lost_ticks`.
    barrier_ticks,
    /// Suspending tasks (async tasks, fibers) that were spawned on workers.
    async_begins,
    /// Suspending tasks that have ended.
    async_ends,
    /// Times that a suspending task left its worker because its wait was not over.
    suspensions,
    /// Times a worker put a suspended task back into a queue.
    resumptions,
}

/// A counter with one writer.
#[derive(Default, Debug)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`. Only the owner calls this: a load and a store, no read-modify-write.
    pub(crate) fn add(&self, n: u64) {
        // Relaxed: a number that orders nothing.
        self.0.store(self.get().wrapping_add(n), Ordering::Relaxed);
    }

    /// Adds the time since `began`, if that is given. Only the owner calls this.
    pub(crate) fn add_since(&self, began: Option<u64>) {
        self.add_between(began, began.map(|_| ticks()));
    }

    /// Adds the time between the two, if there are any. Only the owner calls this.
    pub(crate) fn add_between(&self, began: Option<u64>, ended: Option<u64>) {
        if let (Some(began), Some(ended)) = (began, ended) {
            self.add(ended.wrapping_sub(began));
        }
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
