//! The pools in which the entrants run tasks. All pools have the same number of workers.

use std::panic::resume_unwind;
use std::thread;

use heist::{BuildError, Fibers, Finish};
use tokio::runtime;

/// The maximum number of tasks under [`Entrant::Threads`](super::Entrant::Threads) and
/// [`Entrant::HeistBlocking`](super::Entrant::HeistBlocking), where each task holds a thread.
pub const MOST_THREADS: usize = 8192;

/// The size of the stack of a thread or fiber, in bytes. The stacks are small, because there are thousands of stacks, and steps make few
/// nested calls.
const TASK_STACK: usize = 128 << 10;

/// The maximum number of spare threads. These threads suffice for [`MOST_THREADS`] waiting tasks, for the spawner that waits for these
/// tasks, and for the tasks that run at the same time.
const SPARE_THREADS: usize = 9000;

/// The form of a task of Heist, which decides how the task waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A future. The task is suspended while the future waits.
    Async,
    /// A closure with a stack of its own. The closure is suspended while it waits.
    Fiber,
    /// A closure on its worker's stack. The closure holds the thread while it waits.
    Blocking,
}

/// A pool for each entrant that needs a pool, all with the same number of workers. Workers without work sleep.
#[derive(Debug)]
pub struct Pools {
    workers: usize,
    tasks: heist::Pool,
    /// The pool for fibers, or one line that says why fibers do not work on this system.
    fibers: Result<heist::Pool, String>,
    /// The pool for closures that block. This pool is separate, because thieves of the other pools would otherwise search its thousands of
    /// spare threads for work.
    blocking: heist::Pool,
    rayon: rayon::ThreadPool,
    tokio: runtime::Runtime,
}

impl Pools {
    /// Starts pools of `workers` threads.
    ///
    /// # Errors
    /// Returns a one-line error if `workers` is 0, or if the system starts no more threads.
    pub fn new(workers: usize) -> Result<Pools, String> {
        if workers == 0 {
            return Err("a pool needs at least one worker".to_owned());
        }
        let heist = |error: BuildError| format!("heist: {error}");
        let tasks = heist::Pool::new(workers).map_err(heist)?;
        // SAFETY: all fibers of this pool belong to this crate's programs. These fibers wait only in functions of this module's children
        // and siblings that spawn them, and these functions hold only `Send` values while they wait. The programs' own steps never wait,
        // and fibers call them through functions that are not inlined, so a step may use thread-local state.
        let fibers = unsafe {
            heist::Pool::builder()
                .threads(workers)
                .fibers(Fibers::new().stack_size(TASK_STACK))
        };
        let fibers = match fibers.build() {
            Ok(pool) => Ok(pool),
            Err(BuildError::Fibers { reason }) => Err(format!("fiber: {reason}")),
            Err(error) => return Err(heist(error)),
        };
        let blocking = blocking_pool(workers)?;
        let rayon = rayon::ThreadPoolBuilder::new()
            .num_threads(workers)
            .build()
            .map_err(|error| format!("rayon: {error}"))?;
        let tokio = runtime::Builder::new_multi_thread()
            .worker_threads(workers)
            .build()
            .map_err(|error| format!("tokio: {error}"))?;
        Ok(Pools {
            workers,
            tasks,
            fibers,
            blocking,
            rayon,
            tokio,
        })
    }

    /// Returns the number of workers of each pool.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Ends the spare threads that blocking tasks have left. Otherwise these spare threads would wait for the next blocking tasks.
    ///
    /// Each spare thread has six memory mappings. Each thread of [`Entrant::Threads`](super::Entrant::Threads) has four mappings. Linux
    /// allows a process 65,530 mappings (`vm.max_map_count`). This limit suffices for 8,192 threads of one of these kinds, but not for
    /// 8,192 threads of each kind. A process that needs more mappings aborts.
    ///
    /// # Errors
    /// Returns a one-line error if the system does not start the threads of the new pool. This pool replaces the pool for blocking tasks.
    pub fn end_spare_threads(&mut self) -> Result<(), String> {
        self.blocking = blocking_pool(self.workers)?;
        Ok(())
    }

    /// Returns Heist's pool for tasks of the given form.
    ///
    /// # Errors
    /// Returns a one-line error if this system cannot run tasks of this form.
    pub(super) fn heist(&self, form: Form) -> Result<&heist::Pool, String> {
        match form {
            Form::Async => Ok(&self.tasks),
            Form::Fiber => self.fibers.as_ref().map_err(Clone::clone),
            Form::Blocking => Ok(&self.blocking),
        }
    }

    /// Runs a scope of `count` tasks of the given form, in Heist's pool for this form. All tasks may wait at the same time.
    ///
    /// # Errors
    /// Returns a one-line error if this system cannot run tasks of this form, or cannot run `count` of them.
    ///
    /// # Panics
    /// Panics if a task panics.
    pub(super) fn on_heist<'scope>(
        &self,
        form: Form,
        count: usize,
        body: impl FnOnce(&Finish<'scope>) + Send,
    ) -> Result<(), String> {
        if form == Form::Blocking {
            may_hold_threads("blocking", count)?;
        }
        self.heist(form)?.finish(body);
        Ok(())
    }

    /// Runs a function on a worker of Rayon's pool.
    pub(super) fn on_rayon<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        self.rayon.install(body)
    }

    /// Runs a task in Tokio's runtime. The function spawns the task, so that it runs on a worker. If the task ran outside of the runtime,
    /// the tasks that it spawns would all go through one shared queue.
    ///
    /// # Panics
    /// Panics if the task panics.
    pub(super) fn on_tokio<R: Send + 'static>(
        &self,
        body: impl Future<Output = R> + Send + 'static,
    ) -> R {
        let task = self.tokio.spawn(body);
        self.tokio
            .block_on(task)
            .unwrap_or_else(|error| resume_unwind(error.into_panic()))
    }
}

fn blocking_pool(workers: usize) -> Result<heist::Pool, String> {
    heist::Pool::builder()
        .threads(workers)
        .stack_size(TASK_STACK)
        .spare_threads(SPARE_THREADS)
        .build()
        .map_err(|error| format!("heist: {error}"))
}

/// Runs each of the tasks on a thread of its own. A thread that cannot be started drops its task.
///
/// # Errors
/// Returns a one-line error if there are too many tasks, or if the system starts no more threads. If the system starts no more threads, the
/// function returns after all started threads have ended.
///
/// # Panics
/// Panics if a task panics.
pub(super) fn on_threads<T: FnOnce() + Send>(
    mut tasks: impl ExactSizeIterator<Item = T>,
) -> Result<(), String> {
    let count = tasks.len();
    may_hold_threads("threads", count)?;
    thread::scope(|scope| {
        while let Some(task) = tasks.next() {
            let thread = thread::Builder::new().stack_size(TASK_STACK);
            if let Err(error) = thread.spawn_scoped(scope, task) {
                let started = count - tasks.len() - 1;
                // Drop the remaining tasks, because running tasks may wait until these tasks begin or are dropped.
                tasks.for_each(drop);
                return Err(format!(
                    "threads: no more than {started} of {count} threads: {error}"
                ));
            }
        }
        Ok(())
    })
}

fn may_hold_threads(who: &str, tasks: usize) -> Result<(), String> {
    if tasks > MOST_THREADS {
        return Err(format!(
            "{who}: {tasks} tasks may need a thread each, which are more than {MOST_THREADS}"
        ));
    }
    Ok(())
}
