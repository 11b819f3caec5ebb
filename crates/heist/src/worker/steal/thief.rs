//! Taking work from other carriers.

use crate::platform::{heavy_fence, prefetch};
use crate::policy::{Delivery, Protocol, StealAmount};
use crate::task::{Header, Stolen};
use crate::trace::EventKind;
use crate::worker::carrier::{Carrier, Context};
use crate::worker::hot::hot;
use crate::worker::queue::injector::Job;
use crate::worker::steal::signal;
use crate::worker::steal::victim::share;
use heist_deque::split::{Claim, Forced, SplitDeque};
use std::time::Instant;

/// Number of thefts in a row that a waiter follows.
const LINKS: usize = 8;
/// The most tasks taken at once. Half of what is there, but not so many that another thief waits.
const TASKS_AT_ONCE: u32 = 32;

/// Ends the process if something unwinds into the scheduler, where others count on this thread.
/// Everything of the user's is called under `catch_unwind`, so this is a bug of Heist.
pub(in crate::worker) struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        crate::platform::say(format_args!(
            "heist: a panic reached the scheduler; please report this"
        ));
        std::process::abort();
    }
}

/// Result of an attempt to steal back.
pub(in crate::worker) enum Lead {
    /// A descendant of the awaited frame, to be run.
    Job(Job),
    /// Descendants are there, and their owner has been asked for them.
    Warm,
    /// None in sight.
    Cold,
}

impl Carrier {
    /// One look at everything a worker with nothing on its stack may run. `asked` says whether
    /// victims were asked for it, which makes a steal not free.
    pub(in crate::worker) fn look_around(&self, asked: bool) -> Option<Job> {
        let crew = self.crew();
        if let Some(fiber) = self.next_bound() {
            return Some(Job::Run(fiber));
        }
        if let Some(job) = crew.take_inbox(self) {
            return Some(job);
        }
        if let Some(job) = crew.injector.pop() {
            return Some(job);
        }
        self.first_of_others(|victim| self.steal_from(victim, asked))
    }

    fn steal_from(&self, victim: &Carrier, asked: bool) -> Option<Job> {
        self.steal_public(victim, asked).or_else(|| {
            self.protocol
                .summons()
                .then(|| self.summon(victim, 0))
                .flatten()
        })
    }

