//! Strands that are ready to run, and the worker that may run them.
//!
//! A waiting strand keeps its references to young objects, so the switch from one thread to another copies nothing. The worker that owns
//! these objects is the strand's *home*, and the home's list [`Ready::young`] contains the strand. The roots of the home's minor
//! collections include the frames of all strands in the list. After a minor collection of the home, these strands have no home.
//!
//! *Invariant*: a strand that has a home runs only on this home. A worker that makes a strand run again reads the strand's home. If the
//! strand has no home, or if the home is the reading worker itself, the strand goes into this worker's queue. If the home is another
//! worker, the strand goes into the home's inbox. For this, the reading worker takes the lock of the inbox and checks the home once more.
//! The home takes strands out of its list and empties its inbox under the same lock. So a strand never stays in the inbox of a worker that
//! has collected. An idle worker collects before it sleeps, so no strand waits for a worker that sleeps.
//!
//! A worker that answers a request gives half of its queue away: it collects, and moves the strands into an inbox from which all workers
//! take strands.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;

/// Number of ready strands on a worker from which on the running strand yields after every `CROWD`-th thread that is made on the worker. So
/// if a program makes a million threads, only the threads that wait need memory at the same time.
pub const CROWD: u64 = 1024;

/// Maximum number of strands that a worker gives away at a time.
pub const GIFT: usize = 256;

/// Number of ready strands that a worker runs before it takes a job from the pool's deques.
const TURNS: u32 = 1024;

/// Number of time slices after which a worker takes a job from the pool's deques even if it has run fewer than [`TURNS`] strands. A strand
/// that was given away waits for these time slices, and for the strands that were given away before it.
const SLICES: u32 = 2;

/// In tests, the number of polls after which the time slice of the running strand ends.
const POLLS: u32 = 5;

/// A worker runs one strand that was given away before every `FORKS`-th published fork.
const FORKS: u32 = 4;

/// The strands of a worker that are ready.
#[derive(Default)]
pub struct Ready {
    /// The worker's number.
    pub number: usize,
    pub(crate) queue: VecDeque<*mut Strand>,
    /// The strands whose home is this worker.
    young: Vec<*mut Strand>,
    /// Number of strands that ran since the worker last took a job from the pool's deques.
    turns: u32,
    /// Number of times that the worker was about to run a published fork.
    forks: u32,
    /// In tests, the number of polls so far.
    polls: u32,
    /// Whether the time slice of the running strand is over, so that the strand yields if other strands are ready. Threads other than the
    /// worker set this flag.
    over: AtomicBool,
}

/// Strands that other threads have made ready. Each worker has an inbox; `Threads` also has two inboxes from which all workers take
/// strands.
#[derive(Default)]
pub struct Inbox {
    /// The number of times that this worker parked a strand, minus the number of times that `unpark` gave a parked strand its permit on
    /// this worker. Only the inbox's own worker writes this count.
    parked: AtomicIsize,
    pub(crate) count: AtomicUsize,
    /// Number of entries in the pool for strands that were given away. A worker that runs an entry takes at most [`GIFT`] strands. This
    /// number changes only under the lock of `strands`.
    entries: AtomicUsize,
    pub(crate) strands: Mutex<VecDeque<*mut Strand>>,
}

// SAFETY: a strand in an inbox runs nowhere, and belongs to the inbox.
unsafe impl Send for Inbox {}

// SAFETY: every access to the strands is under the lock, and the count is an atomic.
unsafe impl Sync for Inbox {}

impl Inbox {
    /// Notes that this worker has parked a strand (1), or that a strand is not parked any more (-1).
    #[inline]
    pub(crate) fn note_parked(&self, change: isize) {
        // Relaxed, and no read-modify-write: only the inbox's own worker writes the count, and `thread/stuck.rs` reads it while no worker
        // runs.
        let parked = self.parked.load(Ordering::Relaxed);
        self.parked.store(parked + change, Ordering::Relaxed);
    }

    /// Returns the count that [`note_parked`](Self::note_parked) changes.
    pub(crate) fn parked(&self) -> isize {
        // Relaxed: see `note_parked`.
        self.parked.load(Ordering::Relaxed)
    }

    /// Adds a strand.
    pub fn push(&self, strand: *mut Strand) {
        let mut strands = self.strands.lock().unwrap_or_else(PoisonError::into_inner);
        strands.push_back(strand);
        // Relaxed: the lock orders all changes.
        self.count.store(strands.len(), Ordering::Relaxed);
    }

