//! A carrier's life: run what there is, search, sleep, give way, end.

use crate::park::Ground;
use crate::platform::{fence_is_ready, pin_current_thread};
use crate::policy::{Delivery, Protocol};
use crate::task::{Payload, discard};
use crate::trace::EventKind;
use crate::worker::carrier::{Carrier, Context};
use crate::worker::hot::{Hot, hot};
use crate::worker::idle::courtesy::Courtesy;
use crate::worker::pool::crew::Crew;
use crate::worker::queue::injector::Job;
use crate::worker::wait::join::pause;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};
use std::thread;
use std::time::{Duration, Instant};

/// Wake-ups in a row that found nothing before a sentinel takes over.
const USELESS_WAKES: u32 = 4;
/// The sentinel's first and longest sleep.
const WATCH: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));
/// Sleeps in a row that found the whole pool idle before the sentinel lies down for good.
const QUIET_WATCHES: u32 = 20;
/// Number of jobs that a carrier runs from the top of its own deque before it looks at the other end.
pub(super) const TURN: u32 = 64;
/// The first and the longest rest of a thief whose victims do not answer.
const NAP: (Duration, Duration) = (Duration::from_micros(10), Duration::from_millis(1));
/// The shortest search before sleep.
const LEAST_SPIN: Duration = Duration::from_micros(1);
/// The same in a pool with threads of a fixed number. Its programs come in loops, one after the other, and were made for a scheduler
/// that looks so long: a loop of 0.3 ms takes a fifth more if its second worker has to be woken.
const LEAST_SPIN_FIXED: Duration = Duration::from_micros(30);
/// The same after a wake-up while forks are expected: it may have been woken, on a guess, beside the one who takes the job, and before that
/// one comes to its first fork.
const EXPECTING: Duration = Duration::from_micros(30);

/// Length of the last sleeps, and so of the spin that pays.
struct Patience {
    spin: Duration,
    least: Duration,
    most: Duration,
    /// Whether the last wake-up has led to anything yet.
    fruitless: bool,
    courtesy: Courtesy,
}

/// The body of a carrier's thread.
pub(crate) fn carrier_main(crew: Arc<Crew>, id: u16, slot: u32) {
    let hot = hot();
    // For the handler that reports a fiber's overflow. Where it cannot be had that is not reported.
    let _signal_stack = crew
        .settings
        .fibers
        .as_ref()
        .map(|_| crate::fiber::ensure_signal_stack());
    let carrier = match Carrier::for_current_thread(&crew, id, slot, hot) {
        Ok(carrier) => crew.enlist(carrier),
        Err(error) => {
            crew.lose(id, slot, error, false);
            return;
        }
    };
    let Some(carrier) = carrier else {
        // All the others have ended. Its handlers are called all the same, once each as promised.
        for handler in [&crew.settings.start, &crew.settings.exit]
            .into_iter()
            .flatten()
        {
            call_handler(&crew, handler, usize::from(id));
        }
        let error = std::io::Error::other("the pool had ended before it began");
        crew.lose(id, slot, error, false);
        return;
    };
    hot.attach(&carrier.forks, carrier.protocol.sharing());
    // A signal's handler that finds the carrier finds all that belongs to it.
    compiler_fence(Ordering::SeqCst);
    hot.carrier.set(carrier);
    hot.context.set(Context::BASE);
    carrier.pin();
    let index = usize::from(id);
    if let Some(handler) = &crew.settings.start {
        // It may take its time, and wait: others must not count on this carrier meanwhile.
        crew.idle.stop_searching(&*crew);
        carrier.in_handler.set(true);
        call_handler(&crew, handler, index);
        carrier.in_handler.set(false);
        // What it has left in the own deques: who searches looks into those of others only.
        carrier.run_own(hot);
        crew.idle.start_searching();
    }
    carrier.work(hot);
    crew.leave();
    // Nobody steals any more but a thread of the program's own, which may go on for ever: this thread's words may go.
    if crew.lookers.are_counted() {
        crew.withdraw_words(carrier);
    }
    hot.detach();
    if let Some(handler) = &crew.settings.exit {
        call_handler(&crew, handler, index);
    }
    crew.ended();
}

fn call_handler(crew: &Crew, handler: &(dyn Fn(usize) + Send + Sync), index: usize) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(index))) {
        crew.handle_panic(payload);
    }
}

impl Carrier {
    /// Binds the thread to the CPU of its slot, if the pool pins.
    pub(super) fn pin(&self) {
        // A thread of the program's own is the program's to bind.
        let cpu = (!self.adopted).then(|| self.crew().cpu_of(self.slot()));
        if let Some(cpu) = cpu.flatten() {
            pin_current_thread(cpu);
        }
    }

