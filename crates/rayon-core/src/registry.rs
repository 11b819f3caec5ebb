//! A pool: its workers, and how the current thread finds its pool.

use crate::fifo::Fifo;
use crate::unwind::{self, Payload};
use crate::{ErrorKind, ThreadPoolBuildError, ThreadPoolBuilder};
use heist::ThreadStart;
use heist::embed::{Core, Job, Plan, Worker};
use std::cell::Cell;
use std::fmt;
use std::io;
use std::ptr::null;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

/// The default size of a thread's stack: the same as for the standard library's threads.
const STACK: usize = 2 << 20;

type PanicHandler = dyn Fn(Payload) + Send + Sync;

/// The state that all workers of a pool share.
pub(crate) struct Registry {
    core: Core,
    /// The threads. Each entry is set once its thread runs.
    threads: Box<[OnceLock<Thread>]>,
    /// The queues of `spawn_fifo`, one for each worker.
    fifos: Box<[Fifo]>,
    /// True if workers run their own jobs in the order of their spawns.
    breadth_first: bool,
    panic_handler: Option<Arc<PanicHandler>>,
    /// The number of reasons to keep the pool alive. The [`ThreadPool`](crate::ThreadPool) is a reason until it is dropped, and each
    /// spawned job is a reason until the job ends.
    reasons_to_live: AtomicUsize,
}

/// The current thread as a worker.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    registry: *const Registry,
    pub(crate) index: usize,
}

thread_local! {
    static HERE: Cell<Here> = const { Cell::new(Here { registry: null(), index: 0 }) };
}

/// Returns the current thread as a worker, if it is a worker.
#[inline]
pub(crate) fn here() -> Option<Here> {
    // SAFETY: the `Worker` is dropped immediately, so it does not outlive the thread's job.
    let works = unsafe { Worker::current() }.is_some();
    standing().filter(|_| works)
}

/// Returns the same as [`here`], but includes workers that no longer work: a thread in its exit handler,
/// and a thread of the program that is about to end.
#[inline]
pub(crate) fn standing() -> Option<Here> {
    let here = HERE.get();
    (!here.registry.is_null()).then_some(here)
}

impl Here {
    /// Returns the registry of the worker's pool.
    pub(crate) fn registry(&self) -> &Registry {
        // SAFETY: the thread keeps the registry while it is a worker (`ThreadBuilder::run`, `Registry::new`), and
        // a `Here` does not leave the job that created it.
        unsafe { &*self.registry }
    }

    /// Runs one job on top of the current job. If `own` is true, runs only a job of this worker. Returns false if there is no such job.
    pub(crate) fn run_one(&self, own: bool) -> bool {
        worker().run_one(own)
    }

    /// Returns true if the worker's deques contain jobs that it could run itself.
    pub(crate) fn has_own(&self) -> bool {
        worker().has_own()
    }
}

/// Returns Heist's worker of the current thread. The thread must be a worker.
#[inline]
pub(crate) fn worker() -> Worker {
    // SAFETY: the callers, all in this crate, use the worker immediately, within the current job.
    unsafe { Worker::current() }.expect("a thread that is a worker here is one of Heist's")
}

/// Makes the current thread a worker of `registry`.
fn enter(registry: &Registry, index: usize) {
    let _ = registry.threads[index].set(thread::current());
    HERE.set(Here { registry, index });
}

/// A means to start the threads of a pool.
pub trait ThreadSpawn {
    /// Makes `thread` run on a new thread.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

/// A means to start threads of the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        thread.as_std().spawn(|| thread.run()).map(drop)
    }
}

/// A means to start threads by a function of the program.
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F> ThreadSpawn for CustomSpawn<F>
where
    F: FnMut(ThreadBuilder) -> io::Result<()>,
{
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}

/// A thread that a pool needs, for [`ThreadPoolBuilder::spawn_handler`].
pub struct ThreadBuilder {
    name: Option<String>,
    stack_size: Option<usize>,
    index: usize,
    start: ThreadStart,
    registry: Arc<Registry>,
}

impl ThreadBuilder {
    /// Returns the worker's index, which is below the number of threads.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the name for the thread, if the program chose one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the stack size for the thread in bytes, if the program chose one.
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Returns the standard library's builder of such a thread.
    pub(crate) fn as_std(&self) -> thread::Builder {
        let mut builder = thread::Builder::new();
        if let Some(name) = self.name() {
            builder = builder.name(name.to_owned());
        }
        if let Some(size) = self.stack_size() {
            builder = builder.stack_size(size);
        }
        builder
    }

