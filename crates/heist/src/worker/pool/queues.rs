//! The work that a pool queues outside of the deques: jobs from other threads, and broadcasts.

use crate::park::{IdleLists, Reason};
use crate::task::Header;
use crate::worker::pool::inner::PoolInner;
use crate::worker::queue::class::Class;
use crate::worker::queue::job::Job;
use crate::worker::queue::lists::{Backlog, Ticket};
use crate::worker::thread::{Context, WorkerThread};

impl PoolInner {
    /// Queues `header` for the next worker with an empty stack.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub(crate) fn inject(&self, header: *mut Header) -> Ticket {
        self.inject_at(Class::Normal, header)
    }

    /// Queues `header`, a job of class `class`, for the next worker with an empty stack.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub(crate) fn inject_at(&self, class: Class, header: *mut Header) -> Ticket {
        self.assert_not_forked();
        let ticket = self.injector.push_at(class, Job::Run(header));
        self.idle.notify(self, Reason::Injected);
        ticket
    }

    /// Queues a scope's task for the next worker with an empty stack. The owner of the scope may also take the task through the scope's
    /// [`Backlog`].
    ///
    /// # Safety
    /// The caller must keep the backlog in place until the task has run, and must use the backlog with this pool only.
    ///
    /// # Panics
    /// Panics in a child of `fork()`.
    pub(crate) unsafe fn inject_to(&self, backlog: &Backlog, task: *mut Header) {
        self.assert_not_forked();
        // SAFETY: by contract, the backlog stays in place until the task has run.
        unsafe { self.injector.push_to(backlog, Job::Run(task)) };
        self.idle.notify(self, Reason::Injected);
    }

    /// Takes the oldest task of the backlog, if any is left.
    pub(crate) fn take_from(&self, backlog: &Backlog) -> Option<*mut Header> {
        match self.injector.pop_from(backlog)? {
            Job::Run(task) => Some(task),
            Job::Claimed { .. } => unreachable!("frames are of no scope"),
        }
    }

    /// Queues a task of scope `of` in the injector. All workers take tasks from the injector, oldest first.
    pub(crate) fn share(&self, task: *mut Header, of: Context) {
        self.injector.push_of(of, Job::Run(task));
        self.idle.notify(self, Reason::Injected);
    }

    /// Takes a task that [`share`](Self::share) has queued for scope `of`, if such a task is at either end of the queue.
    pub(crate) fn take_shared(&self, of: Context) -> Option<*mut Header> {
        match self.injector.pop_of(of)? {
            Job::Run(task) => Some(task),
            Job::Claimed { .. } => unreachable!("frames are of no scope"),
        }
    }

    pub(in crate::worker) fn inject_job(&self, job: Job) {
        self.injector.push(job);
        self.idle.notify(self, Reason::Injected);
    }

    /// Puts a job into the inbox of each slot except slot `except`.
    pub(crate) fn broadcast(&self, job: impl Fn(usize) -> *mut Header, except: Option<usize>) {
        self.assert_not_forked();
        for slot in (0..self.settings.threads).filter(|&slot| Some(slot) != except) {
            self.inboxes.push(slot as u32, Job::Run(job(slot)));
        }
        self.idle.wake_all(self);
        self.wake_retired();
        if self.settings.wait_policy.keeps_slots() {
            // Workers that wait with a slot look into the inbox of their slot when another thread unparks them, so this loop unparks them.
            for worker in self.workers() {
                worker.thread.unpark();
            }
        }
    }

    /// Takes a broadcast job from the inbox of the worker's slot. If this inbox is empty, takes a job from the inbox of a slot without a
    /// holder, and moves the worker to this slot. The worker must be between two jobs.
    pub(in crate::worker) fn take_inbox(&self, worker: &WorkerThread) -> Option<Job> {
        if self.inboxes.is_empty() {
            return None;
        }
        let own = worker.slot();
        if let Some(job) = self.inboxes.pop(own) {
            return Some(job);
        }
        let mut lists = self.idle.lists();
        let slot = self.orphaned_inbox(&lists)?;
        lists.exchange(own, slot);
        drop(lists);
        worker.take_slot(slot);
        self.inboxes.pop(slot)
    }

    /// Returns a slot that has no holder, but has a job in its inbox.
    fn orphaned_inbox(&self, lists: &IdleLists) -> Option<u32> {
        lists.free_slots().find(|&slot| self.inboxes.has(slot))
    }

    /// Wakes the sleepers if a broadcast job is queued. Call this function when a slot has lost its holder, because no worker looks at the
    /// slot's inbox until a worker has taken over the slot.
    pub(in crate::worker) fn slot_freed(&self) {
        if !self.inboxes.is_empty() {
            self.idle.wake_all(self);
        }
    }

    /// Returns true if the injector or the inbox of any slot contains a job.
    pub(in crate::worker) fn has_queued(&self) -> bool {
        !self.injector.is_empty() || !self.inboxes.is_empty()
    }

    /// Returns true if the injector contains a job, or if an inbox contains a job that the holder of `slot` may take.
    pub(in crate::worker) fn has_jobs(&self, slot: Option<u32>) -> bool {
        !self.injector.is_empty()
            || !self.inboxes.is_empty()
                && slot.is_some_and(|slot| {
                    self.inboxes.has(slot) || self.orphaned_inbox(&self.idle.lists()).is_some()
                })
    }
}
