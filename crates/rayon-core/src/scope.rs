//! Scopes: jobs that may borrow, because the scope waits for them.

use crate::broadcast::BroadcastContext;
use crate::fifo::Fifo;
use crate::job::{self, Shared};
use crate::registry::{self, Here, Registry, here, worker};
use crate::unwind::{self, Payload};
use heist::embed::{Backlog, Count, Job, Origin, Worker};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};

/// A handle for spawning jobs. The jobs end before the [`scope`] does. Each worker runs its own
/// jobs newest first.
pub struct Scope<'scope> {
    base: Base<'scope>,
}

/// A handle for spawning jobs. The jobs end before the [`scope_fifo`] does. Each worker runs its own
/// jobs oldest first.
pub struct ScopeFifo<'scope> {
    base: Base<'scope>,
    /// The queues of jobs, one for each worker.
    fifos: Box<[Fifo]>,
}

/// The thread that waits at a scope's end.
enum Owner {
    /// The worker with this index in the scope's pool.
    Worker(usize),
    /// Another thread, possibly a worker of another pool.
    Thread(Thread),
}

/// A marker that makes `'scope` invariant, because jobs borrow for exactly this lifetime.
type Invariant<'scope> = PhantomData<Box<dyn FnOnce(&Scope<'scope>) + Send + Sync + 'scope>>;

struct Base<'scope> {
    registry: *const Registry,
    owner: Owner,
    /// The place where the scope began.
    origin: Origin,
    /// The number of jobs that have not ended. If a worker owns the scope, this worker is the count's home, and needs no atomics to count
    /// the jobs that it both spawns and runs. Thieves count in a word on a separate cache line. If the owner is another thread, the count
    /// has no home.
    count: Count,
    /// True if the owner has added its own part of the count, which is not atomic, to the shared part. Only the owner's thread uses this
    /// flag.
    settled: Cell<bool>,
    panic: Mutex<Option<Payload>>,
    /// The jobs that are in no worker's deque. The owner also takes these jobs, because it may be the
    /// pool's only worker.
    backlog: Backlog,
    marker: Invariant<'scope>,
}

// SAFETY: the registry is `Sync`, and lives as long as the scope: its pool is borrowed, or global, or the pool of the
// thread that waits for the scope's end. Only the owner's thread accesses `settled` and the home part of the count.
unsafe impl Sync for Base<'_> {}
// SAFETY: the fields are not bound to a thread, except `settled` and the home part of the count, which only the owner's thread accesses.
unsafe impl Send for Base<'_> {}

/// Runs `op`, and waits for all jobs that it spawns. The jobs may borrow values that outlive the scope.
///
/// # Panics
/// Rethrows the first panic of `op` or of a job, once all jobs have ended.
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    registry::in_worker(|_| in_place_scope(op))
}

/// Runs a scope like [`scope`], but each worker runs its jobs in the order in which it spawned
/// them.
///
/// # Panics
/// Panics like [`scope`].
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    registry::in_worker(|_| in_place_scope_fifo(op))
}

/// Runs a scope like [`scope`], but `op` runs on the current thread, so it need not be `Send`.
///
/// # Panics
/// Panics like [`scope`].
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    registry::with_current(|registry| in_place_scope_in(registry, op))
}

/// Runs a scope like [`scope_fifo`], but `op` runs on the current thread, so it need not be `Send`.
///
/// # Panics
/// Panics like [`scope`].
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    registry::with_current(|registry| in_place_scope_fifo_in(registry, op))
}

pub(crate) fn in_place_scope_in<'scope, R>(
    registry: &Registry,
    op: impl FnOnce(&Scope<'scope>) -> R,
) -> R {
    let scope = Scope {
        base: Base::new(registry),
    };
    scope.base.complete(|| op(&scope))
}

pub(crate) fn in_place_scope_fifo_in<'scope, R>(
    registry: &Registry,
    op: impl FnOnce(&ScopeFifo<'scope>) -> R,
) -> R {
    let scope = ScopeFifo {
        base: Base::new(registry),
        fifos: (0..registry.num_threads()).map(|_| Fifo::new()).collect(),
    };
    scope.base.complete(|| op(&scope))
}

