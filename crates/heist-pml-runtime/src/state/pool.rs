//! The pool of Heist whose threads are the workers of a world. These threads run published forks, and continue strands that no longer wait
//! at a join.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use heist::embed;

use crate::fork::publish;
use crate::process::ends::fatal;
use crate::protocol::job::Job;
use crate::run::fault;
use crate::run::program::Running;
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

/// The threads that run a world.
pub struct Pool {
    pub(crate) core: embed::Core,
    pub(crate) world: Arc<World>,
    pub(crate) hunger: Arc<Hunger>,
    pub(crate) spare: Spare,
    /// The running program; null if no program runs.
    pub(crate) program: AtomicPtr<Running>,
}

// SAFETY: `program` points to data that `Pool::run` keeps until the program has ended.
unsafe impl Send for Pool {}
// SAFETY: `program` is an atomic, and only `end_program` follows the pointer, before `run` returns.
unsafe impl Sync for Pool {}

impl Pool {
    /// Makes a pool of `threads` threads, each of which is a worker of the world. Returns `None` if no thread can be started.
    pub fn start(world: &Arc<World>, threads: usize) -> Option<Pool> {
        let hunger = Arc::new(Hunger::default());
        let (of_start, of_hunger, asks) = (world.clone(), world.clone(), hunger.clone());
        let plan = embed::Plan {
            threads,
            stack_size: 8 << 20,
            adopts: false,
            start: Some(Box::new(move |_| {
                let worker = Worker::join(&of_start)
                    .unwrap_or_else(|error| fatal(&format!("no memory for a worker: {error}")));
                WORKER.set(Box::into_raw(worker));
                std::mem::forget(fault::watch());
            })),
            exit: Some(Box::new(|_| {
                let worker = WORKER.replace(std::ptr::null_mut());
                if !worker.is_null() {
                    // SAFETY: the start handler has made the worker by `Box::into_raw`, and this thread runs nothing any more.
                    drop(unsafe { Box::from_raw(worker) });
                }
            })),
            panic: Box::new(|_| std::process::abort()),
            hidden: Some(Box::new(move || asks.ask(&of_hunger))),
        };
        let (core, starts) = embed::Core::start(plan).ok()?;
        for (at, start) in starts.into_iter().enumerate() {
            let thread = std::thread::Builder::new()
                .name(format!("heist-pml-{at}"))
                .stack_size(8 << 20);
            // A start that is dropped leaves the pool with one thread fewer.
            let _ = thread.spawn(move || start.run());
        }
        core.wait_ready().ok()?;
        if let Some(tracing) = &world.options.trace {
            core.start_trace(tracing.events);
        }
        Some(Pool {
            core,
            world: world.clone(),
            hunger,
            spare: Spare::default(),
            program: AtomicPtr::new(std::ptr::null_mut()),
        })
    }

    /// Puts a job into the deque of the calling thread, where idle workers find it. Must be called on a thread of the pool.
    pub fn push(&self, job: Arc<Job>) -> Queued {
        let queued = Queued::new(job, run_entry);
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
    unsafe fn announce(&self, inbox: fn(&Threads) -> &Inbox, count: usize) {
        let world = Arc::as_ptr(&self.world) as usize;
        let entry = embed::job(move || {
            // SAFETY: the pool owns an `Arc` of the world, and runs its jobs before it is gone. A job runs on an idle thread of the pool,
            // as `run_from` needs.
            unsafe {
                if let Some(pool) = (*(world as *const World)).started() {
                    pool.run_from(inbox, count);
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

    /// Takes at most `count` strands out of an inbox, and continues them. Does nothing if other workers have emptied the inbox.
    ///
    /// # Safety
    /// The calling thread must be an idle thread of the pool.
    unsafe fn run_from(&self, inbox: fn(&Threads) -> &Inbox, count: usize) {
        let worker = idle_worker();
        self.world.begin();
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: `worker` is this idle thread's own. `take_from` has removed the strands from the inbox under its lock, so no other thread
        // has them, and a strand in an inbox that any worker may open has no home.
        unsafe {
            let Some(strand) = (*worker).ready.take_from(inbox(&self.world.threads), count) else {
                self.world.end();
                return;
            };
            let code = self.resume(worker, strand);
            self.drive(worker, strand, code);
        }
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
                    pool.go_on(strand as *mut Strand);
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

    /// Forgets all published forks of a strand that has ended.
    pub(crate) fn cancel_all(&self, strand: &mut Strand) {
        while let Some(entry) = strand.entries.last() {
            let frame = entry.frame;
            publish::cancel(&self.world, strand, frame, 0);
        }
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

/// Returns the worker of this thread. Ends the process if the worker has a strand, because a second strand would use the same state of the
/// worker.
pub(crate) fn idle_worker() -> *mut Worker {
    let worker = WORKER.get();
    // SAFETY: only jobs of the pool call this function, so it runs on a thread of the pool. Such a thread makes its worker at its start,
    // and drops the worker at its end.
    if !unsafe { (*worker).strand }.is_null() {
        fatal("internal error: a strand on top of another");
    }
    worker
}

/// Runs the entry of a published fork.
///
/// # Safety
/// A [`Queued`] must have given the entry for a deque of this thread's pool, and the entry must run only once.
unsafe fn run_entry(entry: *mut embed::Job) {
    // SAFETY: `entry` comes from `Queued::for_deque`, and the deque runs it once, so this call may drop the entry's reference count.
    let job = unsafe { Queued::taken(entry) };
    // SAFETY: a thread of a pool has its worker from its start to its end. The borrow ends with this statement, because the code that runs
    // changes the worker.
    let world = unsafe { (*WORKER.get()).shared_world() };
    if let Some(pool) = world.started() {
        pool.run_job(job);
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
