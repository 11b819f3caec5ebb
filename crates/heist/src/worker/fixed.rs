//! Waiting in pools with threads of a fixed number: nobody takes a waiter's place, so it comes to what is left for
//! its thread, and looks again now and then whether there is something that it may run.

use super::carrier::Carrier;
use super::hot::hot;
use super::injector::Job;
use super::lineage::Awaited;
use super::steal::Lead;
use super::wait::{PATIENCE, pause};
use crate::policy::Protocol;
use crate::task::Header;
use crate::trace::EventKind;
use crate::waiting::Reason;
use std::thread;
use std::time::{Duration, Instant};

/// The first and the longest sleep between two looks.
const NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// The sleeps of one wait, each twice as long as the one before.
pub(super) struct Naps(Duration);

impl Naps {
    pub(super) fn new() -> Self {
        Naps(NAP.0)
    }

    /// Sleeps, if nobody has unparked the thread since it last looked. What the carrier has is free to be taken
    /// meanwhile.
    pub(super) fn take(&mut self, carrier: &Carrier) {
        // SAFETY: the owner's thread: it is the one that sleeps.
        unsafe {
            carrier.forks.expose_all();
            carrier.tasks.expose_all();
            carrier.ready.expose_all();
        }
        thread::park_timeout(self.0);
        self.0 = (self.0 * 2).min(NAP.1);
    }
}

impl Carrier {
    /// What a worker runs in the middle of whatever it waits for: its part of a broadcast, which all wait for.
    pub(super) fn next_for_all(&self) -> Option<Job> {
        self.crew().take_inbox(self)
    }

    /// The next job, whatever it is, its own first.
    fn next_of_any(&self) -> Option<Job> {
        match self.pop_task(hot(), 0) {
            Some(task) => Some(Job::Run(task)),
            None => self.look_around(false),
        }
    }

    /// Waits until it is `done`, as which some other thread marks it before it unparks this one, and runs what `next` gives.
    fn wait_with(&self, reason: Reason, done: &dyn Fn() -> bool, next: &mut dyn FnMut() -> Lead) {
        self.trace(reason.begins());
        let mut rounds = 0;
        let mut since = None;
        let mut naps = Naps::new();
        while !done() {
            match next() {
                Lead::Job(job) => {
                    self.run(job, false);
                    naps = Naps::new();
                    since = None;
                    continue;
                }
                Lead::Warm => since = None,
                Lead::Cold => {}
            }
            rounds += 1;
            pause(rounds);
            if since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                naps.take(self);
            }
        }
        self.trace(EventKind::WaitEnds);
    }

    /// Waits as one who serves the pool meanwhile: runs whatever there is.
    pub(crate) fn serve(&self, reason: Reason, done: &dyn Fn() -> bool) {
        let mut asked: Option<Instant> = None;
        self.wait_with(reason, done, &mut || {
            if let Some(job) = self.next_of_any() {
                asked = None;
                return Lead::Job(job);
            }
            if !self.ask_around() {
                asked = None;
                return Lead::Cold;
            }
            if let Protocol::ReturnBarrier(delivery) = self.protocol
                && asked.get_or_insert_with(Instant::now).elapsed() > self.grace.period()
            {
                asked = None;
                self.press_around(delivery);
            }
            Lead::Warm
        });
    }

    /// Waits for tasks of the scope at that address, which were put into this deque above `floor`, or into those of
    /// others: runs what stands there and descends from them, and what `more` gives.
    pub(crate) fn wait_above(
        &self,
        floor: u32,
        scope: *const (),
        done: &dyn Fn() -> bool,
        more: &dyn Fn() -> Option<*mut Header>,
    ) {
        let mut asked = None;
        self.wait_with(Reason::Scope, done, &mut || {
            if let Some(task) = self.pop_task(hot(), floor).or_else(more) {
                return Lead::Job(Job::Run(task));
            }
            match self.next_for_all() {
                Some(job) => Lead::Job(job),
                None => self.help(Awaited::Scope(scope), &mut asked),
            }
        });
        // SAFETY: the owner's thread; tasks are claimed in batches only.
        unsafe { self.tasks.rewind_empty(floor) };
    }

    /// Runs one job on top of what runs here, whatever it is: of this worker's own, or also of others. False if there
    /// is none.
    pub(crate) fn run_one(&self, own: bool) -> bool {
        let job = match self.pop_task(hot(), 0) {
            Some(task) => Some(Job::Run(task)),
            None => self.next_for_all().or_else(|| self.own_frame()),
        };
        let job = if own {
            job
        } else {
            job.or_else(|| self.look_around(false))
        };
        job.map(|job| self.run(job, false)).is_some()
    }

    /// The oldest frame of this worker's own, taken as a thief takes it.
    fn own_frame(&self) -> Option<Job> {
        // SAFETY: the owner's thread.
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
