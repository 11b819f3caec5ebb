//! Pools of workers, and the functions with which other threads send work to them.

mod builder;
mod error;
pub(crate) mod follow;

pub use crate::worker::Idle;
pub use builder::{Builder, Fibers, IdlePolicy, MAX_STACK, MAX_THREADS, default_threads};
pub use error::BuildError;

use crate::cancel::is_cancellation;
use crate::latch::{Latch, LatchedFrame};
use crate::spans::carried;
use crate::task::discard;
use crate::trace::Trace;
use crate::worker::{Class, Counters, Latencies, PoolInner, WaitPolicy, local_now};
use std::cell::Cell;
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A pool of worker threads.
///
/// Most programs need not create a pool: [`join`](crate::join) and [`finish`](crate::finish) use the
/// [global](crate::global) pool. Dropping a pool waits for its tasks, and joins its threads.
///
/// ```
/// let pool = heist::Pool::new(2)?;
/// let n = pool.install(|| heist::join(|| 20, || 22));
/// assert_eq!(n, (20, 22));
/// # Ok::<(), heist::BuildError>(())
/// ```
#[doc(alias = "ThreadPool")]
#[derive(Debug)]
pub struct Pool {
    inner: Arc<PoolInner>,
}

impl Pool {
    /// Starts a pool of `threads` workers; 0 means [`default_threads`](crate::default_threads).
    ///
    /// # Errors
    /// Returns the errors of [`Builder::build`].
    pub fn new(threads: usize) -> Result<Pool, BuildError> {
        Pool::builder().threads(threads).build()
    }