    /// Begins as a searcher.
    pub(super) fn work(&self, hot: &Hot) {
        let most = self.crew().settings.spin;
        let least = if self.fixed {
            LEAST_SPIN_FIXED
        } else {
            LEAST_SPIN
        };
        let least = least.min(most);
        let mut patience = Patience {
            spin: least.max(most / 4),
            least,
            most,
            fruitless: false,
            courtesy: Courtesy::new(),
        };
        while let Some(job) = self.search(&mut patience) {
            self.trace(EventKind::WorkBegins { slot: self.slot() });
            self.begin_stint(hot, &job);
            self.run_at_base(hot, job);
            self.run_own(hot);
            self.trace(EventKind::WorkEnds);
            if !self.step_aside() {
                self.crew().idle.start_searching();
            }
        }
    }

    /// Runs what can be had without a search.
    pub(super) fn run_own(&self, hot: &Hot) {
        while let Some(job) = self.next_without_search(hot) {
            self.run_at_base(hot, job);
        }
    }

    /// Runs a job with nothing on the stack.
    fn run_at_base(&self, hot: &Hot, job: Job) {
        let frame = matches!(job, Job::Claimed { .. });
        self.run(job, true);
        if self.fixed {
            self.end_first(hot, frame);
        }
    }

    /// The next job that can be had at once. Between jobs the stack is empty: here a surplus
    /// carrier stops.
    fn next_without_search(&self, hot: &Hot) -> Option<Job> {
        let turn = self.turns.get().wrapping_add(1);
        self.turns.set(turn);
        // A pool with threads of a fixed number promises its own newest first.
        if turn % TURN == 0 && !self.fixed {
            if let Some(job) = self.take_turns(turn / TURN) {
                return Some(job);
            }
        }
        if let Some(task) = self.pop_task(hot, 0) {
            return Some(Job::Run(task));
        }
        if crate::finish::flush(self) {
            // It was the last that a fiber waited for, which goes on now.
            if let Some(task) = self.pop_task(hot, 0) {
                return Some(Job::Run(task));
            }
        }
        // SAFETY: the own thread; tasks are only claimed in batches, and the deque is empty.
        unsafe { self.tasks.rewind_empty(0) };
        self.trace_drained();
        if let Some(task) = self.refill(hot) {
            if hot.shared.is_hungry() {
                self.feed(hot);
            }
            return Some(Job::Run(task));
        }
        // Before it may leave: nobody else can run these.
        if let Some(fiber) = self.next_bound() {
            return Some(Job::Run(fiber));
        }
        if self.crew().idle.has_surplus() {
            return None;
        }
        let job = self.look_around(false)?;
        self.begin_stint(hot, &job);
        Some(job)
    }

