//! Waiting in pools with a fixed number of threads. No other thread takes a waiter's slot. So the waiter itself runs the jobs that other
//! threads leave for it, and looks repeatedly for other jobs that it may run.

use crate::park::Reason as Wakes;
use crate::task::{Header, JoinRecord};
use crate::trace::EventKind;
use crate::waiting::{self, Reason};
use crate::worker::fixed::ancestry::{Awaited, Origin};
use crate::worker::local::local;
use crate::worker::pool::settings::Idle;
use crate::worker::queue::job::Job;
use crate::worker::run::TURN;
use crate::worker::thread::{Context, WorkerThread};
use crate::worker::wait::join::pause;
use crate::worker::{job::AbortOnUnwind, wait::steal_back::Lead};
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// The time for which a waiter looks for jobs before its first sleep. This time is somewhat longer than the time that a thread takes to
/// wake up if its core has gone to sleep. During this time, the waiter keeps its slot.
const LOOK: Duration = Duration::from_micros(100);
/// The lengths of the sleeps between two looks for jobs: the length of the first sleep, and the maximum length.
const NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(4));

/// The height of the task deque at which a scope began, and the height to restore when the scope ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    height: u32,
    /// The minimum height of the deque since the enclosing scope began.
    outer: u32,
}

/// The scopes and jobs on a worker's stack, in a pool with a fixed number of threads. Only the worker's own thread accesses this record.
#[derive(Debug, Default)]
pub(in crate::worker) struct Nesting {
    /// The lowest height of the task deque since the innermost scope began.
    lowest: Cell<u32>,
    /// The number of scopes that have begun on this worker.
    pub(in crate::worker) scopes: Cell<u64>,
    /// True if the running job is a stranger. A stranger does not descend from the jobs that wait below it on the stack.
    among_strangers: Cell<bool>,
}

/// The result of a waiter's search.
enum Next {
    /// The job descends from the job for which the waiter waits.
    Related(Job),
    /// The job does not descend from the job for which the waiter waits.
    Stranger(Job),
    Warm,
    Cold,
}

impl From<Lead> for Next {
    fn from(lead: Lead) -> Self {
        match lead {
            Lead::Job(job) => Next::Related(job),
            Lead::Warm => Next::Warm,
            Lead::Cold => Next::Cold,
        }
    }
}

/// The sleeps of one wait. Each sleep is twice as long as the previous sleep.
pub(in crate::worker) struct Naps(Duration);

impl Naps {
    pub(in crate::worker) fn new() -> Self {
        Naps(NAP.0)
    }

    /// Makes this worker's jobs public, so that other workers may take them, and then sleeps. Does not sleep if another thread has unparked
    /// this thread since its last look.
    pub(in crate::worker) fn take(&mut self, worker: &WorkerThread) {
        // SAFETY: `worker` is the current thread's worker, because this thread is about to sleep. So this is the thread of the deques'
        // owner.
        unsafe {
            worker.forks.expose_all();
            worker.tasks.expose_all();
            worker.ready.expose_all();
        }
        thread::park_timeout(self.0);
        self.0 = (self.0 * 2).min(NAP.1);
    }
}

impl WorkerThread {
    /// Returns the worker's part of a broadcast, if there is one. A worker runs this job in the middle of any wait.
    fn next_for_all(&self) -> Next {
        match self.pool().take_inbox(self) {
            Some(job) => Next::Stranger(job),
            None => Next::Cold,
        }
    }

    /// Runs a stranger: a job that does not descend from the jobs that wait on this stack.
    pub(in crate::worker) fn run_stranger(&self, job: Job) {
        let outer = self.nesting.among_strangers.replace(true);
        // This thread sets the word before the job forks: a worker that waits for a frame below must not treat the job's forks as
        // descendants of that frame.
        let below = self.set_apart(self.forks.height());
        self.run(job, false);
        self.restore_apart(below);
        self.nesting.among_strangers.set(outer);
    }

    /// Returns true if the current job is a stranger. A stranger must put jobs for which other workers wait into a queue other than this
    /// worker's deque. Otherwise a later wait of this worker could depend on a job that is below the wait in the deque, where the wait
    /// cannot run it.
    #[inline]
    pub(crate) fn is_among_strangers(&self) -> bool {
        self.nesting.among_strangers.get()
    }

    /// Takes any job of the pool. As a rule, the call takes the worker's own jobs first. Every [`TURN`]th call takes the jobs of other
    /// workers first, because otherwise two tasks that wake each other again and again could keep all other jobs from running.
    fn next_of_any(&self) -> Option<Job> {
        let turn = self.turns.jobs.get().wrapping_add(1);
        self.turns.jobs.set(turn);
        let others = || self.look_around(false);
        if turn % TURN == 0 {
            return others().or_else(|| self.next_own());
        }
        self.next_own().or_else(others)
    }

