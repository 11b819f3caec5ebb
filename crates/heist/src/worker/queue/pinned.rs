//! Fibers that are bound to a worker's thread and are ready to continue.

use crate::park::Mailbox;
use crate::task::Header;
use crate::waiting::Awaited;
use crate::worker::local::local;
use crate::worker::queue::job::Job;
use crate::worker::run::TURN;
use crate::worker::thread::WorkerThread;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;

/// Number of entries for which an empty queue keeps its memory.
const KEPT: usize = 1024;

/// A pinned fiber that is ready to continue.
#[derive(Debug)]
struct Bound(*mut Header);

// SAFETY: a `Bound` is the sole right to run the task, whose memory lives until it has run; only the
// thread on which the task may run takes the `Bound` out of the queue.
unsafe impl Send for Bound {}

/// The pinned fibers of a worker that are ready to continue.
#[derive(Debug)]
pub(in crate::worker) struct PinnedQueue {
    /// Fibers that other threads have woken.
    mailbox: Mailbox<Bound>,
    /// Fibers that the worker's own thread has woken or taken from the mailbox, oldest first. Only the worker's own thread accesses this
    /// queue.
    ready: UnsafeCell<VecDeque<Bound>>,
}

impl PinnedQueue {
    pub(in crate::worker) fn new() -> Self {
        PinnedQueue {
            mailbox: Mailbox::new(),
            ready: UnsafeCell::new(VecDeque::new()),
        }
    }

    /// # Safety
    /// Only the worker's own thread may call this function, and the reference must not live across another call.
    #[allow(clippy::mut_from_ref, reason = "the contract makes it exclusive")]
    unsafe fn ready(&self) -> &mut VecDeque<Bound> {
        // SAFETY: by contract, only the worker's own thread calls this, and no other reference from
        // this function is alive.
        unsafe { &mut *self.ready.get() }
    }
}

// The functions below are safe, although only the worker's own thread may call most of these functions. Debug builds check this rule.
impl WorkerThread {
    fn assert_here(&self) {
        debug_assert!(std::ptr::eq(local().worker.get(), self));
    }

    /// Queues a fiber that is bound to the calling thread and is ready to continue.
    pub(crate) fn push_bound(&self, fiber: *mut Header) {
        self.assert_here();
        // SAFETY: this is the worker's own thread, and the reference ends with this statement.
        unsafe { self.pinned.ready() }.push_back(Bound(fiber));
    }

    /// Queues a fiber that is bound to this worker's thread. Any other thread may call this function.
    pub(in crate::worker) fn receive_bound(&self, fiber: *mut Header) {
        if self.pinned.mailbox.leave(Bound(fiber)) {
            self.thread.unpark();
        }
    }

    /// Returns true if a fiber is ready to continue. Call this function on the worker's own thread.
    pub(in crate::worker) fn has_bound(&self) -> bool {
        self.assert_here();
        // SAFETY: this is the worker's own thread, and the reference ends with this statement.
        self.pinned.mailbox.are_there() || unsafe { !self.pinned.ready().is_empty() }
    }

    /// Returns true if other threads have left fibers for this worker. The answer may be outdated.
    pub(in crate::worker) fn has_messages(&self) -> bool {
        self.pinned.mailbox.are_there()
    }

    /// Takes the fiber that has been ready longest. Call this function on the worker's own thread.
    pub(in crate::worker) fn next_bound(&self) -> Option<*mut Header> {
        self.assert_here();
        // SAFETY: this is the worker's own thread, and no code below calls `ready` again while the reference lives.
        let ready = unsafe { self.pinned.ready() };
        if self.pinned.mailbox.are_there() {
            self.pinned.mailbox.take(ready);
        }
        let Bound(fiber) = ready.pop_front()?;
        if ready.is_empty() && ready.capacity() > KEPT {
            // Frees the memory that a burst of fibers has taken.
            *ready = VecDeque::new();
        }
        Some(fiber)
    }

    /// Runs ready jobs that are bound to this thread, while other code waits on the thread. Returns when the wait is over, when no such job
    /// is left, or after 64 jobs. Call this function on the worker's own thread. The thread must hold a slot.
    pub(in crate::worker) fn run_bound(&self, awaited: &dyn Awaited) {
        if !self.has_bound() {
            return;
        }
        self.seat.rouse();
        // Relaxed: a thief that claims a later fork has acquired this store with the fork.
        let outer = self.set_apart(self.forks.height());
        for _ in 0..TURN {
            if awaited.is_done() {
                break;
            }
            let Some(fiber) = self.next_bound() else {
                break;
            };
            let run_apart = self.pool().settings.hooks.run_apart;
            run_apart(&mut || self.run(Job::Run(fiber), false));
        }
        self.flush();
        // Relaxed: all jobs that were forked in between are done.
        self.restore_apart(outer);
    }

    /// Records in the word `apart` that forks at `height` or above do not descend from the forks below `height`. Returns the previous value
    /// of the word.
    pub(in crate::worker) fn set_apart(&self, height: u32) -> u32 {
        let outer = self.apart.load(Ordering::Relaxed);
        self.apart.store(height + 1, Ordering::Relaxed);
        outer
    }

    /// Restores the word that [`set_apart`](Self::set_apart) replaced.
    pub(in crate::worker) fn restore_apart(&self, outer: u32) {
        self.apart.store(outer, Ordering::Relaxed);
    }

    /// Returns true if a fiber runs on top of code that waits on this worker's stack, and the fiber began above height `base`. In that
    /// case, entries above `base` need not descend from the frame that began at `base`.
    pub(in crate::worker) fn is_apart(&self, base: u32) -> bool {
        // Relaxed: see `run_bound`.
        base < self.apart.load(Ordering::Relaxed)
    }
}