    /// Returns a builder for a pool with other settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn from_inner(inner: Arc<PoolInner>) -> Self {
        Pool { inner }
    }

    pub(crate) fn inner(&self) -> &Arc<PoolInner> {
        &self.inner
    }

    /// Returns the maximum number of workers that run at the same time; [`size`](Self::size) returns the
    /// current number.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.inner.settings.threads
    }

    /// Returns the number of workers that the pool uses: all its workers, unless the pool was
    /// [resized](Self::resize).
    #[must_use]
    pub fn size(&self) -> usize {
        self.inner.size.target()
    }

    /// Makes the pool use `size` workers from now on, but at least 1 and at most [`threads`](Self::threads). Returns
    /// the previous number.
    ///
    /// This function returns immediately. A surplus worker first ends its job, with all work for which the job waits. Then the surplus
    /// worker moves its queued jobs to the pool's queue, and sleeps. The results of the pool's work do not depend on the number of surplus
    /// workers. When the pool grows again, the pool immediately wakes the sleeping workers that it needs.
    ///
    /// The number of workers does not change the behaviour of a loop or a fork, because no grain size depends on it.
    /// Broadcasts run on all workers, and fibers that are bound to a worker's thread continue on that thread. A
    /// sleeping surplus worker wakes up for its broadcasts and for its fibers.
    ///
    /// Any thread may call this function. If several threads call this function at the same time, any of these calls may take effect last.
    /// The call takes time proportional to the number of workers. Resizable pools cost an active worker one load between two jobs, and
    /// nothing at a fork.
    ///
    /// ```
    /// let pool = heist::Pool::new(4)?;
    /// let fib = |n| {
    ///     fn fib(n: u64) -> u64 {
    ///         if n < 2 { return n; }
    ///         let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    ///         a + b
    ///     }
    ///     pool.install(|| fib(n))
    /// };
    /// assert_eq!(fib(15), 610);
    /// assert_eq!(pool.resize(1), 4); // another program needs the CPUs
    /// assert_eq!(fib(15), 610);
    /// assert_eq!(pool.resize(100), 1);
    /// assert_eq!(pool.size(), 4);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the pool belongs to the parent of this process (after `fork()`).
    pub fn resize(&self, size: usize) -> usize {
        self.inner.resize(size)
    }

    /// Returns the totals of steals, exposures, sleeps and so on since the pool started.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.inner.counters()
    }

    /// Returns the latencies of steals since the pool was built: the time from each thief's request until the
    /// thief had work. The result is empty unless the pool was built to be [timed](Builder::timed). Free
    /// steals, which need no request, are not included.
    #[must_use]
    pub fn steal_latency(&self) -> Latencies {
        self.inner.steal_latency()
    }

    /// Starts a trace of the workers: their steals, their jobs, their waits and sleeps. Each thread keeps its
    /// newest `events_per_thread` events; 65,536 events take 2 MiB. This memory is allocated as the events are
    /// recorded. If a trace is on already, this call discards that trace.
    ///
    /// The trace records steals but not forks and spawns, so tracing does not slow down code that no thief steals. An event takes about 20
    /// ns. Each thread keeps the memory until it takes part in the next trace.
    ///
    /// ```
    /// fn fib(n: u64) -> u64 {
    ///     if n < 2 { return n; }
    ///     let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    ///     a + b
    /// }
    ///
    /// let pool = heist::Pool::new(2)?;
    /// pool.start_trace(65_536);
    /// pool.install(|| fib(20));
    /// let trace = pool.stop_trace().unwrap();
    /// let mut json = Vec::new();
    /// trace.write_chrome(&mut json)?; // for https://ui.perfetto.dev
    /// assert!(json.starts_with(b"{") && trace.dropped() == 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the pool belongs to the parent of this process (after `fork()`).
    pub fn start_trace(&self, events_per_thread: usize) {
        self.inner.assert_not_forked();
        self.inner.trace.start(events_per_thread);
    }

    /// Stops the trace that [`start_trace`](Self::start_trace) has started, and returns it; returns `None` if no trace is on. The workers
    /// may continue during this call. The call takes time proportional to the number of recorded events.
    ///
    /// # Panics
    /// Panics like [`start_trace`](Self::start_trace).
    #[must_use]
    pub fn stop_trace(&self) -> Option<Trace> {
        self.inner.assert_not_forked();
        let settings = &self.inner.settings;
        self.inner.trace.stop(&settings.name, settings.threads)
    }

    /// Runs `work` on a worker of this pool and waits for its result. On a worker of this pool, `install` is a plain call.
    ///
    /// # Panics
    /// Rethrows the panic of `work`. Panics if the pool belongs to the parent of this process (after `fork()`).
    pub fn install<F, R>(&self, work: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        with_worker(Some(self), |_| work())
    }

    /// Runs `work` once on each worker, with the worker's index, and returns the results in the
    /// order of the indices. A busy worker runs `work` after its current job.
    ///
    /// ```
    /// let pool = heist::Pool::new(3).unwrap();
    /// assert_eq!(pool.broadcast(|index| index * 10), [0, 10, 20]);
    /// ```
    ///
    /// # Panics
    /// Rethrows the panic of the worker with the lowest index, after all workers have run `work`.
    pub fn broadcast<F, R>(&self, work: F) -> Vec<R>
    where
        F: Fn(usize) -> R + Sync,
        R: Send,
    {
        broadcast_in(&self.inner, work)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.inner.close();
    }
}

static GLOBAL: OnceLock<Pool> = OnceLock::new();
/// The lock that a thread holds while it starts the global pool, so that only one thread starts the pool.
static STARTING: Mutex<()> = Mutex::new(());

thread_local! {
    /// True while this thread holds [`STARTING`].
    static STARTS: Cell<bool> = const { Cell::new(false) };
}

/// Returns the pool that is used by default. The global pool starts at its first use, with [`default_threads`](crate::default_threads)
/// workers, unless [`Builder::build_global`] has started it with other settings before. The global pool never ends.
///
/// # Panics
/// Panics if the pool's threads cannot be started. Panics in a [`spawn_handler`](Builder::spawn_handler) of the
/// global pool itself, on the thread that starts it.
pub fn global() -> &'static Pool {
    GLOBAL.get().unwrap_or_else(start_global)
}

#[cold]
fn start_global() -> &'static Pool {
    match start_global_as(by_default) {
        Ok(pool) => pool,
        Err(Ok(pool)) => pool,
        Err(Err(error)) => panic!("heist: the global pool could not be started: {error}"),
    }
}

/// Builds a pool with the default settings. If the platform has no threads, like plain WebAssembly, the current thread
/// is the pool's only worker.
fn by_default() -> Result<Pool, BuildError> {
    match Pool::builder().build() {
        Err(BuildError::Spawn { source, .. }) if source.kind() == io::ErrorKind::Unsupported => {
            alone().map_err(|source| BuildError::Spawn { started: 0, source })
        }
        result => result,
    }
}