    /// Returns the next job of the worker's own deques: the newest task, or else the oldest ready task.
    fn next_own(&self) -> Option<Job> {
        let task = self.pop_any().or_else(|| self.oldest_ready());
        task.map(Job::Run)
    }

    /// Takes the oldest ready task as a thief does. Only a worker with an empty stack may pop ready tasks, and here code waits on the
    /// stack.
    pub(in crate::worker) fn oldest_ready(&self) -> Option<*mut Header> {
        // SAFETY: this is the owner's thread.
        unsafe { self.ready.expose_all() };
        loop {
            match self.ready.claim_batch(1) {
                Ok(batch) => {
                    let mut oldest = None;
                    self.ready.read_batch(batch, |task| oldest = Some(task));
                    return oldest;
                }
                // Another thief took the task first.
                Err(true) => {}
                Err(false) => {
                    // SAFETY: this is the owner's thread; thieves claim from this deque only in batches,
                    // and the deque is empty.
                    unsafe { self.ready.rewind_empty(0) };
                    return None;
                }
            }
        }
    }

    /// Pops the newest task, even if it was in the deque before the waiting scopes began. After such a pop, the scopes treat all jobs above
    /// the new, lower height as their own.
    fn pop_any(&self) -> Option<*mut Header> {
        let task = self.pop_task(local(), 0);
        self.nesting
            .lowest
            .set(self.nesting.lowest.get().min(self.tasks.height()));
        task
    }

    /// Makes all tasks of this worker public, and wakes a worker if no worker searches.
    pub(crate) fn expose_tasks(&self) {
        // SAFETY: this is the owner's thread.
        unsafe { self.tasks.expose_all() };
        let pool = self.pool();
        pool.idle.notify(pool, Wakes::Exposed);
    }

    /// Runs `task` if it is the newest task.
    pub(crate) fn run_newest_if(&self, task: *mut Header) {
        match self.pop_any() {
            Some(newest) if newest == task => self.run_in_no_scope(newest),
            Some(other) => {
                self.push_task_or_inject(other);
                self.expose_tasks();
            }
            None => {}
        }
    }

    /// Runs a task that this thread has popped. The task runs outside of all cancel scopes. If it belongs to a cancel scope, the task
    /// itself enters that scope.
    fn run_in_no_scope(&self, task: *mut Header) {
        let entered = self.enter_none();
        // SAFETY: the task was popped from the deque, so only this thread has it, and runs it once.
        unsafe { Header::execute(task) };
        self.leave(entered);
    }

    /// Begins a scope, and returns the height above which the scope's jobs are in the task deque.
    pub(crate) fn open(&self) -> Floor {
        let height = self.tasks.height();
        Floor {
            height,
            outer: self.nesting.lowest.replace(height),
        }
    }

    /// Runs the jobs that `next` returns, until `done` returns true. Another thread must make `done` true and then unpark this thread.
    /// Before this thread sleeps, it calls `enlist`, which records that another thread must wake this thread. If `enlist` returns false,
    /// the thread does not sleep.
    fn wait_with(
        &self,
        reason: Reason,
        done: &dyn Fn() -> bool,
        enlist: &dyn Fn() -> bool,
        next: &mut dyn FnMut() -> Next,
    ) {
        let class = self.class();
        self.trace(reason.begins());
        let mut rounds = 0;
        let mut since = None;
        let mut naps = Naps::new();
        // Before this wait, the worker must report the tasks that it has finished for scopes of other
        // threads.
        self.flush();
        while !done() {
            let ran = match next() {
                Next::Related(job) => {
                    self.run(job, false);
                    true
                }
                Next::Stranger(job) => {
                    self.run_stranger(job);
                    true
                }
                Next::Warm => {
                    since = None;
                    false
                }
                Next::Cold => false,
            };
            if ran {
                self.flush();
                naps = Naps::new();
                since = None;
                continue;
            }
            rounds += 1;
            pause(rounds);
            if since.get_or_insert_with(Instant::now).elapsed() > LOOK && enlist() {
                naps.take(self);
            }
        }
        // This call restores the class of the job that continues, because the jobs that ran during the wait may have had another class.
        self.set_class(class);
        self.trace(EventKind::WaitEnds);
    }

    /// Runs any jobs of the pool until `done` returns true.
    pub(crate) fn serve(&self, reason: Reason, done: &dyn Fn() -> bool) {
        self.serve_with(reason, done, &|| true, &|| ());
    }

    /// Works like [`serve`](Self::serve), but waits for `awaited` in the thread's start handler or spawn handler. No job is running below
    /// the handler. A spare thread could not take over the slot, because it would first run the same handler, and would also wait in the
    /// handler.
    pub(in crate::worker) fn serve_in_handler(&self, awaited: &dyn waiting::Awaited) {
        // Relaxed: the seat's lock, taken after this store, publishes the flag to the thread that looks for a deadlock.
        self.serves.store(true, Ordering::Relaxed);
        self.seat.during(awaited, || {
            let rest = || {
                self.seat.settle();
                true
            };
            // The worker calls `rise` before it takes any job: see `deadlock`.
            let rise = || self.seat.rouse();
            self.serve_with(awaited.reason(), &|| awaited.is_done(), &rest, &rise);
        });
        self.serves.store(false, Ordering::Relaxed);
    }

