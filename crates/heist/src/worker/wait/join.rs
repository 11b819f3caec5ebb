//! A worker's waits: for a stolen frame, for a scope, or for any event that unparks its thread.

use crate::cancel;
use crate::platform::fence_is_ready;
use crate::task::{Header, JoinFrame, JoinRecord, Side, discard};
use crate::trace::EventKind;
use crate::waiting::{Awaited, Reason, Until};
use crate::worker::local::{WorkerLocal, local};
use crate::worker::thread::WorkerThread;
use crate::worker::wait::steal_back::Lead;
use heist_deque::split::{Popped, SplitDeque, Words};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which a waiter looks for descendants before it gives its slot away.
const PATIENCE: Duration = Duration::from_micros(10);

/// The time for which a waiter in a cancelled scope looks for descendants before it gives its slot away. This time is longer than
/// [`PATIENCE`], because a thief in a cancelled scope stops soon, and waking a sleeping waiter would take even longer.
const PATIENCE_WHEN_CANCELLED: Duration = Duration::from_micros(50);

/// The slow path of a join's pop, after the pop has reached the return barrier. Returns true if a thief has run the frame. Returns false if
/// this worker must run it.
#[cold]
#[inline(never)]
pub(crate) fn join_slow() -> bool {
    let local = local();
    let Some(worker) = local.worker() else {
        // The slow path of a fork returns true only on a worker, so the thread was a worker when it forked.
        local.detach();
        panic!("heist: a join that began before fork() cannot end in the child process");
    };
    let began = worker.time();
    worker.counters.barrier_hits.add(1);
    // SAFETY: this is the owner's thread, right after a pop that reached the barrier.
    let popped = unsafe { worker.forks.pop_slow() };
    worker.counters.barrier_ticks.add_since(began);
    gain_fence(&worker.forks);
    match popped {
        Popped::Mine => {
            if local.shared.is_requested() {
                // A worker that no longer forks answers requests when its pop reaches the barrier.
                worker.answer_request(local);
            } else {
                worker.offer_again(local);
            }
            false
        }
        Popped::Stolen => worker.wait_for_thief(),
    }
}

/// Gives up the frame of a join whose left side has panicked. Takes the frame back if no thief has it, and otherwise waits for the thief.
/// Returns true if no thief has used the frame's closure.
#[cold]
pub(crate) fn retract<B, RB>(frame: &JoinFrame<B, RB>) -> bool
where
    B: Side<RB>,
{
    let local = local();
    if local.worker().is_none() {
        // In a child of fork(), it is unknown whether the frame was run. A thief may have used part
        // of the frame's closure, so the closure is leaked.
        return false;
    }
    // SAFETY: this is the owner's thread; the forks above this fork were popped as they unwound.
    if unsafe { local.shared.forks.pop() } || !join_slow() {
        return true;
    }
    // This thread unwinds already, so it discards the result. SAFETY: the thief is done with the frame.
    match unsafe { frame.take_result() } {
        Ok(value) => discard(value),
        // If a cancellation unwinds the left side, the panic of the right side is kept and rethrown
        // later.
        Err(payload) => discard(cancel::keep_panic(payload)),
    }
    false
}

impl WorkerThread {
    /// Waits for the thief of the frame just below the tail. Meanwhile, runs the frame's descendants. Returns false if the thief gave the
    /// frame back.
    fn wait_for_thief(&self) -> bool {
        let index = self.forks.height() - 1;
        let record = self.record(index);
        if self.wait_policy.keeps_slots() {
            self.wait_for_frame(index, record);
        } else {
            self.wait_or_make_way(index, record);
        }
        let run = !record.was_given_back();
        record.reset();
        // SAFETY: this is the owner's thread; the thief is done, and the jobs that ran meanwhile have popped their forks.
        unsafe { self.forks.retire_stolen() };
        run
    }

    /// Waits for the stolen frame at `index`. If the worker finds no descendants of the frame for some time, it gives its slot away and
    /// sleeps.
    fn wait_or_make_way(&self, index: u32, record: &JoinRecord) {
        self.regain_slot();
        self.trace(Reason::Join.begins());
        let mut asked = None;
        let mut since = None;
        let mut rounds = 0_u32;
        while !record.is_done() {
            match self.steal_back(index, &mut asked) {
                Lead::Job(job) => {
                    self.run(job, false);
                    since = None;
                    continue;
                }
                Lead::Warm => since = None,
                Lead::Cold => {}
            }
            rounds += 1;
            pause(rounds);
            self.answer_waiting();
            let patience = if cancel::is_cancelled() {
                PATIENCE_WHEN_CANCELLED
            } else {
                PATIENCE
            };
            let tired = since.get_or_insert_with(Instant::now).elapsed() > patience;
            if tired || self.has_bound() {
                let awaited = Until(Reason::Join, || record.is_done());
                self.block(&awaited, &|| record.wait());
            }
        }
        self.trace(EventKind::WaitEnds);
    }