    /// Runs the pool's work on this thread until the pool ends.
    ///
    /// # Panics
    /// Panics on a thread that is a worker already.
    pub fn run(self) {
        assert!(
            standing().is_none(),
            "rayon-core (heist): ThreadBuilder::run was called on a thread that is a worker already"
        );
        // This guard clears `HERE` even if `run` panics, as it does on a worker of one of Heist's
        // own pools.
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                HERE.set(Here {
                    registry: null(),
                    index: 0,
                });
            }
        }
        // Declare the registry first, so that it is dropped last: `HERE` points to it.
        let registry = self.registry;
        let _leave = Leave;
        enter(&registry, self.index);
        self.start.run();
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("pool", &self.registry.id())
            .field("index", &self.index)
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish()
    }
}

static GLOBAL: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the registry of the global pool, and starts that pool if necessary.
///
/// # Panics
/// Panics if the pool's threads cannot be started.
pub(crate) fn global() -> &'static Arc<Registry> {
    GLOBAL.get_or_init(|| match default_registry() {
        Ok(registry) => registry,
        Err(error) => panic!("The global thread pool has not been initialized.: {error}"),
    })
}

/// Starts a pool with default settings. On a platform without threads, like WebAssembly, the current thread is the pool's only
/// worker.
fn default_registry() -> Result<Arc<Registry>, ThreadPoolBuildError> {
    let result = Registry::new(ThreadPoolBuilder::new());
    if !matches!(&result, Err(error) if error.is_unsupported()) {
        return result;
    }
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    Registry::new(alone).or(result)
}

/// Starts the global pool with the settings of a builder.
pub(crate) fn init_global<S: ThreadSpawn>(
    builder: ThreadPoolBuilder<S>,
) -> Result<(), ThreadPoolBuildError> {
    static STARTING: Mutex<()> = Mutex::new(());
    let _held = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    let initialized = || Err(ThreadPoolBuildError::new(ErrorKind::Initialized));
    if GLOBAL.get().is_some() {
        return initialized();
    }
    let registry = Registry::new(builder)?;
    if GLOBAL.set(Arc::clone(&registry)).is_err() {
        // Another thread has started the global pool meanwhile.
        registry.release();
        return initialized();
    }
    registry.core.wait_ready().map_err(ThreadPoolBuildError::io)
}

/// Calls `work` with the current pool: the pool of this worker, or the global pool.
#[inline]
pub(crate) fn with_current<R>(work: impl FnOnce(&Registry) -> R) -> R {
    match here() {
        Some(here) => work(here.registry()),
        None => work(global()),
    }
}

/// Runs `work` on a worker of the current pool. The argument of `work` is true if `work` runs on a thread other than the caller's.
#[inline]
pub(crate) fn in_worker<R: Send>(work: impl FnOnce(bool) -> R + Send) -> R {
    match here() {
        Some(_) => work(false),
        None => global().in_worker(work),
    }
}

