//! The crew: everything the workers of one pool share.

use super::carrier::Carrier;
use super::counters::Counters;
use super::hot::hot;
use super::idle::{Idle, Reason, Roster};
use super::injector::{Injector, Job};
use crate::platform::{ForkGeneration, allowed_cpus, heavy_fence, watch_forks};
use crate::task::Header;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

type Handler = Box<dyn Fn(usize) + Send + Sync>;
type PanicHandler = Box<dyn Fn(Box<dyn std::any::Any + Send>) + Send + Sync>;
/// Starts a carrier's main function on a new thread.
pub(crate) type SpawnHandler = Box<dyn Fn(crate::ThreadStart) -> io::Result<()> + Send + Sync>;

/// What a pool was asked to be.
pub(crate) struct Settings {
    pub(crate) threads: usize,
    pub(crate) name: Option<Box<dyn Fn(usize) -> String + Send + Sync>>,
    pub(crate) stack_size: usize,
    pub(crate) pin: bool,
    pub(crate) max_spares: usize,
    pub(crate) spin: Duration,
    pub(crate) start: Option<Handler>,
    pub(crate) exit: Option<Handler>,
    pub(crate) panic: Option<PanicHandler>,
    pub(crate) spawn: Option<SpawnHandler>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("threads", &self.threads)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}

/// Why a crew did not start.
#[derive(Debug)]
pub(crate) struct StartError {
    /// How many threads had started (and have ended again).
    pub(crate) started: usize,
    pub(crate) error: io::Error,
}

#[derive(Debug, Default)]
struct Gate {
    /// Carriers whose threads were started, or are being started.
    expected: usize,
    /// Carriers that are ready to run.
    ready: usize,
    /// What kept a carrier from getting ready.
    failed: Option<io::Error>,
    /// Carriers that have left their main loop.
    leaving: usize,
    /// Threads that have ended as far as the crew is concerned.
    ended: usize,
    handles: Vec<JoinHandle<()>>,
    /// Who waits for the end without being able to sleep at the gate.
    closer: Option<Thread>,
}

impl Gate {
    /// Whether every thread has ended.
    fn is_empty(&self) -> bool {
        self.ended == self.expected
    }

    fn wake_closer(&self) {
        if let Some(closer) = &self.closer {
            closer.unpark();
        }
    }
}

/// In a child of `fork()`: the thread that forked is no worker there, whatever it was before.
extern "C" fn leave_crew() {
    hot().detach();
}

/// Everything the workers of one pool share.
#[derive(Debug)]
pub(crate) struct Crew {
    pub(super) this: Weak<Crew>,
    pub(crate) settings: Settings,
    pub(crate) generation: ForkGeneration,
    /// Each carrier once it exists; never taken out before the crew is dropped.
    carriers: Box<[AtomicPtr<Carrier>]>,
    /// How many places of `carriers` are in use.
    count: AtomicU32,
    pub(crate) injector: Injector,
    pub(crate) idle: Idle,
    /// Jobs for each slot, run by the carrier that holds it (broadcast).
    inboxes: Box<[Mutex<VecDeque<Job>>]>,
    /// How many inbox jobs wait, over all slots.
    pub(crate) inbox_jobs: AtomicU32,
    /// The pool is going away: carriers end when nothing is left to do.
    pub(crate) closing: AtomicBool,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
    cpus: Vec<usize>,
}

