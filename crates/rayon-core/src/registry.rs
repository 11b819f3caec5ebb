//! A pool: its workers, and how the current thread finds its own.

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

/// The stack of a thread that says nothing else: that of the standard library's threads.
const STACK: usize = 2 << 20;

type PanicHandler = dyn Fn(Payload) + Send + Sync;

/// State shared by all workers of a pool.
pub(crate) struct Registry {
    core: Core,
    /// The threads, each once it runs.
    threads: Box<[OnceLock<Thread>]>,
    /// The queues of `spawn_fifo`, one a worker.
    fifos: Box<[Fifo]>,
    /// Whether workers run their own jobs in the order of their spawns.
    breadth_first: bool,
    panic_handler: Option<Arc<PanicHandler>>,
    /// The pool itself, if it is not dropped, and what was spawned and has not ended.
    reasons_to_live: AtomicUsize,
}

/// The worker that the current thread is.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    registry: *const Registry,
    pub(crate) index: usize,
}

thread_local! {
    static HERE: Cell<Here> = const { Cell::new(Here { registry: null(), index: 0 }) };
}

/// The worker that the current thread is.
#[inline]
pub(crate) fn here() -> Option<Here> {
    // SAFETY: not kept.
    let works = unsafe { Worker::current() }.is_some();
    standing().filter(|_| works)
}

/// The same also where it works no more: in its exit handler, and at the end of a thread of the program's own.
#[inline]
pub(crate) fn standing() -> Option<Here> {
    let here = HERE.get();
    (!here.registry.is_null()).then_some(here)
}

impl Here {
    /// Its pool's.
    pub(crate) fn registry(&self) -> &Registry {
        // SAFETY: the thread keeps it while it is a worker (`ThreadBuilder::run`, `adopt`), and a `Here` does not
        // leave the job in which it was asked for.
        unsafe { &*self.registry }
    }

    /// Runs one job on top of the current one.
    pub(crate) fn run_one(&self, own: bool) -> bool {
        worker().run_one(own)
    }

    /// Whether the worker has jobs that it could run itself.
    pub(crate) fn has_own(&self) -> bool {
        worker().has_own()
    }
}

/// The current thread as Heist's worker, which it is.
#[inline]
pub(crate) fn worker() -> Worker {
    // SAFETY: used at once by the callers, all in this crate.
    unsafe { Worker::current() }.expect("a thread that is a worker here is one of Heist's")
}

/// Makes the current thread a worker of `registry`.
fn enter(registry: &Registry, index: usize) {
    let _ = registry.threads[index].set(thread::current());
    HERE.set(Here { registry, index });
}

/// Starts the threads of a pool.
pub trait ThreadSpawn {
    /// Has `thread` run on a thread of its own.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

/// Threads of the standard library.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        thread.as_std().spawn(|| thread.run()).map(drop)
    }
}

/// Threads as the program starts them.
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
    /// The worker's index, from 0 up to the number of threads.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name for the thread, if one was chosen.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The stack size for the thread in bytes, if one was chosen.
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// The standard library's builder of such a thread.
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
    /// On a thread that is a worker already.
    pub fn run(self) {
        assert!(
            standing().is_none(),
            "rayon-core (heist): ThreadBuilder::run was called on a thread that is a worker already"
        );
        // However it ends: it panics on a worker of Heist's own.
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                HERE.set(Here {
                    registry: null(),
                    index: 0,
                });
            }
        }
        // Declared first, so that it goes last: `HERE` points to it.
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

/// The global pool's, which this starts if need be.
///
/// # Panics
/// Panics if its threads cannot be started.
pub(crate) fn global() -> &'static Arc<Registry> {
    GLOBAL.get_or_init(|| match default_registry() {
        Ok(registry) => registry,
        Err(error) => panic!("The global thread pool has not been initialized.: {error}"),
    })
}

/// A pool by default. Where the platform has no threads, as on WebAssembly by itself, the current thread is the pool's only worker.
fn default_registry() -> Result<Arc<Registry>, ThreadPoolBuildError> {
    let result = Registry::new(ThreadPoolBuilder::new());
    if !matches!(&result, Err(error) if error.is_unsupported()) {
        return result;
    }
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    Registry::new(alone).or(result)
}

/// Starts the global pool as asked.
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
        // Another thread has used it meanwhile.
        registry.release();
        return initialized();
    }
    registry.core.wait_ready().map_err(ThreadPoolBuildError::io)
}

/// The current pool: the one whose worker this thread is, or the global one.
#[inline]
pub(crate) fn with_current<R>(work: impl FnOnce(&Registry) -> R) -> R {
    match here() {
        Some(here) => work(here.registry()),
        None => work(global()),
    }
}

