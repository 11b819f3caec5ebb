//! Queues of suspending tasks that are ready to continue.

use crate::fiber::FiberLabel;
use crate::task::Header;
use crate::trace::EventKind;
use crate::worker::local::{WorkerLocal, local};
use crate::worker::pool::inner::PoolInner;
use crate::worker::queue::job::Job;
use crate::worker::thread::{Context, WorkerThread};
use std::sync::Arc;

/// After the ready deque has used at least this number of cells, its owner begins again at the first cell as soon as the deque is empty.
const RENEWAL: u32 = 1024;
/// Number of woken tasks that a waiting scope may run in a row.
const ADMITTED: u32 = 1024;

impl WorkerThread {
    /// Queues a task behind all tasks that are ready now. Call this function on the worker's own thread.
    pub(crate) fn push_ready(&self, local: &WorkerLocal, task: *mut Header) {
        let height = self.ready.height();
        if height >= RENEWAL && self.ready.head() == height {
            // Without this call, a worker whose stack is never empty, and whose tasks other workers take, would use up all cells of the
            // deque: 32 MiB. SAFETY: this is the owner's thread, and thieves claim from this deque only in batches.
            unsafe { self.ready.rewind_empty(0) };
        }
        let ready = &local.shared.ready;
        if ready.tail() < self.ready.place(self.ready.capacity()) {
            // SAFETY: this is the owner's thread, and there is room.
            unsafe { ready.push(task) };
        } else {
            self.pool().inject_job(Job::Run(task));
        }
        if local.shared.is_requested() {
            self.answer_request(local);
        }
    }

    /// Queues a task of scope `of` so that it runs next. If other code waits on this stack, the task may go
    /// behind the ready tasks instead.
    #[inline]
    pub(in crate::worker) fn push_next(
        &self,
        local: &WorkerLocal,
        task: *mut Header,
        of: impl FnOnce() -> Context,
    ) {
        if local.context.get() != Context::BASE {
            self.push_over(local, task, of());
            return;
        }
        self.push_task_and_answer(local, task);
    }

    /// Does the work of [`push_next`](Self::push_next) if a job waits on this stack.
    #[inline(never)]
    fn push_over(&self, local: &WorkerLocal, task: *mut Header, of: Context) {
        // The code that waits below must not meet the task in the task deque, unless that code is the task's own scope. The waiting code
        // must not run a task while the thread unwinds either, because the task might be suspended during the unwinding, while the thread
        // counts the panic.
        let admits = local.context.get() == of && !std::thread::panicking();
        // Two tasks that wake each other forever must not keep the ready tasks from running. So every
        // [`ADMITTED`]th task goes to the ready deque. When the waiting scope finds no other task, its worker
        // gives its slot to another thread, whose stack is empty.
        let admitted = self.turns.admitted.get().wrapping_add(u32::from(admits));
        self.turns.admitted.set(admitted);
        if !admits || admitted % ADMITTED == 0 {
            self.push_ready(local, task);
            return;
        }
        self.push_task_and_answer(local, task);
    }

    /// Pushes a task to the worker's task deque, and answers requests.
    #[inline]
    fn push_task_and_answer(&self, local: &WorkerLocal, task: *mut Header) {
        self.push_task_or_inject(task);
        if local.shared.is_requested() {
            self.answer_request(local);
        }
    }
}

impl WorkerThread {
    /// Records the event that this thread has queued a suspending task.
    fn trace_queued(&self, task: *mut Header) {
        let task = task.addr() as u64;
        self.trace(EventKind::Queued { task });
    }
}

