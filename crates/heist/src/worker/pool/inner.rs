//! The state that the workers of one pool share.

use super::threads::{Gate, leave_pool};
use crate::park::Idle;
use crate::platform::{ForkGeneration, prepare_fence, watch_forks};
use crate::policy::Delivery;
use crate::task::{Depot, Payload, Roll, discard};
use crate::trace::Switch;
use crate::worker::fixed::adopted::Lookers;
use crate::worker::idle::retry::Retry;
use crate::worker::pool::binding::Binding;
use crate::worker::pool::counters::Counters;
use crate::worker::pool::latency::Latencies;
use crate::worker::pool::settings::Settings;
use crate::worker::pool::size::Size;
use crate::worker::queue::inbox::Inboxes;
use crate::worker::queue::injector::Injector;
use crate::worker::queue::stubs::Stubs;
use crate::worker::steal::signal;
use crate::worker::steal::victims::Neighbours;
use crate::worker::thread::WorkerThread;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};

/// The state that the workers of one pool share.
#[derive(Debug)]
pub(crate) struct PoolInner {
    pub(in crate::worker) this: Weak<PoolInner>,
    pub(crate) settings: Settings,
    pub(crate) generation: ForkGeneration,
    /// Pointers to the workers. An entry is null until its worker exists. A worker lives until the pool is dropped.
    pub(in crate::worker) workers: Box<[AtomicPtr<WorkerThread>]>,
    /// Number of entries of `workers` in use.
    pub(in crate::worker) count: AtomicU32,
    pub(crate) injector: Injector,
    /// Stubs: the queue entries of tasks that were claimed out of turn.
    pub(crate) stubs: Stubs,
    /// Free memory blocks for tasks, which the workers exchange through this depot.
    pub(in crate::worker) depot: Depot,
    pub(crate) idle: Idle,
    pub(crate) trace: Switch,
    pub(in crate::worker) inboxes: Inboxes,
    /// The state of the attempts to start threads after the system has refused a start.
    pub(in crate::worker) retry: Retry,
    /// True after the pool has printed the message that no spare threads are left.
    pub(in crate::worker) exhausted: AtomicBool,
    /// True while the pool is closing. The workers of a closing pool end when no work is left.
    pub(crate) closing: AtomicBool,
    /// Number of suspending tasks that were spawned by threads that are not workers of this pool.
    outside_begins: AtomicU64,
    /// The tasks whose first suspension was on a thread that is not a worker of this pool.
    pub(crate) suspended: Roll,
    /// Counts the threads that look at the words of other workers, in a pool in which a worker may end before the other workers.
    pub(in crate::worker) lookers: Lookers,
    pub(super) gate: Mutex<Gate>,
    pub(super) gate_moved: Condvar,
    pub(in crate::worker) binding: Binding,
    /// The number of workers that the pool uses.
    pub(crate) size: Size,
    /// The distances between workers, if thieves choose victims by distance.
    pub(in crate::worker) neighbours: Neighbours,
}

impl PoolInner {
    /// Creates a pool without workers. The caller must start each worker, or report it as lost.
    pub(super) fn prepare(settings: Settings) -> Arc<Self> {
        watch_forks(leave_pool);
        // The fence is prepared before the first worker starts, because its registration is fast in a process with one thread.
        prepare_fence();
        let threads = settings.threads;
        let places = threads + settings.max_spares;
        let binding = Binding::new(settings.pin, threads);
        if settings.protocol.delivery() == Some(Delivery::Signal) {
            signal::install();
        }
        Arc::new_cyclic(|this| PoolInner {
            this: Weak::clone(this),
            generation: ForkGeneration::current(),
            workers: (0..places).map(|_| AtomicPtr::new(null_mut())).collect(),
            count: AtomicU32::new(threads as u32),
            injector: Injector::default(),
            stubs: Stubs::default(),
            depot: Depot::default(),
            idle: Idle::new(threads),
            trace: Switch::default(),
            inboxes: Inboxes::new(threads),
            retry: Retry::default(),
            exhausted: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            outside_begins: AtomicU64::new(0),
            suspended: Roll::new(),
            lookers: Lookers::default(),
            gate: Mutex::default(),
            gate_moved: Condvar::new(),
            size: Size::new(settings.size.unwrap_or(threads), threads),
            neighbours: Neighbours::new(&settings, binding.cpus()),
            binding,
            settings,
        })
    }