impl Registry {
    /// Starts a pool.
    pub(crate) fn new<S: ThreadSpawn>(
        mut builder: ThreadPoolBuilder<S>,
    ) -> Result<Arc<Self>, ThreadPoolBuildError> {
        // If the start fails by an error or a panic, this ends the threads that were started.
        struct Started<'a>(&'a Registry);
        impl Drop for Started<'_> {
            fn drop(&mut self) {
                self.0.release();
            }
        }
        let threads = builder.threads().min(crate::max_num_threads());
        let adopts = builder.use_current_thread;
        // SAFETY: the `Worker` is dropped immediately, so it does not outlive the thread's job.
        if adopts && (standing().is_some() || unsafe { Worker::current() }.is_some()) {
            return Err(ThreadPoolBuildError::new(ErrorKind::InPool));
        }
        let panic_handler: Option<Arc<PanicHandler>> = builder.panic_handler.take().map(Arc::from);
        let told = panic_handler.clone();
        let (core, starts) = Core::start(Plan {
            threads,
            // If the size is impossible, the system refuses it when the thread is started.
            stack_size: builder.stack_size.unwrap_or(STACK).min(heist::MAX_STACK),
            adopts,
            start: builder.start_handler.take(),
            exit: builder.exit_handler.take(),
            panic: Box::new(move |payload| handle(told.as_deref(), payload)),
            hidden: None,
        })
        .map_err(ThreadPoolBuildError::io)?;
        let registry = Arc::new(Registry {
            core,
            threads: (0..threads).map(|_| OnceLock::new()).collect(),
            fifos: (0..threads).map(|_| Fifo::new()).collect(),
            breadth_first: builder.breadth_first,
            panic_handler,
            reasons_to_live: AtomicUsize::new(1),
        });
        crate::trace::begin(&registry.core);
        let started = Started(&registry);
        if adopts {
            // Call the naming function for this worker, too, as rayon does for each thread.
            let _ = builder.name_of(0);
            enter(&registry, 0);
            // The thread is a worker from now on until it ends, so the registry must live until
            // then.
            std::mem::forget(Arc::clone(&registry));
        }
        for (index, start) in (usize::from(adopts)..).zip(starts) {
            let thread = ThreadBuilder {
                name: builder.name_of(index),
                stack_size: builder.stack_size,
                index,
                start,
                registry: Arc::clone(&registry),
            };
            builder
                .spawn_handler
                .spawn(thread)
                .map_err(ThreadPoolBuildError::io)?;
        }
        std::mem::forget(started);
        Ok(registry)
    }

    /// Returns the index of the current thread, if it is a worker of this pool.
    #[inline]
    pub(crate) fn index_here(&self) -> Option<usize> {
        let here = standing().filter(|here| std::ptr::eq(here.registry, self));
        here.map(|here| here.index)
    }

    /// Returns the identity of the pool.
    pub(crate) fn id(&self) -> RegistryId {
        RegistryId(std::ptr::from_ref(self).addr())
    }

    #[inline]
    pub(crate) fn num_threads(&self) -> usize {
        self.threads.len()
    }

    /// Returns the current thread as a worker, if it is a worker of this pool.
    #[inline]
    pub(crate) fn here(&self) -> Option<Here> {
        here().filter(|here| std::ptr::eq(here.registry, self))
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Wakes the worker with index `index`.
    pub(crate) fn unpark(&self, index: usize) {
        if let Some(thread) = self.threads[index].get() {
            thread.unpark();
        }
    }

    /// Runs `work` on a worker of this pool. The argument of `work` is true if `work` runs on a thread other than the caller's.
    #[inline]
    pub(crate) fn in_worker<R: Send>(&self, work: impl FnOnce(bool) -> R + Send) -> R {
        match self.here() {
            Some(_) => work(false),
            None => self.core.run(|| work(true)),
        }
    }

    /// Queues a job: on top of the current worker's deque if that worker belongs to this pool, and otherwise in the pool's
    /// queue.
    ///
    /// # Safety
    /// The caller must own the job, and must keep the job in place until it has run. No other code
    /// may run the job.
    #[inline]
    pub(crate) unsafe fn queue(&self, job: *mut Job) {
        match self.here() {
            // SAFETY: by contract, the caller owns the job, which stays in place until it has run.
            Some(here) if self.breadth_first => unsafe {
                worker().push(self.fifos[here.index].push(job));
            },
            // SAFETY: by contract, the caller owns the job, which stays in place until it has run.
            Some(_) => unsafe { worker().push(job) },
            // SAFETY: by contract, the caller owns the job, which stays in place until it has run.
            None => unsafe { self.core.inject(job) },
        }
    }

    /// Returns the queues of the jobs that belong to no scope.
    pub(crate) fn fifos(&self) -> &[Fifo] {
        &self.fifos
    }

    /// Passes the panic of a job for which no thread waits to the panic handler. Does nothing if the job has not panicked.
    pub(crate) fn tell(&self, result: Result<(), Payload>) {
        if let Err(payload) = result {
            handle(self.panic_handler.as_deref(), payload);
        }
    }

    /// Keeps the pool alive until it is [released](Self::release).
    pub(crate) fn hold(&self) {
        // Relaxed: something else keeps the pool alive during this call.
        let before = self.reasons_to_live.fetch_add(1, Ordering::Relaxed);
        assert!(before < usize::MAX / 2, "too many jobs");
    }

    /// Calls [`hold`](Self::hold) once for each worker.
    ///
    /// # Panics
    /// Panics if the pool has been dropped and has no jobs left, because its workers are then ending. Only a thread of
    /// the program that was a worker of the pool can be in this situation.
    pub(crate) fn hold_for_each_worker(&self) {
        let threads = self.num_threads();
        // Relaxed: the update succeeds only if the count is still above 0, so the pool has not been closed.
        let held =
            self.reasons_to_live
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| {
                    (before > 0).then(|| before.checked_add(threads))?
                });
        assert!(
            held.is_ok(),
            "rayon-core (heist): a broadcast in a pool that was dropped, whose workers have ended"
        );
    }

    pub(crate) fn release(&self) {
        // AcqRel: the thread that ends the pool has seen the effects of all other threads in it.
        if self.reasons_to_live.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.core.close();
        }
    }
}

/// Calls the handler for a panic for which no thread waits. Without a handler, the process ends.
fn handle(handler: Option<&PanicHandler>, payload: Payload) {
    unwind::or_abort(|| match handler {
        Some(handler) => handler(payload),
        None => std::panic::resume_unwind(payload),
    });
}

/// The identity of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "shown in debug output")]
pub(crate) struct RegistryId(usize);
