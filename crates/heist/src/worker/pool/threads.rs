//! The threads of a pool: how they start and register, how they wait for each other at the end, and how the pool joins them.

use crate::task::discard;
use crate::waiting::{self, Until, wait_outside};
use crate::worker::ThreadStart;
use crate::worker::local::local;
use crate::worker::pool::inner::PoolInner;
use crate::worker::pool::settings::Settings;
use crate::worker::thread::WorkerThread;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Thread};

/// The reason why a pool did not start.
#[derive(Debug)]
pub(crate) struct StartError {
    /// Number of threads that had started before the error. These threads have ended.
    pub(crate) started: usize,
    pub(crate) error: io::Error,
}

#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Number of workers whose threads were started, or are being started.
    expected: usize,
    /// Number of workers on the program's own threads. The pool does not wait for the end of these threads.
    adopted: usize,
    /// Number of workers that have arrived, including spares.
    enlisted: usize,
    /// Number of arrived workers that are not spares.
    ready: usize,
    /// The error that prevented the start of a worker.
    failed: Option<io::Error>,
    /// Number of workers that have left their main loop.
    leaving: usize,
    /// True if all workers have left their main loops. From then on, the workers' thread-local words may no longer exist.
    over: bool,
    /// Number of threads that have called [`ended`](PoolInner::ended), their last step in the pool.
    ended: usize,
    handles: Vec<JoinHandle<()>>,
    /// The thread that waits for the pool's end.
    closer: Option<Thread>,
}

impl Gate {
    /// Returns true if every thread has ended.
    fn is_empty(&self) -> bool {
        self.ended + self.adopted == self.expected
    }

    fn wake_closer(&self) {
        if let Some(closer) = &self.closer {
            closer.unpark();
        }
    }
}

/// Detaches the current thread from its pool in a child of `fork()`: from now on, the thread is not a worker.
pub(super) extern "C" fn leave_pool() {
    local().detach();
}

impl PoolInner {
    /// Starts the workers and waits until all have started.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be started. In this case, all started threads have ended when the function returns.
    pub(crate) fn start(settings: Settings) -> Result<Arc<Self>, StartError> {
        let pool = PoolInner::prepare(settings);
        let threads = pool.settings.threads;
        let adopts = pool.settings.adopts;
        if adopts {
            pool.gate().expected += 1;
            if let Err(error) = crate::worker::fixed::adopted::adopt(&pool) {
                return Err(StartError { started: 0, error });
            }
        }
        for id in usize::from(adopts)..threads {
            if let Err(error) = pool.start_worker(id as u16, id as u32) {
                // No worker with a higher number will arrive, so the pool must not rely on these workers.
                for id in id + 1..threads {
                    pool.idle.lose(&*pool, id as u16, id as u32);
                }
                let started = pool.gate().expected - usize::from(adopts);
                pool.close();
                return Err(StartError { started, error });
            }
        }
        if let Err(error) = pool.wait_ready() {
            let started = pool.gate().expected - usize::from(adopts);
            pool.close();
            return Err(StartError { started, error });
        }
        Ok(pool)
    }

    /// Waits until all workers have started.
    ///
    /// # Errors
    /// Returns an error if a worker will not arrive.
    pub(crate) fn wait_ready(&self) -> io::Result<()> {
        let mut gate = self.gate();
        while gate.ready < self.settings.threads && gate.failed.is_none() {
            gate = self.wait_gate(gate);
        }
        gate.failed.take().map_or(Ok(()), Err)
    }

