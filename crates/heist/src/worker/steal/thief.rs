//! Takes work from other workers.

use crate::platform::{heavy_fence, prefetch};
use crate::policy::StealAmount;
use crate::task::Header;
use crate::trace::EventKind;
use crate::worker::local::local;
use crate::worker::queue::class::Class;
use crate::worker::queue::job::Job;
use crate::worker::steal::backoff::StealBackoff;
use crate::worker::steal::victim::share;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, Forced, SplitDeque};
use std::cell::Cell;
use std::time::Instant;

/// Maximum number of tasks that a thief takes in one steal. A thief takes half of the public tasks. The limit keeps each steal short,
/// because other thieves may wait for the end of the steal.
const TASKS_AT_ONCE: u32 = 32;

/// A worker's state as a thief. Only the worker's own thread uses this state.
#[derive(Debug)]
pub(in crate::worker) struct ThiefState {
    /// The victim at which the worker begins to look, if the order of victims is not random.
    pub(in crate::worker) favourite: Cell<u16>,
    /// True if the task that the worker runs next is the only task of its last steal.
    pub(in crate::worker) stole_one: Cell<bool>,
    /// The time at which this worker requested frames of a higher class, before it began a job of a lower class. If its victims do not
    /// answer within the backoff time, the worker uses force. If another thief has made the request, this is the time at which the worker
    /// found it.
    pub(in crate::worker) pressed: Cell<Option<Instant>>,
    /// The time that the worker gives its victims to answer before it uses force.
    pub(in crate::worker) backoff: StealBackoff,
}

impl ThiefState {
    /// Creates the state of the worker with index `id`.
    pub(in crate::worker) fn new(id: u16) -> Self {
        ThiefState {
            favourite: Cell::new(id),
            stole_one: Cell::new(false),
            pressed: Cell::new(None),
            backoff: StealBackoff::new(),
        }
    }
}

impl WorkerThread {
    /// Looks once at all work that a worker with an empty stack may run. `asked` is true if this search has already requested work. In that
    /// case a steal does not count as a free steal.
    pub(in crate::worker) fn look_around(&self, asked: bool) -> Option<Job> {
        let pool = self.pool();
        let by_class = pool.injector.has_classes();
        if by_class {
            self.set_class(Class::Normal);
        }
        if let Some(fiber) = self.next_bound() {
            return Some(Job::Run(fiber));
        }
        if let Some(job) = pool.take_inbox(self) {
            return Some(job);
        }
        if by_class {
            return self.look_by_class(asked);
        }
        if let Some((job, class)) = pool.injector.pop() {
            // The class may have changed, if this job is the first job of the pool whose class is
            // not normal.
            self.set_class(class);
            return Some(job);
        }
        self.first_of_others(|victim| self.steal_from(victim, asked))
    }

    /// Takes work of the highest class that has work: a job from the injector, or a frame or task from a victim whose job has this class.
    #[cold]
    fn look_by_class(&self, asked: bool) -> Option<Job> {
        Class::ALL.into_iter().find_map(|least| {
            if let Some((job, class)) = self.pool().injector.pop_down_to(least) {
                self.set_class(class);
                return Some(job);
            }
            let steal = || {
                self.first_of_others(|victim| {
                    (victim.class() == least).then(|| self.steal_from(victim, asked))?
                })
            };
            let job = steal().or_else(|| self.request_of_class(least).then(steal)?)?;
            self.set_class(least);
            Some(job)
        })
    }

    fn steal_from(&self, victim: &WorkerThread, asked: bool) -> Option<Job> {
        self.steal_public(victim, asked)
            .or_else(|| self.acquire(victim))
    }

    /// Steals work that needs no help from the victim.
    fn steal_public(&self, victim: &WorkerThread, asked: bool) -> Option<Job> {
        match victim.forks.claim(0) {
            Claim::Taken(frame, index) => {
                self.count_steals(1, asked);
                self.trace(EventKind::StoleFrame { victim: victim.id });
                return Some(Job::Claimed {
                    victim,
                    index,
                    frame,
                });
            }
            Claim::Lost => self.counters.failed_steals.add(1),
            Claim::Empty => {}
        }
        self.steal_tasks(victim, &victim.tasks, asked)
            .or_else(|| self.steal_tasks(victim, &victim.ready, asked))
    }

