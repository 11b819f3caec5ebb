//! A scope: the state that its tasks share, and the detection of its end.

use super::count::Count;
use super::home::Home;
use super::label::Label;
use super::queue::InOrder;
use crate::cancel::{self, Node};
use crate::policy::SpawnPolicy;
use crate::suspend::{current_waker, suspend_until};
use crate::task::{Header, Payload, discard};
use crate::waiting::{Reason, Until, wait_outside};
use crate::worker::{Backlog, Context, PoolInner, WorkerLocal, WorkerThread, local_now};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Waker;
use std::thread;

/// Order in which the tasks of a scope start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Lifo,
    Fifo,
}

#[derive(Debug)]
pub(super) struct Scope {
    pool: *const PoolInner,
    /// The thread-local words of the home thread, which counts in `local`. Null if the scope is afloat or runs on tracks, and after the
    /// count has been settled. Other threads only compare this pointer with the address of their own words, which is different. They do not
    /// dereference the pointer.
    local: AtomicPtr<WorkerLocal>,
    home: Home,
    policy: SpawnPolicy,
    /// The cancel scope in which this scope was opened, and to which its tasks belong; null outside of all cancel
    /// scopes. The cancel scope exists until this scope is over.
    cancel: *const Node,
    /// The height of the worker's task deque when the scope began.
    floor: u32,
    count: Count,
    panic: Mutex<Option<(Label, Payload)>>,
    fifo: Option<InOrder>,
    /// The tasks that went to the injector, because the context of their spawner's worker did not admit the scope.
    /// At the scope's end, the home worker takes these tasks back through this list, so that the worker need not give its slot away.
    backlog: Backlog,
}

impl Scope {
    /// Creates a help-first or work-sharing scope. The home of the new scope is the current thread; if a fiber that can be suspended runs
    /// on this thread, the scope is afloat.
    #[inline]
    pub(super) fn new(pool: &PoolInner, order: Order, policy: SpawnPolicy) -> Self {
        let local = local_now();
        // With this check, nearly all scopes avoid the call.
        let fiber = if local.fiber.get().is_null() {
            None
        } else {
            current_waker()
        };
        let worker = local.worker_of(pool).filter(|_| fiber.is_none());
        Scope {
            pool,
            local: AtomicPtr::new(if fiber.is_none() {
                std::ptr::from_ref(local).cast_mut()
            } else {
                null_mut()
            }),
            floor: worker.map_or(0, |worker| worker.tasks.height()),
            home: match (worker, fiber) {
                (Some(worker), _) => Home::Worker(worker),
                (None, Some(waker)) => Home::Fiber(ManuallyDrop::new(waker)),
                (None, None) => Home::Thread(thread::current()),
            },
            policy,
            cancel: cancel::enclosing(),
            count: Count::new(),
            panic: Mutex::new(None),
            fifo: (order == Order::Fifo).then(InOrder::new),
            backlog: Backlog::new(),
        }
    }

    /// Creates a scope of this worker. Body and tasks run on tracks, and the scope counts tasks like a scope that is afloat.
    pub(super) fn on_tracks(pool: &PoolInner, worker: &WorkerThread, policy: SpawnPolicy) -> Self {
        Scope {
            pool,
            local: AtomicPtr::new(null_mut()),
            floor: worker.tasks.height(),
            home: Home::Worker(worker),
            policy,
            cancel: cancel::enclosing(),
            count: Count::new(),
            panic: Mutex::new(None),
            fifo: None,
            backlog: Backlog::new(),
        }
    }

    /// Returns the cancel scope to which the scope's tasks belong.
    pub(super) fn cancel_scope(&self) -> *const Node {
        self.cancel
    }

    pub(super) fn policy(&self) -> SpawnPolicy {
        self.policy
    }

    pub(super) fn pool(&self) -> &PoolInner {
        // SAFETY: the pool outlives the scope: the pool is the global pool or the pool of the home's thread, or the home borrows the pool.
        unsafe { &*self.pool }
    }

