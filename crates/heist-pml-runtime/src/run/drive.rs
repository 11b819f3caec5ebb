//! The work of a thread of the pool. A thread runs published forks, and continues strands that no longer wait.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::collect::{minor, promote};
use crate::fork::scopes;
use crate::measure::trace;
use crate::poll::join;
use crate::protocol::job::{Ending, Job, State, Waiter};
use crate::run::threads::idle_worker;
use crate::state::pool::Pool;
use crate::state::strand::{Strand, Wait};
use crate::state::worker::Worker;
use crate::state::{ready, spare, switch};
use crate::thread;
use crate::value::object::Value;
use crate::wait::{give, lazy};

/// The value that [`switch::enter`] returns if a strand has ended before its code returned, by an exception or a cancellation. If the
/// strand was cancelled, the worker has no pending exception.
const ENDED: u64 = 1;

impl Pool {
    /// Runs a published fork, unless another thread has taken it.
    pub(crate) fn run_job(&self, job: Arc<Job>) {
        // If an owner takes its fork back, it runs the fork's entry in the deque only to free the entry. The owner already counts as
        // running. A second call of `begin` would count this worker twice, and a worker that stops the world would wait forever.
        let queued = &self.world.threads.queued;
        // SeqCst, here and below: see `thread/stuck.rs`.
        if job.state() != State::Published {
            queued.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let worker = idle_worker();
        // Strands that were given away would otherwise wait until this worker's deque is empty, which may never happen.
        // SAFETY: `worker` is this thread's own and idle. `take` has removed the strand from the inbox under its lock, so no other thread
        // has it, and strands in that inbox have no home.
        unsafe {
            if (*worker).ready.is_others_turn() && self.world.threads.turns.has_any() {
                // `begin` comes before `take`, because a strand that was taken is in no list. The end of the program drops strands only
                // after it has waited for all running workers, so it also waits for this worker.
                self.world.begin();
                if let Some(strand) = self.world.threads.turns.take() {
                    // This strand may run for a long time or wait for the system. So the fork goes back into the deque, where other workers
                    // find it. The fork's owner knows only the entry that has just left the deque. If the owner takes the fork back, the
                    // new entry stays in the deque, and does nothing when it runs.
                    drop(self.push(job));
                    queued.fetch_sub(1, Ordering::SeqCst);
                    self.told();
                    let code = self.resume(worker, strand);
                    self.drive(worker, strand, code);
                    return;
                }
                self.world.end();
            }
        }
        self.world.begin();
        queued.fetch_sub(1, Ordering::SeqCst);
        // This worker counts as running, so no collection happens before it reaches a poll. So the arguments stay valid until the strand
        // has taken them. While a job can be taken, its owner is in the job's scope, so `enter` succeeds.
        if !job.enter() {
            self.world.end();
            return;
        }
        if !job.take() {
            scopes::leave(&self.world, &job);
            self.world.end();
            return;
        }
        // A job that belongs to a cancelled job does not begin. A cancellation that comes after this check rings this worker's doorbell.
        if job.is_cancelled() {
            // SAFETY: this thread's `take` succeeded, so it alone finishes the job, and does so here, once. `finish` returns a strand only
            // if the strand waits for this job, and gives it to this thread alone; the worker is this thread's own and idle.
            unsafe {
                let owner = job
                    .finish(&[], Ending::Left)
                    .map(<*mut Waiter>::cast::<Strand>);
                scopes::leave(&self.world, &job);
                match owner {
                    Some(strand) => {
                        let code = self.resume(worker, strand);
                        self.drive(worker, strand, code);
                    }
                    None => self.world.end(),
                }
            }
            return;
        }
        // SAFETY: `worker` is this thread's own.
        let strand = unsafe { self.new_strand(worker) };
        // SAFETY: the strand is new: no other thread knows it, it runs nowhere, and it has no stack yet.
        unsafe {
            self.spare
                .give_stack(&self.world, spare::cache(worker), strand)
        };
        let stub = self.world.inner().forks.fork(job.fork).stub;
        // SAFETY: no other thread knows the new strand, whose stack is empty. `worker` is this thread's own and idle. This thread's `take`
        // succeeded, so it may read the arguments; the strand keeps the job that holds them. The stub is code of the program.
        unsafe {
            if (*worker).alloc == (*worker).nursery {
                (*worker).fit_young();
            }
            (*worker).env = job.args().as_ptr() as usize;
            // If the job is the rest of a loop, the request makes the loop divide itself for the next thief: see `basis/parallel.sml`.
            (*worker).bell.wanted.store(1, Ordering::Relaxed);
            (*strand).program = job.program;
            (*strand).world = Arc::as_ptr(&self.world);
            (*strand).job = Some(job);
            (*worker).stats.stolen += 1;
            (*strand).mount(worker);
            trace::begins(&trace::STRAND, (*strand).number.into());
            let code = switch::enter(worker, stub, (*strand).top());
            self.drive(worker, strand, code);
        }
    }

    /// Continues a strand that any worker may run.
    ///
    /// # Safety
    /// No other thread may have the strand, and the strand must have no home. The calling thread must be an idle thread of the pool.
    pub(crate) unsafe fn go_on(&self, strand: *mut Strand) {
        let worker = idle_worker();
        self.world.begin();
        // SeqCst: see `thread/stuck.rs`.
        self.world.threads.queued.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: `worker` is this thread's own and idle. Only the job that calls this has the strand, which no longer waits and has no
        // home.
        unsafe {
            (*strand).queued = false;
            let code = self.resume(worker, strand);
            self.drive(worker, strand, code);
        }
    }

    /// Handles a strand that has ended or begins to wait, and then runs all strands that can continue on this worker.
    ///
    /// # Safety
    /// The worker must be the calling thread's own. No other thread may have the strand. Either the strand was mounted on this worker and
    /// has come back from [`switch::enter`] or [`switch::go_on`] with `code`, or the strand has ended before it began.
    pub(crate) unsafe fn drive(&self, worker: *mut Worker, mut strand: *mut Strand, mut code: u64) {
        // SAFETY: `worker` is this thread's own. `strand` is this thread's until a step below hands it to another thread. Then the loop
        // replaces it by a strand that the step has given to this thread, and does not use the old strand again.
        unsafe {
            loop {
                let waits = code == switch::WAITS;
                debug_assert!(
                    !waits || (*worker).tasks.is_empty(),
                    "all forks but the newest were published"
                );
                if !(*strand).worker.is_null() {
                    (*strand).dismount();
                    if waits {
                        // `passed` belongs to this strand, not to the next strand.
                        if std::mem::replace(&mut (*worker).passed, 0) != 0 {
                            (*strand).armed = false;
                        }
                        (*worker).stats.suspended += 1;
                        trace::note(&trace::SUSPENDED, (*strand).number.into());
                    }
                    trace::ends(0);
                }
                if code == ENDED && (*worker).pending.0 == 0 {
                    lazy::abandon(worker, strand);
                }
                self.leave_nursery(worker, strand, code);
                debug_assert!(
                    !(*worker).remembers() || self.world.threads.are_used(),
                    "other strands may read what this one has filled"
                );
                let next = if waits {
                    (*strand).sp = (*worker).suspended;
                    self.suspend(worker, strand)
                } else {
                    let pending = std::mem::replace(&mut (*worker).pending.0, 0);
                    self.end_strand(worker, strand, code, pending)
                };
                let Some(next) = next.or_else(|| self.next_ready(worker)) else {
                    break;
                };
                strand = next;
                code = self.resume(worker, strand);
            }
        }
        self.world.end();
    }

    /// Continues a strand whose wait is over, unless the strand must end. The result has the same meaning as the result of
    /// [`switch::enter`].
    ///
    /// # Safety
    /// The strand and the worker must belong to the caller; the worker must be idle and be allowed to run the strand.
    pub(crate) unsafe fn resume(&self, worker: *mut Worker, strand: *mut Strand) -> u64 {
        // SAFETY: only this thread has `worker` and `strand`: the worker is this thread's own and idle, and the strand's wait is over, so
        // the strand is in no list. The strand has no home, or this worker is its home. If it waited at a join, the thief is done with the
        // job and its results.
        unsafe {
            ready::leave_young(worker, strand);
            (*strand).urgent = false;
            match std::mem::replace(&mut (*strand).wait, Wait::Join) {
                Wait::Join if (*strand).start.0 != 0 => return self.begin(worker, strand),
                Wait::Join => {
                    // The strand's join is over: the thunk returns with the results in the worker.
                    let entry = (*strand).entries.pop().expect("it waited for its newest");
                    (*strand).armed = false;
                    if entry.job().ending() == Ending::Left {
                        if (*strand).cancelled_above().is_none() {
                            return ENDED;
                        }
                        // The strand raises an exception, and `raise` leaves the cancelled frames.
                        (&mut (*worker).results)[0] = Value::immediate(0).0;
                        (*worker).joined = 2;
                    } else {
                        join::receive(worker, entry.job());
                        (*worker).joined = if entry.job().raised() { 2 } else { 1 };
                    }
                    if (*strand).may_end() && is_over(strand) {
                        return ENDED;
                    }
                }
                Wait::Lazy => {
                    (*strand).awaits = Value(0);
                    // The strand may have been cancelled together with the computation for which it waited. A masked strand continues with
                    // the value.
                    if (*strand).may_end() && (is_over(strand) || (*strand).is_left_behind()) {
                        return ENDED;
                    }
                }
                // The strand may have waited in the poll of a join. `Here` tells this join that no thief has the fork's results. If the
                // strand ends, its offers become void: see `thread::forget`.
                Wait::Permit | Wait::Turn => {
                    (*strand).waits_for = 0;
                    if (*strand).may_end() && (is_over(strand) || (*strand).is_left_behind()) {
                        return ENDED;
                    }
                    (*worker).joined = join::Joined::Here as usize;
                }
            }
            if (*strand).stack.is_none() {
                self.spare
                    .give_stack(&self.world, spare::cache(worker), strand);
            }
            (*strand).mount(worker);
            // The next poll answers the requests that came while the strand waited. A cancellation, an interruption or the end of the
            // program is recorded before it rings the doorbells of all workers. If this worker has already answered that ring, the checks
            // below see the event. Otherwise the worker's doorbell is still rung or will be rung, and the next poll sees the event. The
            // doorbell stays rung for requests to the worker itself, such as a stop for a collection, until a poll has answered all of
            // them. Relaxed: a hint.
            let asks = (*worker).bell.wanted.load(Ordering::Relaxed) != 0;
            if asks && !(*worker).ready.is_empty()
                || !(*strand).entries.is_empty()
                || (*strand).is_fiber
                || (*worker).has_clones()
                || (*strand).may_be_cancelled()
                || (*strand).is_left_behind()
                || crate::state::interrupt::asked()
            {
                Worker::ring(worker);
            }
            trace::begins(&trace::STRAND, (*strand).number.into());
            switch::go_on(worker, (*strand).sp)
        }
    }

    /// Starts a thread of the program.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and must be idle. The strand must be a thread that has not begun. Only the caller may
    /// own the strand, and no other worker may be the strand's home.
    unsafe fn begin(&self, worker: *mut Worker, strand: *mut Strand) -> u64 {
        // SAFETY: `worker` is this thread's own and idle, and no other thread has the strand, whose stack is empty. `start` holds a closure
        // of the program. Nothing is collected between the copy to `env` and the call of the closure.
        unsafe {
            let start = std::mem::replace(&mut (*strand).start, Value(0));
            if crate::state::interrupt::asked() || (*strand).is_left_behind() {
                return ENDED;
            }
            self.spare
                .give_stack(&self.world, spare::cache(worker), strand);
            (*worker).env = start.0;
            (*strand).mount(worker);
            trace::begins(&trace::STRAND, (*strand).number.into());
            switch::enter(
                worker,
                switch::begin_thread as *const () as usize,
                (*strand).top(),
            )
        }
    }

    /// Makes a saved strand wait, or returns the strand if it need not wait.
    ///
    /// # Safety
    /// No worker may run the strand, and the worker must be the calling thread's own.
    unsafe fn suspend(&self, worker: *mut Worker, strand: *mut Strand) -> Option<*mut Strand> {
        // SAFETY: no worker runs the strand, and `worker` is this thread's own. Each branch reads the fields of the strand before the call
        // that shows the strand to other threads. If that call returns true, another thread may run the strand, and this function uses only
        // the address of the strand.
        unsafe {
            let waits = match (*strand).wait {
                Wait::Turn => {
                    debug_assert!(
                        self.world.threads.are_used(),
                        "otherwise no worker looks for ready strands"
                    );
                    let cache = spare::cache(worker);
                    self.spare
                        .keep_stack(&self.world, cache, strand, spare::READY);
                    (*worker).ready.add(strand);
                    true
                }
                wait => {
                    let job = (*strand).entries.last().map(|entry| entry.job().clone());
                    let cache = spare::cache(worker);
                    self.spare
                        .keep_stack(&self.world, cache, strand, spare::WAITING);
                    match wait {
                        Wait::Lazy => lazy::suspend(&self.world, strand),
                        Wait::Permit => thread::suspend(worker, strand),
                        _ => job.expect("it waits for its newest").wait(strand.cast()),
                    }
                }
            };
            (!waits).then_some(strand)
        }
    }

    /// Returns the next strand to run on this worker. Returns `None` if no strand is ready, or if it is the turn of the pool's queued jobs:
    /// in this case, the worker gives its ready strands away. When this function returns `None`, this worker is the home of no strand, so
    /// any worker may run the strands that wait.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and run no strand.
    unsafe fn next_ready(&self, worker: *mut Worker) -> Option<*mut Strand> {
        if !self.world.threads.are_used() {
            return None;
        }
        // SAFETY: `worker` is this thread's own, and runs no strand. A strand in its queue is in no other list.
        unsafe {
            loop {
                ready::open_inbox(worker);
                if let Some(strand) = (*worker).ready.take() {
                    return Some(strand);
                }
                (*worker).ready.turn();
                if (*worker).ready.is_empty() {
                    give::clear_young(worker);
                    if (*worker).ready.is_empty() {
                        return None;
                    }
                } else if self.world.threads.queued.load(Ordering::Relaxed) > 0 {
                    give::give_all(worker);
                    return None;
                }
            }
        }
    }

    /// Notes that a strand has ended. `code` is 0 if the strand's code has returned. `code` is 1 if the strand has raised the pending
    /// exception, or if it was abandoned and there is no pending exception. Returns the strand that waits for the ended strand, if there is
    /// one.
    ///
    /// # Safety
    /// No worker may run the strand, and the worker must be the calling thread's own. The strand's results must be in the worker, and other
    /// workers must be allowed to see them.
    unsafe fn end_strand(
        &self,
        worker: *mut Worker,
        strand: *mut Strand,
        code: u64,
        pending: usize,
    ) -> Option<*mut Strand> {
        // SAFETY: `worker` is this thread's own. The strand has ended and no worker runs it, so this thread has it alone until `recycle`.
        // This thread took the job that the strand computes, and finishes it here, once. `leave_nursery` has moved its results out of the
        // young generation.
        unsafe {
            // An exception has already cancelled the forks that it has passed, but a strand that was abandoned has not.
            self.cancel_all(&mut *strand);
            scopes::leave_above(&self.world, &mut *strand, usize::MAX);
            thread::fibers::end_fork(worker, strand);
            thread::forget(&self.world, strand);
            let Some(job) = (*strand).job.take() else {
                if (*strand).thread {
                    self.spare.recycle(spare::cache(worker), strand);
                } else {
                    // This is the program's own strand, whose frames are no longer roots.
                    (*strand).reset();
                    self.end_program(code, pending, (*worker).raised);
                }
                return None;
            };
            let count = self.world.inner().forks.fork(job.fork).results.len();
            let next = match (code, pending) {
                (0, _) => job.finish(&(&(*worker).results)[..count], Ending::Returned),
                (_, 0) => job.finish(&[], Ending::Left),
                _ => {
                    job.raised_at((*worker).raised);
                    job.finish(&[pending], Ending::Raised)
                }
            };
            scopes::leave(&self.world, &job);
            self.spare.recycle(spare::cache(worker), strand);
            next.map(<*mut Waiter>::cast::<Strand>)
        }
    }

    /// Promotes the objects of a strand that ends, or that may continue on another worker. If other workers may see these objects, this
    /// function moves them out of the worker's young generation.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and run no strand. No other thread may have the strand, and the strand must have left
    /// the worker with `code`.
    unsafe fn leave_nursery(&self, worker: *mut Worker, strand: *mut Strand, code: u64) {
        // SAFETY: `worker` is this thread's own and runs no strand; `strand` is this thread's, as no step has passed it to another thread
        // yet. The pending exception is among the worker's roots. `words` is a copy on this stack to which no other thread writes.
        unsafe {
            if code == switch::WAITS {
                if matches!((*strand).wait, Wait::Permit | Wait::Turn) {
                    ready::keep_young(worker, strand);
                } else {
                    promote::promote_all(worker, strand, &mut []);
                }
                return;
            }
            if (*strand).thread {
                // A thread has no result, and handles its exceptions.
                (*worker).pending = Value(0);
                return;
            }
            let Some(job) = &(*strand).job else {
                // The program has come to its end, and the next program may run on another worker.
                minor::minor(worker, std::ptr::null_mut(), &mut []);
                return;
            };
            let results = if code == 0 {
                &self.world.inner().forks.fork(job.fork).results[..]
            } else {
                &[]
            };
            let mut words = (*worker).results;
            let mut roots: Vec<_> = words
                .iter_mut()
                .zip(results)
                .filter_map(|(word, pointer)| pointer.then_some(word))
                .collect();
            promote::promote_results(worker, &mut roots);
            (*worker).results = words;
        }
    }
}

/// Returns true if a waiting strand need not continue, either because its results are not needed or because the program was interrupted.
///
/// # Safety
/// No worker may run the strand, and no other thread may write to it.
unsafe fn is_over(strand: *mut Strand) -> bool {
    // SAFETY: the caller alone has the strand, so no thread changes the strand's `job` during this call.
    let job = unsafe { &(*strand).job };
    job.as_ref().is_some_and(|job| job.is_cancelled()) || crate::state::interrupt::asked()
}