/// Builds a pool whose only worker is the current thread. The pool starts no other thread, and runs its tasks while the
/// current thread waits for tasks.
///
/// # Errors
/// Returns an error if there is no memory for the pool.
fn alone() -> io::Result<Pool> {
    let mut settings = Builder::default().into_settings();
    settings.threads = 1;
    settings.max_spares = 0;
    settings.wait_policy = WaitPolicy::KeepsSlot;
    let (pool, _) = PoolInner::start_apart(settings, true)?;
    Ok(Pool::from_inner(pool))
}

/// Starts the global pool.
///
/// # Errors
/// Returns the pool if it runs already, and otherwise the reason why it could not start.
fn start_global_as(
    build: impl FnOnce() -> Result<Pool, BuildError>,
) -> Result<&'static Pool, Result<&'static Pool, BuildError>> {
    struct Starts;
    impl Drop for Starts {
        fn drop(&mut self) {
            STARTS.set(false);
        }
    }
    assert!(
        !STARTS.get(),
        "heist: the global pool was asked for by a handler of its own, while it starts"
    );
    let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = GLOBAL.get() {
        return Err(Ok(pool));
    }
    STARTS.set(true);
    let _starts = Starts;
    let pool = build().map_err(Err)?;
    Ok(GLOBAL.get_or_init(|| pool))
}

/// Starts the global pool, for [`Builder::build_global`].
pub(crate) fn build_global(builder: Builder) -> Result<(), BuildError> {
    match start_global_as(|| builder.build()) {
        Ok(_) => Ok(()),
        Err(Ok(_)) => Err(BuildError::GlobalPoolAlreadyInitialized),
        Err(Err(error)) => Err(error),
    }
}

/// Returns the index of the worker that runs the caller. The index is below the pool's number of
/// threads. Returns `None` on threads that are not workers.
///
/// The index stays the same throughout a closure. For a short time after a blocked worker has resumed, two
/// closures can have the same index. So use the index to spread accesses, not to exclude other threads.
#[doc(alias = "current_thread_index")]
#[must_use]
pub fn current_worker_index() -> Option<usize> {
    local_now()
        .worker()
        .map(crate::worker::WorkerThread::worker_index)
}

/// Returns the number of workers of the current pool: the pool of the calling worker, or otherwise the
/// global pool. Starts the global pool if necessary.
///
/// # Panics
/// Panics like [`global`].
#[doc(alias = "current_num_threads")]
#[must_use]
pub fn current_threads() -> usize {
    match local_now().worker() {
        Some(worker) => worker.pool().settings.threads,
        None => global().threads(),
    }
}

/// Passes the current pool to `work`: the pool of this worker, or the global pool.
pub(crate) fn with_current_pool<R>(work: impl FnOnce(&PoolInner) -> R) -> R {
    match local_now().worker() {
        Some(worker) => work(worker.pool()),
        None => work(global().inner()),
    }
}

/// Runs a closure once on each worker, for [`Pool::broadcast`].
pub(crate) fn broadcast_in<F, R>(pool: &PoolInner, work: F) -> Vec<R>
where
    F: Fn(usize) -> R + Sync,
    R: Send,
{
    let threads = pool.settings.threads;
    let own = local_now()
        .worker_of(pool)
        .map(crate::worker::WorkerThread::worker_index);
    let latch = Latch::new(threads);
    let work = &work;
    let frames: Vec<_> = (0..threads)
        .map(|index| LatchedFrame::new(pool, carried(move || work(index)), &latch))
        .collect();
    pool.broadcast(|slot| frames[slot].header(), own);
    if let Some(own) = own {
        // This thread runs its own frame as a part of its wait for the other workers. Meanwhile, the context `ELSEWHERE` keeps a fiber or
        // track that runs this code on this thread.
        let local = local_now();
        let outer = local.context.replace(crate::worker::Context::ELSEWHERE);
        // SAFETY: `broadcast` did not give this frame to another thread, so only this thread
        // runs it, once.
        unsafe { crate::task::Header::execute(frames[own].header()) };
        local.context.set(outer);
    }
    latch.wait();
    let mut values = Vec::with_capacity(threads);
    let mut panic = None;
    for result in frames.into_iter().filter_map(LatchedFrame::into_result) {
        match result {
            Ok(value) => values.push(value),
            // A panic has priority over a cancellation.
            Err(payload) if panic.as_ref().is_none_or(is_cancellation) => {
                discard(panic.replace(payload));
            }
            Err(payload) => discard(payload),
        }
    }
    match panic {
        None => values,
        Some(payload) => {
            // The values are dropped one by one, because each drop may panic.
            values.into_iter().for_each(discard);
            resume_unwind(payload)
        }
    }
}

