//! A worker without work: its search for work, and its sleep.

use crate::park::IdleHooks;
use crate::platform::fence_is_ready;
use crate::trace::EventKind;
use crate::worker::idle::search_yield::SearchYield;
use crate::worker::local::WorkerLocal;
use crate::worker::pool::settings::{Idle, Settings};
use crate::worker::queue::job::Job;
use crate::worker::steal::protocol::Search;
use crate::worker::thread::WorkerThread;
use crate::worker::wait::join::pause;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// After this number of useless wake-ups in a row, a worker becomes the sentinel when it goes to sleep.
const USELESS_WAKES: u32 = 4;

/// The lengths of the sentinel's sleeps with a timer: the length of the first sleep, and the maximum length.
const WATCH: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// Number of the sentinel's sleeps in a row, each with an idle pool at its end, after which the sentinel sleeps without a timer.
const QUIET_WATCHES: u32 = 20;

/// The lengths of the naps of a thief whose victims do not answer: the length of the first nap, and the maximum length.
const NAP: (Duration, Duration) = (Duration::from_micros(10), Duration::from_millis(1));

/// Minimum length of the search after a wake-up that has not led to any work yet, while the pool expects forks. The pool may have woken
/// this worker together with a worker that takes a job, because the job will probably fork soon.
const EXPECTING: Duration = Duration::from_micros(30);

/// The shortest search before sleep.
const LEAST_SPIN: Duration = Duration::from_micros(1);

/// The shortest search in a pool with a fixed number of threads, and in a pool with an [idle poll](crate::Builder::idle_poll). Programs for
/// pools of fixed threads run loops one after the other, and expect workers to search for this time. A loop of 0.3 ms takes a fifth longer
/// if another thread has to wake its second worker. With an idle poll, a worker finds the answer to a message only if it searches until the
/// answer arrives.
const LONG_LEAST_SPIN: Duration = Duration::from_micros(30);

/// A worker's record of its last sleeps, which determines how long the worker searches.
pub(in crate::worker) struct Patience {
    spin: Duration,
    least: Duration,
    most: Duration,
    /// True if the last wake-up has not led to any work yet.
    fruitless: bool,
    search_yield: SearchYield,
}

impl Patience {
    /// Creates the record of a new thread of a pool.
    pub(in crate::worker) fn new(settings: &Settings) -> Self {
        let most = settings.spin;
        let least = if settings.wait_policy.expects_short_loops() || settings.hidden.is_some() {
            LONG_LEAST_SPIN
        } else {
            LEAST_SPIN
        };
        let least = least.min(most);
        Patience {
            spin: least.max(most / 4),
            least,
            most,
            fruitless: false,
            search_yield: SearchYield::new(),
        }
    }

    /// Adapts the length of later searches after a sleep of length `slept`. The new length is twice the length of a search that would have
    /// avoided this sleep. If such a search would have been longer than the maximum, halves the length of later searches.
    fn learn(&mut self, slept: Duration) {
        let needed = self.spin + slept;
        self.spin = if needed <= self.most {
            (needed * 2).min(self.most)
        } else {
            (self.spin / 2).max(self.least)
        };
    }
}

impl WorkerThread {
    /// Moves to a slot without a holder, if two workers hold this worker's slot. Two workers may hold one slot after the end of a wait. The
    /// caller must be between two jobs, because the worker index that a closure sees must not change.
    fn settle_slot(&self) {
        if let Some(free) = self.pool().idle.settle(self.slot()) {
            self.take_slot(free);
        }
    }

    /// Searches for a job until it finds one, or until the pool closes with no work left. If there is a job, this worker no longer counts
    /// as a searcher.
    // Not inlined: otherwise the stack of this function would add to the stack of each job.
    #[inline(never)]
    pub(in crate::worker) fn search(
        &self,
        local: &WorkerLocal,
        patience: &mut Patience,
    ) -> Option<Job> {
        let pool = self.pool();
        loop {
            if self.is_excess() {
                pool.idle.stop_searching(pool);
                self.retire(local);
                pool.idle.start_searching();
            }
            let mut search = Search::new();
            let mut nap = NAP.0;
            let mut rounds = 0_u32;
            let spin = match patience.fruitless && pool.idle.expects_forks() {
                true => patience.spin.max(EXPECTING.min(patience.most)),
                false => patience.spin,
            };
            loop {
                // If there seems to be no work, a worker of a closing pool ends its search: a
                // longer search would keep the other workers from seeing that no worker is busy.
                if pool.closing.load(Ordering::Relaxed)
                    && !self.has_bound()
                    && !pool.work_waits(Some(self.slot()))
                    && !pool.has_frames()
                {
                    break;
                }
                self.activity.begin();
                let before = self.counters.steals.get();
                if let Some(job) = self.look_around(search.asked_any) {
                    if self.counters.steals.get() != before {
                        self.latencies.add_since(search.requested_at);
                    }
                    patience.fruitless = false;
                    pool.idle.forget_useless();
                    if matches!(job, Job::Claimed { .. }) {
                        pool.idle.expect_forks(true);
                    }
                    pool.idle.stop_searching(pool);
                    return Some(job);
                }
                if self.after_vain_round(&mut search) {
                    continue;
                }
                if pool.ask_hidden(Idle::Searches) {
                    search.began = Instant::now();
                    continue;
                }
                if rounds == 0 {
                    patience.search_yield.offer();
                } else {
                    pause(rounds);
                }
                rounds += 1;
                let tired =
                    || search.began.elapsed() > spin || pool.closing.load(Ordering::Relaxed);
                if tired() {
                    if !self.expects_answers(&search) || pool.idle.has_surplus() {
                        break;
                    }
                    self.rest(&mut nap);
                }
            }
            self.activity.end();
            // The flag is read after the end of this worker's activity. So of the workers that become inactive last, at least one finds
            // that no worker is active.
            let closing = pool.closing.load(Ordering::SeqCst);
            if closing && pool.is_finished() {
                pool.idle.stop_searching(pool);
                return None;
            }
            // In a closing pool no worker steps aside, even with a surplus, because the worker would come back immediately.
            if !closing && pool.idle.has_surplus() {
                pool.idle.stop_searching(pool);
                if !self.step_aside() {
                    pool.idle.start_searching();
                }
            } else if !pool.ask_hidden(Idle::Sleeps) {
                self.settle_slot();
                self.sleep(patience);
            }
        }
    }