    /// Steals what needs no help from the victim.
    fn steal_public(&self, victim: &Carrier, asked: bool) -> Option<Job> {
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

    /// Steals public tasks that were made so on request.
    pub(in crate::worker) fn steal_any_tasks(&self, victim: &Carrier) -> Option<Job> {
        self.steal_tasks(victim, &victim.tasks, true)
            .or_else(|| self.steal_tasks(victim, &victim.ready, true))
    }

    fn steal_tasks(
        &self,
        victim: &Carrier,
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
                self.stole_one.set(batch.len() == 1);
                let mut newest = None;
                deque.read_batch(batch, |task| {
                    // It is in the victim's cache. Let them all come at once.
                    prefetch(task);
                    // Keep them in order, the newest to be run from hand: this thread runs its
                    // own tasks newest first.
                    if let Some(older) = newest.replace(task) {
                        self.push_task_or_inject(older);
                    }
                });
                // As after every push: somebody may have gone to sleep counting on it.
                let hot = hot();
                if hot.shared.is_hungry() {
                    self.feed(hot);
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

    /// Puts a task into the own deque, or the shared queue if that is full. On its own thread.
    #[inline]
    pub(crate) fn push_task_or_inject(&self, task: *mut Header) {
        let tasks = &self.shared().tasks;
        if tasks.tail() < self.tasks.place(self.tasks.capacity()) {
            // SAFETY: own thread, and there is room.
            unsafe { tasks.push(task) };
        } else {
            self.crew().inject(task);
        }
    }

    /// Tells everybody that somebody is hungry, so that the next fork anywhere is exposed at once.
    /// True if a victim has frames already that it keeps private.
    pub(in crate::worker) fn ask_around(&self) -> bool {
        let mut private = false;
        let _looking = self.crew().lookers.look();
        for victim in self.crew().victims() {
            if victim.id != self.id {
                let shared = victim.shared();
                // A look first: a line that is not written stays in its owner's cache.
                if !shared.is_hungry() {
                    shared.ask();
                }
                private |= victim.has_private();
            }
        }
        private
    }

    /// Presses a victim that did not answer: one, as what comes of it is enough for this thief, and each may cost a
    /// fence. Any of them, whatever the choice of victims: a near one that answers in time must not keep one from being
    /// pressed that sleeps. True if frames were made public for it.
    pub(in crate::worker) fn press_around(&self, delivery: Delivery) -> bool {
        let crew = self.crew();
        let _looking = crew.lookers.look();
        let count = crew.carrier_count();
        let first = (self.next_random() >> 33) as usize % count.max(1);
        (first..count)
            .chain(0..first)
            .filter_map(|id| crew.victim(id))
            .find(|victim| victim.id != self.id && victim.has_private())
            .is_some_and(|victim| self.press(victim, &victim.deques(), delivery))
    }

    /// Presses a victim of return barriers that did not answer, for what is in these deques of its.
    pub(in crate::worker) fn press(
        &self,
        victim: &Carrier,
        deques: &[&SplitDeque<Header>],
        delivery: Delivery,
    ) -> bool {
        match delivery {
            Delivery::Polling => false,
            Delivery::Signal => {
                if victim.has_private() && signal::send(victim) {
                    self.counters.signals.add(1);
                }
                false
            }
            Delivery::Fence => self.force(victim, deques),
        }
    }

    /// Makes frames of a victim public by force.
    pub(in crate::worker) fn force(
        &self,
        victim: &Carrier,
        deques: &[&SplitDeque<Header>],
    ) -> bool {
        let began = Instant::now();
        let mut fences = 0;
        let mut forced = false;
        for deque in deques.iter().filter(|deque| deque.has_private()) {
            // SAFETY: `heavy_fence` orders the whole process wherever the deques count on it.
            let outcome = unsafe { deque.force_some(share(self.amount), heavy_fence) };
            fences += u32::from(outcome != Forced::Untried);
            forced |= outcome == Forced::Exposed;
        }
        if fences > 0 {
            self.grace.learn(began.elapsed() / fences, forced);
        }
        if forced {
            self.counters.forced_exposes.add(1);
            self.trace(EventKind::Forced { victim: victim.id });
            // So that the next thief need not.
            victim.shared().ask();
            self.renew_offers();
        }
        forced
    }

    /// Runs a job. `base`: this thread has nothing on its stack.
    pub(in crate::worker) fn run(&self, job: Job, base: bool) {
        let hot = hot();
        let bomb = AbortOnUnwind;
        let outer = hot.context.replace(if base {
            Context::BASE
        } else {
            Context::ELSEWHERE
        });
        // A fiber below is not what waits on this stack now.
        let fiber = hot.fiber.replace(std::ptr::null());
        if self.stole_one.replace(false) || matches!(job, Job::Claimed { .. }) {
            // There is little else to be had.
            self.offer(hot);
        }
        match job {
            // SAFETY: a job is the sole right to run what it points to.
            Job::Run(header) => unsafe { Header::execute(header) },
            Job::Claimed {
                victim,
                index,
                frame,
            } => {
                // SAFETY: the victim waits for this frame, and carriers live as long as the crew.
                let victim = unsafe { &*victim };
                self.trace(EventKind::FrameBegins { victim: victim.id });
                let record = victim.record(index);
                let serial = self.thefts.get().wrapping_add(1);
                self.thefts.set(serial);
                record.begin(Stolen {
                    thief: self.id,
                    base: Some(self.forks.height()),
                    serial,
                });
                // SAFETY: claimed, so nobody else runs it; the victim keeps it alive until the
                // record is complete.
                unsafe { Header::execute(frame) };
                self.trace(EventKind::FrameEnds);
                if record.complete() {
                    victim.thread.unpark();
                }
            }
        }
        if hot.carrier().is_none() {
            // The scheduler below has no threads to schedule, and nobody to tell.
            crate::platform::say(format_args!(
                "heist: a task that called fork() came back to its pool in the child process; it must end or replace the process instead"
            ));
            std::process::abort();
        }
        hot.fiber.set(fiber);
        hot.context.set(outer);
        std::mem::forget(bomb);
    }

    /// Tries to take a descendant of the own frame at `index`, which somebody stole: from its
    /// thief, or from the thieves of what the thief forked. `asked` is when the victim was first
    /// asked.
    pub(in crate::worker) fn steal_back(&self, index: u32, asked: &mut Option<Instant>) -> Lead {
        let _looking = self.crew().lookers.look();
        let mut owner = self;
        let mut place = index;
        let mut links: [Option<(&Carrier, u32, Stolen)>; LINKS] = [None; LINKS];
        // Follows the oldest stolen frame from thief to thief; deeper chains are found as the
        // nearer ones finish.
        for link in 0..LINKS {
            let Some(stolen) = owner.record(place).stolen() else {
                return Lead::Cold;
            };
            links[link] = Some((owner, place, stolen));
            let thief = self.crew().victim(stolen.thief.into());
            let (Some(base), Some(thief)) = (stolen.base, thief) else {
                return Lead::Cold;
            };
            // What a fiber on top of the thief's wait forks is no descendant.
            if thief.id == self.id || thief.is_apart(base) {
                return Lead::Cold;
            }
            if let Some(job) = self.take_above(thief, base) {
                // See the README, "What a waiter may run", for why this look comes after the claim
                // and at every link.
                let same = |&(owner, place, stolen): &(&Carrier, u32, Stolen)| {
                    let thief = self.crew().victim(stolen.thief.into());
                    owner.record(place).stolen() == Some(stolen)
                        && thief
                            .zip(stolen.base)
                            .is_some_and(|(thief, base)| !thief.is_apart(base))
                };
                if links.iter().flatten().all(same) {
                    self.counters.steal_backs.add(1);
                    return Lead::Job(job);
                }
                // Somebody else's frame, claimed a moment too late: not on top of this stack.
                self.leave_to_others(job);
                return Lead::Cold;
            }
            if thief.forks.has_private() && thief.forks.height() > base {
                self.insist(thief, asked);
                return Lead::Warm;
            }
            // Everything the thief forked under the frame has been stolen in turn, if anything:
            // its oldest stolen frame is the slot below its head.
            let head = thief.forks.head();
            if head <= base {
                return Lead::Cold;
            }
            owner = thief;
            place = head - 1;
        }
        Lead::Cold
    }

    /// Puts what must not run on top of this stack where it will be run. In a pool whose waiters keep their places there
    /// may be nobody with an empty stack, ever: a frame's forker comes to it.
    fn leave_to_others(&self, job: Job) {
        match job {
            Job::Claimed { victim, index, .. } if self.fixed => {
                // SAFETY: carriers live as long as the crew.
                unsafe { &*victim }.get_back(index);
            }
            job => self.crew().inject_job(job),
        }
    }

    /// Gives this carrier a frame back that somebody has claimed and cannot run.
    pub(in crate::worker) fn get_back(&self, index: u32) {
        if self.record(index).give_back() {
            self.thread.unpark();
        }
    }

    /// Takes the oldest frame of a thief if it stands at `floor` or above.
    fn take_above(&self, thief: &Carrier, floor: u32) -> Option<Job> {
        if let Claim::Taken(frame, index) = thief.forks.claim(floor) {
            self.count_steals(1, true);
            self.trace(EventKind::StoleFrame { victim: thief.id });
            return Some(Job::Claimed {
                victim: thief,
                index,
                frame,
            });
        }
        let summons = self.protocol.summons()
            && thief.forks.has_private()
            && thief.forks.height() > floor
            && thief.forks.head() >= floor;
        summons.then(|| self.summon(thief, floor)).flatten()
    }

    /// Asks a thief for its private frames, then presses it if it does not answer.
    fn insist(&self, thief: &Carrier, asked: &mut Option<Instant>) {
        let Protocol::ReturnBarrier(delivery) = self.protocol else {
            return;
        };
        match asked {
            // If no wish stands, it has been answered. (If one does, it may be somebody else's, made since.)
            Some(since) if thief.shared().is_hungry() => {
                if since.elapsed() > self.grace.period() {
                    *asked = None;
                    self.press(thief, &[&thief.forks], delivery);
                }
            }
            _ => {
                thief.shared().ask();
                *asked = Some(Instant::now());
            }
        }
    }
}