impl Crew {
    /// Starts the workers and waits until all are there.
    ///
    /// # Errors
    /// If a thread cannot be started; those that were have ended when this returns.
    pub(crate) fn start(settings: Settings) -> Result<Arc<Self>, StartError> {
        watch_forks(leave_crew);
        let threads = settings.threads;
        let places = threads + settings.max_spares;
        let crew = Arc::new_cyclic(|this| Crew {
            this: Weak::clone(this),
            generation: ForkGeneration::current(),
            carriers: (0..places).map(|_| AtomicPtr::new(null_mut())).collect(),
            count: AtomicU32::new(threads as u32),
            injector: Injector::default(),
            idle: Idle::new(threads),
            inboxes: (0..threads).map(|_| Mutex::default()).collect(),
            inbox_jobs: AtomicU32::new(0),
            closing: AtomicBool::new(false),
            gate: Mutex::default(),
            gate_moved: Condvar::new(),
            cpus: if settings.pin {
                allowed_cpus()
            } else {
                Vec::new()
            },
            settings,
        });
        for id in 0..threads {
            if let Err(error) = crew.start_carrier(id as u16, id as u32) {
                let started = crew.gate().expected;
                crew.close();
                return Err(StartError { started, error });
            }
        }
        let mut gate = crew.gate();
        while gate.ready < threads && gate.failed.is_none() {
            gate = crew.wait_gate(gate);
        }
        if let Some(error) = gate.failed.take() {
            let started = gate.expected;
            drop(gate);
            crew.close();
            return Err(StartError { started, error });
        }
        drop(gate);
        Ok(crew)
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_gate<'a>(&self, gate: MutexGuard<'a, Gate>) -> MutexGuard<'a, Gate> {
        self.gate_moved
            .wait(gate)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread of carrier `id`, which begins as a searcher that holds `slot`.
    fn start_carrier(self: &Arc<Self>, id: u16, slot: u32) -> io::Result<()> {
        self.gate().expected += 1;
        let name = self.settings.name.as_ref().map(|name| name(id.into()));
        let start = crate::ThreadStart::new(Arc::clone(self), id, slot, name);
        let result = match &self.settings.spawn {
            // Callers are in the middle of scheduling: nothing may unwind through them.
            Some(spawn) => catch_unwind(AssertUnwindSafe(|| spawn(start)))
                .unwrap_or_else(|_| Err(io::Error::other("the pool's spawn handler panicked"))),
            None => start
                .spawn_std()
                .map(|handle| self.gate().handles.push(handle)),
        };
        // Where it failed, the start has been dropped or will be: that is counted there.
        result
    }

    /// Registers a carrier that is ready to run. Called on its own thread.
    pub(super) fn enlist(&self, carrier: Carrier) -> &Carrier {
        let id = usize::from(carrier.id);
        let carrier = Box::into_raw(Box::new(carrier));
        // Release pairs with the Acquire in `carrier`.
        self.carriers[id].store(carrier, Ordering::Release);
        let mut gate = self.gate();
        gate.ready += 1;
        self.gate_moved.notify_all();
        // SAFETY: just made, and freed only by the crew's drop.
        unsafe { &*carrier }
    }

    /// Takes note that the thread which was to be carrier `id` will never be one.
    pub(crate) fn lose(&self, id: u16, slot: u32, error: io::Error) {
        if usize::from(id) >= self.settings.threads {
            let mut roster = self.idle.roster();
            roster.unborn.push(id);
            roster.strand(slot);
            drop(roster);
            self.stop_searching();
        }
        let mut gate = self.gate();
        gate.expected -= 1;
        gate.failed.get_or_insert(error);
        self.gate_moved.notify_all();
        gate.wake_closer();
    }

    /// A searcher is no longer one. The last to leave makes sure that the next piece of work wakes
    /// somebody: while it searched, others counted on it.
    pub(super) fn stop_searching(&self) {
        let before = self.idle.stop_searching();
        if before.searching == 1 && before.idle > 0 && self.announce(None) {
            self.wake_one();
        }
    }

    /// Waits until every carrier has left its main loop, so that no thief looks at hot words of a
    /// thread that has ended.
    pub(super) fn leave(&self) {
        let mut gate = self.gate();
        gate.leaving += 1;
        self.gate_moved.notify_all();
        while gate.leaving < gate.expected {
            gate = self.wait_gate(gate);
        }
    }

    /// The last thing a carrier's thread does with the crew.
    pub(super) fn ended(&self) {
        let mut gate = self.gate();
        gate.ended += 1;
        self.gate_moved.notify_all();
        gate.wake_closer();
    }

    /// Lets the workers finish what there is and end, and joins their threads. On a worker of the
    /// crew itself it only tells them to: a thread cannot wait for itself.
    pub(crate) fn close(&self) {
        if !self.generation.is_current() {
            // After a fork the threads are the parent's.
            return;
        }
        self.closing.store(true, Ordering::SeqCst);
        self.wake_all();
        match hot().carrier() {
            Some(own) if std::ptr::eq(own.crew, self) => return,
            // A worker of another pool, which must not lose its slot over this.
            Some(own) => {
                self.gate().closer = Some(own.thread.clone());
                own.wait_until(&|| self.gate().is_empty());
            }
            None => {}
        }
        let mut gate = self.gate();
        while !gate.is_empty() {
            gate = self.wait_gate(gate);
        }
        let handles = std::mem::take(&mut gate.handles);
        drop(gate);
        for handle in handles {
            // Panics of carriers were handled where they arose; a handler's own is not ours.
            let _ = handle.join();
        }
    }