impl<'scope> Scope<'scope> {
    /// Spawns a job. The job runs on any worker at some time before the scope ends.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let this = Waited(self);
        let job = self.base.boxed(move || body(this.get()));
        match self.base.here() {
            // SAFETY: the scope's end waits for the job, and only the pool runs it.
            Some((_, worker)) => unsafe { worker.push(job) },
            // SAFETY: the scope's end waits for the job, and only the pool runs it.
            None => unsafe { self.base.queue_from_outside(job) },
        }
    }

    /// Spawns a job that runs once on each worker.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let this = Waited(self);
        self.base
            .broadcast(move |context| body(this.get(), context));
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// Spawns a job. The job runs on any worker at some time before the scope ends, but starts after the earlier jobs of this
    /// worker.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        let this = Waited(self);
        let job = self.base.boxed(move || body(this.get()));
        match self.base.here() {
            // SAFETY: the scope's end waits for the job and for its ticket.
            Some((here, worker)) => unsafe { worker.push(self.fifos[here.index].push(job)) },
            // SAFETY: the scope's end waits for the job, and only the pool runs it.
            None => unsafe { self.base.queue_from_outside(job) },
        }
    }

    /// Spawns a job that runs once on each worker.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let this = Waited(self);
        self.base
            .broadcast(move |context| body(this.get(), context));
    }
}

impl<'scope> Base<'scope> {
    fn new(registry: &Registry) -> Self {
        Base {
            registry,
            origin: match registry.here() {
                Some(_) => worker().origin(),
                None => Origin::NONE,
            },
            owner: match registry.here() {
                Some(here) => Owner::Worker(here.index),
                None => Owner::Thread(thread::current()),
            },
            count: Count::new(),
            settled: Cell::new(false),
            panic: Mutex::new(None),
            backlog: Backlog::new(),
            marker: PhantomData,
        }
    }

    fn registry(&self) -> &Registry {
        // SAFETY: the registry lives as long as the scope (see `Sync`).
        unsafe { &*self.registry }
    }

    /// Returns the current thread as a worker of the scope's pool. Returns `None` if the thread is not a worker of that pool, or if the
    /// worker's deque may not contain jobs of the scope.
    #[inline]
    fn here(&self) -> Option<(Here, Worker)> {
        let here = self.registry().here()?;
        let worker = worker();
        let own = matches!(self.owner, Owner::Worker(index) if index == here.index);
        (own || !worker.is_among_strangers()).then_some((here, worker))
    }

    /// Adds a job that runs `work` to the scope's count, and returns the job.
    fn boxed(&self, work: impl FnOnce() + Send + 'scope) -> *mut Job {
        self.count_in(1);
        let this = Waited(self);
        job::boxed(move || {
            let scope = this.get();
            worker().begin_part(scope.origin);
            // SAFETY: `count_in` has counted the job.
            unsafe { Base::run(this.address(), work) };
        })
    }

    /// # Safety
    /// The caller must own the job. The job must belong to the scope, and the scope must have counted the job.
    #[cold]
    unsafe fn queue_from_outside(&self, job: *mut Job) {
        // SAFETY: the scope's end waits for the job, and only the pool runs it.
        unsafe { self.registry().core().inject_to(&self.backlog, job) };
        if let Owner::Worker(index) = self.owner {
            // Wake the owner, because perhaps no other thread will look at the job.
            self.registry().unpark(index);
        }
    }