    /// Returns true if the current thread is the home worker and this scope is the innermost code
    /// that waits on its stack.
    fn is_innermost(&self, local: &WorkerLocal) -> bool {
        local.context.get() == Context::scope(self)
    }

    /// Returns the thread-local words of the scope's home thread; null if the scope is afloat.
    #[inline(always)]
    pub(super) fn local(&self) -> *const WorkerLocal {
        // Relaxed: only the home thread dereferences this pointer, and only the home thread changes
        // it.
        self.local.load(Ordering::Relaxed)
    }

    /// Adds the home thread's part of the count. The home thread must call this function once. If the home thread runs tasks of the scope
    /// after this call, while it waits, it counts these tasks out as any other thread does. Returns true if there is no task left to wait
    /// for.
    fn settle(&self) -> bool {
        self.local.store(null_mut(), Ordering::Relaxed);
        self.count.settle()
    }

    /// Runs the body with this scope as the innermost waiting code on the thread. If the scope is
    /// afloat, runs the body as a part of the fiber, which is innermost already and may be suspended.
    pub(super) fn enclose<R>(&self, body: impl FnOnce() -> R) -> thread::Result<R> {
        let context = match self.home {
            Home::Worker(_) => self.context(),
            Home::Thread(_) => Context::ELSEWHERE,
            Home::Fiber(_) => return catch_unwind(AssertUnwindSafe(body)),
        };
        // SAFETY: these are the words of the current thread, and the body does not move to another
        // thread.
        let local = unsafe { &*self.local() };
        let outer = local.context.replace(context);
        let result = catch_unwind(AssertUnwindSafe(body));
        local.context.set(outer);
        result
    }

    /// Returns the context of the scope's home worker. If all spawns go to the injector, this context admits no scope.
    fn context(&self) -> Context {
        match self.policy {
            SpawnPolicy::WorkSharing => Context::ELSEWHERE,
            _ => Context::scope(self),
        }
    }

    /// Accepts a task from its spawner.
    #[inline]
    pub(super) fn accept(
        &self,
        local: &WorkerLocal,
        worker: Option<&WorkerThread>,
        task: *mut Header,
    ) {
        match worker {
            // Nearly all tasks take this branch, in which the conditions of the general case are
            // known to be true.
            Some(worker) if self.is_innermost(local) => {
                self.count.change_at_home(1);
                self.push(local, worker, task);
            }
            _ => self.accept_anywhere(local, worker, task),
        }
    }

    #[inline(never)]
    pub(super) fn accept_anywhere(
        &self,
        local: &WorkerLocal,
        worker: Option<&WorkerThread>,
        task: *mut Header,
    ) {
        // This check comes before the task is counted: otherwise the scope would wait for the task.
        self.pool().assert_not_forked();
        // The task is counted in before it is queued.
        self.count_in_on(local);
        if self.policy == SpawnPolicy::WorkSharing {
            self.pool().share(self.queue(task), Context::scope(self));
            // If `check` unwinds, the task stays counted, and the worker that takes the task drops it.
            cancel::check();
            return;
        }
        let admits = local.context.get() == Context::BASE || self.is_innermost(local);
        match worker {
            Some(worker) if admits && std::ptr::eq(worker.pool, self.pool) => {
                self.push(local, worker, task);
            }
            _ => {
                self.inject(task);
                cancel::check();
            }
        }
    }

    /// Counts in a task that the caller will queue itself.
    pub(super) fn count_in(&self) {
        self.pool().assert_not_forked();
        self.count_in_on(local_now());
    }

    fn count_in_on(&self, local: &WorkerLocal) {
        if std::ptr::eq(self.local(), local) {
            self.count.change_at_home(1);
        } else {
            self.count.add(1);
        }
    }

    /// Puts a task into the current worker's deque.
    #[inline]
    fn push(&self, local: &WorkerLocal, worker: &WorkerThread, task: *mut Header) {
        worker.push_task_or_inject(self.queue(task));
        if local.shared.is_requested() {
            worker.answer_at_task(local);
            // If `check` unwinds, the task stays counted, and the worker that takes the task drops it.
            cancel::check();
        }
    }