    /// Returns the workers that exist now.
    pub(crate) fn workers(&self) -> impl Iterator<Item = &WorkerThread> {
        // Acquire pairs with the Release of the thread that raised the count.
        let count = self.count.load(Ordering::Acquire) as usize;
        (0..count).filter_map(|id| self.worker(id))
    }

    /// Returns the number of entries for workers in use.
    pub(crate) fn worker_count(&self) -> usize {
        self.count.load(Ordering::Acquire) as usize
    }

    /// Returns worker `id`, if it is ready.
    pub(crate) fn worker(&self, id: usize) -> Option<&WorkerThread> {
        // Acquire pairs with the Release in `enlist`.
        let worker = self.workers.get(id)?.load(Ordering::Acquire);
        // SAFETY: a pointer that is not null is to an enlisted worker, which lives as long as the pool.
        unsafe { worker.as_ref() }
    }

    /// Returns worker `id`, if it is ready and other threads may read its thread-local words. Call this function during a
    /// [look](Lookers::look).
    pub(crate) fn victim(&self, id: usize) -> Option<&WorkerThread> {
        // SeqCst: see `Lookers::look`. On x86-64 and AArch64 this load costs no more than an
        // Acquire load.
        self.worker(id)
            .filter(|worker| worker.has_words.load(Ordering::SeqCst))
    }

    /// Returns the current workers whose thread-local words other threads may read. Call this function during a [look](Lookers::look).
    pub(in crate::worker) fn victims(&self) -> impl Iterator<Item = &WorkerThread> {
        (0..self.worker_count()).filter_map(|id| self.victim(id))
    }

    pub(crate) fn counters(&self) -> Counters {
        let mut total = Counters::default();
        for worker in self.workers() {
            total.add(&worker.counters);
        }
        total
    }

    pub(crate) fn steal_latency(&self) -> Latencies {
        let mut all = Latencies::default();
        for worker in self.workers() {
            all.add(&worker.latencies);
        }
        all
    }

    pub(in crate::worker) fn count_outside_begin(&self) {
        // Relaxed: this thread queues the task after this addition, and the task's end is counted even later.
        self.outside_begins.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of suspending tasks that have not ended. The result is exact only while no thread runs or spawns such a task.
    pub(crate) fn live_tasks(&self) -> u64 {
        let counters = self.counters();
        let begins = counters.async_begins + self.outside_begins.load(Ordering::Relaxed);
        begins.wrapping_sub(counters.async_ends)
    }

    /// Panics in a child of `fork()`: the workers do not exist in the child, so the child would otherwise hang.
    pub(crate) fn assert_not_forked(&self) {
        assert!(
            self.generation.is_current(),
            "heist: this pool belongs to the parent process; after fork() a child must build its own Pool"
        );
    }

    /// Passes the payload of a panic to the pool's handler, because no thread waits for the
    /// panicked work. Never unwinds.
    pub(crate) fn handle_panic(&self, payload: Payload) {
        match &self.settings.panic {
            // A panic of the handler itself ends the process, because no further handler is left.
            Some(handler) => {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(payload))) {
                    std::mem::forget(payload);
                    crate::platform::say(format_args!(
                        "heist: the panic handler of a pool panicked; aborting"
                    ));
                    std::process::abort();
                }
            }
            // The panic hook has written its text to stderr already, as for a detached std thread.
            None => discard(payload),
        }
    }
}

impl Drop for PoolInner {
    fn drop(&mut self) {
        for place in &mut self.workers {
            let worker = *place.get_mut();
            if !worker.is_null() && self.generation.is_current() {
                // SAFETY: `enlist` made the worker. The threads hold an `Arc` of the pool while
                // they run, so all have ended.
                drop(unsafe { Box::from_raw(worker) });
            }
        }
    }
}