    /// Waits until `awaited` is done. Another thread must end `awaited`, and then unpark this thread.
    pub(crate) fn wait_until(&self, awaited: &dyn Awaited) {
        if self.wait_policy.keeps_slots() {
            self.serve(awaited.reason(), &|| awaited.is_done());
            return;
        }
        self.regain_slot();
        self.trace(awaited.reason().begins());
        let mut rounds = 0;
        let since = Instant::now();
        while !awaited.is_done() {
            rounds += 1;
            pause(rounds);
            self.answer_waiting();
            if rounds % 16 == 0 && (since.elapsed() > PATIENCE || self.has_bound()) {
                self.block(awaited, &|| !awaited.is_done());
            }
        }
        self.trace(EventKind::WaitEnds);
    }

    /// Gives the slot to a worker that can use it, sleeps until `awaited` is done, and then immediately takes a slot again. While this
    /// worker has a slot, it runs the fibers that are bound to this thread, because no other worker can run them, and the wait may depend
    /// on such a fiber. The function `enlist` records that another thread must wake this thread, and returns false if the wait has ended.
    fn block(&self, awaited: &dyn Awaited, enlist: &dyn Fn() -> bool) {
        let pool = self.pool();
        if !enlist() {
            return;
        }
        // In a child of fork() this call panics, because the child would otherwise hang. The thief does not exist in the child, so
        // unwinding past its frame is safe.
        pool.assert_not_forked();
        if self.in_handler.get() {
            self.serve_in_handler(awaited);
            return;
        }
        let slot = self.slot();
        self.seat.during(awaited, || {
            loop {
                self.run_bound(awaited);
                if awaited.is_done() {
                    break;
                }
                // The jobs in the deques stay stealable without this thread's help.
                // SAFETY: this is the owner's thread.
                unsafe {
                    self.forks.expose_all();
                    self.tasks.expose_all();
                    self.ready.expose_all();
                }
                self.counters.handovers.add(1);
                self.trace(EventKind::SlotGiven);
                pool.idle.vacate(pool, slot);
                pool.slot_freed();
                // `vacate` may have called the spawn handler, which may have woken a fiber of this thread.
                if !self.has_bound() {
                    self.rest_without_slot(awaited);
                }
                pool.idle.resume(slot);
                self.trace(EventKind::SlotTaken);
            }
        });
    }

    /// Pops this worker's own newest task above `floor`, and answers requests.
    pub(crate) fn pop_task(&self, local: &WorkerLocal, floor: u32) -> Option<*mut Header> {
        let task = pop_above(&local.shared.tasks, &self.tasks, floor)?;
        if local.shared.is_requested() {
            self.answer_at_task(local);
        }
        Some(task)
    }

    /// Moves the tasks of the ready deque into the empty task deque, so that the worker then pops the oldest task first. (The two deques
    /// together act as a queue made of two stacks.) Returns the oldest task. The worker's stack must be empty.
    // Inlined into the code between two jobs of a worker; the other caller is cold.
    #[inline(always)]
    pub(in crate::worker) fn refill(&self, local: &WorkerLocal) -> Option<*mut Header> {
        let mut oldest = pop_above(&local.shared.ready, &self.ready, 0)?;
        while let Some(older) = pop_above(&local.shared.ready, &self.ready, 0) {
            self.push_task_or_inject(oldest);
            oldest = older;
        }
        // SAFETY: this is the owner's thread; thieves claim from this deque only in batches, and
        // the deque is empty.
        unsafe { self.ready.rewind_empty(0) };
        Some(oldest)
    }
}

/// Pops the newest task above `floor` from `deque`, one of the worker's own deques. The argument `words` contains the owner's words of this
/// deque.
#[inline]
pub(in crate::worker) fn pop_above(
    words: &Words<Header>,
    deque: &SplitDeque<Header>,
    floor: u32,
) -> Option<*mut Header> {
    if words.tail() <= deque.place(floor) {
        return None;
    }
    // SAFETY: the words belong to the current thread, which owns the deque, and the deque is not empty.
    unsafe {
        if !words.pop() {
            let popped = deque.pop_slow();
            gain_fence(deque);
            if popped == Popped::Stolen {
                return None;
            }
        }
        Some(deque.popped())
    }
}

/// Switches a deque of the worker to the asymmetric fence, if the deque was made before the fence was ready. Call this function between two
/// pops of the deque.
#[inline]
fn gain_fence(deque: &SplitDeque<Header>) {
    if deque.lacks_fence() && fence_is_ready() {
        // SAFETY: this is the owner's thread, and no pop is under way. The fence is registered. A thief that forces by the fence has seen,
        // under the deque's lock, that this deque has gained the fence. So the thief's `heavy_fence` finds the fence registered, too.
        unsafe { deque.gain_fence() };
    }
}

/// Pauses once during a wait. The argument `rounds` is the number of earlier pauses. If `rounds` is a multiple of 64 (or 0), yields the
/// processor, and otherwise spins.
pub(in crate::worker) fn pause(rounds: u32) {
    if rounds % 64 == 0 {
        thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
