//! The current thread as a worker.

use super::Job;
use crate::trace::{EventKind, Name};
use crate::waiting::Reason;
use crate::worker::{WorkerLocal, WorkerThread, local};
use std::marker::PhantomData;

/// The current thread, a worker of some pool. Not to be kept: it is one while it runs the pool's work.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    worker: &'static WorkerThread,
    local: &'static WorkerLocal,
    /// It stays on its thread.
    marker: PhantomData<*mut ()>,
}

/// Position in its worker's deque at which a scope began.
#[derive(Debug)]
pub struct Floor(crate::worker::Floor);

/// Origin of a scope: a worker, and the job that it ran then.
#[derive(Clone, Copy, Debug)]
pub struct Origin((crate::worker::Origin, u64));

impl Origin {
    /// Origin of work that began on a thread that is not a worker of the pool.
    pub const NONE: Origin = Origin((crate::worker::Origin::NONE, 0));
}

impl Worker {
    /// The current thread, if it is a worker.
    ///
    /// # Safety
    /// It must not be used after the job that the thread runs now has ended.
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

    /// Puts a job on top of its deque. It runs the job after later ones, unless a thief steals it.
    ///
    /// # Safety
    /// As for [`Core::inject`](super::Core::inject).
    #[inline]
    pub unsafe fn push(self, job: *mut Job) {
        self.worker.push_task_or_inject(job);
        if self.local.shared.is_requested() {
            self.worker.answer_at_task(self.local);
        }
    }

    /// Puts a job on top of its deque, where others can take it at once.
    ///
    /// # Safety
    /// As for [`Core::inject`](super::Core::inject).
    pub unsafe fn publish(self, job: *mut Job) {
        self.worker.push_task_or_inject(job);
        self.worker.expose_tasks();
    }

    /// Runs a job that it has published if that still is the newest in its deque. Otherwise another thread runs
    /// it, sooner or later, or has run it.
    ///
    /// The address names the job. So the caller keeps the job's memory until this returns, even if the job has run: a later
    /// job at the same address would be taken for it.
    pub fn take_back(self, job: *mut Job) {
        self.worker.run_newest_if(job);
    }

    /// Begins a scope: jobs that come into its deque from now on may be the scope's. Scopes end in the opposite
    /// order, each by [`wait_above`](Self::wait_above) or [`shut`](Self::shut).
    #[must_use]
    pub fn open(self) -> Floor {
        Floor(self.worker.open())
    }

    /// Ends a scope that has nothing to wait for.
    pub fn shut(self, floor: Floor) {
        self.worker.shut(floor.0);
    }

    /// Returns true if what runs here runs on top of something that has nothing to do with it: it was taken in
    /// [`serve_until`](Self::serve_until) or [`run_one`](Self::run_one), or is a part of a broadcast. Jobs that
    /// it puts into this deque may stay there while this worker waits for a job that waits for them. So jobs of
    /// others' scopes belong elsewhere.
    #[inline]
    #[must_use]
    pub fn is_among_strangers(self) -> bool {
        self.worker.is_among_strangers()
    }

    /// Returns true if a trace of the pool is on: else the three methods below do nothing.
    #[must_use]
    pub fn is_traced(self) -> bool {
        self.worker.is_traced()
    }

    /// Notes in a trace that a part of the front end's work begins here: the part of this name with this number. Parts nest on
    /// each thread.
    pub fn part_begins(self, what: &'static &'static str, number: u64) {
        let what = Name::new(what);
        self.worker.trace(EventKind::PartBegins { what, number });
    }

    /// Notes that the innermost part ends, and how much it has done.
    pub fn part_ends(self, amount: u64) {
        self.worker.trace(EventKind::PartEnds { amount });
    }

    /// Notes something that takes no time, and how much of it there was.
    pub fn note(self, what: &'static &'static str, amount: u64) {
        let what = Name::new(what);
        self.worker.trace(EventKind::Noted { what, amount });
    }

    /// Returns true if it has anything that it could run itself: jobs, or the right sides of its joins.
    #[must_use]
    pub fn has_own(self) -> bool {
        self.worker.has_work()
    }

    /// Runs one job on top of what runs here. Its own newest, or if there is none, the oldest right side of its joins;
    /// unless `own`, also what others have. False if there was none.
    pub fn run_one(self, own: bool) -> bool {
        self.worker.run_one(own)
    }

    /// A name for a scope that begins here and now, for [`begin_part`](Self::begin_part).
    #[must_use]
    pub fn origin(self) -> Origin {
        Origin(self.worker.begin_scope())
    }

    /// Tells that what runs from here on is a part of the scope that began at `origin`: the first thing
    /// that a part does. So a waiter for the scope finds the jobs that the part leaves in this worker's deque.
    #[inline]
    pub fn begin_part(self, origin: Origin) {
        self.worker.run_part_of(self.local, origin.0);
    }

    /// Runs the jobs that came into its deque since the scope began, newest first, until it is `done` or there are none.
    pub fn run_above(self, floor: &Floor, done: impl Fn() -> bool) {
        self.worker.run_above(&floor.0, done);
    }

    /// Waits until it is marked `done`, after which this thread is unparked, and ends the scope; runs the jobs
    /// that came into its deque since the scope began meanwhile, newest first, what `more` gives, and what descends from parts of
    /// the scope, which `began` there.
    ///
    /// # Safety
    /// The jobs that `more` gives are the caller's to run.
    pub unsafe fn wait_above(
        self,
        floor: Floor,
        began: Origin,
        done: &dyn Fn() -> bool,
        more: &dyn Fn() -> Option<*mut Job>,
    ) {
        self.worker.wait_above(floor.0, began.0, done, more);
    }

    /// Waits until it is marked `done`, after which this thread is unparked; runs whatever there is in its pool
    /// meanwhile, on top of what waits here.
    pub fn serve_until(self, done: &dyn Fn() -> bool) {
        self.worker.serve(Reason::Job, done);
    }
}