    /// The oldest entry in turn: two tasks that wake each other on top of the own deque must not
    /// keep what lies below them, or came from outside, from ever being run.
    #[cold]
    fn take_turns(&self, round: u32) -> Option<Job> {
        // One turn in two for the fibers that nobody else can run, whatever else there is.
        if round % 2 == 0 {
            if let Some(fiber) = self.next_bound() {
                return Some(Job::Run(fiber));
            }
        }
        let crew = self.crew();
        // What comes now may wait for the end of a scope, of which this carrier has finished the last task.
        crate::finish::flush(self);
        let job = crew.take_inbox(self).or_else(|| crew.injector.pop());
        if job.is_some() {
            return job;
        }
        // SAFETY: the own thread.
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

    /// Leaves if there are more carriers running than slots. True if it did, and has come back as
    /// a searcher with a slot.
    fn step_aside(&self) -> bool {
        let crew = self.crew();
        if !crew.idle.has_surplus() || !crew.idle.step_aside(crew, self.id, self.slot()) {
            return false;
        }
        crew.slot_freed();
        self.activity.end();
        self.trace(EventKind::AsideBegins);
        while !self.woken.swap(false, Ordering::Acquire) {
            // If it cannot, somebody is waking it.
            if self.has_bound() && crew.idle.recall(self.id, self.slot()) {
                break;
            }
            if !crew.closing.load(Ordering::SeqCst) {
                thread::park();
            } else if crew.idle.come_back(self.id, self.slot()) {
                break;
            }
        }
        self.activity.begin();
        self.trace(EventKind::AsideEnds);
        self.pin();
        true
    }

    /// Moves to a slot that nobody holds if this one is held twice, as it can be after a waiter
    /// came back. Between jobs only: a closure's worker index does not change.
    fn settle_slot(&self) {
        if let Some(free) = self.crew().idle.settle(self.slot()) {
            self.take_slot(free);
        }
    }

    /// Searches until there is a job (this carrier no longer counts as a searcher then), or the
    /// pool closes with nothing left to do.
    fn search(&self, patience: &mut Patience) -> Option<Job> {
        let crew = self.crew();
        loop {
            let mut began = Instant::now();
            let mut asked: Option<Instant> = None;
            // Whether anybody was asked: what is found then is not free.
            let mut asked_any = false;
            let mut request = None;
            let mut nap = NAP.0;
            let mut rounds = 0_u32;
            let spin = match patience.fruitless && crew.idle.expects_forks() {
                true => patience.spin.max(EXPECTING.min(patience.most)),
                false => patience.spin,
            };
            loop {
                // With nothing in sight, a closing pool ends: looking closer would keep the others
                // from seeing that nobody is busy.
                if crew.closing.load(Ordering::Relaxed)
                    && !self.has_bound()
                    && !crew.work_waits(Some(self.slot()))
                    && !crew.has_frames()
                {
                    break;
                }
                self.activity.begin();
                let before = self.counters.steals.get();
                if let Some(job) = self.look_around(asked_any) {
                    if self.counters.steals.get() != before {
                        self.latencies.add_since(request);
                    }
                    patience.fruitless = false;
                    crew.idle.forget_useless();
                    if matches!(job, Job::Claimed { .. }) {
                        crew.idle.expect_forks(true);
                    }
                    crew.idle.stop_searching(crew);
                    return Some(job);
                }
                if let Protocol::ReturnBarrier(delivery) = self.protocol {
                    if asked.is_some_and(|since| since.elapsed() > self.grace.period()) {
                        asked = None;
                        let pressing = Instant::now();
                        let fruitful = self.press_around(delivery);
                        // That can take longer than a whole search, and is none.
                        began += pressing.elapsed();
                        if fruitful {
                            asked = Some(Instant::now());
                            continue;
                        }
                    }
                    asked_any = true;
                    if !self.ask_around() {
                        (asked, request) = (None, None);
                    } else if asked.is_none() {
                        asked = Some(Instant::now());
                        request = request.or_else(|| self.time());
                        self.counters.requests.add(1);
                    }
                } else {
                    self.attend_waiting();
                }
                if crew.ask_hidden() {
                    began = Instant::now();
                    continue;
                }
                if rounds == 0 {
                    patience.courtesy.offer();
                } else {
                    pause(rounds);
                }
                rounds += 1;
                let tired = || began.elapsed() > spin || crew.closing.load(Ordering::Relaxed);
                if tired() {
                    let waits_for_victims =
                        asked.is_some() || self.protocol.summons() && crew.has_frames();
                    if !waits_for_victims || crew.idle.has_surplus() {
                        break;
                    }
                    self.rest(&mut nap);
                }
            }
            self.activity.end();
            // After the end of the activity: of those who end last, one at least finds that nobody is active.
            let closing = crew.closing.load(Ordering::SeqCst);
            if closing && crew.is_finished() {
                crew.idle.stop_searching(crew);
                return None;
            }
            // With a surplus, too, a closing pool has nobody step aside: he would come back at once.
            if !closing && crew.idle.has_surplus() {
                crew.idle.stop_searching(crew);
                if !self.step_aside() {
                    crew.idle.start_searching();
                }
            } else {
                self.settle_slot();
                self.sleep(patience);
            }
        }
    }

    /// Rests, longer each time, where victims keep what they have to themselves until they look up (Rainey, section
    /// 3.3.3). It counts as a searcher all the while, so that what comes meanwhile may wait for it.
    fn rest(&self, nap: &mut Duration) {
        let rests = match self.protocol {
            // By a signal, as by force, the thief need not wait for them to look up.
            Protocol::ReturnBarrier(delivery) => delivery == Delivery::Polling,
            // Its thieves spin (Kumar and others, section 3.3).
            Protocol::StopVictim => false,
            _ => true,
        };
        if rests {
            thread::park_timeout(*nap);
            *nap = (*nap * 2).min(NAP.1);
        }
    }

    /// Sleeps until there may be work. A searcher before and after.
    fn sleep(&self, patience: &mut Patience) {
        let crew = self.crew();
        if patience.fruitless {
            crew.idle.expect_forks(false);
        }
        let mut watch = None;
        if patience.fruitless && crew.idle.count_useless() >= USELESS_WAKES || !fence_is_ready() {
            // Without an asymmetric fence a push can miss that somebody is hungry: watch as long as there is none.
            watch = crew.idle.claim_sentinel().then_some(WATCH.0);
        }
        let slot = self.slot();
        if !crew.idle.lie_down(crew, self.id, slot, watch.is_some()) {
            self.stop_watching(watch);
            return;
        }
        self.counters.parks.add(1);
        self.trace(EventKind::ParkBegins);
        self.lie(patience, slot, watch);
        self.trace(EventKind::ParkEnds);
    }

    /// Sleeps, lying down, until it has been woken or has risen.
    fn lie(&self, patience: &mut Patience, slot: u32, mut watch: Option<Duration>) {
        let crew = self.crew();
        let began = Instant::now();
        let mut quiet = 0;
        while !self.woken.load(Ordering::Acquire) {
            // If it cannot, somebody is waking it.
            if self.has_bound() && crew.idle.rise(self.id) {
                self.stop_watching(watch);
                self.counters.wakes.add(1);
                patience.learn(began.elapsed());
                patience.fruitless = false;
                return;
            }
            // Else others still have something to do. If it becomes more they wake a sleeper, as ever; and who ends as the
            // last wakes all (see `Crew::is_finished`).
            if crew.closing.load(Ordering::SeqCst) && crew.is_finished() {
                // If it cannot, somebody is waking it.
                if crew.idle.rise(self.id) {
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
            if crew.work_waits(Some(slot)) || crew.has_frames() {
                if crew.idle.rise(self.id) {
                    self.stop_watching(watch);
                    patience.fruitless = false;
                    return;
                }
                continue;
            }
            watch = Some((nap * 2).min(WATCH.1));
            quiet = if crew.is_idle() { quiet + 1 } else { 0 };
            if quiet >= QUIET_WATCHES && fence_is_ready() {
                // The whole pool is idle: back to sleeping without a timer.
                self.stop_watching(watch.take());
                if crew.idle.must_wake(crew, slot) && crew.idle.rise(self.id) {
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
            self.crew().idle.drop_sentinel();
        }
    }
}

impl Patience {
    /// Spins twice as long if that would have spared the last sleep, else half as long.
    fn learn(&mut self, slept: Duration) {
        let needed = self.spin + slept;
        self.spin = if needed <= self.most {
            (needed * 2).min(self.most)
        } else {
            (self.spin / 2).max(self.least)
        };
    }
}

impl Crew {
    /// Asks for work that no deque shows. False if there is none, or the pool closes.
    pub(super) fn ask_hidden(&self) -> bool {
        let hidden = self.settings.hidden.as_ref();
        hidden.is_some_and(|hidden| !self.closing.load(Ordering::Relaxed) && hidden())
    }

    /// If no carrier was active when this looked at it, how often they have been so in all.
    fn periods(&self) -> Option<u64> {
        self.carriers()
            .map(|carrier| carrier.activity.periods())
            .sum()
    }

    /// Whether no carrier runs or searches for anything (a racing view).
    fn is_idle(&self) -> bool {
        self.idle.counts().searching == 0 && self.periods().is_some()
    }

    /// Whether, in a closing crew, nothing is left to do.
    ///
    /// A thread that finds the pool unfinished may sleep on it until it is woken: each thing that is missing here comes with a look of
    /// its own. A carrier that ceases to be active looks after that, and of several the last one sees that none is (all in
    /// the one order of SeqCst); then it leaves, and [wakes](Self::leave) the others. A job in the queue, and a suspended
    /// task that goes on, wake a sleeper, who is active then. A carrier that has yet to come is active when it does,
    /// and one that will not come wakes all ([`lose`](Self::lose)).
    pub(super) fn is_finished(&self) -> bool {
        // A job may go from a carrier that is looked at later to one that was looked at before,
        // so look twice: if nobody was active between, nobody had anything when the queue was
        // empty, and only who has something makes more. Who has not come yet may bring something: what
        // its start handler does. Who is suspended will: dropping a pool waits for its tasks.
        self.periods().is_some_and(|before| {
            self.injector.is_empty()
                && (self.settings.fixed || self.has_everybody())
                && self.live_tasks() == 0
                && self.periods() == Some(before)
        })
    }

    /// Gives a panic that nobody waits for to the pool's handler. Never unwinds.
    pub(crate) fn handle_panic(&self, payload: Payload) {
        match &self.settings.panic {
            // The handler itself must not panic: there is nobody left to tell.
            Some(handler) => {
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(payload))) {
                    std::mem::forget(payload);
                    crate::platform::say(format_args!(
                        "heist: the panic handler of a pool panicked; aborting"
                    ));
                    std::process::abort();
                }
            }
            // Its text is on stderr already, by the panic hook: as with a detached std thread.
            None => discard(payload),
        }
    }
}
