//! The victim's side of a steal: the answers to the requests of thieves.

use crate::cancel;
use crate::park::Reason;
use crate::platform::{Ticks, ticks};
use crate::policy::StealAmount;
use crate::worker::local::{WorkerLocal, local};
use crate::worker::steal::throttle::ResponseThrottle;
use crate::worker::thread::WorkerThread;
use heist_deque::split::Popped;
use std::cell::Cell;

/// Does the slow path of a fork. A fork takes this path if a thief requests frames, the scope was cancelled, or this thread is not a
/// worker. The caller must have pushed the frame. Returns false if this thread is not a worker, or if `stops` is true and the scope of the
/// fork was cancelled. If the function returns false, it has popped the frame again.
#[cold]
#[inline(never)]
pub(crate) fn fork_slow(stops: bool) -> bool {
    let local = local();
    let Some(worker) = local.worker() else {
        // SAFETY: this undoes the push to the scratch cells; the words belong to this thread.
        let _ = unsafe { local.shared.forks.pop() };
        return false;
    };
    if stops && cancel::is_stopping() {
        // This is step F3 of cancellation. If a thief has already taken the fork, the fork stays in the deque until its join. SAFETY: this
        // is the owner's thread, which has pushed the fork, and `pop_slow` directly follows a pop that reached the barrier.
        let back = unsafe { local.shared.forks.pop() || worker.forks.pop_slow() == Popped::Mine };
        if back {
            return false;
        }
    }
    worker.answer_at_fork(local);
    true
}

/// Checks for a steal request in code that does not fork, and answers it.
#[inline(always)]
pub(crate) fn poll(local: &WorkerLocal) {
    if local.shared.is_requested() {
        poll_slow();
    }
}

#[cold]
#[inline(never)]
fn poll_slow() {
    let local = local();
    if let Some(worker) = local.worker() {
        worker.answer_request(local);
    }
}

/// Returns true if a thief may have requested work from this worker, or if this thread is not a
/// worker.
#[inline]
pub(crate) fn is_steal_requested() -> bool {
    local().shared.is_requested()
}

/// Checks for a steal request in code that does not fork, and answers it if there is work to give. Returns true if there was a
/// request.
// Not inlined: see `local_now`.
#[inline(never)]
pub(crate) fn answer_steal_request() -> bool {
    let local = local();
    let requested = local.shared.is_requested();
    if requested {
        poll_slow();
    }
    requested
}

/// Returns true if a thief requests work from this worker, and the worker's deques are empty. If the deques are not empty, answers the
/// request.
// Not inlined: see `local_now`.
#[inline(never)]
pub(crate) fn is_bare_and_wanted() -> bool {
    let local = local();
    if !local.shared.is_requested() {
        return false;
    }
    let Some(worker) = local.worker() else {
        return false;
    };
    let bare = !worker.has_work();
    if !bare {
        worker.answer_request(local);
    }
    bare
}

/// The time between two takings of public frames by their own worker above which the worker may offer another frame. The limit is about
/// 20 us, which is more than a hundred times the cost of exposing a frame. (The unit is a tick, which is a nanosecond if the clock has no
/// finer ticks.)
const COARSE: Ticks = 50_000;

/// Number of forks that a worker makes public without a request after it has used force.
const OFFERS: u32 = 8;

/// Returns a function that computes, from the number of private frames, the number of frames that one exposure makes public.
pub(in crate::worker) fn share(amount: StealAmount) -> impl Fn(u32) -> u32 + Copy {
    move |private| match amount {
        StealAmount::One => 1,
        StealAmount::Half => private.div_ceil(2),
    }
}

/// A worker's state as a victim. Only the worker's own thread uses this state.
#[derive(Debug)]
pub(in crate::worker) struct VictimState {
    /// Limits answers at spawns and before tasks.
    task_throttle: ResponseThrottle,
    /// Limits answers at forks.
    fork_throttle: ResponseThrottle,
    /// The time at which the worker last took a public frame back.
    last_reclaim: Cell<Ticks>,
    /// Number of forks that the worker will still offer without a request.
    pub(in crate::worker) offers: Cell<u32>,
}

impl VictimState {
    pub(in crate::worker) fn new() -> Self {
        VictimState {
            task_throttle: ResponseThrottle::of_tasks(),
            fork_throttle: ResponseThrottle::of_forks(),
            last_reclaim: Cell::new(0),
            offers: Cell::new(0),
        }
    }
}

impl WorkerThread {
    /// Answers requests: makes the older half of the private frames public, or takes the step that the
    /// pool's protocol requires of a victim. Call this function on the worker's own thread.
    pub(crate) fn answer_request(&self, local: &WorkerLocal) {
        let began = self.time();
        // The request word is cleared first, so that a request that comes during the exposure
        // stays.
        local.shared.answer();
        let told = self.answer_thieves();
        let exposed = self.time();
        let pool = self.pool();
        let woke = told && pool.idle.notify(pool, Reason::Exposed);
        // If the worker has no work to give, it sets the request word again, because the thief that set the
        // word may be asleep by now.
        if !told {
            local.shared.owe();
        }
        // While this worker's code is in a cancelled scope, each of its forks must take the slow path, and so find that the scope was
        // cancelled.
        if cancel::is_cancelled() {
            local.shared.ask();
        }
        if woke {
            self.counters.waking_ticks.add_since(exposed);
        }
        let lost = if woke { exposed } else { self.time() };
        self.counters.lost_ticks.add_between(began, lost);
    }

    /// Answers requests after a spawn or before a task, if the throttle permits an answer.
    #[inline(never)]
    pub(crate) fn answer_at_task(&self, local: &WorkerLocal) {
        if self.is_time(local, &self.as_victim.task_throttle) {
            self.answer_request(local);
        }
    }

    /// Answers requests after a fork. In pools with a fixed number of threads, the throttle may delay the answer, because the programs of
    /// such pools split a loop again when a thief has taken a part of it. Without the throttle, two workers would cut a short loop into
    /// pieces that take less time than a theft.
    fn answer_at_fork(&self, local: &WorkerLocal) {
        if !self.wait_policy.expects_short_loops()
            || self.is_time(local, &self.as_victim.fork_throttle)
        {
            self.answer_request(local);
        }
    }

    /// Resets the number of forks to offer, after this worker has used force.
    pub(in crate::worker) fn renew_offers(&self) {
        self.as_victim.offers.set(OFFERS);
    }

    /// The worker calls this function after it has taken a public frame back, while no thief requests frames. If the worker takes public
    /// frames back rarely, the cost of an offer is negligible, and the worker offers another frame.
    pub(in crate::worker) fn offer_again(&self, local: &WorkerLocal) {
        let now = ticks();
        if now.wrapping_sub(self.as_victim.last_reclaim.replace(now)) > COARSE {
            self.offer(local);
        }
    }

    /// Returns true if the worker should answer now. The worker may delay an answer only if the throttle is exhausted, and if all waiting
    /// thieves are awake and use force after their backoff time. Otherwise a thief could wait forever, because the worker may never check
    /// again. (Sleeping thieves never force. `may_answer_late` says whether the pool's protocol permits a delay.)
    fn is_time(&self, local: &WorkerLocal, throttle: &ResponseThrottle) -> bool {
        !self.may_answer_late() || local.shared.is_urgent() || throttle.is_due()
    }
}