    fn broadcast(&self, work: impl Fn(BroadcastContext<'_>) + Send + Sync + 'scope) {
        let threads = self.registry().num_threads();
        // Hold the pool before the runs are counted in, because this call may panic.
        self.registry().hold_for_each_worker();
        self.count_in(threads);
        let this = Waited(self);
        let job = Shared::new(
            move || BroadcastContext::with(&work),
            move |result| {
                here()
                    .expect("broadcasts run on workers")
                    .registry()
                    .release();
                // SAFETY: `count_in` has counted each run.
                unsafe { Base::end(this.address(), result).map_or((), drop) }
            },
        );
        let jobs: Vec<_> = (0..threads).map(|_| Handed(job.job())).collect();
        // Each run has a reference: the last run drops the closure before it is counted out.
        let core = self.registry().core().clone();
        drop(job);
        // SAFETY: the scope's end waits for all these jobs.
        unsafe { core.broadcast(|index| jobs[index].0) };
    }

    /// Runs a part of the scope, and removes it from the count.
    ///
    /// # Safety
    /// The scope must be alive when this is called, and must have counted the part. The scope may be gone when this returns.
    unsafe fn run<R>(this: *const Self, work: impl FnOnce() -> R) -> Option<R> {
        // SAFETY: by contract, the scope is alive and the part is counted in.
        unsafe { Base::end(this, unwind::halt(work)) }
    }

    /// Removes a part that has ended with `result` from the count.
    ///
    /// # Safety
    /// The scope must be alive, and must have counted the part.
    unsafe fn end<R>(this: *const Self, result: Result<R, Payload>) -> Option<R> {
        // Use a pointer, because a reference to the whole value must not outlive the scope.
        let (result, panicked) = match result {
            Ok(value) => (Some(value), None),
            Err(payload) => (None, Some(payload)),
        };
        if let Some(payload) = panicked {
            // SAFETY: the part is counted in, so the scope is still alive.
            unsafe { (*this).keep(payload) };
        }
        // SAFETY: the part is counted in, and this function does not access the scope after the
        // count.
        unsafe { Base::count_out(this) };
        result
    }

    fn keep(&self, payload: Payload) {
        let mut kept = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let later = match *kept {
            None => {
                *kept = Some(payload);
                None
            }
            Some(_) => Some(payload),
        };
        drop(kept);
        // Drop the payload outside of the lock, because its drop may run any code. If it panics,
        // the process aborts.
        unwind::or_abort(|| drop(later));
    }

    /// Returns true if the current thread is the owner, is a worker, and has not settled the count
    /// yet.
    #[inline]
    fn counts_at_home(&self) -> bool {
        let Owner::Worker(owner) = self.owner else {
            return false;
        };
        // Each thread of the scope's pool has its own index.
        self.registry()
            .here()
            .is_some_and(|here| here.index == owner)
            && !self.settled.get()
    }

    /// Adds `jobs` to the number of jobs that have not ended. Only the body or a job of the scope may call this function.
    #[inline]
    fn count_in(&self, jobs: usize) {
        if self.counts_at_home() {
            self.count.change_at_home(jobs as i64);
        } else {
            self.count.add(jobs as i64);
        }
    }

    /// # Safety
    /// The scope must be alive, and must have counted the caller.
    #[inline]
    unsafe fn count_out(this: *const Self) {
        // SAFETY: the scope is alive until the count is 0, so the data for waking the owner are read
        // before.
        unsafe {
            if (*this).counts_at_home() {
                (*this).count.change_at_home(-1);
                return;
            }
            match &(*this).owner {
                Owner::Worker(index) => {
                    let index = *index;
                    if (*this).count.finish(1) {
                        // A job of a scope runs on a worker of its pool, which keeps the pool
                        // alive.
                        if let Some(here) = here() {
                            here.registry().unpark(index);
                        }
                    }
                }
                Owner::Thread(thread) => {
                    let thread = thread.clone();
                    if (*this).count.finish(1) {
                        thread.unpark();
                    }
                }
            }
        }
    }

    /// Runs the body, waits for the jobs, and returns the body's result or rethrows the first
    /// panic.
    fn complete<R>(&self, body: impl FnOnce() -> R) -> R {
        let floor = match self.owner {
            Owner::Worker(_) => Some(worker().open()),
            Owner::Thread(_) => None,
        };
        let result = unwind::halt(body)
            .map_err(|payload| self.keep(payload))
            .ok();
        let done = self.count.done();
        match floor {
            Some(floor) => {
                let worker = worker();
                worker.run_above(&floor, || self.count.is_done_at_home());
                self.settled.set(true);
                if self.count.settle() {
                    worker.shut(floor);
                } else {
                    let more = || self.registry().core().take_from(&self.backlog);
                    // SAFETY: the queues contain only jobs of the scope, which the owner may run.
                    unsafe { worker.wait_above(floor, self.origin, &done, &more) };
                }
            }
            None if self.count.close() => {}
            None if here().is_some() => worker().serve_until(&done),
            None => {
                while !done() {
                    thread::park();
                }
            }
        }
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (panic, result) {
            (Some(payload), _) => std::panic::resume_unwind(payload),
            (None, Some(value)) => value,
            (None, None) => unreachable!("a body without a result has panicked"),
        }
    }

    fn show(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("pool_id", &self.registry().id())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.show("Scope", f)
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.show("ScopeFifo", f)
    }
}

/// A pointer that passes a job to a worker. This type is `Send`.
struct Handed(*mut Job);

/// The address of a value, for use in jobs. The value must outlive these jobs. A scope, for example,
/// outlives its jobs.
struct Waited<T>(*const T);

// These traits are not derived, because `T` need not be `Clone`.
impl<T> Clone for Waited<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Waited<T> {}

// SAFETY: a `Waited` gives only shared references to a `T`.
unsafe impl<T: Sync> Send for Waited<T> {}
// SAFETY: a `Waited` gives only shared references to a `T`.
unsafe impl<T: Sync> Sync for Waited<T> {}

impl<T> Waited<T> {
    fn address(&self) -> *const T {
        self.0
    }

    fn get(&self) -> &T {
        // SAFETY: the address comes from a reference to a scope, and only the scope's jobs have it,
        // for whose end the scope waits.
        unsafe { &*self.0 }
    }
}
