//! The main loop of a worker, in which it runs jobs, searches, sleeps, yields its slot, and ends.

use crate::trace::EventKind;
use crate::worker::idle::search::Patience;
use crate::worker::local::{WorkerLocal, local};
use crate::worker::pool::inner::PoolInner;
use crate::worker::queue::class::Class;
use crate::worker::queue::job::Job;
use crate::worker::thread::{Context, WorkerThread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};
use std::thread;

/// Number of jobs that a worker takes from the top of its own deque before it takes a job from the bottom of the deque or from another
/// queue.
pub(super) const TURN: u32 = 64;

/// Runs a worker on the current thread until the pool ends.
pub(crate) fn worker_main(pool: Arc<PoolInner>, id: u16, slot: u32) {
    let local = local();
    // The signal stack serves the handler that reports a fiber's overflow. If there is no memory for this stack, no thread reports
    // overflows.
    let _signal_stack = pool
        .settings
        .fibers
        .as_ref()
        .map(|_| crate::fiber::ensure_signal_stack());
    let worker = match WorkerThread::for_current_thread(&pool, id, slot, local) {
        Ok(worker) => pool.enlist(worker),
        Err(error) => {
            pool.lose(id, slot, error, false);
            return;
        }
    };
    let Some(worker) = worker else {
        // All the other workers have ended. This worker's deques are gone, but this thread's words still point into
        // them. The words must be detached, because the handlers, and the program that continues on this thread, may
        // fork.
        local.detach();
        // The pool promises to call each handler once, so this thread calls the handlers although it runs no job.
        for handler in [&pool.settings.start, &pool.settings.exit]
            .into_iter()
            .flatten()
        {
            call_handler(&pool, handler, usize::from(id));
        }
        let error = std::io::Error::other("the pool had ended before it began");
        pool.lose(id, slot, error, false);
        return;
    };
    local.attach(&worker.forks, worker.protocol.sharing());
    // The fence makes sure that a signal handler that finds the worker also finds all data that
    // belongs to the worker.
    compiler_fence(Ordering::SeqCst);
    local.worker.set(worker);
    local.context.set(Context::BASE);
    if worker.is_first() {
        pool.binding.bind_first(slot);
    } else {
        worker.pin();
    }
    let index = usize::from(id);
    if let Some(handler) = &pool.settings.start {
        // The handler may take long, and may wait, so other workers must not rely on this worker
        // meanwhile.
        pool.idle.stop_searching(&*pool);
        worker.in_handler.set(true);
        pool.begin_handler();
        call_handler(&pool, handler, index);
        pool.end_handler();
        worker.in_handler.set(false);
        worker.heed_binding();
        // Runs the jobs that the handler has left in the worker's own deques, because a search looks only into the
        // deques of other workers.
        worker.run_own(local);
        pool.idle.start_searching();
    } else {
        worker.heed_binding();
    }
    worker.work(local);
    pool.leave();
    // A thread of the program may still be a thief, because it may continue after the pool's end. So this thread withdraws its thread-local
    // words.
    if pool.lookers.are_counted() {
        pool.withdraw_words(worker);
    }
    local.detach();
    if let Some(handler) = &pool.settings.exit {
        call_handler(&pool, handler, index);
    }
    pool.ended();
}

fn call_handler(pool: &PoolInner, handler: &(dyn Fn(usize) + Send + Sync), index: usize) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(index))) {
        pool.handle_panic(payload);
    }
}

impl WorkerThread {
    /// Binds the thread to the CPUs of its slot.
    pub(super) fn pin(&self) {
        // The program itself binds its own threads.
        if !self.adopted {
            self.pool().binding.bind(self.slot());
        }
    }

    /// Returns true if the worker was the first worker of its slot. A spare thread is never the first worker of a slot.
    fn is_first(&self) -> bool {
        usize::from(self.id) < self.pool().settings.threads
    }

    /// Records how the program's handlers have bound this thread. All later workers of a slot are bound like its first worker.
    fn heed_binding(&self) {
        let settings = &self.pool().settings;
        if settings.start.is_none() && settings.spawn.is_none() {
            return;
        }
        if self.is_first() {
            // The binding belongs to the worker's first slot (`id`), because the worker may have moved to another slot
            // while its handler waited.
            self.pool().binding.learn(self.id.into());
        } else {
            self.pin();
        }
    }

    /// Searches for jobs and runs them until the pool ends. The worker begins as a searcher.
    pub(super) fn work(&self, local: &WorkerLocal) {
        let mut patience = Patience::new(&self.pool().settings);
        while let Some(job) = self.search(local, &mut patience) {
            self.trace(EventKind::WorkBegins { slot: self.slot() });
            self.begin_epoch(local, &job);
            self.run_first(local, job);
            self.run_own(local);
            self.trace(EventKind::WorkEnds);
            if !self.step_aside() {
                self.pool().idle.start_searching();
            }
        }
    }

    /// Runs jobs until the worker needs a search to find another job.
    pub(super) fn run_own(&self, local: &WorkerLocal) {
        loop {
            if self.is_excess() {
                self.retire(local);
            }
            // In a pool with a fixed number of threads, workers look for latency jobs only when they have no jobs of
            // their own, because such a job begins an epoch.
            if self.pool().injector.has_latency_jobs() {
                self.run_latency_jobs(local);
            }
            let Some(job) = self.next_without_search(local) else {
                return;
            };
            self.run_at_base(local, job);
        }
    }

