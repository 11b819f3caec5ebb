//! Worklists: run a closure over a growing set of items until it is empty.

mod census;
mod queue;
mod report;
mod seeds;
mod steps;
mod stint;
mod team;

#[cfg(all(test, heist_model))]
mod models;

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::pool::with_worker;
use heist_deque::{Owner, Thief};
use team::{Host, Team};

pub use heist_deque::{AtLeastOnce, ExactlyOnce, Item, item};
pub use queue::{DoubleEnded, Fifo, Lifo, Queue};
pub use report::{Counts, Report};

/// A worklist to be run: which deques it uses.
pub struct Worklist<Q = (ExactlyOnce, DoubleEnded)> {
    queue: PhantomData<fn() -> Q>,
}

impl Worklist {
    /// Each item once, each worker its newest item first.
    #[must_use]
    pub fn new() -> Self {
        Self::on()
    }
}

impl Default for Worklist {
    fn default() -> Self {
        Self::new()
    }
}

impl<Q> Worklist<Q> {
    /// On deques of another kind.
    #[must_use]
    pub fn on() -> Self {
        Worklist { queue: PhantomData }
    }

    /// Calls `work` with each seed and each item that is pushed meanwhile, on the workers of the
    /// current pool, until no item is left.
    pub fn for_each<T, I, F>(&self, seeds: I, work: F) -> Report
    where
        Q: Queue<T>,
        T: Send,
        I: IntoIterator<Item = T>,
        I::IntoIter: Send,
        F: Fn(T, &mut Context<'_, Q, T>) + Send + Sync,
    {
        let seeds = seeds.into_iter();
        with_worker(None, |_| {
            let team = Team::<Q, T, _, F>::new(crate::current_threads(), seeds, work);
            crate::finish_in_place(|scope| {
                let team = &team;
                team.attend(scope, true);
            });
            let (members, stopped) = team.into_counts();
            Report::of(members, stopped)
        })
    }
}

impl<Q> fmt::Debug for Worklist<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worklist").finish_non_exhaustive()
    }
}

/// [`Worklist::for_each`] with each item once, each worker its newest first.
pub fn for_each<T, I, F>(seeds: I, work: F) -> Report
where
    T: Item + Send,
    I: IntoIterator<Item = T>,
    I::IntoIter: Send,
    F: Fn(T, &mut Context<'_, (ExactlyOnce, DoubleEnded), T>) + Send + Sync,
{
    Worklist::new().for_each(seeds, work)
}

/// What the closure of a worklist can do beside its own work.
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
        // Relaxed: hints.
        if self.signal.load(Ordering::Relaxed) != 0 && !self.thief.is_empty() {
            self.host.invite();
        }
        self.owner.push(item);
        self.counts.pushed += 1;
    }

    /// Ends the worklist: no closure begins any more, and those that run come to their end.
    pub fn stop(&self) {
        self.host.stop();
    }

    /// The number of the member that runs the closure, below the pool's number of threads.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.place
    }

    fn into_counts(self) -> Counts {
        self.counts
    }

    /// xorshift64.
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