    /// Adds strands that were given away. Returns the number of entries that the caller must put into the pool.
    ///
    /// The pool has exactly as many entries as the strands need. If a worker ran an entry and found no strand, it could give away a strand
    /// that only yields, and add another entry. Workers might repeat this exchange forever.
    #[must_use]
    pub fn give(&self, more: impl Iterator<Item = *mut Strand>) -> usize {
        let mut strands = self.strands.lock().unwrap_or_else(PoisonError::into_inner);
        strands.extend(more);
        // Relaxed, for all: the lock orders all changes.
        self.count.store(strands.len(), Ordering::Relaxed);
        let entries = self.entries.load(Ordering::Relaxed);
        let needed = strands.len().div_ceil(GIFT).saturating_sub(entries);
        self.entries.store(entries + needed, Ordering::Relaxed);
        needed
    }

    /// Takes out the first strand.
    pub fn take(&self) -> Option<*mut Strand> {
        if !self.has_any() {
            return None;
        }
        let mut strands = self.strands.lock().unwrap_or_else(PoisonError::into_inner);
        let strand = strands.pop_front();
        // Relaxed: the lock orders all changes.
        self.count.store(strands.len(), Ordering::Relaxed);
        strand
    }

    /// Returns true if the inbox has strands. The result may be out of date.
    pub fn has_any(&self) -> bool {
        // Relaxed: a hint. If a worker misses a strand, another thread rings its doorbell, or runs the entry that was injected for it.
        self.count.load(Ordering::Relaxed) != 0
    }
}

impl Ready {
    /// Adds a strand at the end of the queue of ready strands.
    pub fn add(&mut self, strand: *mut Strand) {
        self.queue.push_back(strand);
    }

    /// Takes over strands that other threads have made ready for this worker. Strands that `wake_outside` has woken come first, in their
    /// order.
    ///
    /// # Safety
    /// No other thread may have the strands: each strand runs nowhere, and is in no other list.
    unsafe fn add_all(&mut self, strands: &mut VecDeque<*mut Strand>) {
        // SAFETY: no other thread has the strands.
        let is_urgent = |strand: &*mut Strand| unsafe { (**strand).urgent };
        if !strands.iter().any(is_urgent) {
            self.queue.extend(strands.drain(..));
            return;
        }
        let (urgent, others): (Vec<_>, Vec<_>) = strands.drain(..).partition(is_urgent);
        self.queue.extend(others);
        for strand in urgent.into_iter().rev() {
            self.queue.push_front(strand);
        }
    }

    /// Takes at most `count` strands out of an inbox. A worker calls this function when it runs an entry that was put into the pool for
    /// these strands. Returns the first of these strands, and queues all other strands on this worker.
    pub fn take_from(&mut self, inbox: &Inbox, count: usize) -> Option<*mut Strand> {
        let mut strands = inbox.strands.lock().unwrap_or_else(PoisonError::into_inner);
        // Relaxed, for all: the lock orders all changes. The entries of urgent strands are not counted.
        let entries = inbox.entries.load(Ordering::Relaxed);
        inbox
            .entries
            .store(entries.saturating_sub(1), Ordering::Relaxed);
        let first = strands.pop_front();
        let more = strands.len().min(count - 1);
        self.queue.extend(strands.drain(..more));
        inbox.count.store(strands.len(), Ordering::Relaxed);
        first
    }

    /// Returns true if the worker's queue is empty. Strands may be in the inbox.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns true if strands refer to young objects, so that the worker must collect before it sleeps.
    #[must_use]
    pub fn has_young(&self) -> bool {
        !self.young.is_empty()
    }

    /// Returns the strands whose home is this worker.
    pub fn young(&self) -> &[*mut Strand] {
        &self.young
    }

    /// Returns true if at least [`CROWD`] strands are ready.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.queue.len() as u64 >= CROWD
    }

    /// Notes that the time slice of the running strand is over. May be called on any thread.
    pub fn end_time(&self) {
        // Relaxed: a hint; the ring that follows publishes it.
        self.over.store(true, Ordering::Relaxed);
    }

    /// Returns true if the time slice of the running strand is over, and [`time_is_over`](Self::time_is_over) has not reported this yet.
    pub fn has_had_its_time(&self) -> bool {
        // Relaxed: see `end_time`.
        self.over.load(Ordering::Relaxed)
    }

    /// Returns true if the running strand's time slice is over. Returns true at most once for each time slice.
    pub fn time_is_over(&mut self) -> bool {
        // Relaxed: see `end_time`.
        let is_over = self.over.load(Ordering::Relaxed) && self.over.swap(false, Ordering::Relaxed);
        if is_over {
            // The end of a time slice counts like the runs of many strands, so that `take` checks only one count. (Each message between
            // threads calls `take`.)
            self.turns = TURNS.min(self.turns + TURNS / SLICES);
        }
        is_over
    }

    /// In tests, returns true if the strand must yield although its time slice is not over.
    #[cold]
    pub fn is_early(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        self.polls.is_multiple_of(POLLS)
    }

    /// Begins the time slice of another strand. The end of the previous time slice has no effect on the new strand.
    pub fn begin_time(&mut self) {
        let _ = self.time_is_over();
    }

    /// Takes the next strand to run. Returns `None` if no strand is ready, or if the worker must first take a job from the pool's deques.
    pub fn take(&mut self) -> Option<*mut Strand> {
        self.turns += 1;
        if self.turns > TURNS {
            return None;
        }
        self.queue.pop_front()
    }

    /// Makes the worker take a job from the pool's deques as soon as the running strand waits.
    pub fn exhaust(&mut self) {
        self.turns = TURNS;
    }

    /// Returns true if a strand that was given away should run before the published fork that the worker is about to run.
    pub fn is_others_turn(&mut self) -> bool {
        self.forks = self.forks.wrapping_add(1);
        self.forks.is_multiple_of(FORKS)
    }

    /// Notes that the worker has taken a job from the pool's deques, and restarts the count of strands.
    pub fn turn(&mut self) {
        self.turns = 0;
    }
}