    /// The carriers there are now.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = &Carrier> {
        // Acquire pairs with the Release of whoever raised the count.
        let count = self.count.load(Ordering::Acquire) as usize;
        (0..count).filter_map(|id| self.carrier(id))
    }

    /// How many places for carriers are in use.
    pub(crate) fn carrier_count(&self) -> usize {
        self.count.load(Ordering::Acquire) as usize
    }

    /// Carrier `id`, if it is ready.
    pub(crate) fn carrier(&self, id: usize) -> Option<&Carrier> {
        let carrier = self.carriers.get(id)?.load(Ordering::Acquire);
        // SAFETY: non-null ones were enlisted, and live as long as the crew.
        unsafe { carrier.as_ref() }
    }

    /// The CPU that the worker slot is bound to, if the pool pins.
    pub(super) fn cpu_of(&self, slot: usize) -> Option<usize> {
        (!self.cpus.is_empty()).then(|| self.cpus[slot % self.cpus.len()])
    }

    pub(crate) fn counters(&self) -> Counters {
        let mut total = Counters::default();
        for carrier in self.carriers() {
            total.add(&carrier.counters);
        }
        total
    }

    /// Gives `header` to the first worker with nothing on its stack.
    ///
    /// # Panics
    /// In a child of `fork()`.
    pub(crate) fn inject(&self, header: *mut Header) {
        self.assert_not_forked();
        self.inject_job(Job::Run(header));
    }

    pub(super) fn inject_job(&self, job: Job) {
        self.injector.push(job);
        self.notify(Reason::Injected);
    }

    /// A defined error instead of a hang where the workers do not exist.
    pub(crate) fn assert_not_forked(&self) {
        assert!(
            self.generation.is_current(),
            "heist: this pool belongs to the parent process; after fork() a child must build its own Pool"
        );
    }

    /// Puts a job into the inbox of each slot but `except`.
    pub(crate) fn broadcast(&self, job: impl Fn(usize) -> *mut Header, except: Option<usize>) {
        self.assert_not_forked();
        for (slot, inbox) in self.inboxes.iter().enumerate() {
            if Some(slot) != except {
                // Before the push, so that the count is never below what there is.
                self.inbox_jobs.fetch_add(1, Ordering::SeqCst);
                inbox
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push_back(Job::Run(job(slot)));
            }
        }
        self.wake_all();
    }

    /// A job for the holder of `slot`.
    fn pop_inbox(&self, slot: usize) -> Option<Job> {
        let job = self.inboxes[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()?;
        self.inbox_jobs.fetch_sub(1, Ordering::SeqCst);
        Some(job)
    }

    /// A broadcast's job for `carrier`, which is between jobs: one for its slot, or else for a slot
    /// that nobody holds, to which the carrier then moves.
    pub(super) fn take_inbox(&self, carrier: &Carrier) -> Option<Job> {
        if self.inbox_jobs.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let own = carrier.worker_index();
        if let Some(job) = self.pop_inbox(own) {
            return Some(job);
        }
        let mut roster = self.idle.roster();
        let slot = self.orphaned_inbox(&roster)?;
        roster.holders[own] -= 1;
        roster.holders[slot] += 1;
        drop(roster);
        carrier.slot.store(slot as u32, Ordering::Relaxed);
        carrier.pin();
        self.pop_inbox(slot)
    }

    /// A slot that nobody holds and that has a job in its inbox.
    fn orphaned_inbox(&self, roster: &Roster) -> Option<usize> {
        (0..self.inboxes.len()).find(|&slot| roster.holders[slot] == 0 && self.has_inbox_job(slot))
    }

    fn has_inbox_job(&self, slot: usize) -> bool {
        !self.inboxes[slot]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// Call it when a slot has lost its holder: only who takes it over comes to its inbox.
    pub(super) fn slot_freed(&self) {
        if self.inbox_jobs.load(Ordering::SeqCst) > 0 {
            self.wake_all();
        }
    }

    /// Tells that there is work. Call it after the work was made visible.
    pub(crate) fn notify(&self, reason: Reason) {
        // Pairs with the SeqCst of who counts itself asleep: either it sees the work, or this
        // sees it asleep.
        fence(Ordering::SeqCst);
        let census = self.idle.census();
        if census.searching > 0 || census.idle == 0 {
            return;
        }
        if reason == Reason::Exposed && self.idle.has_sentinel() {
            return;
        }
        self.wake_one();
    }

    /// Wakes one idler as a searcher. False if there is none.
    pub(super) fn wake_one(&self) -> bool {
        let mut roster = self.idle.roster();
        if let Some(id) = roster.sleepers.pop() {
            self.idle.idler_to_searcher();
            drop(roster);
            self.wake_carrier(id);
            return true;
        }
        if roster.vacant == 0 {
            return false;
        }
        let Some(slot) = roster.free_slot() else {
            return false;
        };
        roster.vacant -= 1;
        roster.holders[slot as usize] += 1;
        self.idle.idler_to_searcher();
        if let Some(id) = roster.spares.pop() {
            drop(roster);
            if let Some(carrier) = self.carrier(id.into()) {
                carrier.slot.store(slot, Ordering::Relaxed);
            }
            self.wake_carrier(id);
            return true;
        }
        drop(roster);
        if self.start_spare(slot) {
            return true;
        }
        self.idle.roster().strand(slot);
        self.stop_searching();
        false
    }

    /// Starts another carrier for `slot`. False if there are as many as there may be.
    fn start_spare(&self, slot: u32) -> bool {
        let unborn = self.idle.roster().unborn.pop();
        let fresh = || {
            let more = |count| ((count as usize) < self.carriers.len()).then_some(count + 1);
            let order = (Ordering::AcqRel, Ordering::Acquire);
            let taken = self.count.fetch_update(order.0, order.1, more);
            taken.ok().map(|id| id as u16)
        };
        let (Some(id), Some(this)) = (unborn.or_else(fresh), self.this.upgrade()) else {
            return false;
        };
        // If it fails, the slot is stranded by the start's drop.
        let _ = this.start_carrier(id, slot);
        true
    }

    fn wake_carrier(&self, id: u16) {
        if let Some(carrier) = self.carrier(id.into()) {
            // Release pairs with the sleeper's Acquire: its slot, and the work that it is for.
            carrier.woken.store(true, Ordering::Release);
            carrier.thread.unpark();
        }
    }

    /// Wakes everybody who could be woken; spares too if the crew is closing.
    pub(super) fn wake_all(&self) {
        while self.wake_one() {}
        if self.closing.load(Ordering::SeqCst) {
            let mut roster = self.idle.roster();
            for id in std::mem::take(&mut roster.spares) {
                // They come back as searchers of the slots they had, to end like the others.
                if let Some(carrier) = self.carrier(id.into()) {
                    roster.holders[carrier.worker_index()] += 1;
                    self.idle.start_searching();
                    self.wake_carrier(id);
                }
            }
        }
    }

    /// Makes sure that work which appears from now on wakes somebody: every carrier is told that
    /// somebody is hungry, and the stores are ordered before the look for work that follows.
    /// True if there is work already (in the inbox of `slot`, too). Call it when nobody searches
    /// and somebody is idle.
    pub(super) fn announce(&self, slot: Option<usize>) -> bool {
        if self.work_waits(slot) {
            return true;
        }
        if self.idle.has_sentinel() {
            return false;
        }
        let mut told = false;
        for carrier in self.carriers() {
            let hungry = &carrier.shared().hungry;
            if hungry.load(Ordering::Relaxed) == 0 {
                carrier.shared().ask();
                told = true;
            }
        }
        if told {
            // Against the owner's "push, look at hungry", which has no fence: after this, a push
            // is seen below or its owner sees that somebody is hungry.
            heavy_fence();
        } else {
            fence(Ordering::SeqCst);
        }
        self.work_waits(slot) || self.carriers().any(Carrier::has_work)
    }

    /// Whether something waits that is no frame: for anybody, or for the holder of `slot`.
    pub(super) fn work_waits(&self, slot: Option<usize>) -> bool {
        !self.injector.is_empty()
            || self.inbox_jobs.load(Ordering::SeqCst) > 0
                && slot.is_some_and(|slot| {
                    self.has_inbox_job(slot) || self.orphaned_inbox(&self.idle.roster()).is_some()
                })
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for place in &mut self.carriers {
            let carrier = *place.get_mut();
            if !carrier.is_null() && self.generation.is_current() {
                // SAFETY: made by `enlist`; the threads hold an `Arc` of the crew while they run,
                // so all have ended.
                drop(unsafe { Box::from_raw(carrier) });
            }
        }
    }
}