    /// Works like [`serve`](Self::serve), but calls `rest` before each sleep, and `rise` before each look for jobs.
    fn serve_with(
        &self,
        reason: Reason,
        done: &dyn Fn() -> bool,
        rest: &dyn Fn() -> bool,
        rise: &dyn Fn(),
    ) {
        let mut asked: Option<Instant> = None;
        self.wait_with(reason, done, rest, &mut || {
            rise();
            if let Some(job) = self.next_of_any() {
                asked = None;
                return Next::Stranger(job);
            }
            if self.pool().ask_hidden(Idle::Searches) {
                return Next::Warm;
            }
            if !self.ask_around() {
                asked = None;
                return Next::Cold;
            }
            self.insist(&mut asked);
            Next::Warm
        });
    }

    /// Pops the newest task that was pushed since the scope began.
    fn pop_above(&self, floor: &Floor) -> Option<*mut Header> {
        self.pop_task(local(), floor.height.min(self.nesting.lowest.get()))
    }

    /// Runs the jobs that were pushed since the scope began and are still in this worker's deque, until the scope is `done`. If no worker
    /// steals, nearly all jobs of the scope run in this way.
    pub(crate) fn run_above(&self, floor: &Floor, done: impl Fn() -> bool) {
        let local = local();
        let bomb = AbortOnUnwind;
        let outer = local.context.replace(Context::ELSEWHERE);
        while !done() {
            let Some(task) = self.pop_above(floor) else {
                break;
            };
            self.run_in_no_scope(task);
        }
        local.context.set(outer);
        std::mem::forget(bomb);
    }

    /// Waits for the stolen frame at `index`. Meanwhile the worker runs the frame's descendants, including tasks that these descendants
    /// leave in the worker's deque. The worker does not run the tasks that were in the deque before the wait.
    pub(in crate::worker) fn wait_for_frame(&self, index: u32, record: &JoinRecord) {
        let floor = self.open();
        let mut asked = None;
        let done = || record.is_done();
        self.wait_with(Reason::Join, &done, &|| record.wait(), &mut || {
            if let Some(task) = self.pop_above(&floor) {
                return Next::Related(Job::Run(task));
            }
            match self.steal_back(index, &mut asked) {
                Lead::Cold => {}
                found => return found.into(),
            }
            match self.help(Awaited::Frame(index), &mut asked) {
                Lead::Cold => self.next_for_all(),
                found => found.into(),
            }
        });
        self.shut(floor);
    }

    /// Ends a scope that has no task left to wait for.
    pub(crate) fn shut(&self, floor: Floor) {
        self.nesting
            .lowest
            .set(self.nesting.lowest.get().min(floor.outer));
    }

    /// Waits for the tasks of scope `number`, and then ends the scope. Meanwhile the worker runs the jobs that `more` returns, and the
    /// scope's tasks and their descendants. The worker takes these tasks and descendants from its own deque above `floor`, or from the
    /// deques of other workers.
    pub(crate) fn wait_above(
        &self,
        floor: Floor,
        (began, number): (Origin, u64),
        done: &dyn Fn() -> bool,
        more: &dyn Fn() -> Option<*mut Header>,
    ) {
        let mut asked = None;
        self.wait_with(Reason::Scope, done, &|| true, &mut || {
            if let Some(task) = self.pop_above(&floor).or_else(more) {
                return Next::Related(Job::Run(task));
            }
            match self.next_for_all() {
                Next::Cold => self.help(Awaited::Scope(began, number), &mut asked).into(),
                found => found,
            }
        });
        // SAFETY: this is the owner's thread, and thieves claim tasks only in batches.
        unsafe { self.tasks.rewind_empty(floor.height) };
        self.shut(floor);
    }

    /// Runs one job as a stranger, and then returns to the current job. If `own` is true, runs only a job of this worker. Returns false if
    /// there is no such job.
    pub(crate) fn run_one(&self, own: bool) -> bool {
        let own_job = || {
            let job = self.next_own().or_else(|| self.pool().take_inbox(self));
            job.or_else(|| self.own_frame())
        };
        let job = own_job().or_else(|| (!own).then(|| self.look_around(false))?);
        job.map(|job| self.run_stranger(job)).is_some()
    }

    /// Takes the oldest frame of this worker, as a thief does.
    fn own_frame(&self) -> Option<Job> {
        // SAFETY: this is the owner's thread.
        unsafe { self.forks.expose_all() };
        match self.forks.claim(0) {
            heist_deque::split::Claim::Taken(frame, index) => Some(Job::Claimed {
                victim: self,
                index,
                frame,
            }),
            _ => None,
        }
    }
}