    /// Creates a pool whose threads the caller starts, and a [`ThreadStart`] for each thread. Each thread must call [`ThreadStart::run`].
    /// If `adopts` is true, the current thread becomes the first worker immediately, and stays a worker until it ends.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the current thread's worker.
    pub(crate) fn start_apart(
        settings: Settings,
        adopts: bool,
    ) -> io::Result<(Arc<Self>, Vec<ThreadStart>)> {
        let pool = PoolInner::prepare(settings);
        let threads = pool.settings.threads;
        pool.gate().expected = threads;
        let starts = (usize::from(adopts)..threads)
            .map(|id| ThreadStart::new(Arc::clone(&pool), id as u16, id as u32))
            .collect();
        if adopts {
            crate::worker::fixed::adopted::adopt(&pool)?;
        }
        Ok((pool, starts))
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_gate<'a>(&self, gate: MutexGuard<'a, Gate>) -> MutexGuard<'a, Gate> {
        self.gate_moved
            .wait(gate)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread of worker `id`. The worker begins as a searcher that holds `slot`.
    pub(in crate::worker) fn start_worker(self: &Arc<Self>, id: u16, slot: u32) -> io::Result<()> {
        self.gate().expected += 1;
        let start = ThreadStart::new(Arc::clone(self), id, slot);
        let dropped = crate::worker::pool::thread_start::Watch::begin(&start);
        let result = match &self.settings.spawn {
            // The callers are in the middle of scheduling, so a panic of the handler must not unwind through the callers.
            Some(spawn) => {
                // If this thread is a worker and the handler waits, the wait must not need another
                // thread.
                let worker = local().worker_of(self.as_ref());
                let outer = worker.map(|worker| worker.in_handler.replace(true));
                let result = catch_unwind(AssertUnwindSafe(|| spawn(start)));
                if let (Some(worker), Some(outer)) = (worker, outer) {
                    worker.in_handler.set(outer);
                }
                result.unwrap_or_else(|payload| {
                    discard(payload);
                    Err(io::Error::other("the pool's spawn handler panicked"))
                })
            }
            None => start
                .spawn_std()
                .map(|handle| self.gate().handles.push(handle)),
        };
        // After a failure, the start has been dropped or will be dropped, and its destructor counts
        // the thread as lost.
        match dropped.end() {
            Some(error) => result.and(Err(error)),
            None => result,
        }
    }

    /// Registers the calling thread's worker, which is ready to run.
    ///
    /// Does nothing if the other workers have ended already, which is possible if the program starts the threads.
    pub(in crate::worker) fn enlist(&self, worker: WorkerThread) -> Option<&WorkerThread> {
        let id = usize::from(worker.id);
        let mut gate = self.gate();
        if gate.over {
            return None;
        }
        let worker = Box::into_raw(Box::new(worker));
        // Release pairs with the Acquire in `worker`.
        self.workers[id].store(worker, Ordering::Release);
        // This fence pairs with the fence in `tell_to_end`: either `tell_to_end` wakes this worker, or this worker sees `closing` before it
        // sleeps.
        fence(Ordering::SeqCst);
        gate.enlisted += 1;
        if id < self.settings.threads {
            gate.ready += 1;
            self.gate_moved.notify_all();
        }
        drop(gate);
        // SAFETY: the worker was just made, and only the pool's drop frees it.
        Some(unsafe { &*worker })
    }

    /// Withdraws the thread-local words of a worker that is about to end, and waits until no other thread looks at these words.
    pub(in crate::worker) fn withdraw_words(&self, worker: &WorkerThread) {
        // SeqCst: see `Lookers::look`.
        worker.has_words.store(false, Ordering::SeqCst);
        self.lookers.wait();
    }

    /// Counts a worker on a thread of the program.
    pub(in crate::worker) fn count_adopted(&self) {
        self.gate().adopted += 1;
    }

    /// Records that no thread will become worker `id`. If the worker is a spare and `silently` is true, the caller reports the error, and
    /// this function does not.
    pub(crate) fn lose(&self, id: u16, slot: u32, error: io::Error, silently: bool) {
        let is_spare = usize::from(id) >= self.settings.threads;
        if !is_spare {
            // This thread records the error before the pool can start another thread in place of the lost thread.
            self.gate().failed.get_or_insert(error);
        } else if !silently {
            self.report_refusal(&error);
        }
        self.idle.lose(self, id, slot);
        if is_spare {
            self.call_for_retry();
        }
        let mut gate = self.gate();
        gate.expected -= 1;
        self.gate_moved.notify_all();
        gate.wake_closer();
        drop(gate);
        // Sleepers in a closing pool may have waited for the lost worker. Such a sleeper has looked for the worker under the lock of the
        // gate, after it had seen `closing`. So if the sleeper did not see the change above, this thread sees `closing` and wakes the
        // sleeper.
        if self.closing.load(Ordering::SeqCst) {
            self.wake_to_end();
        }
    }

    /// Implements [`has_frames`](crate::park::IdleHooks::has_frames) for a caller on a thread outside the pool. Returns `None` after the
    /// first worker has left its main loop. From then on, the other workers may leave soon, and after the last one has left, the workers'
    /// thread-local words may be freed.
    pub(in crate::worker) fn has_frames_for_strangers(&self) -> Option<bool> {
        // While the gate is locked no thread passes the barrier in `leave`, so the words of the pool's own threads stay
        // valid. The words of adopted threads stay valid during a look, as for any thief.
        let gate = self.gate();
        (gate.leaving == 0).then(|| crate::park::IdleHooks::has_frames(self))
    }

