//! The pool of Heist whose threads are the workers of a world. These threads run published forks, and continue strands that no longer wait
//! at a join.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use heist::embed;

use crate::protocol::job::Job;
use crate::state::hunger::Hunger;
use crate::state::queued::Queued;
use crate::state::ready::{self, Inbox};
use crate::state::spare::{self, Spare};
use crate::state::strand::Strand;
use crate::state::thread_object;
use crate::state::threads::Threads;
use crate::state::worker::Worker;
use crate::state::world::World;

thread_local! {
    /// The worker of this thread, if the thread belongs to a pool.
    static WORKER: Cell<*mut Worker> = const { Cell::new(std::ptr::null_mut()) };
}

/// Returns the worker of this thread, or null if the thread does not belong to a pool.
pub(crate) fn current() -> *mut Worker {
    WORKER.get()
}

/// Sets the worker of this thread.
pub(crate) fn set_current(worker: *mut Worker) {
    WORKER.set(worker);
}

/// A program that runs.
pub(crate) struct Running {
    /// The program's result, 0 or 1, as `switch::enter` returns it; `usize::MAX` before the program's end.
    pub(crate) outcome: AtomicUsize,
    /// The worker that gets an exception that the program does not handle.
    pub(crate) first: *mut Worker,
    /// The thread that waits for the program's end.
    pub(crate) thread: std::thread::Thread,
}

/// Returns the inbox whose strands an entry takes.
pub(crate) type ChosenInbox = fn(&Threads) -> &Inbox;

/// The functions that run the entries of a pool's deques. They belong to a higher layer (`run/`), so a pool gets them when it starts.
pub(crate) struct Runs {
    /// Runs the entry of a published fork.
    pub(crate) fork: unsafe fn(*mut embed::Job),
    /// Continues a strand that no other thread has, and whose wait is over.
    pub(crate) strand: unsafe fn(&Pool, *mut Strand),
    /// Takes at most this number of strands out of an inbox, and continues them.
    pub(crate) inbox: unsafe fn(&Pool, ChosenInbox, usize),
}

/// The threads that run a world.
pub struct Pool {
    pub(crate) core: embed::Core,
    pub(crate) world: Arc<World>,
    pub(crate) hunger: Arc<Hunger>,
    pub(crate) spare: Spare,
    pub(crate) runs: Runs,
    /// The running program; null if no program runs.
    pub(crate) program: AtomicPtr<Running>,
}

// SAFETY: `program` points to data that `Pool::run` keeps until the program has ended.
unsafe impl Send for Pool {}
// SAFETY: `program` is an atomic, and only `end_program` follows the pointer, before `run` returns.
unsafe impl Sync for Pool {}

impl Pool {
    /// Puts a job into the deque of the calling thread, where idle workers find it. Must be called on a thread of the pool.
    pub fn push(&self, job: Arc<Job>) -> Queued {
        let queued = Queued::new(job, self.runs.fork);
        // SAFETY: the deque's reference count keeps the entry's memory until the entry has run, once. The caller is a thread of the pool
        // within a job.
        unsafe { self.put(queued.for_deque()) };
        queued
    }

    /// Queues a strand whose wait for a lazy value is over, so that some thread continues it. Must be called on a thread of the pool.
    ///
    /// # Safety
    /// No other thread may have the strand: it runs nowhere, and is in no queue. The strand's wait must be over.
    pub unsafe fn wake(&self, strand: *mut Strand) {
        // SAFETY: no other thread has the strand: it no longer waits, and the caller takes it off the list in which it waited.
        let header = unsafe { self.entry(strand) };
        // SAFETY: `entry` has just made the job on the heap, where it stays until it has run; `put` queues it once.
        unsafe { self.put(header) };
        self.world.woken.fetch_add(1, Ordering::Relaxed);
        self.told();
    }

    /// Makes a strand continue on some worker. Workers run the strands of this queue before published forks, because the supply of
    /// published forks may never end. May be called on any thread.
    ///
    /// # Safety
    /// No other thread may have the strand: it runs nowhere, and is in no list or queue. The strand must have no home, and its wait must be
    /// over.
    pub unsafe fn inject_urgent(&self, strand: *mut Strand) {
        self.world.threads.urgent.push(strand);
        // SAFETY: the strand is the caller's alone and has no home, so that any worker may run it; the inbox owns it.
        unsafe { self.announce(|threads| &threads.urgent, 1) };
        // After this ring, a busy worker takes the strand at its next poll.
        self.world.ring_all();
    }

