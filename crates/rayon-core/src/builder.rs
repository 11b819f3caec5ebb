//! The settings of a pool, before it is built.

use crate::error::ThreadPoolBuildError;
use crate::registry::{self, CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn};
use crate::thread_pool::ThreadPool;
use crate::unwind::Payload;
use std::env;
use std::fmt;
use std::io;
use std::thread;

type Handler = Box<dyn Fn(usize) + Send + Sync>;

/// A builder of a [`ThreadPool`], or of the global pool.
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    pub(crate) use_current_thread: bool,
    pub(crate) panic_handler: Option<Box<dyn Fn(Payload) + Send + Sync>>,
    get_thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) start_handler: Option<Handler>,
    pub(crate) exit_handler: Option<Handler>,
    pub(crate) spawn_handler: S,
    pub(crate) breadth_first: bool,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        ThreadPoolBuilder {
            num_threads: 0,
            use_current_thread: false,
            panic_handler: None,
            get_thread_name: None,
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            spawn_handler: DefaultSpawn,
            breadth_first: false,
        }
    }
}

impl ThreadPoolBuilder {
    /// Creates a builder with the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a pool that lives while `with_pool` runs. The pool's threads may borrow data that lives longer than this call. Each thread
    /// runs `wrapper`, which must call [`ThreadBuilder::run`].
    ///
    /// # Errors
    /// Returns the errors of [`build`](Self::build).
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        thread::scope(|scope| {
            let pool = self
                .spawn_handler(|thread| {
                    let builder = thread.as_std();
                    builder.spawn_scoped(scope, || wrapper(thread)).map(drop)
                })
                .build()?;
            Ok(with_pool(&pool))
        })
    }
}

impl<S> ThreadPoolBuilder<S>
where
    S: ThreadSpawn,
{
    /// Builds a pool.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be started, or if the current thread should become a worker but is a
    /// worker already. After an error, all started threads end.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        ThreadPool::build(self)
    }

    /// Builds the global pool, and waits until its threads have started.
    ///
    /// # Errors
    /// Returns the errors of [`build`](Self::build). Also returns an error if the global pool exists already: the first
    /// use of the global pool starts it.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        registry::init_global(self)
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Makes the pool start its threads with `spawn`. For each thread, `spawn` must arrange that [`ThreadBuilder::run`]
    /// is called on a new thread, now or later.
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            spawn_handler: CustomSpawn(spawn),
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            panic_handler: self.panic_handler,
            get_thread_name: self.get_thread_name,
            stack_size: self.stack_size,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            breadth_first: self.breadth_first,
        }
    }

    /// Returns the number of threads that the builder has, or else the number from the environment.
    pub(crate) fn threads(&self) -> usize {
        if self.num_threads > 0 {
            return self.num_threads;
        }
        let asked = |variable| env::var(variable).ok()?.parse::<usize>().ok();
        // The second variable is the former name of the first. An explicit 0 in the first means the
        // default.
        let asked = asked("RAYON_NUM_THREADS")
            .or_else(|| asked("RAYON_RS_NUM_CPUS"))
            .filter(|&asked| asked > 0);
        asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    }

    pub(crate) fn name_of(&mut self, index: usize) -> Option<String> {
        self.get_thread_name.as_mut().map(|name| name(index))
    }

    /// Names each thread by its index.
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.get_thread_name = Some(Box::new(closure));
        self
    }

    /// Sets the number of threads. 0, the default, means `RAYON_NUM_THREADS` if this variable is set, and otherwise the
    /// number of CPUs that this process may use.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the current thread the first worker, until the thread ends. This thread runs jobs when it
    /// [yields](crate::yield_now), and while it waits for other jobs.
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Sets the function that receives panics for which no thread waits. Without a handler, such a panic ends the
    /// process. A panic of the handler also ends the process.
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Payload) + Send + Sync + 'static,
    {
        self.panic_handler = Some(Box::new(panic_handler));
        self
    }

    /// Sets the size of each thread's stack, in bytes. The default is the size that the standard
    /// library uses.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Makes workers run their own jobs oldest first.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(mut self) -> Self {
        self.breadth_first = true;
        self
    }

    /// Sets the function that each thread calls with its index as it starts.
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Sets the function that each thread calls with its index as it ends.
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn shown<T>(closure: &Option<T>) -> Option<fmt::Arguments<'static>> {
            closure.is_some().then(|| format_args!("<closure>"))
        }
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("get_thread_name", &shown(&self.get_thread_name))
            .field("panic_handler", &shown(&self.panic_handler))
            .field("stack_size", &self.stack_size)
            .field("start_handler", &shown(&self.start_handler))
            .field("exit_handler", &shown(&self.exit_handler))
            .field("breadth_first", &self.breadth_first)
            .finish()
    }
}