    /// Counts out a task, on the worker that ran it.
    pub(super) fn count_done(&self, local: &WorkerLocal, worker: &WorkerThread) {
        if std::ptr::eq(self.local(), local) {
            self.count.change_at_home(-1);
        } else {
            let (scope, count) = worker.finished.get();
            debug_assert!(scope.is_null() || std::ptr::eq(scope.cast(), self));
            worker
                .finished
                .set((std::ptr::from_ref(self).cast(), count + 1));
        }
    }

    /// Returns the entry for a task in the worker's deque: a ticket in a FIFO scope, otherwise the task itself.
    fn queue(&self, task: *mut Header) -> *mut Header {
        match &self.fifo {
            None => task,
            Some(queue) => queue.push(task),
        }
    }

    /// Gives a task to the pool's injector.
    fn inject(&self, task: *mut Header) {
        if self.fifo.is_none() && matches!(self.home, Home::Worker(_)) {
            // SAFETY: the task is counted in, so the scope stays in place until the task has run.
            unsafe { self.pool().inject_to(&self.backlog, task) };
        } else {
            self.pool().inject(self.queue(task));
        }
    }

    /// Takes the next task of the scope from the queues outside of the home worker's deque. The home worker calls this function at the
    /// scope's end.
    #[inline(never)]
    fn next_in_queues(&self) -> Option<*mut Header> {
        let own = self.pool().take_from(&self.backlog);
        own.or_else(|| match self.policy {
            SpawnPolicy::WorkSharing => self.pool().take_shared(Context::scope(self)),
            _ => None,
        })
    }

    pub(super) fn keep_panic(&self, label: Label, payload: Payload) {
        let mut kept = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
        let loser = match &mut *kept {
            // A panic wins over a cancellation, regardless of their places.
            Some((first, kept))
                if cancel::is_cancellation(&payload)
                    || *first <= label && !cancel::is_cancellation(kept) =>
            {
                Some(payload)
            }
            place => place.replace((label, payload)).map(|(_, later)| later),
        };
        drop(kept);
        // The payload is dropped outside of the lock, because its destructor may run any code. The
        // destructor must not unwind out of this function, because the scope still waits for tasks.
        discard(loser);
    }

    /// Waits for all tasks, and then returns the body's result or rethrows the leftmost panic.
    pub(super) fn end<R>(&self, result: thread::Result<R>, end: Label) -> R {
        let result = self.kept(result, end);
        match &self.home {
            // SAFETY: workers live as long as their pool. The thread-local words belong to the current thread,
            // because the body has not moved to another thread.
            Home::Worker(home) => unsafe { self.wait_as_worker(&*self.local(), &**home) },
            Home::Thread(_) => self.wait_outside(),
            Home::Fiber(waker) => self.wait_afloat(waker),
        }
        self.outcome(result)
    }

    /// Returns the body's value, or keeps the body's panic and returns `None`.
    pub(super) fn kept<R>(&self, result: thread::Result<R>, end: Label) -> Option<R> {
        result.map_err(|payload| self.keep_panic(end, payload)).ok()
    }

    /// Returns the body's value, or rethrows the leftmost panic. All tasks must be done.
    pub(super) fn outcome<R>(&self, result: Option<R>) -> R {
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (panic, result) {
            (Some((_, payload)), _) => resume_unwind(payload),
            (None, Some(value)) => value,
            (None, None) => unreachable!("a body without a result has panicked"),
        }
    }

    fn wait_as_worker(&self, local: &WorkerLocal, worker: &WorkerThread) {
        let outer = local.context.replace(self.context());
        self.run_at_home(local, worker);
        local.context.set(outer);
        if !self.settle() {
            worker.wait_until(&Until(Reason::Scope, self.count.done()));
        }
        self.leave(worker);
    }