    /// Queues strands that a worker has given away. These strands wait in the same queue as published forks, and continue when their turn
    /// comes.
    ///
    /// # Safety
    /// No other thread may have the strands: they run nowhere, and are in no list or queue. The strands must have no home, and their waits
    /// must be over.
    pub unsafe fn inject_turns(&self, strands: impl Iterator<Item = *mut Strand>) {
        for _ in 0..self.world.threads.turns.give(strands) {
            // SAFETY: the strands are the caller's alone and have no home, so that any worker may run them; the inbox owns them.
            unsafe { self.announce(|threads| &threads.turns, ready::GIFT) };
        }
    }

    /// Puts an entry for the strands of an inbox into the pool; any worker may take strands from this inbox. A worker without other work
    /// runs the entry, and so takes at most `count` of the strands.
    ///
    /// # Safety
    /// The strands must run nowhere, and be in no other list. The strands must have no home, so that any worker may run them. The waits of
    /// the strands must be over.
    unsafe fn announce(&self, inbox: ChosenInbox, count: usize) {
        let world = Arc::as_ptr(&self.world) as usize;
        let entry = embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone. A job runs on an idle thread of the pool,
            // as `run_from` needs.
            unsafe {
                if let Some(pool) = (*(world as *const World)).started() {
                    (pool.runs.inbox)(pool, inbox, count);
                }
            }
        });
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_add(1, Ordering::SeqCst);
        // SAFETY: `embed::job` has put the job on the heap, where it stays until it has run; it is queued once.
        unsafe { self.core.inject(entry) };
        self.world.woken.fetch_add(1, Ordering::Relaxed);
        self.told();
    }

    /// Makes an entry that continues a strand.
    ///
    /// # Safety
    /// No other thread may have the strand, and the strand's wait must be over. The job must run once.
    unsafe fn entry(&self, strand: *mut Strand) -> *mut embed::Job {
        // SAFETY: no other thread has the strand before the job is queued, so this write races with nothing.
        unsafe { (*strand).queued = true };
        let (world, strand) = (Arc::as_ptr(&self.world) as usize, strand as usize);
        embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone. The strand no longer waits, is in no list,
            // and only this job, which runs once, has its address.
            unsafe {
                let world = &*(world as *const World);
                if let Some(pool) = world.started() {
                    (pool.runs.strand)(pool, strand as *mut Strand);
                }
            }
        })
    }

    /// Pushes an entry onto the calling thread's deque. If the thread belongs to no pool, pushes the entry into the injector.
    ///
    /// # Safety
    /// The entry must stay in place until it has run, and must run once. If the calling thread belongs to a pool, the call must come from
    /// inside of a job.
    unsafe fn put(&self, entry: *mut embed::Job) {
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_add(1, Ordering::SeqCst);
        // SAFETY: `entry` stays in place until it has run, and is queued once, in one of the two branches. The worker of `current` is used
        // only within the job that this thread runs.
        unsafe {
            if let Some(worker) = embed::Worker::current() {
                worker.publish(entry);
            } else {
                self.core.inject(entry);
            }
        }
    }

    /// Ends the trace and returns it, if a trace was being recorded.
    pub fn end_trace(&self) -> Option<heist::trace::Trace> {
        self.core.stop_trace("of Parallel ML")
    }

    /// Wakes napping workers, because a fork was published.
    pub fn told(&self) {
        self.hunger.tell();
    }

    /// Returns a strand that has not begun, without a stack.
    ///
    /// # Safety
    /// The worker must be the calling thread's own.
    pub unsafe fn new_strand(&self, worker: *mut Worker) -> *mut Strand {
        // SAFETY: `worker` is this thread's own, and the reference to its cache ends with the call.
        unsafe { self.spare.strand(&self.world, spare::cache(worker)) }
    }

    /// Drops a parked strand of the program.
    ///
    /// # Safety
    /// All workers must be stopped, and nothing may give the strand its permit. The strand must have no home and no published forks, and
    /// compute nothing for other strands.
    pub unsafe fn drop_parked(&self, strand: *mut Strand) {
        // SAFETY: all workers are stopped, and the collector found that nothing refers to the strand's object: no permit can wake it. The
        // strand has no home and no entries, so nothing else refers to the strand when it is recycled.
        unsafe {
            thread_object::drop_parked(&self.world, strand);
            self.spare.recycle_shared(strand);
        }
    }
}

/// Removes the entry of a fork from the owner's deque, if the deque still has the entry. The owner must have taken the fork back.
pub fn forget(queued: &Queued) {
    // SAFETY: the worker of the pool is used only within the job that this thread runs.
    if let Some(worker) = unsafe { embed::Worker::current() } {
        // The fork is retracted, so running its entry only drops the deque's reference count.
        worker.take_back(queued.address());
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.core.close();
    }
}