/// Notes that a strand that runs nowhere may refer to young objects of the worker.
///
/// # Safety
/// The worker must be the calling thread's own. No other thread may have the strand: it runs nowhere and is in no list.
pub unsafe fn keep_young(worker: *mut Worker, strand: *mut Strand) {
    // SAFETY: `worker` is this thread's own, so it alone uses the list `young`. No other thread has the strand yet.
    unsafe {
        if (*worker).is_flat() {
            return;
        }
        let ready = &mut (*worker).ready;
        (*strand).young_at = ready.young.len();
        ready.young.push(strand);
        // Relaxed: the operation that makes the strand visible to other threads also publishes this store.
        (*strand).home.store(ready.number + 1, Ordering::Relaxed);
    }
}

/// Takes a strand off the worker's list of young strands, because it is about to run on the worker.
///
/// # Safety
/// The worker must be the calling thread's own, and idle. No other thread may have the strand, and the strand must have no home other than
/// this worker.
pub unsafe fn leave_young(worker: *mut Worker, strand: *mut Strand) {
    // SAFETY: no other thread has the strand. If the strand has a home, the home is this worker, and the strand is at `young_at` in the
    // worker's list. For the other strands in the list, only this worker, their home, reads and writes `young_at`.
    unsafe {
        // Relaxed: while this worker is the home, only it changes the word; otherwise the word stays 0.
        if (*strand).home.load(Ordering::Relaxed) != 0 {
            (*strand).home.store(0, Ordering::Relaxed);
            let young = &mut (*worker).ready.young;
            let at = (*strand).young_at;
            debug_assert!(young[at] == strand, "it is in the list of its home");
            young.swap_remove(at);
            if let Some(moved) = young.get(at) {
                (**moved).young_at = at;
            }
        }
    }
}

/// Ends the worker's role as a home, because its young generation is empty: any worker may then run its strands. Empties the inbox.
///
/// # Safety
/// The worker must be the calling thread's own, or be stopped.
pub unsafe fn settle(worker: *mut Worker) {
    // SAFETY: the worker is this thread's own, or stopped while this thread collects, so no other thread uses its lists. The strands in
    // `young` run nowhere, and this function writes only their atomic field `home`.
    unsafe {
        if !(*worker).ready.has_young() {
            return;
        }
        let world: *const World = (*worker).world();
        let inbox = &(*world).threads.inboxes[(*worker).ready.number];
        let mut strands = inbox.strands.lock().unwrap_or_else(PoisonError::into_inner);
        for strand in (*worker).ready.young.drain(..) {
            // Release: pairs with the acquire in `wake`, so a worker that runs the strand sees its frames as they are now.
            (*strand).home.store(0, Ordering::Release);
        }
        // Relaxed: the lock orders all changes.
        inbox.count.store(0, Ordering::Relaxed);
        (*worker).ready.add_all(&mut strands);
    }
}

/// Takes over the strands that other threads have made ready for this worker.
///
/// # Safety
/// The worker must be the calling thread's own.
pub unsafe fn open_inbox(worker: *mut Worker) {
    // SAFETY: `worker` is this thread's own, so it alone uses the queue; inboxes are behind their locks.
    unsafe {
        let world: *const World = (*worker).world();
        if let Some(strand) = (*world).threads.urgent.take() {
            (*worker).ready.queue.push_front(strand);
        }
        let inbox = &(*world).threads.inboxes[(*worker).ready.number];
        // Relaxed: a hint; the worker looks again under the lock before it sleeps.
        if inbox.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut strands = inbox.strands.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.count.store(0, Ordering::Relaxed);
        (*worker).ready.add_all(&mut strands);
    }
}
