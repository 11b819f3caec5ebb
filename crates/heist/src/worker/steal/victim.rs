//! The victim's side: answers to the requests of thieves.

use crate::cancel;
use crate::park::Reason;
use crate::platform::{Ticks, ticks};
use crate::policy::{Delivery, Protocol, StealAmount};
use crate::task::Header;
use crate::trace::EventKind;
use crate::worker::local::{WorkerLocal, local};
use crate::worker::steal::direct_request::Answer;
use crate::worker::steal::throttle::ResponseThrottle;
use crate::worker::thread::WorkerThread;
use heist_deque::split::{Claim, Popped, SplitDeque};
use std::hint::spin_loop;
use std::thread;

/// Number of rounds for which a victim that stands still spins before it yields its processor.
const STILL_SPINS: u32 = 4096;

/// Does the slow path of a fork. A fork takes this path if a thief requests frames, the scope was cancelled, or this thread is not a
/// worker. The caller must have pushed the frame. Returns false if this thread is not a worker, or if `stops` is true and the scope of the
/// fork was cancelled. In the second case this function has popped the frame again.
#[cold]
#[inline(never)]
pub(crate) fn fork_slow(stops: bool) -> bool {
    let local = local();
    let Some(worker) = local.worker() else {
        // SAFETY: this undoes the push to the scratch slots; the words belong to this thread.
        let _ = unsafe { local.shared.forks.pop() };
        return false;
    };
    if stops && cancel::is_stopping() {
        // F3. If a thief has already taken the fork, the fork stays in the deque until its join. SAFETY: this is
        // the owner's thread, which has pushed the fork; `pop_slow` directly follows a pop that met the barrier.
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

/// Returns true if a thief requests work from this worker, and the worker has no work to give. If the worker has work,
/// this answers the request.
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

/// A worker's forks count as coarse if more than this time passes between two public frames that the worker takes back.
/// The time is about 20 us, more than a hundred times the cost of exposing a frame. (If the clock has no finer ticks, the
/// unit is a nanosecond.)
const COARSE: Ticks = 50_000;

/// Number of forks that a worker offers, without a request, after it has used force.
const OFFERS: u32 = 8;

/// Returns a function: given the number of private frames, it computes the number of frames that one exposure
/// makes public.
pub(in crate::worker) fn share(amount: StealAmount) -> impl Fn(u32) -> u32 + Copy {
    move |private| match amount {
        StealAmount::One => 1,
        StealAmount::Half => private.div_ceil(2),
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
        let told = match self.protocol {
            Protocol::ReturnBarrier(_) => self.expose(),
            _ => self.attend(),
        };
        let exposed = self.time();
        let pool = self.pool();
        let woke = told && pool.idle.notify(pool, Reason::Exposed);
        // If the worker has no work to give, it sets the request word again, because the thief that set the
        // word may be asleep by now.
        if !told {
            local.shared.owe();
        }
        // While this worker's code is in a cancelled scope, each of its forks must take the slow
        // path to see this.
        if cancel::is_cancelled() {
            local.shared.ask();
        }
        if woke {
            self.counters.waking_ticks.add_since(exposed);
        }
        let lost = if woke { exposed } else { self.time() };
        self.counters.lost_ticks.add_between(began, lost);
    }

    /// Answers requests after a spawn or before a task, if the throttle permits.
    #[inline(never)]
    pub(crate) fn answer_at_task(&self, local: &WorkerLocal) {
        if self.is_time(local, &self.task_throttle) {
            self.answer_request(local);
        }
    }

    /// Answers requests after a fork: immediately, except in pools with a fixed number of threads. The programs of such
    /// pools split a loop again when a thief has taken a part of it. So two workers would cut a short loop into pieces
    /// that take less time than a theft.
    fn answer_at_fork(&self, local: &WorkerLocal) {
        if !self.fixed || self.is_time(local, &self.fork_throttle) {
            self.answer_request(local);
        }
    }

    /// Returns true if the worker should answer now. The worker may delay an answer only if it answered a moment ago, and all thieves
    /// are awake and will finally use force. Otherwise a thief could wait forever, because the worker may never check again. (Under
    /// other protocols thieves do not force, and sleeping thieves never do.)
    fn is_time(&self, local: &WorkerLocal, throttle: &ResponseThrottle) -> bool {
        !self.yields_to_force() || local.shared.is_urgent() || throttle.is_due()
    }

    fn yields_to_force(&self) -> bool {
        self.protocol == Protocol::ReturnBarrier(Delivery::Fence)
    }

    /// Makes the worker's next fork public, although no thief has requested frames. If a thief arrives during a long
    /// leaf, it finds this public frame, and need not use force.
    ///
    /// In pools with a fixed number of threads a worker always offers: the programs of such pools are loops of several
    /// hundred microseconds, so each force matters. In other pools a worker offers a few times after it has used force
    /// itself, because its own frames are then as coarse as its victim's frames. A worker of these other pools does not always offer. If
    /// its forks are milliseconds apart, and it exposes each fork, the worker has to fetch its own words from memory every time. These
    /// accesses cost more time than a few forces.
    pub(in crate::worker) fn offer(&self, local: &WorkerLocal) {
        if !self.yields_to_force() || self.pool().settings.threads == 1 {
            return;
        }
        if !self.fixed {
            let left = self.offers.get();
            if left == 0 {
                return;
            }
            self.offers.set(left - 1);
        }
        local.shared.offer();
    }

    /// Resets the number of forks to offer, after this worker has used force.
    pub(in crate::worker) fn renew_offers(&self) {
        self.offers.set(OFFERS);
    }

    /// Called after the worker has taken a public frame back, while no thief requests frames. If this happens so rarely that an
    /// offer costs nothing, offers another frame.
    pub(in crate::worker) fn offer_again(&self, local: &WorkerLocal) {
        let now = ticks();
        if now.wrapping_sub(self.last_reclaim.replace(now)) > COARSE {
            self.offer(local);
        }
    }

    fn expose(&self) -> bool {
        let share = share(self.amount);
        let exposed: u32 = self
            .deques()
            .into_iter()
            // SAFETY: this is the owner's thread (`answer_request` is called there only).
            .map(|deque| unsafe { deque.expose(share) })
            .sum();
        if exposed > 0 {
            self.counters.exposes.add(1);
            self.trace(EventKind::Exposed { count: exposed });
        }
        exposed > 0
    }

    /// Answers the direct request of a thief, if there is one. Returns true if this worker still has an
    /// entry that other workers can steal. Then the caller must wake workers.
    #[inline(never)]
    fn attend(&self) -> bool {
        if let Some(floor) = self.direct_request.accept() {
            self.counters.direct_requests.add(1);
            if self.protocol == Protocol::StopVictim {
                let mut rounds = 0_u32;
                self.direct_request.stand_still(|| {
                    rounds += 1;
                    if rounds % STILL_SPINS == 0 {
                        // The thief may have lost its processor.
                        thread::yield_now();
                    } else {
                        spin_loop();
                    }
                });
            } else {
                // SAFETY: this is the owner's thread.
                let answer = self.oldest(floor, |deque| unsafe { deque.expose(|_| 1) });
                self.direct_request.reply(answer.unwrap_or(Answer::Nothing));
            }
        }
        self.has_work()
    }

    /// Answers a thief's direct request. The worker calls this while it waits or searches, because it then reaches no
    /// fork. Under protocols without direct requests, thieves take its frames without its help.
    pub(in crate::worker) fn attend_waiting(&self) {
        if self.protocol.asks_one_victim() && self.direct_request.is_asked() {
            self.answer_request(local());
        }
    }

    /// Returns true if the next thief that asks gets a task rather than a frame, if there is a task. Every second thief that asks gets
    /// tasks first: otherwise a worker that forks all the time would never share its tasks. A thief that waits for a frame (its floor is
    /// not 0) takes only frames.
    pub(in crate::worker) fn gives_tasks_first(&self, floor: u32) -> bool {
        floor == 0 && self.counters.direct_requests.get() % 2 == 0
    }

    /// Takes the oldest frame, if it is at `floor` or above, or the oldest task;
    /// [`gives_tasks_first`](Self::gives_tasks_first) decides which comes first. `expose` makes one entry public, on the
    /// owner's thread. Returns `None` if `expose` could not make an entry public.
    fn oldest(&self, floor: u32, expose: impl Fn(&SplitDeque<Header>) -> u32) -> Option<Answer> {
        let frame = || {
            if !self.forks.has_private() || self.forks.head() < floor {
                return Some(Answer::Nothing);
            }
            if expose(&self.forks) == 0 {
                return None;
            }
            Some(match self.forks.claim(floor) {
                Claim::Taken(frame, index) => Answer::Frame(frame, index),
                _ => Answer::Nothing,
            })
        };
        let task = || {
            for deque in [&self.tasks, &self.ready] {
                if !deque.has_private() {
                    continue;
                }
                if expose(deque) == 0 {
                    return None;
                }
                if let Ok(batch) = deque.claim_batch(1) {
                    let mut answer = Answer::Nothing;
                    deque.read_batch(batch, |task| answer = Answer::Task(task));
                    return Some(answer);
                }
            }
            Some(Answer::Nothing)
        };
        if floor > 0 {
            return frame();
        }
        let (first, second): (&dyn Fn() -> _, &dyn Fn() -> _) = if self.gives_tasks_first(floor) {
            (&task, &frame)
        } else {
            (&frame, &task)
        };
        match first()? {
            Answer::Nothing => second(),
            answer => Some(answer),
        }
    }

    /// Does the work of [`answer_request`](Self::answer_request) in a signal handler. The signal may have interrupted this thread at any
    /// point. So this function waits for no lock, changes no counters, and wakes no worker (the thief that has sent the signal is
    /// awake).
    #[cfg_attr(
        not(target_os = "linux"),
        allow(unused, reason = "there are no signals")
    )]
    pub(in crate::worker) fn answer_interrupting(&self) {
        match self.protocol {
            Protocol::ReturnBarrier(_) => {
                for deque in self.deques() {
                    // SAFETY: the owner's thread.
                    unsafe { deque.expose_interrupting(share(self.amount)) };
                }
            }
            Protocol::Polled(_) => {
                if let Some(floor) = self.direct_request.accept() {
                    // SAFETY: the owner's thread.
                    match self.oldest(floor, |deque| unsafe { deque.expose_interrupting(|_| 1) }) {
                        Some(answer) => self.direct_request.reply(answer),
                        // The interrupted code holds a deque's lock, so the victim answers at its
                        // next check.
                        None => self.direct_request.put_back(floor),
                    }
                }
            }
            _ => {}
        }
    }
}