impl PoolInner {
    /// Queues a task of scope `of` that has been woken and is ready to continue.
    ///
    /// # Safety
    /// The caller's wake-up of the task must have returned `Wake::Queue`, so that no other thread queues the task. The task must not be
    /// done yet. `pool` must be the task's pool.
    pub(crate) unsafe fn resume(
        pool: *const PoolInner,
        task: *mut Header,
        of: impl FnOnce() -> Context,
    ) {
        let local = local();
        if let Some(worker) = local.worker_of(pool) {
            worker.counters.resumptions.add(1);
            worker.trace_queued(task);
            worker.push_next(local, task, of);
            return;
        }
        // SAFETY: by contract, the caller may queue the task in this pool.
        unsafe { PoolInner::resume_from_outside(pool, task) };
    }

    /// Queues the task from a thread that is not a worker of the pool.
    ///
    /// # Safety
    /// The caller's wake-up of the task must have returned `Wake::Queue`, so that no other thread queues the task. The task must not be
    /// done yet. `pool` must be the task's pool.
    #[cold]
    #[inline(never)]
    unsafe fn resume_from_outside(pool: *const PoolInner, task: *mut Header) {
        // SAFETY: by contract, the task is not done yet.
        if let Some(kept) = unsafe { PoolInner::keep(pool) } {
            kept.inject_job(Job::Run(task));
        }
    }

    /// Returns an owning reference to the pool of a task that the caller is about to queue. The caller needs this reference, because the
    /// task, and then the pool, may end before the caller has finished its work on the pool. Returns `None` in a child of `fork()`, because
    /// no worker would run the task in the child.
    ///
    /// # Safety
    /// The caller must be the thread that queues a woken task of this pool. The task must not be done yet.
    unsafe fn keep(pool: *const PoolInner) -> Option<Arc<PoolInner>> {
        // SAFETY: a pool outlives its tasks.
        let Some(kept) = (unsafe { &*pool }).this.upgrade() else {
            unreachable!("a pool whose tasks are not done is kept by its threads");
        };
        kept.generation.is_current().then_some(kept)
    }

    /// Queues a woken fiber on worker `id`. The fiber must be bound to the thread of this worker.
    ///
    /// # Safety
    /// The caller's wake-up of the task must have returned `Wake::Queue`, so that no other thread queues the task. The task must not be
    /// done yet. `pool` must be the task's pool, and must have a worker `id`.
    #[inline(never)]
    pub(crate) unsafe fn resume_at(pool: *const PoolInner, id: u16, task: *mut Header) {
        let local = local();
        if let Some(worker) = local.worker_of(pool) {
            worker.counters.resumptions.add(1);
            worker.trace_queued(task);
            if worker.id == id {
                worker.push_bound(task);
            } else if let Some(other) = worker.pool().worker(id.into()) {
                other.receive_bound(task);
            }
            return;
        }
        // SAFETY: by contract, the task is not done yet.
        let Some(kept) = (unsafe { PoolInner::keep(pool) }) else {
            return;
        };
        if let Some(worker) = kept.worker(id.into()) {
            worker.receive_bound(task);
        }
    }

    /// # Panics
    /// Panics if the pool has no fibers.
    pub(crate) fn assert_has_fibers(&self, label: &FiberLabel) {
        assert!(
            self.settings.fibers.is_some(),
            "heist: the {label} needs a pool with fibers: see Builder::fibers"
        );
    }

    /// Counts a new suspending task of scope `of`, and queues the task's `entry`. On a worker of this pool, the task
    /// runs next.
    pub(crate) fn begin_task(&self, entry: *mut Header, task: *mut Header, of: Context) {
        let local = local();
        match self.count_begin() {
            Some(worker) => {
                worker.sweep(local);
                worker.trace_queued(task);
                worker.push_next(local, entry, || of);
            }
            None => self.inject_job(Job::Run(entry)),
        }
    }

    /// Counts a new suspending task. Returns the current thread's worker, if this worker belongs to this pool.
    pub(crate) fn count_begin(&self) -> Option<&'static WorkerThread> {
        let worker = local().worker_of(self);
        match worker {
            Some(worker) => worker.counters.async_begins.add(1),
            None => self.count_outside_begin(),
        }
        worker
    }
}
