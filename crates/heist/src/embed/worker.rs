//! The current thread as a worker.

use super::Job;
use crate::waiting::Reason;
use crate::worker::{Carrier, hot_now};
use std::marker::PhantomData;

/// The current thread, a worker of some pool. Not to be kept: it is one while it runs the pool's work.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    carrier: &'static Carrier,
    /// It stays on its thread.
    marker: PhantomData<*mut ()>,
}

/// Where a scope began: a worker in what it ran then.
#[derive(Clone, Copy, Debug)]
pub struct Origin(crate::worker::Origin);

impl Origin {
    /// Of what began on a thread that is no worker of the pool.
    pub const NONE: Origin = Origin(crate::worker::Origin::NONE);
}

impl Worker {
    /// The current thread, if it is a worker.
    ///
    /// # Safety
    /// It must not be used after the job that the thread runs now has ended.
    #[must_use]
    pub unsafe fn current() -> Option<Worker> {
        hot_now().carrier().map(|carrier| Worker {
            carrier,
            marker: PhantomData,
        })
    }

    /// Puts a job on top of its deque: it runs it after what comes later, unless somebody steals it.
    ///
    /// # Safety
    /// As for [`Core::inject`](super::Core::inject).
    pub unsafe fn push(self, job: *mut Job) {
        let hot = hot_now();
        self.carrier.push_task_or_inject(job);
        if hot.shared.is_hungry() {
            self.carrier.feed(hot);
        }
    }

    /// How high its deque is, for [`wait_above`](Self::wait_above).
    #[must_use]
    pub fn height(self) -> u32 {
        self.carrier.tasks.height()
    }

    /// Whether it has anything that it could run itself: jobs, or the right sides of its joins.
    #[must_use]
    pub fn has_own(self) -> bool {
        self.carrier.has_work()
    }

    /// Runs one job on top of what runs here. Its own newest, or if there is none, the oldest right side of its joins;
    /// unless `own`, also what others have. False if there was none.
    pub fn run_one(self, own: bool) -> bool {
        self.carrier.run_one(own)
    }

    /// Where it is now, for [`begin_part`](Self::begin_part): to be asked when a scope begins.
    #[must_use]
    pub fn origin(self) -> Origin {
        Origin(self.carrier.origin())
    }

    /// Tells that what runs from here on is a part of the scope at that address, which began at `origin`: the first thing
    /// that a part does. So who waits for the scope finds what the part leaves in this worker's deque.
    #[inline]
    pub fn begin_part(self, scope: *const (), origin: Origin) {
        self.carrier.run_part_of(hot_now(), scope, origin.0);
    }

    /// Waits until it is `done`, as which somebody marks it before he unparks the thread; runs the jobs in its
    /// deque above `floor` meanwhile, newest first, what `more` gives, and what descends from parts of the scope at that
    /// address.
    ///
    /// # Safety
    /// The jobs that `more` gives are the caller's to run.
    pub unsafe fn wait_above(
        self,
        floor: u32,
        scope: *const (),
        done: &dyn Fn() -> bool,
        more: &dyn Fn() -> Option<*mut Job>,
    ) {
        self.carrier.wait_above(floor, scope, done, more);
    }

    /// Waits until it is `done`, as which somebody marks it before he unparks the thread; runs whatever there is in its pool
    /// meanwhile, on top of what waits here.
    pub fn serve_until(self, done: &dyn Fn() -> bool) {
        self.carrier.serve(Reason::Job, done);
    }
}
