//! The current thread as a worker.

use super::Job;
use crate::trace::{EventKind, Name};
use crate::waiting::Reason;
use crate::worker::{WorkerLocal, WorkerThread, local};
use std::marker::PhantomData;

/// The current thread, as a worker of some pool. The value must not outlive the thread's current job, because the
/// thread is a worker only while it runs the pool's work.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    worker: &'static WorkerThread,
    local: &'static WorkerLocal,
    /// Keeps this value on its thread: the type is not `Send`.
    marker: PhantomData<*mut ()>,
}

/// The height that a worker's deque had when a scope began.
#[derive(Debug)]
pub struct Floor(crate::worker::Floor);

/// The origin of a scope: a worker, and the job that the worker ran when the scope began.
#[derive(Clone, Copy, Debug)]
pub struct Origin((crate::worker::Origin, u64));

impl Origin {
    /// The origin of work that did not begin on a worker of the pool.
    pub const NONE: Origin = Origin((crate::worker::Origin::NONE, 0));
}

impl Worker {
    /// Returns the current thread if it is a worker.
    ///
    /// # Safety
    /// The result must not be used after the thread's current job has ended.
    #[must_use]
    #[inline]
    pub unsafe fn current() -> Option<Worker> {
        let local = local();
        local.worker().map(|worker| Worker {
            worker,
            local,
            marker: PhantomData,
        })
    }

    /// Pushes a job onto the worker's deque. The worker runs the job after later jobs, unless a thief steals it.
    ///
    /// # Safety
    /// The caller must keep the contract of [`Core::inject`](super::Core::inject).
    #[inline]
    pub unsafe fn push(self, job: *mut Job) {
        self.worker.push_task_or_inject(job);
        if self.local.shared.is_requested() {
            self.worker.answer_at_task(self.local);
        }
    }

    /// Pushes a job onto the worker's deque, and makes the job public, so that other workers can take it immediately.
    ///
    /// # Safety
    /// The caller must keep the contract of [`Core::inject`](super::Core::inject).
    pub unsafe fn publish(self, job: *mut Job) {
        self.worker.push_task_or_inject(job);
        self.worker.expose_tasks();
    }

    /// Runs a job that this worker has published, if the job is still the newest in its deque. If the
    /// job is no longer the newest, another thread has run the job or will run it.
    ///
    /// The caller must keep the job's memory until this call returns, even if the job has run. The call identifies the job by its address,
    /// so it could otherwise run a later job at the same address.
    pub fn take_back(self, job: *mut Job) {
        self.worker.run_newest_if(job);
    }

    /// Begins a scope: jobs that enter the worker's deque from now on may belong to the scope. Scopes end in
    /// reverse order, each by [`wait_above`](Self::wait_above) or [`shut`](Self::shut).
    #[must_use]
    pub fn open(self) -> Floor {
        Floor(self.worker.open())
    }

    /// Ends a scope that has no jobs to wait for.
    pub fn shut(self, floor: Floor) {
        self.worker.shut(floor.0);
    }

    /// Returns true if the current job runs on top of unrelated work: the worker took the job in [`serve_until`](Self::serve_until) or
    /// [`run_one`](Self::run_one), or the job is a part of a broadcast. If the result is true, the current job must not put jobs of other
    /// scopes into this worker's deque. Such jobs may stay in the deque while this worker waits, although the wait may depend on them.
    #[inline]
    #[must_use]
    pub fn is_among_strangers(self) -> bool {
        self.worker.is_among_strangers()
    }

    /// Returns true if the pool is being traced. If the pool is not being traced, [`part_begins`](Self::part_begins),
    /// [`part_ends`](Self::part_ends) and [`note`](Self::note) do nothing.
    #[must_use]
    pub fn is_traced(self) -> bool {
        self.worker.is_traced()
    }

    /// Records in a trace that a part of the front end's work begins. `what` and `number` are the name and the number of the part. On each
    /// thread, parts must nest.
    pub fn part_begins(self, what: &'static &'static str, number: u64) {
        let what = Name::new(what);
        self.worker.trace(EventKind::PartBegins { what, number });
    }

    /// Records that the innermost part of this thread ends, and how much work it has done.
    pub fn part_ends(self, amount: u64) {
        self.worker.trace(EventKind::PartEnds { amount });
    }

    /// Records an instant event with an amount.
    pub fn note(self, what: &'static &'static str, amount: u64) {
        let what = Name::new(what);
        self.worker.trace(EventKind::Noted { what, amount });
    }

    /// Returns true if the worker's deques contain work that it could run itself: jobs, or the right sides of
    /// its joins.
    #[must_use]
    pub fn has_own(self) -> bool {
        self.worker.has_work()
    }

    /// Runs one job, and then returns to the current job. The worker takes its newest job, or, if it has no job, the oldest right side of
    /// its joins. If `own` is false, the worker may also take a job of another worker. Returns false if the worker finds no job.
    pub fn run_one(self, own: bool) -> bool {
        self.worker.run_one(own)
    }

    /// Returns the identifier of a scope that begins now, for [`begin_part`](Self::begin_part).
    #[must_use]
    pub fn origin(self) -> Origin {
        Origin(self.worker.begin_scope())
    }

    /// Declares that the code after this call is a part of the scope that began at `origin`. Each part must call
    /// this function first, so that waiters for the scope find the jobs that the part leaves in this worker's
    /// deque.
    #[inline]
    pub fn begin_part(self, origin: Origin) {
        self.worker.run_part_of(self.local, origin.0);
    }

    /// Runs the jobs that have entered the deque since the scope began, newest first. The call ends when `done` returns true or no such job
    /// is left.
    pub fn run_above(self, floor: &Floor, done: impl Fn() -> bool) {
        self.worker.run_above(&floor.0, done);
    }

    /// Waits until `done` returns true, and then ends the scope. Another thread must make `done` true, and then unpark
    /// this thread. While the worker waits, it runs the jobs that have entered the deque since the scope began, newest
    /// first, then the jobs that `more` returns, and then descendants of the scope's parts. `began` is the origin of
    /// the scope.
    ///
    /// # Safety
    /// The caller must own the jobs that `more` returns: this call runs them.
    pub unsafe fn wait_above(
        self,
        floor: Floor,
        began: Origin,
        done: &dyn Fn() -> bool,
        more: &dyn Fn() -> Option<*mut Job>,
    ) {
        self.worker.wait_above(floor.0, began.0, done, more);
    }

    /// Waits until `done` returns true. Another thread must make `done` true, and then unpark this thread. While the
    /// worker waits, it runs any job of its pool, on top of the current job.
    pub fn serve_until(self, done: &dyn Fn() -> bool) {
        self.worker.serve(Reason::Job, done);
    }
}
