//! The threads of a pool: their start, and the entries that they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use heist::embed;

use crate::fork::cancel;
use crate::process::ends::fatal;
use crate::run::fault;
use crate::state::hunger::Hunger;
use crate::state::pool::{self, ChosenInbox, Pool, Runs};
use crate::state::queued::Queued;
use crate::state::spare::Spare;
use crate::state::strand::Strand;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::thread;

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
                pool::set_current(Box::into_raw(worker));
                std::mem::forget(fault::watch());
            })),
            exit: Some(Box::new(|_| {
                let worker = pool::current();
                pool::set_current(std::ptr::null_mut());
                if !worker.is_null() {
                    // SAFETY: the start handler has made the worker by `Box::into_raw`, and this thread runs nothing any more.
                    drop(unsafe { Box::from_raw(worker) });
                }
            })),
            panic: Box::new(|_| std::process::abort()),
            hidden: Some(Box::new(move || asks.ask(&of_hunger, thread::look))),
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
            runs: Runs {
                fork: run_entry,
                strand: Pool::go_on,
                inbox: Pool::run_from,
            },
            program: AtomicPtr::new(std::ptr::null_mut()),
        })
    }

    /// Takes at most `count` strands out of an inbox, and continues them. Does nothing if other workers have emptied the inbox.
    ///
    /// # Safety
    /// The calling thread must be an idle thread of the pool.
    unsafe fn run_from(&self, inbox: ChosenInbox, count: usize) {
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

    /// Forgets all published forks of a strand that has ended.
    pub(crate) fn cancel_all(&self, strand: &mut Strand) {
        while let Some(entry) = strand.entries.last() {
            let frame = entry.frame;
            cancel::cancel(&self.world, strand, frame, 0);
        }
    }
}

/// Returns the worker of this thread. Ends the process if the worker has a strand, because a second strand would use the same state of the
/// worker.
pub(crate) fn idle_worker() -> *mut Worker {
    let worker = pool::current();
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
    let world = unsafe { (*pool::current()).shared_world() };
    if let Some(pool) = world.started() {
        pool.run_job(job);
    }
}