    /// Returns the pool's workers that have threads. Until the pool begins to end, returns all workers. After all threads have ended,
    /// returns no workers. In between, while the exit handlers run, returns `None`.
    pub(in crate::worker) fn workers_with_threads(
        &self,
    ) -> Option<impl Iterator<Item = &WorkerThread>> {
        let gate = self.gate();
        let over = gate.leaving > 0;
        let told = !over || gate.is_empty();
        told.then(|| self.workers().filter(move |_| !over))
    }

    /// Returns true if every thread that was started has become a worker, or has been reported as lost.
    pub(in crate::worker) fn has_everybody(&self) -> bool {
        let gate = self.gate();
        gate.enlisted == gate.expected
    }

    /// Waits until every worker has left its main loop, so that no thief reads thread-local words of a
    /// thread that has ended. No work is left, so this function first wakes the workers that sleep in
    /// their main loops.
    pub(in crate::worker) fn leave(&self) {
        self.wake_to_end();
        let mut gate = self.gate();
        gate.leaving += 1;
        self.gate_moved.notify_all();
        // The program may start the threads of a pool with a fixed number of threads one by one, each when the previous
        // thread has ended.
        let awaited = |gate: &Gate| {
            if self.settings.wait_policy.has_late_threads() {
                gate.enlisted
            } else {
                gate.expected
            }
        };
        while gate.leaving + gate.adopted < awaited(&gate) {
            gate = self.wait_gate(gate);
        }
        gate.over = true;
    }

    /// Records that a worker's thread has ended: the last step of the thread in the pool.
    pub(in crate::worker) fn ended(&self) {
        let mut gate = self.gate();
        gate.ended += 1;
        self.gate_moved.notify_all();
        gate.wake_closer();
    }

    /// Tells the workers to finish the remaining work and end, and joins their threads. On a worker of the pool itself, the function does
    /// not wait, because a thread cannot wait for its own end.
    pub(crate) fn close(&self) {
        if !self.generation.is_current() {
            // In a child of fork(), there is no thread to join, because the threads belong to the parent.
            return;
        }
        let own = local().worker();
        let here = own.filter(|own| std::ptr::eq(own.pool, self));
        match here {
            None => {
                self.tell_to_end();
                self.join_threads(own);
            }
            Some(here) if here.adopted && !self.settings.wait_policy.keeps_adopted_threads() => {
                here.begin_to_end();
                self.tell_to_end();
                here.end_here();
                self.join_threads(None);
            }
            Some(_) => self.tell_to_end(),
        }
    }

    /// Tells the workers to finish the remaining work and end. Does not wait for them.
    pub(crate) fn tell_to_end(&self) {
        self.closing.store(true, Ordering::SeqCst);
        // This fence pairs with the fence in `enlist`: either the loop below wakes a new worker, or
        // that worker sees `closing`.
        fence(Ordering::SeqCst);
        self.wake_to_end();
    }

    /// Makes the sleepers check whether the pool ends.
    pub(in crate::worker) fn wake_to_end(&self) {
        for worker in self.workers() {
            worker.thread.unpark();
        }
    }

    fn join_threads(&self, own: Option<&WorkerThread>) {
        self.gate().closer = Some(std::thread::current());
        let awaited = Until(waiting::Reason::Close, || self.gate().is_empty());
        match own {
            // The current thread is a worker of another pool, so it gives its slot to other work
            // while it waits.
            Some(own) => own.wait_until(&awaited),
            None => wait_outside(&awaited),
        }
        let handles = std::mem::take(&mut self.gate().handles);
        if handles.is_empty() {
            return;
        }
        let handles = Mutex::new(handles);
        let join_all = || {
            let mut handles = handles.lock().unwrap_or_else(PoisonError::into_inner);
            for handle in handles.drain(..) {
                // The threads have handled the panics of workers already, so this result is ignored.
                let _ = handle.join();
            }
        };
        match own {
            Some(own) => join_beside(own, &join_all),
            None => join_all(),
        }
    }
}

/// Calls `join_all` on a separate thread. During that call, the calling worker `own` waits as for any other event, so it runs other work or
/// gives its slot away. The worker must not block, because its own pool may have no other worker, and destructors of thread-local values on
/// the joined threads may wait for this pool.
fn join_beside(own: &WorkerThread, join_all: &(dyn Fn() + Sync)) {
    let over = AtomicBool::new(false);
    let waiter = thread::current();
    thread::scope(|scope| {
        let helper = thread::Builder::new().spawn_scoped(scope, || {
            join_all();
            // Release pairs with the Acquire below: the threads have ended.
            over.store(true, Ordering::Release);
            waiter.unpark();
        });
        match helper {
            Ok(_) => own.wait_until(&Until(waiting::Reason::Close, || {
                over.load(Ordering::Acquire)
            })),
            Err(_) => join_all(),
        }
    });
}