    /// Steals tasks that have become public because of this thief's request.
    #[cfg(feature = "policies")]
    pub(in crate::worker) fn steal_any_tasks(&self, victim: &WorkerThread) -> Option<Job> {
        self.steal_tasks(victim, &victim.tasks, true)
            .or_else(|| self.steal_tasks(victim, &victim.ready, true))
    }

    fn steal_tasks(
        &self,
        victim: &WorkerThread,
        deque: &SplitDeque<Header>,
        asked: bool,
    ) -> Option<Job> {
        let most = match self.amount {
            StealAmount::One => 1,
            StealAmount::Half => TASKS_AT_ONCE,
        };
        match deque.claim_batch(most) {
            Ok(batch) => {
                self.count_steals(u64::from(batch.len()), asked);
                self.trace(EventKind::StoleTasks {
                    victim: victim.id,
                    count: batch.len(),
                });
                self.as_thief.stole_one.set(batch.len() == 1);
                let mut newest = None;
                deque.read_batch(batch, |task| {
                    // The task is in the victim's cache. With prefetches, the transfers of all
                    // tasks overlap.
                    prefetch(task);
                    // The tasks keep their order, and this thread runs the newest of these tasks first, because a worker runs its own tasks
                    // newest first.
                    if let Some(older) = newest.replace(task) {
                        self.push_task_or_inject(older);
                    }
                });
                // A worker answers requests after every push, because a thief may have gone to sleep and may rely on the answer.
                let local = local();
                if local.shared.is_requested() {
                    self.answer_request(local);
                }
                newest.map(Job::Run)
            }
            Err(lost) => {
                self.counters.failed_steals.add(u64::from(lost));
                None
            }
        }
    }

    pub(in crate::worker) fn count_steals(&self, count: u64, asked: bool) {
        self.counters.steals.add(count);
        if !asked {
            self.counters.free_steals.add(count);
        }
    }

    /// Puts a task into the worker's own task deque, or into the injector if this deque is full. Call this function on the worker's own
    /// thread.
    #[inline]
    pub(crate) fn push_task_or_inject(&self, task: *mut Header) {
        let tasks = &self.shared().tasks;
        if tasks.tail() < self.tasks.place(self.tasks.capacity()) {
            // SAFETY: this is the owner's thread, and there is room.
            unsafe { tasks.push(task) };
        } else {
            self.pool().inject(task);
        }
    }

    /// Requests frames of every other worker, so each of these workers makes frames public at its next fork. Returns true if some victim
    /// has private frames now.
    pub(in crate::worker) fn ask_around(&self) -> bool {
        let mut private = false;
        let _looking = self.pool().lookers.look();
        for victim in self.pool().victims() {
            if victim.id != self.id {
                let shared = victim.shared();
                // The thief loads the word first, because a load leaves the cache line in its owner's cache, and a write does not.
                if !shared.is_requested() {
                    shared.ask();
                }
                private |= victim.has_private();
            }
        }
        private
    }

    /// Makes frames of a victim public by force. Returns true if any frame became public.
    pub(in crate::worker) fn force(
        &self,
        victim: &WorkerThread,
        deques: &[&SplitDeque<Header>],
    ) -> bool {
        let began = Instant::now();
        let mut fences = 0;
        let mut forced = false;
        for deque in deques.iter().filter(|deque| deque.has_private()) {
            // SAFETY: `heavy_fence` is a fence for all threads of the process whenever the deques rely on it.
            let outcome = unsafe { deque.force_some(share(self.amount), heavy_fence) };
            fences += u32::from(outcome != Forced::Untried);
            forced |= outcome == Forced::Exposed;
        }
        if fences > 0 {
            self.as_thief
                .backoff
                .learn(began.elapsed() / fences, forced);
        }
        if forced {
            self.counters.forced_exposes.add(1);
            self.trace(EventKind::Forced { victim: victim.id });
            // The request remains, so that the next thief need not use force.
            victim.shared().ask();
            self.renew_offers();
        }
        forced
    }
}