    /// Takes a nap between two rounds of a search, each time longer than before (Rainey's thesis, section 3.3.3). The worker naps only
    /// under a protocol that leaves work private until its owner checks for requests. The worker still counts as a searcher during the nap,
    /// so new work may have to wait for the end of the nap.
    fn rest(&self, nap: &mut Duration) {
        if self.naps() {
            thread::park_timeout(*nap);
            *nap = (*nap * 2).min(NAP.1);
        }
    }

    /// Sleeps until there may be work. The worker counts as a searcher before and after the sleep, but not during it.
    fn sleep(&self, patience: &mut Patience) {
        let pool = self.pool();
        if patience.fruitless {
            pool.idle.expect_forks(false);
        }
        let mut watch = None;
        if patience.fruitless && pool.idle.count_useless() >= USELESS_WAKES || !fence_is_ready() {
            // Without an asymmetric fence a push can miss a request, so a sleeper watches while the
            // fence is missing.
            watch = pool.idle.claim_sentinel().then_some(WATCH.0);
        }
        let slot = self.slot();
        if !pool.idle.lie_down(pool, self.id, slot, watch.is_some()) {
            self.stop_watching(watch);
            return;
        }
        self.counters.parks.add(1);
        self.trace(EventKind::ParkBegins);
        self.lie(patience, slot, watch);
        self.trace(EventKind::ParkEnds);
    }

    /// Sleeps until another thread wakes this worker. If this worker finds a reason to end its sleep earlier, it removes itself from the
    /// list of sleepers.
    fn lie(&self, patience: &mut Patience, slot: u32, mut watch: Option<Duration>) {
        let pool = self.pool();
        let began = Instant::now();
        let mut quiet = 0;
        while !self.woken.load(Ordering::Acquire) {
            // If `rise` fails, another thread is waking this worker.
            if self.has_bound() && pool.idle.rise(self.id) {
                self.stop_watching(watch);
                self.counters.wakes.add(1);
                patience.learn(began.elapsed());
                patience.fruitless = false;
                return;
            }
            // If the pool is not finished, other workers still have work. If these workers get more work, they wake a sleeper as usual. The
            // worker that ends last wakes all sleepers (see `PoolInner::is_finished`).
            if pool.closing.load(Ordering::SeqCst) && pool.is_finished() {
                // If `rise` fails, another thread is waking this worker.
                if pool.idle.rise(self.id) {
                    self.stop_watching(watch);
                    return;
                }
                continue;
            }
            let Some(nap) = watch else {
                thread::park();
                continue;
            };
            thread::park_timeout(nap);
            if self.woken.load(Ordering::Acquire) {
                break;
            }
            if pool.work_waits(Some(slot)) || pool.has_frames() {
                if pool.idle.rise(self.id) {
                    self.stop_watching(watch);
                    patience.fruitless = false;
                    return;
                }
                continue;
            }
            watch = Some((nap * 2).min(WATCH.1));
            quiet = if pool.is_idle() { quiet + 1 } else { 0 };
            if quiet >= QUIET_WATCHES && fence_is_ready() {
                // The whole pool is idle: this worker sleeps without a timer again.
                self.stop_watching(watch.take());
                if pool.idle.must_wake(pool, slot) && pool.idle.rise(self.id) {
                    return;
                }
            }
        }
        self.stop_watching(watch);
        self.counters.wakes.add(1);
        patience.learn(began.elapsed());
        patience.fruitless = true;
    }

    fn stop_watching(&self, watch: Option<Duration>) {
        if watch.is_some() {
            self.pool().idle.drop_sentinel();
        }
    }
}