/// Runs `work` on a worker of the current pool; given whether it had to be moved there.
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
        // A start that comes to nothing, by an error or a panic, ends what was started.
        struct Started<'a>(&'a Registry);
        impl Drop for Started<'_> {
            fn drop(&mut self) {
                self.0.release();
            }
        }
        let threads = builder.threads().min(crate::max_num_threads());
        let adopts = builder.use_current_thread;
        // SAFETY: not kept.
        if adopts && (standing().is_some() || unsafe { Worker::current() }.is_some()) {
            return Err(ThreadPoolBuildError::new(ErrorKind::InPool));
        }
        let panic_handler: Option<Arc<PanicHandler>> = builder.panic_handler.take().map(Arc::from);
        let told = panic_handler.clone();
        let (core, starts) = Core::start(Plan {
            threads,
            // One that cannot be had is refused when the thread is started.
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
            // As its first worker would have been.
            let _ = builder.name_of(0);
            enter(&registry, 0);
            // The thread is a worker from now on.
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

    /// The index of the current thread in this pool.
    #[inline]
    pub(crate) fn index_here(&self) -> Option<usize> {
        let here = standing().filter(|here| std::ptr::eq(here.registry, self));
        here.map(|here| here.index)
    }

    /// Identity of the pool.
    pub(crate) fn id(&self) -> RegistryId {
        RegistryId(std::ptr::from_ref(self).addr())
    }

    #[inline]
    pub(crate) fn num_threads(&self) -> usize {
        self.threads.len()
    }

    /// The worker that the current thread is in this pool.
    #[inline]
    pub(crate) fn here(&self) -> Option<Here> {
        here().filter(|here| std::ptr::eq(here.registry, self))
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Wakes the worker of that index.
    pub(crate) fn unpark(&self, index: usize) {
        if let Some(thread) = self.threads[index].get() {
            thread.unpark();
        }
    }

    /// Runs `work` on a worker of this pool; given whether it had to be moved there.
    #[inline]
    pub(crate) fn in_worker<R: Send>(&self, work: impl FnOnce(bool) -> R + Send) -> R {
        match self.here() {
            Some(_) => work(false),
            None => self.core.run(|| work(true)),
        }
    }

    /// Queues a job: on top of the current worker's deque if the worker is one of this pool, and otherwise in the pool's queue.
    ///
    /// # Safety
    /// The job is the caller's to give away, and stays in place until it has run, once.
    #[inline]
    pub(crate) unsafe fn queue(&self, job: *mut Job) {
        match self.here() {
            // SAFETY: by contract.
            Some(here) if self.breadth_first => unsafe {
                worker().push(self.fifos[here.index].push(job));
            },
            // SAFETY: by contract.
            Some(_) => unsafe { worker().push(job) },
            // SAFETY: by contract.
            None => unsafe { self.core.inject(job) },
        }
    }

    /// The queues of those that belong to no scope.
    pub(crate) fn fifos(&self) -> &[Fifo] {
        &self.fifos
    }

    /// Reports the panic of a job that no thread waits for, if it has panicked.
    pub(crate) fn tell(&self, result: Result<(), Payload>) {
        if let Err(payload) = result {
            handle(self.panic_handler.as_deref(), payload);
        }
    }

    /// Keeps the pool alive until it is [released](Self::release).
    pub(crate) fn hold(&self) {
        // Relaxed: the caller holds another one.
        let before = self.reasons_to_live.fetch_add(1, Ordering::Relaxed);
        assert!(before < usize::MAX / 2, "too many jobs");
    }

    /// [`hold`](Self::hold), once for each worker.
    ///
    /// # Panics
    /// If the pool has been dropped and nothing is left in it: its workers end. The caller is a thread of the program's own
    /// that was one of the workers.
    pub(crate) fn hold_for_each_worker(&self) {
        let threads = self.num_threads();
        // Relaxed: what is read here as more than 0 cannot come to 0 in between, so the pool has not been told to end.
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
        // AcqRel: the thread that ends the pool has seen what the others did in it.
        if self.reasons_to_live.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.core.close();
        }
    }
}

/// Calls the handler for a panic that no thread waits for. Without a handler, the process ends.
fn handle(handler: Option<&PanicHandler>, payload: Payload) {
    unwind::or_abort(|| match handler {
        Some(handler) => handler(payload),
        None => std::panic::resume_unwind(payload),
    });
}

/// Identity of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "shown in debug output")]
pub(crate) struct RegistryId(usize);
