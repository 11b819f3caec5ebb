//! Pools and their builder, with rayon's names.

use super::broadcast::{BroadcastContext, broadcast_with_context};
use super::{Scope, ScopeFifo, ThreadBuilder};
use crate::worker::local_now;
use crate::{BuildError, Builder, Pool};
use std::any::Any;
use std::sync::Arc;
use std::{fmt, io};

/// Builds thread pools: [`Builder`] with rayon's names.
///
/// ```
/// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.install(heist::rayon::current_num_threads), 2);
/// # Ok::<(), heist::BuildError>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct ThreadPoolBuilder(Builder);

impl ThreadPoolBuilder {
    /// Makes a builder with Heist's default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of workers, like [`Builder::threads`]. As in rayon, 0 means the default: `HEIST_NUM_THREADS`, or a worker for each
    /// CPU that the process may use.
    pub fn num_threads(self, threads: usize) -> Self {
        match threads {
            0 => self,
            _ => Self(self.0.threads(threads)),
        }
    }

    /// Sets the size of the stack of each thread in bytes, like [`Builder::stack_size`].
    pub fn stack_size(self, bytes: usize) -> Self {
        Self(self.0.stack_size(bytes))
    }

    /// Sets a function that each thread calls when it starts, with its worker's index, like [`Builder::start_handler`].
    pub fn start_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(self.0.start_handler(handler))
    }

    /// Sets a function that each thread calls when it ends, with its worker's index, like [`Builder::exit_handler`].
    pub fn exit_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(self.0.exit_handler(handler))
    }

    /// Sets a function that names each thread, from the thread's number, like [`Builder::thread_name`]. The function
    /// also names spare threads, so it must be `Fn + Send + Sync`.
    ///
    /// ```
    /// let builder = heist::rayon::ThreadPoolBuilder::new().num_threads(2);
    /// let pool = builder.thread_name(|index| format!("render {index}")).build()?;
    /// let name = pool.install(|| std::thread::current().name().map(str::to_owned));
    /// assert!(name.is_some_and(|name| name.starts_with("render ")));
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn thread_name(self, name: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        Self(self.0.thread_name(name))
    }

    /// Sets a function that receives the panics of [`spawn`](super::spawn) and of the handlers, like
    /// [`Builder::panic_handler`]. Without this function, rayon aborts the process. Heist only prints the panic, by the
    /// panic hook.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// let (sender, receiver) = channel();
    /// let pool = heist::rayon::ThreadPoolBuilder::new()
    ///     .num_threads(1)
    ///     .panic_handler(move |payload| sender.send(payload).unwrap())
    ///     .build()?;
    /// pool.spawn(|| std::panic::resume_unwind(Box::new("lost")));
    /// assert_eq!(receiver.recv().unwrap().downcast_ref(), Some(&"lost"));
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn panic_handler(
        self,
        handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    ) -> Self {
        Self(self.0.panic_handler(handler))
    }

    /// Sets a function that starts threads, like [`Builder::spawn_handler`]. The pool also calls the function while it
    /// runs, to start spare threads. So the function must be `Fn + Send + Sync + 'static`.
    ///
    /// ```
    /// let pool = heist::rayon::ThreadPoolBuilder::new()
    ///     .num_threads(1)
    ///     .spawn_handler(|thread| {
    ///         std::thread::Builder::new().name(thread.name().to_owned()).spawn(|| thread.run())?;
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.install(|| 7), 7);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn spawn_handler(
        self,
        handler: impl Fn(ThreadBuilder) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self(self.0.spawn_handler(handler))
    }

    /// Starts the pool, like [`Builder::build`].
    ///
    /// # Errors
    /// Returns an error if the settings are out of range, or if the system refuses a thread.
    pub fn build(self) -> Result<ThreadPool, BuildError> {
        self.0.build().map(ThreadPool)
    }

    /// Makes the pool the global pool, like [`Builder::build_global`].
    ///
    /// # Errors
    /// Returns an error if the global pool exists already, and otherwise the errors of [`build`](Self::build).
    pub fn build_global(self) -> Result<(), BuildError> {
        self.0.build_global()
    }
}

impl From<Builder> for ThreadPoolBuilder {
    /// Takes over the settings of a builder of Heist. Some of Heist's settings have no name in rayon.
    fn from(builder: Builder) -> Self {
        Self(builder)
    }
}

