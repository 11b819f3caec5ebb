//! A pool for a front end such as `rayon-core`.

use super::{Backlog, Job};
use crate::ThreadStart;
use crate::policy::StealAmount;
use crate::pool::{Builder, MAX_STACK, run_in_at};
use crate::trace::Trace;
use crate::worker::{Class, Counters, HiddenWork, PoolInner, WaitPolicy, local_now};
use std::any::Any;
use std::io;
use std::sync::Arc;

/// The settings of a pool that will be built.
pub struct Plan {
    /// The number of workers.
    pub threads: usize,
    /// The stack size of each thread in bytes, used if the system does not report it.
    pub stack_size: usize,
    /// True if the current thread is the pool's first worker as long as the pool lives.
    pub adopts: bool,
    /// A handler that each thread calls as it starts.
    pub start: Option<Box<dyn Fn(usize) + Send + Sync>>,
    /// A handler that each thread calls as it ends.
    pub exit: Option<Box<dyn Fn(usize) + Send + Sync>>,
    /// A handler that receives the panics of the start and exit handlers.
    pub panic: Box<dyn Fn(Box<dyn Any + Send>) + Send + Sync>,
    /// A handler that a worker calls when it has found nothing to do. The handler looks for work outside of the deques, and may wait a
    /// moment for such work. The handler returns false if no such work can exist. If the handler returns true, the worker looks again
    /// immediately.
    pub hidden: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A pool with a fixed number of threads. The pool ends when [`close`](Self::close) is called, not
/// when this value is dropped.
#[derive(Clone, Debug)]
pub struct Core {
    pool: Arc<PoolInner>,
}

impl Core {
    /// Builds a pool, and a [`ThreadStart`] for each thread, in the order of the threads' indices. Each thread must run its `ThreadStart`.
    /// If the current thread becomes a worker, it needs no `ThreadStart`. If a `ThreadStart` is dropped, the pool has one thread fewer.
    ///
    /// # Errors
    /// Returns an error if there are too many threads, the stack is too large, or memory is exhausted.
    ///
    /// # Panics
    /// Panics if the current thread should become a worker but is a worker already.
    pub fn start(plan: Plan) -> io::Result<(Core, Vec<ThreadStart>)> {
        let invalid = |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if plan.stack_size > MAX_STACK {
            return invalid(format!(
                "a stack of {} bytes was asked for, but the limit is {MAX_STACK}",
                plan.stack_size
            ));
        }
        let mut settings = Builder::default().into_settings();
        settings.threads = plan.threads.clamp(1, crate::MAX_THREADS);
        settings.stack_size = plan.stack_size;
        settings.max_spares = 0;
        settings.wait_policy = WaitPolicy::KeepsSlot;
        settings.amount = StealAmount::One;
        settings.start = plan.start;
        settings.exit = plan.exit;
        settings.panic = Some(plan.panic);
        settings.hidden = plan
            .hidden
            .map(|hidden| -> HiddenWork { Box::new(move |_| hidden()) });
        let (pool, starts) = PoolInner::start_apart(settings, plan.adopts)?;
        crate::deadlock::enlist(&pool);
        Ok((Core { pool }, starts))
    }

    /// Waits until all threads of the pool have started.
    ///
    /// # Errors
    /// Returns an error if one of the threads cannot start.
    pub fn wait_ready(&self) -> io::Result<()> {
        self.pool.wait_ready()
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.settings.threads
    }

    /// Returns true if the current thread is a worker of this pool.
    #[must_use]
    pub fn is_here(&self) -> bool {
        local_now().worker_of(Arc::as_ptr(&self.pool)).is_some()
    }

    /// Runs `work` on a worker and waits for the result. A caller that is a worker of another [`Core`] [serves](super::Worker::serve_until)
    /// its own pool while it waits.
    ///
    /// # Panics
    /// Panics with the panic of `work`, or in a child of `fork()`.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        run_in_at(&self.pool, Class::Normal, |_| work())
    }

    /// Queues a job. The next worker without other work runs the oldest job of the queue.
    ///
    /// # Safety
    /// The caller must own the job, and keep the job in place until it has run. The pool runs each job once.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub unsafe fn inject(&self, job: *mut Job) {
        self.pool.inject(job);
    }

    /// Queues a job of the scope that owns the backlog. A worker without other work runs the job, unless
    /// [`take_from`](Self::take_from) takes it first.
    ///
    /// # Safety
    /// The caller must keep the contract of [`inject`](Self::inject). The caller must keep the backlog in place
    /// until the job has run, and must use the backlog with this pool only.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub unsafe fn inject_to(&self, backlog: &Backlog, job: *mut Job) {
        // SAFETY: by contract, the caller owns the job and keeps it and the backlog in place until
        // the job has run, and uses the backlog with this pool only.
        unsafe { self.pool.inject_to(backlog, job) };
    }

    /// Takes the oldest waiting job of the scope that owns `backlog`. The caller must run the job.
    #[must_use]
    pub fn take_from(&self, backlog: &Backlog) -> Option<*mut Job> {
        self.pool.take_from(backlog)
    }

    /// Gives each worker the job that `job` makes for the worker's index. A worker takes its job of the broadcast before it steals, when it
    /// has no other job of its own left. A waiting worker also takes its job.
    ///
    /// # Safety
    /// The caller must keep the contract of [`inject`](Self::inject) for each job.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub unsafe fn broadcast(&self, job: impl Fn(usize) -> *mut Job) {
        self.pool.broadcast(job, None);
    }

    /// Makes the workers end when no work is left.
    pub fn close(&self) {
        if self.pool.generation.is_current() {
            self.pool.tell_to_end();
        }
    }

    /// Returns the pool's counters, like [`Pool::counters`](crate::Pool::counters).
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.pool.counters()
    }

    /// Starts a trace, like [`Pool::start_trace`](crate::Pool::start_trace).
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub fn start_trace(&self, events_per_thread: usize) {
        self.pool.assert_not_forked();
        self.pool.trace.start(events_per_thread);
    }

    /// Stops the trace, like [`Pool::stop_trace`](crate::Pool::stop_trace).
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    #[must_use]
    pub fn stop_trace(&self, name: &str) -> Option<Trace> {
        self.pool.assert_not_forked();
        self.pool.trace.stop(name, self.pool.settings.threads)
    }
}