    /// Runs the scope's tasks in the home worker's deque and in the queues.
    #[inline(always)]
    fn run_at_home(&self, local: &WorkerLocal, worker: &WorkerThread) {
        assert_not_in_child(local);
        loop {
            while let Some(task) = worker.pop_task(local, self.floor) {
                // SAFETY: the task was popped, so only this thread has it; above the floor, the deque contains only tasks
                // of this scope.
                unsafe { Header::execute(task) };
                assert_not_in_child(local);
            }
            let Some(task) = self.next_in_queues() else {
                return;
            };
            // SAFETY: the task was taken from its queue, so only this thread has it, and it belongs
            // to this scope.
            unsafe { Header::execute(task) };
            assert_not_in_child(local);
        }
    }

    /// Lowers the height of the deque to the floor.
    #[inline(always)]
    fn leave(&self, worker: &WorkerThread) {
        if worker.tasks.height() > self.floor {
            // SAFETY: this is the owner's thread; thieves have claimed the entries above the floor, and the
            // entries have run to their ends.
            unsafe { worker.tasks.rewind_read(self.floor) };
        }
    }

    /// Runs a scope whose body and tasks run on tracks, and waits for its end. The home worker calls this function. The function first
    /// calls `body`, which starts the scope's body.
    pub(super) fn host(&self, local: &WorkerLocal, worker: &WorkerThread, body: impl FnOnce()) {
        let outer = local.context.replace(self.context());
        body();
        self.run_at_home(local, worker);
        local.context.set(outer);
        worker.flush();
        let done = self.count.done();
        if !done() {
            worker.wait_until(&Until(Reason::Scope, done));
        }
        self.leave(worker);
    }

    /// Reports that the body and all tasks that parted from it are done. `worker` is the worker of the current thread.
    pub(super) fn body_done(&self, worker: &WorkerThread) {
        // The home is copied first: once the count is 0 the scope may be gone.
        let home = self.home.copy();
        let here = matches!(home, Home::Worker(at) if std::ptr::eq(at, worker));
        if self.count.close() && !here {
            // SAFETY: this thread has made the count 0, so it alone wakes the home, and bodies end
            // on workers of the pool.
            unsafe { home.wake() };
        }
    }

    fn wait_outside(&self) {
        if self.settle() {
            return;
        }
        let awaited = Until(Reason::Scope, self.count.done());
        match local_now().worker() {
            // A worker of another pool gives its slot to other work of that pool while it waits.
            Some(worker) => worker.wait_until(&awaited),
            None => {
                self.pool().assert_not_forked();
                wait_outside(&awaited);
            }
        }
    }

    /// Suspends the fiber until all tasks are done. Afterwards the fiber may be on another thread.
    fn wait_afloat(&self, waker: &ManuallyDrop<Waker>) {
        assert_not_in_child(local_now());
        if self.count.settle() {
            // SAFETY: the fiber itself counted out the last task, so the waker belongs to it, and no copy of the waker is
            // used.
            drop(ManuallyDrop::into_inner(unsafe { std::ptr::read(waker) }));
        } else {
            suspend_until(Reason::Scope, self.count.done());
        }
    }
}

fn assert_not_in_child(local: &WorkerLocal) {
    assert!(
        local.worker().is_some(),
        "heist: a scope that began before fork() cannot end in the child process"
    );
}

/// Counts out `count` finished tasks of `scope`.
///
/// # Safety
/// `scope` must point to a [`Scope`] that still waits for these tasks. The current thread must be a worker of
/// the scope's pool.
pub(crate) unsafe fn count_finished(scope: *const (), count: i64) {
    // SAFETY: by contract, the scope waits for these tasks.
    let scope = unsafe { &*scope.cast::<Scope>() };
    // The home is copied first: once the count is 0 the scope may be gone.
    let home = scope.home.copy();
    if scope.count.finish(count) {
        // SAFETY: this thread has counted out the last tasks, so it alone wakes the home, and it is
        // a worker of the pool by contract.
        unsafe { home.wake() };
    }
}
