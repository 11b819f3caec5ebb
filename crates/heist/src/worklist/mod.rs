#![doc = include_str!("README.md")]

mod busy_count;
mod member;
mod progress;
mod queue;
mod report;
mod seeds;
mod steps;
mod team;

#[cfg(all(test, heist_model))]
mod models;

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::cancel;
use crate::pool::with_worker;
use heist_deque::{Owner, Thief};
use progress::Hook;
use team::{Host, Team};

pub use heist_deque::{AtLeastOnce, ExactlyOnce, Item, item};
pub use progress::Progress;
pub use queue::{DoubleEnded, Fifo, Lifo, Queue};
pub use report::{Counts, Report};

/// The settings of a worklist: its kind of deque, and the receiver of its progress.
///
/// `Q` is a pair of a delivery and an order, or another type that implements [`Queue`].
pub struct Worklist<'p, Q = (ExactlyOnce, DoubleEnded)> {
    hook: Option<Hook<'p>>,
    queue: PhantomData<fn() -> Q>,
}

impl Worklist<'_> {
    /// Creates a worklist that delivers each item exactly once. Each worker takes its newest item first.
    #[must_use]
    pub fn new() -> Self {
        Self::on()
    }
}

impl Default for Worklist<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'p, D, O> Worklist<'p, (D, O)> {
    /// Sets the number of times that an item may be delivered: [`ExactlyOnce`] or [`AtLeastOnce`].
    #[must_use]
    pub fn delivery<E>(self, _: E) -> Worklist<'p, (E, O)> {
        self.cast()
    }

    /// Sets the order of items: [`Lifo`], [`Fifo`] or [`DoubleEnded`].
    #[must_use]
    pub fn order<P>(self, _: P) -> Worklist<'p, (D, P)> {
        self.cast()
    }
}

impl<'p, Q> Worklist<'p, Q> {
    /// Creates a worklist on the deques `Q`.
    #[must_use]
    pub fn on() -> Self {
        Worklist {
            hook: None,
            queue: PhantomData,
        }
    }

    fn cast<R>(self) -> Worklist<'p, R> {
        Worklist {
            hook: self.hook,
            queue: PhantomData,
        }
    }

    /// Sets a `hook` that receives the progress about once in each interval `every`. A worker calls the hook between
    /// two items, so a call may come late while all workers process long items. Calls do not overlap. With a hook, each
    /// item costs a look at the clock, about 25 ns.
    ///
    /// ```
    /// use std::time::Duration;
    /// use heist::worklist::{Progress, Worklist};
    ///
    /// let hook = |progress: Progress| eprintln!("{} done, {} to go", progress.processed, progress.left());
    /// Worklist::new().on_progress(Duration::from_millis(100), &hook).for_each(0..1000_u32, |_, _| {});
    /// ```
    #[must_use]
    pub fn on_progress<'h>(
        self,
        every: Duration,
        hook: &'h (dyn Fn(Progress) + Send + Sync),
    ) -> Worklist<'h, Q> {
        Worklist {
            hook: Some(Hook { every, tell: hook }),
            queue: PhantomData,
        }
    }

    /// Calls `work` with each seed and with each pushed item, until no item is left. The calls run on the workers of the current pool; to
    /// use another pool, call this method inside of [`Pool::install`](crate::Pool::install).
    ///
    /// The worklist draws seeds from the iterator when it needs them, up to 256 at a time. So the iterator may be long.
    /// The iterator must not wait for results of the closure. The caller processes items, and each free worker of the
    /// pool may join, so calls run in parallel. Workers join while there are items for them. A worker that has found no
    /// item for 50 us returns to its pool. A closure may use all of Heist. A closure should not wait for another item,
    /// because this item may be in the deque of the closure's own worker. If a call of the closure pushes a single
    /// item, the item may wait until the call ends.
    ///
    /// Each item costs a few nanoseconds in addition to the closure (see the repository's
    /// benchmarks).
    ///
    /// # Panics
    /// If a call of the closure, the iterator of the seeds or the hook panics, rethrows the panic after all
    /// running calls have ended, and drops the remaining items. If there are several panics, rethrows the panic that
    /// [`finish`](crate::finish) would choose.
    pub fn for_each<T, I, F>(&self, seeds: I, work: F) -> Report
    where
        Q: Queue<T>,
        T: Send,
        I: IntoIterator<Item = T>,
        I::IntoIter: Send,
        F: Fn(T, &mut Context<'_, Q, T>) + Send + Sync,
    {
        let seeds = seeds.into_iter();
        let hook = self.hook;
        with_worker(None, |_| {
            let members = crate::current_threads();
            let team = Team::<Q, T, _, F>::new(members, hook, seeds, work);
            crate::finish_in_place(|scope| {
                let team = &team;
                team.attend(scope, true);
            });
            let (members, stopped) = team.into_counts();
            // After a cancellation, items may be left, so the call unwinds.
            cancel::check();
            Report::of(members, stopped)
        })
    }
}

impl<Q> fmt::Debug for Worklist<'_, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worklist").finish_non_exhaustive()
    }
}

/// Runs a worklist that delivers each item once: see [`Worklist::for_each`]. Each worker takes its newest item
/// first.
pub fn for_each<T, I, F>(seeds: I, work: F) -> Report
where
    T: Item + Send,
    I: IntoIterator<Item = T>,
    I::IntoIter: Send,
    F: Fn(T, &mut Context<'_, (ExactlyOnce, DoubleEnded), T>) + Send + Sync,
{
    Worklist::new().for_each(seeds, work)
}

/// The argument of a worklist's closure, through which the closure pushes items and stops the worklist.
pub struct Context<'a, Q: Queue<T>, T> {
    owner: &'a mut Q::Owner,
    thief: <Q::Owner as Owner>::Thief,
    place: usize,
    counts: Counts,
    random: u64,
    signal: &'a AtomicU32,
    host: &'a dyn Host,
}

impl<'a, Q: Queue<T>, T> Context<'a, Q, T> {
    fn new(
        owner: &'a mut Q::Owner,
        place: usize,
        signal: &'a AtomicU32,
        host: &'a dyn Host,
    ) -> Self {
        Context {
            thief: owner.thief(),
            owner,
            place,
            counts: Counts::default(),
            random: (place as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            signal,
            host,
        }
    }

    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        // Relaxed: both values are hints. A push onto an empty deque invites no member, because the owner takes that item next.
        if self.signal.load(Ordering::Relaxed) != 0 && !self.thief.is_empty() {
            self.host.invite();
        }
        self.owner.push(item);
        self.counts.pushed += 1;
    }

    /// Ends the worklist: no further call of the closure begins. Calls that run now continue to their ends.
    pub fn stop(&self) {
        self.host.stop();
    }

    /// Returns the number of the member that runs the closure. The number is below the pool's number of threads.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.place
    }

    /// Invites another member, if there is a station for it.
    fn invite(&self) {
        // Relaxed: the value is a hint.
        if self.signal.load(Ordering::Relaxed) != 0 {
            self.host.invite();
        }
    }

    fn into_counts(self) -> Counts {
        self.counts
    }

    /// Returns a pseudo-random number below `bound` (xorshift64).
    fn random_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound as u64) as usize
    }
}

impl<Q: Queue<T>, T> fmt::Debug for Context<'_, Q, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("worker", &self.place)
            .finish_non_exhaustive()
    }
}