    /// Runs jobs of the latency class, which come before the jobs in the worker's own deques. Runs only a limited number of them in a row.
    #[cold]
    #[inline(never)]
    fn run_latency_jobs(&self, local: &WorkerLocal) {
        if self.wait_policy.runs_newest_first() {
            return;
        }
        for _ in 0..TURN {
            // The worker first reports finished tasks, because the next job may wait for a scope whose last task the worker has finished.
            self.flush();
            let next = self.pool().injector.pop_down_to(Class::Latency);
            let Some((job, class)) = next else {
                break;
            };
            self.run_of_class(local, job, class);
        }
    }

    /// Runs a job whose class differs from the class of the jobs in the worker's own deques.
    #[inline(never)]
    fn run_of_class(&self, local: &WorkerLocal, job: Job, class: Class) {
        let outer = self.class();
        self.set_class(class);
        self.run_first(local, job);
        self.set_class(outer);
    }

    /// Runs a job with an empty stack, outside of the loop over the worker's own jobs.
    #[inline(never)]
    fn run_first(&self, local: &WorkerLocal, job: Job) {
        self.run_at_base(local, job);
    }

    /// Runs a job with an empty stack. This function is inlined into the main loop, because a call would cost each job about 30
    /// instructions.
    #[inline(always)]
    fn run_at_base(&self, local: &WorkerLocal, job: Job) {
        let frame = matches!(job, Job::Claimed { .. });
        self.run_inline(job, true);
        if self.wait_policy.keeps_slots() {
            self.end_first(local, frame);
        }
    }

    /// Takes the next job that needs no search. A surplus worker stops in this function, because
    /// the stack is empty between jobs.
    fn next_without_search(&self, local: &WorkerLocal) -> Option<Job> {
        let turn = self.turns.jobs.get().wrapping_add(1);
        self.turns.jobs.set(turn);
        // A pool with a fixed number of threads promises to run a worker's own jobs newest first.
        if turn % TURN == 0 && !self.wait_policy.runs_newest_first() {
            if let Some(job) = self.take_turns(local, turn / TURN) {
                return Some(job);
            }
        }
        if let Some(task) = self.pop_task(local, 0) {
            return Some(Job::Run(task));
        }
        if self.flush() {
            // The reported task may have been the last task for which a fiber waited. In this case the fiber is in the deque now.
            if let Some(task) = self.pop_task(local, 0) {
                return Some(Job::Run(task));
            }
        }
        // SAFETY: this is the owner's thread; thieves claim tasks only in batches, and the deque is
        // empty.
        unsafe { self.tasks.rewind_empty(0) };
        self.trace_drained();
        if let Some(task) = self.refill(local) {
            if local.shared.is_requested() {
                self.answer_request(local);
            }
            return Some(Job::Run(task));
        }
        // This check comes before the worker may leave, because no other worker can run these fibers.
        if let Some(fiber) = self.next_bound() {
            return Some(Job::Run(fiber));
        }
        if self.pool().idle.has_surplus() {
            return None;
        }
        let job = self.look_around(false)?;
        self.begin_epoch(local, &job);
        Some(job)
    }

    /// Takes the oldest entries of the worker's deques or of another queue. Otherwise two tasks that wake each other at the top of the
    /// worker's own deque could keep the tasks below them, and jobs from outside, from running.
    #[cold]
    fn take_turns(&self, local: &WorkerLocal, round: u32) -> Option<Job> {
        // In every second round, a pinned fiber comes first, even if there are other jobs, because no other worker can run the fiber.
        if round % 2 == 0 {
            if let Some(fiber) = self.next_bound() {
                return Some(Job::Run(fiber));
            }
        }
        let pool = self.pool();
        // The worker first reports finished tasks, because the next job may wait for a scope whose last task the worker has finished.
        self.flush();
        if let Some(job) = pool.take_inbox(self) {
            return Some(job);
        }
        if let Some((job, class)) = pool.injector.pop() {
            // This function runs the job and does not return it, so that the job's class ends with
            // the job.
            self.run_of_class(local, job, class);
            return None;
        }
        // SAFETY: this is the owner's thread.
        unsafe {
            self.tasks.expose_half();
            self.ready.expose_half();
        }
        [&self.ready, &self.tasks].into_iter().find_map(|deque| {
            let batch = deque.claim_batch(1).ok()?;
            let mut oldest = None;
            deque.read_batch(batch, |task| oldest = Some(Job::Run(task)));
            oldest
        })
    }

    /// Sleeps without a slot, if more workers run than there are slots. Returns true if the worker has slept. In that case the worker is a
    /// searcher with a slot again.
    pub(super) fn step_aside(&self) -> bool {
        let pool = self.pool();
        if !pool.idle.has_surplus() || !pool.idle.step_aside(pool, self.id, self.slot()) {
            return false;
        }
        pool.slot_freed();
        self.activity.end();
        self.trace(EventKind::AsideBegins);
        while !self.woken.swap(false, Ordering::Acquire) {
            // If `recall` fails, another thread is waking this worker.
            if self.has_bound() && pool.idle.recall(self.id, self.slot()) {
                break;
            }
            if !pool.closing.load(Ordering::SeqCst) {
                thread::park();
            } else if pool.idle.come_back(self.id, self.slot()) {
                break;
            }
        }
        self.activity.begin();
        self.trace(EventKind::AsideEnds);
        self.pin();
        true
    }
}