/// The pool that runs some work, in relation to the current thread.
enum Where<'c> {
    /// This pool; the current thread is one of its workers.
    Here(&'c PoolInner),
    Elsewhere(&'c PoolInner),
}

impl<'c> Where<'c> {
    /// Determines the pool for work on `pool`. `None` means the current pool, or the global pool.
    #[inline]
    fn of(pool: Option<&'c Pool>) -> Self {
        match (pool, local_now().worker()) {
            (None, Some(worker)) => Where::Here(worker.pool()),
            (None, None) => Where::Elsewhere(&global().inner),
            (Some(pool), Some(worker)) if std::ptr::eq(worker.pool, Arc::as_ptr(&pool.inner)) => {
                Where::Here(&pool.inner)
            }
            (Some(pool), _) => Where::Elsewhere(&pool.inner),
        }
    }
}

/// Runs `work` on a worker of the pool (`None` means the current pool, or the global pool).
#[inline]
pub(crate) fn with_worker<R: Send>(
    pool: Option<&Pool>,
    work: impl FnOnce(&PoolInner) -> R + Send,
) -> R {
    match Where::of(pool) {
        Where::Here(pool) => work(pool),
        Where::Elsewhere(pool) => run_in_at(pool, Class::Normal, work),
    }
}

/// Runs `work`, a job of class `class`, on a worker of `pool`. The current thread must not be a worker of
/// `pool`.
pub(crate) fn run_in_at<R: Send>(
    pool: &PoolInner,
    class: Class,
    work: impl FnOnce(&PoolInner) -> R + Send,
) -> R {
    let (mut work, mut result) = (Some(work), None);
    send(pool, class, &mut || {
        if let Some(work) = work.take() {
            result = Some(work(pool));
        }
    });
    result.expect("it has run, and has not panicked")
}

/// Makes a worker of `pool` run `work`, and waits for its end.
///
/// Each loop and each fork of a program contains a call of this function, but rarely runs it. The function is not
/// generic, so it is compiled once. When each loop and fork had its own copy, the copies were a fifth of all code in
/// the tests of `par`.
#[inline(never)]
fn send(pool: &PoolInner, class: Class, work: &mut (dyn FnMut() + Send)) {
    let latch = Latch::new(1);
    let frame = LatchedFrame::new(pool, carried(work), &latch);
    pool.inject_at(class, frame.header());
    latch.wait();
    match frame.into_result() {
        Some(Ok(())) => {}
        Some(Err(payload)) => resume_unwind(payload),
        None => unreachable!("the latch opens after the result is written"),
    }
}

#[cfg(all(test, not(heist_model), not(miri)))]
mod tests {
    use super::alone;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    fn fib(n: u32) -> u32 {
        if n < 2 {
            return n;
        }
        let (a, b) = crate::join(|| fib(n - 1), || fib(n - 2));
        a + b
    }

    /// Runs all work on one thread, as on platforms without threads.
    #[test]
    fn one_thread_is_a_pool() {
        use crate::par::prelude::*;
        let worked = thread::spawn(|| {
            let pool = alone().unwrap();
            let here = thread::current().id();
            assert_eq!(pool.threads(), 1);
            assert_eq!(pool.install(|| thread::current().id()), here);
            assert_eq!(fib(15), 610);
            let sum: u64 = (0..100_000_u64).par().sum();
            assert_eq!(sum, 4_999_950_000);
            let task = crate::spawn(move || thread::current().id() == here);
            assert!(task.join().unwrap());
            let done = AtomicU32::new(0);
            crate::finish(|scope| {
                for _ in 0..100 {
                    scope.spawn(|_| {
                        done.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(done.into_inner(), 100);
            assert_eq!(*crate::spawn_async(async { 42 }).get(), 42);
            assert_eq!(pool.counters().steals, 0);
        });
        worked.join().unwrap();
    }
}
