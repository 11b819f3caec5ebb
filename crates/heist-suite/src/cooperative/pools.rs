//! The pools of the entrants, of one size.

use std::panic::resume_unwind;
use std::thread;

use tokio::runtime;

/// The most threads that [`Entrant::Threads`](super::Entrant::Threads) starts at a time.
pub const MOST_THREADS: usize = 8192;

/// Stack of a thread that is one of thousands: steps are shallow.
const TASK_STACK: usize = 128 << 10;

/// A pool of each entrant that has one, all with the same number of workers. They sleep while they have
/// nothing to do.
#[derive(Debug)]
pub struct Pools {
    workers: usize,
    rayon: rayon::ThreadPool,
    tokio: runtime::Runtime,
}

impl Pools {
    /// Starts pools of `workers` threads.
    ///
    /// # Errors
    /// There are to be none, or the system gives none; in a line.
    pub fn new(workers: usize) -> Result<Pools, String> {
        if workers == 0 {
            return Err("a pool needs at least one worker".to_owned());
        }
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
            rayon,
            tokio,
        })
    }

    /// Threads of each pool.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Runs a function on a worker of Rayon's pool.
    pub(super) fn on_rayon<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        self.rayon.install(body)
    }

    /// Runs a task in Tokio's runtime. It is spawned, so that it runs on a worker: tasks that are spawned from
    /// outside go through a queue that all share.
    ///
    /// # Panics
    /// As the task does.
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

/// Runs each of the tasks on a thread of its own. A thread that cannot be started drops its task.
///
/// # Errors
/// There are too many, or the system gives no more threads; in a line, when those that run have ended.
///
/// # Panics
/// If a task does.
pub(super) fn on_threads<T: FnOnce() + Send>(
    mut tasks: impl ExactSizeIterator<Item = T>,
) -> Result<(), String> {
    let count = tasks.len();
    if count > MOST_THREADS {
        return Err(format!(
            "threads: {count} tasks need a thread each, which are more than {MOST_THREADS}"
        ));
    }
    thread::scope(|scope| {
        while let Some(task) = tasks.next() {
            let thread = thread::Builder::new().stack_size(TASK_STACK);
            if let Err(error) = thread.spawn_scoped(scope, task) {
                let started = count - tasks.len() - 1;
                // Those that run may wait for these to begin or to be dropped.
                tasks.for_each(drop);
                return Err(format!(
                    "threads: no more than {started} of {count} threads: {error}"
                ));
            }
        }
        Ok(())
    })
}