/// A pool of workers: [`Pool`] with rayon's names. [`pool`](Self::pool) returns the pool itself.
///
/// ```
/// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut words = ["a", "bc"].map(|word| (word, 0));
/// pool.scope(|s| {
///     for (word, length) in &mut words {
///         s.spawn(|_| *length = word.len());
///     }
/// });
/// assert_eq!(words, [("a", 1), ("bc", 2)]);
/// # Ok::<(), heist::BuildError>(())
/// ```
pub struct ThreadPool(Pool);

impl ThreadPool {
    /// Returns the pool of Heist.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.0
    }

    /// Runs the closure on a worker of the pool, like [`Pool::install`].
    ///
    /// # Panics
    /// Rethrows a panic of the closure.
    pub fn install<F, R>(&self, work: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        self.0.install(work)
    }

    /// Runs two closures, possibly in parallel, in the pool, like [`join`](crate::join()).
    ///
    /// # Panics
    /// Rethrows the panic of a closure; if both panic, the panic of `a`.
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.install(|| crate::join(a, b))
    }

    /// Runs the closure with a scope for tasks of the pool, like [`Pool::finish`]. Returns when all tasks have ended.
    ///
    /// # Panics
    /// Rethrows the leftmost panic of the closure and its tasks.
    pub fn scope<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.0.finish(body)
    }

    /// Runs the closure with a scope whose tasks start in the order of their spawns, like [`Pool::finish_fifo`].
    ///
    /// ```
    /// use std::sync::Mutex;
    /// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    /// let order = Mutex::new(Vec::new());
    /// pool.scope_fifo(|s| {
    ///     for i in 0..3 {
    ///         let order = &order;
    ///         s.spawn(move |_| order.lock().unwrap().push(i));
    ///     }
    /// });
    /// assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Panics
    /// Panics like [`scope`](Self::scope).
    pub fn scope_fifo<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.0.finish_fifo(body)
    }

    /// Runs the closure on the calling thread, with a scope for tasks of the pool, like [`Pool::finish_in_place`].
    ///
    /// ```
    /// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let (caller, mut worker) = (std::thread::current().id(), None);
    /// pool.in_place_scope(|s| {
    ///     assert_eq!(std::thread::current().id(), caller);
    ///     s.spawn(|_| worker = heist::rayon::current_thread_index());
    /// });
    /// assert!(worker < Some(2));
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Panics
    /// Panics like [`scope`](Self::scope).
    pub fn in_place_scope<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        self.0.finish_in_place(body)
    }

    /// Runs a scope as [`in_place_scope`](Self::in_place_scope) does, but its tasks start in the order of their spawns,
    /// like [`Pool::finish_in_place_fifo`].
    ///
    /// # Panics
    /// Panics like [`scope`](Self::scope).
    pub fn in_place_scope_fifo<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        self.0.finish_in_place_fifo(body)
    }

    /// Runs the closure once on each worker, and returns the results in the order of the workers, like
    /// [`Pool::broadcast`].
    ///
    /// ```
    /// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(3).build()?;
    /// assert_eq!(pool.broadcast(|context| context.index() * 10), [0, 10, 20]);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Panics
    /// Rethrows the panic of the worker with the lowest index, after all workers have run the closure.
    pub fn broadcast<F, R>(&self, work: F) -> Vec<R>
    where
        F: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_with_context(self.0.inner(), work)
    }

    /// Gives the closure to the pool, like [`Pool::spawn_detached`].
    ///
    /// # Panics
    /// Panics if the pool belongs to the parent of this process (after `fork()`). A panic of the closure goes to the
    /// [panic handler](ThreadPoolBuilder::panic_handler).
    pub fn spawn<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        self.0.spawn_detached(work);
    }

    /// Gives the closure to the pool, like [`spawn`](Self::spawn). In Heist, both functions start their closures in the
    /// order of the calls.
    ///
    /// ```
    /// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// for i in 0..3 {
    ///     let sender = sender.clone();
    ///     pool.spawn_fifo(move || sender.send(i).unwrap());
    /// }
    /// drop(sender);
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    ///
    /// # Panics
    /// Panics like [`spawn`](Self::spawn).
    pub fn spawn_fifo<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        self.0.spawn_detached(work);
    }

    /// Returns the index of the current worker, if the calling thread is a worker of this pool.
    ///
    /// ```
    /// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    /// assert_eq!(pool.current_thread_index(), None);
    /// assert_eq!(pool.install(|| pool.current_thread_index()), Some(0));
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    #[must_use]
    pub fn current_thread_index(&self) -> Option<usize> {
        local_now()
            .worker_of(Arc::as_ptr(self.0.inner()))
            .map(crate::worker::WorkerThread::worker_index)
    }

    /// Returns the number of workers, like [`Pool::threads`].
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        self.0.threads()
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
