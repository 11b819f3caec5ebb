//! The crew: everything the workers of one pool share.

use crate::park::{Idle, Reason, Roster};
use crate::platform::{ForkGeneration, allowed_cpus, prepare_fence, watch_forks};
use crate::policy::Delivery;
use crate::task::{Depot, Header, Roll, discard};
use crate::trace::Switch;
use crate::waiting::{self, Until, wait_outside};
use crate::worker::carrier::{Carrier, Context};
use crate::worker::fixed::adopted::Lookers;
use crate::worker::hot::hot;
use crate::worker::idle::retry::Retry;
use crate::worker::pool::counters::Counters;
use crate::worker::pool::latency::Latencies;
use crate::worker::pool::settings::Settings;
use crate::worker::queue::inbox::Inboxes;
use crate::worker::queue::injector::{Backlog, Injector, Job, Ticket};
use crate::worker::queue::stubs::Stubs;
use crate::worker::steal::signal;
use crate::worker::steal::victims::Neighbours;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{JoinHandle, Thread};

/// Reason why a crew did not start.
#[derive(Debug)]
pub(crate) struct StartError {
    /// Number of threads that had started (and have ended again).
    pub(crate) started: usize,
    pub(crate) error: io::Error,
}

#[derive(Debug, Default)]
struct Gate {
    /// Carriers whose threads were started, or are being started.
    expected: usize,
    /// Those of them whose threads are the program's own, and never leave.
    adopted: usize,
    /// Carriers that have come, spares and all.
    enlisted: usize,
    /// Number of those that are no spares.
    ready: usize,
    /// Error that kept a carrier from getting ready.
    failed: Option<io::Error>,
    /// Carriers that have left their main loop.
    leaving: usize,
    /// All have, and their words may be gone.
    over: bool,
    /// Threads that have ended as far as the crew is concerned.
    ended: usize,
    handles: Vec<JoinHandle<()>>,
    /// The thread that waits for the end.
    closer: Option<Thread>,
}

impl Gate {
    /// Whether every thread has ended.
    fn is_empty(&self) -> bool {
        self.ended + self.adopted == self.expected
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
    pub(in crate::worker) this: Weak<Crew>,
    pub(crate) settings: Settings,
    pub(crate) generation: ForkGeneration,
    /// Each carrier once it exists; never taken out before the crew is dropped.
    pub(in crate::worker) carriers: Box<[AtomicPtr<Carrier>]>,
    /// Number of places of `carriers` in use.
    pub(in crate::worker) count: AtomicU32,
    pub(crate) injector: Injector,
    /// Entries left in queues by tasks that were claimed out of their turn.
    pub(crate) stubs: Stubs,
    /// Memory of tasks on its way between carriers.
    pub(in crate::worker) depot: Depot,
    pub(crate) idle: Idle,
    pub(crate) trace: Switch,
    pub(in crate::worker) inboxes: Inboxes,
    /// Attempts to start the threads that could not be started.
    pub(in crate::worker) retry: Retry,
    /// Whether it was said that there are no more spares.
    pub(in crate::worker) exhausted: AtomicBool,
    /// The pool is going away: carriers end when nothing is left to do.
    pub(crate) closing: AtomicBool,
    /// Suspending tasks that were spawned by threads that are no workers of this crew.
    outside_begins: AtomicU64,
    /// Tasks that were suspended first by threads that are no workers of this crew.
    pub(crate) suspended: Roll,
    /// Threads that look at the words of others, if one of them may go.
    pub(in crate::worker) lookers: Lookers,
    gate: Mutex<Gate>,
    gate_moved: Condvar,
    cpus: Vec<usize>,
    /// Distances between workers, if thieves are to care.
    pub(in crate::worker) neighbours: Neighbours,
}

impl Crew {
    /// Starts the workers and waits until all are there.
    ///
    /// # Errors
    /// If a thread cannot be started; those that were have ended when this returns.
    pub(crate) fn start(settings: Settings) -> Result<Arc<Self>, StartError> {
        let crew = Crew::prepare(settings);
        let threads = crew.settings.threads;
        let adopts = crew.settings.adopts;
        if adopts {
            crew.gate().expected += 1;
            if let Err(error) = crate::worker::fixed::adopted::adopt(&crew) {
                return Err(StartError { started: 0, error });
            }
        }
        for id in usize::from(adopts)..threads {
            if let Err(error) = crew.start_carrier(id as u16, id as u32) {
                // Those after it will not come either, and must not be counted on.
                for id in id + 1..threads {
                    crew.idle.lose(&*crew, id as u16, id as u32);
                }
                let started = crew.gate().expected - usize::from(adopts);
                crew.close();
                return Err(StartError { started, error });
            }
        }
        if let Err(error) = crew.wait_ready() {
            let started = crew.gate().expected - usize::from(adopts);
            crew.close();
            return Err(StartError { started, error });
        }
        Ok(crew)
    }

    /// Waits until all workers are there.
    ///
    /// # Errors
    /// If one will not come.
    pub(crate) fn wait_ready(&self) -> io::Result<()> {
        let mut gate = self.gate();
        while gate.ready < self.settings.threads && gate.failed.is_none() {
            gate = self.wait_gate(gate);
        }
        gate.failed.take().map_or(Ok(()), Err)
    }

    /// A crew without carriers: each is to be started, or lost.
    fn prepare(settings: Settings) -> Arc<Self> {
        watch_forks(leave_crew);
        // Before the first worker starts: with one thread that takes no time.
        prepare_fence();
        let threads = settings.threads;
        let places = threads + settings.max_spares;
        let mut cpus = if settings.pin {
            allowed_cpus()
        } else {
            Vec::new()
        };
        if settings.protocol.delivery() == Some(Delivery::Signal) {
            signal::install();
        }
        Arc::new_cyclic(|this| Crew {
            this: Weak::clone(this),
            generation: ForkGeneration::current(),
            carriers: (0..places).map(|_| AtomicPtr::new(null_mut())).collect(),
            count: AtomicU32::new(threads as u32),
            injector: Injector::default(),
            stubs: Stubs::default(),
            depot: Depot::default(),
            idle: Idle::new(threads),
            trace: Switch::default(),
            inboxes: Inboxes::new(threads),
            retry: Retry::default(),
            exhausted: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            outside_begins: AtomicU64::new(0),
            suspended: Roll::new(),
            lookers: Lookers::default(),
            gate: Mutex::default(),
            gate_moved: Condvar::new(),
            neighbours: Neighbours::new(&settings, &cpus),
            cpus: std::mem::take(&mut cpus),
            settings,
        })
    }

    /// The crew of a pool whose threads somebody else starts, and what these are to run: one a worker. If `adopts`, the
    /// current thread is its first worker, from now on and for as long as the thread lives.
    ///
    /// # Errors
    /// If there is no memory for the worker that is here.
    pub(crate) fn start_apart(
        settings: Settings,
        adopts: bool,
    ) -> io::Result<(Arc<Self>, Vec<crate::ThreadStart>)> {
        let crew = Crew::prepare(settings);
        let threads = crew.settings.threads;
        crew.gate().expected = threads;
        let starts = (usize::from(adopts)..threads)
            .map(|id| crate::ThreadStart::new(Arc::clone(&crew), id as u16, id as u32))
            .collect();
        if adopts {
            crate::worker::fixed::adopted::adopt(&crew)?;
        }
        Ok((crew, starts))
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
    pub(in crate::worker) fn start_carrier(self: &Arc<Self>, id: u16, slot: u32) -> io::Result<()> {
        self.gate().expected += 1;
        let start = crate::ThreadStart::new(Arc::clone(self), id, slot);
        let dropped = crate::thread_start::Watch::begin(&start);
        let result = match &self.settings.spawn {
            // Callers are in the middle of scheduling: nothing may unwind through them.
            Some(spawn) => {
                // If it waits on a worker, it must not need a thread for that.
                let carrier = hot().carrier_of(self.as_ref());
                let outer = carrier.map(|carrier| carrier.in_handler.replace(true));
                let result = catch_unwind(AssertUnwindSafe(|| spawn(start)));
                if let (Some(carrier), Some(outer)) = (carrier, outer) {
                    carrier.in_handler.set(outer);
                }
                result.unwrap_or_else(|payload| {
                    discard(payload);
                    Err(io::Error::other("the pool's spawn handler panicked"))
                })
            }
            None => start
                .spawn_std()
                .map(|handle| self.gate().handles.push(handle)),
        };
        // Where it failed, the start has been dropped or will be: that is counted there.
        match dropped.end() {
            Some(error) => result.and(Err(error)),
            None => result,
        }
    }

    /// Registers a carrier that is ready to run. Called on its own thread.
    ///
    /// Nothing if the others have ended already, as they may have where somebody else starts the threads.
    pub(in crate::worker) fn enlist(&self, carrier: Carrier) -> Option<&Carrier> {
        let id = usize::from(carrier.id);
        let mut gate = self.gate();
        if gate.over {
            return None;
        }
        let carrier = Box::into_raw(Box::new(carrier));
        // Release pairs with the Acquire in `carrier`.
        self.carriers[id].store(carrier, Ordering::Release);
        // Pairs with the fence in `close`: that one wakes this carrier, or this carrier sees
        // `closing` before it sleeps.
        fence(Ordering::SeqCst);
        gate.enlisted += 1;
        if id < self.settings.threads {
            gate.ready += 1;
            self.gate_moved.notify_all();
        }
        drop(gate);
        // SAFETY: just made, and freed only by the crew's drop.
        Some(unsafe { &*carrier })
    }

    /// Waits until no other thread looks at the words of a carrier that is about to end, or will.
    pub(in crate::worker) fn withdraw_words(&self, carrier: &Carrier) {
        // SeqCst: see `Lookers::look`.
        carrier.has_words.store(false, Ordering::SeqCst);
        self.lookers.wait();
    }

    /// Takes note that the thread of a carrier that has come is the program's own.
    pub(in crate::worker) fn count_adopted(&self) {
        self.gate().adopted += 1;
    }

    /// Takes note that the thread which was to be carrier `id` will never be one. `silently` if the caller's caller tells of
    /// a spare's error.
    pub(crate) fn lose(&self, id: u16, slot: u32, error: io::Error, silently: bool) {
        let is_spare = usize::from(id) >= self.settings.threads;
        if !is_spare {
            // Before another thread can be tried in its place.
            self.gate().failed.get_or_insert(error);
        } else if !silently {
            self.report_refusal(&error);
        }
        self.idle.lose(self, id, slot);
        if is_spare {
            self.call_for_retry();
        }
        let mut gate = self.gate();
        gate.expected -= 1;
        self.gate_moved.notify_all();
        gate.wake_closer();
        drop(gate);
        // Those who sleep in a closing crew may have slept because of the one that was to come. They looked under the lock of
        // the gate, after they had seen `closing`: if they did not see what has changed, this sees `closing`.
        if self.closing.load(Ordering::SeqCst) {
            self.wake_to_end();
        }
    }

    /// [`has_frames`](crate::park::Ground::has_frames), from a thread that is none of the crew's. `None` once a carrier
    /// has left its main loop: its words may go when all have.
    pub(in crate::worker) fn has_frames_for_strangers(&self) -> Option<bool> {
        // While the gate is locked nobody passes the barrier in `leave`, so the words of the crew's own threads stay.
        // Those of adopted threads stay as for any thief.
        let gate = self.gate();
        (gate.leaving == 0).then(|| crate::park::Ground::has_frames(self))
    }

    /// Its carriers that have threads: all, or none once all have ended. Not told between, when the
    /// exit handlers run.
    pub(in crate::worker) fn carriers_with_threads(
        &self,
    ) -> Option<impl Iterator<Item = &Carrier>> {
        let gate = self.gate();
        let over = gate.leaving > 0;
        let told = !over || gate.is_empty();
        told.then(|| self.carriers().filter(move |_| !over))
    }

    /// Whether every thread that was started has become a carrier, or has been lost.
    pub(in crate::worker) fn has_everybody(&self) -> bool {
        let gate = self.gate();
        gate.enlisted == gate.expected
    }

    /// Waits until every carrier has left its main loop, so that no thief looks at hot words of a
    /// thread that has ended. Wakes those who sleep in theirs: nothing is left to do.
    pub(in crate::worker) fn leave(&self) {
        self.wake_to_end();
        let mut gate = self.gate();
        gate.leaving += 1;
        self.gate_moved.notify_all();
        // Who starts threads of a pool like that may do so one by one, each when the one before has ended.
        let awaited = |gate: &Gate| {
            if self.settings.fixed {
                gate.enlisted
            } else {
                gate.expected
            }
        };
        while gate.leaving + gate.adopted < awaited(&gate) {
            gate = self.wait_gate(gate);
        }
        gate.over = true;
    }

    /// The last thing a carrier's thread does with the crew.
    pub(in crate::worker) fn ended(&self) {
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
        let own = hot().carrier();
        let here = own.filter(|own| std::ptr::eq(own.crew, self));
        match here {
            None => {
                self.tell_to_end();
                self.join_threads(own);
            }
            Some(here) if here.adopted && !self.settings.fixed => {
                here.begin_to_end();
                self.tell_to_end();
                here.end_here();
                self.join_threads(None);
            }
            Some(_) => self.tell_to_end(),
        }
    }

    /// Lets the workers finish what there is and end, which nobody waits for.
    pub(crate) fn tell_to_end(&self) {
        self.closing.store(true, Ordering::SeqCst);
        // Pairs with the fence in `enlist`.
        fence(Ordering::SeqCst);
        self.wake_to_end();
    }

    /// Has those who sleep look whether the crew ends.
    pub(in crate::worker) fn wake_to_end(&self) {
        for carrier in self.carriers() {
            carrier.thread.unpark();
        }
    }

    fn join_threads(&self, own: Option<&Carrier>) {
        self.gate().closer = Some(std::thread::current());
        let awaited = Until(waiting::Reason::Close, || self.gate().is_empty());
        match own {
            // A worker of another pool, which must not lose its slot over this.
            Some(own) => own.wait_until(&awaited),
            None => wait_outside(&awaited),
        }
        let mut gate = self.gate();
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

    /// Number of places for carriers in use.
    pub(crate) fn carrier_count(&self) -> usize {
        self.count.load(Ordering::Acquire) as usize
    }

    /// Carrier `id`, if it is ready.
    pub(crate) fn carrier(&self, id: usize) -> Option<&Carrier> {
        // Acquire pairs with the Release in `enlist`.
        let carrier = self.carriers.get(id)?.load(Ordering::Acquire);
        // SAFETY: non-null ones were enlisted, and live as long as the crew.
        unsafe { carrier.as_ref() }
    }

    /// Carrier `id`, if it is ready and others may look at its words. During a [look](Lookers::look).
    pub(crate) fn victim(&self, id: usize) -> Option<&Carrier> {
        // SeqCst, which costs no more than Acquire where it matters: see `Lookers::look`.
        self.carrier(id)
            .filter(|carrier| carrier.has_words.load(Ordering::SeqCst))
    }

    /// The carriers there are now at whose words others may look. During a [look](Lookers::look).
    pub(in crate::worker) fn victims(&self) -> impl Iterator<Item = &Carrier> {
        (0..self.carrier_count()).filter_map(|id| self.victim(id))
    }

    /// The CPU that the worker slot is bound to, if the pool pins.
    pub(in crate::worker) fn cpu_of(&self, slot: u32) -> Option<usize> {
        (!self.cpus.is_empty()).then(|| self.cpus[slot as usize % self.cpus.len()])
    }

    pub(crate) fn counters(&self) -> Counters {
        let mut total = Counters::default();
        for carrier in self.carriers() {
            total.add(&carrier.counters);
        }
        total
    }

    pub(crate) fn steal_latency(&self) -> Latencies {
        let mut all = Latencies::default();
        for carrier in self.carriers() {
            all.add(&carrier.latencies);
        }
        all
    }

    pub(in crate::worker) fn count_outside_begin(&self) {
        // Relaxed: the task is queued after it, and its end is counted after that.
        self.outside_begins.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of suspending tasks that have not ended (a racing view; exact while nobody runs or spawns).
    pub(crate) fn live_tasks(&self) -> u64 {
        let counters = self.counters();
        let begins = counters.async_begins + self.outside_begins.load(Ordering::Relaxed);
        begins.wrapping_sub(counters.async_ends)
    }

    /// Gives `header` to the first worker with nothing on its stack.
    ///
    /// # Panics
    /// In a child of `fork()`.
    pub(crate) fn inject(&self, header: *mut Header) -> Ticket {
        self.assert_not_forked();
        let ticket = self.injector.push(Job::Run(header));
        self.idle.notify(self, Reason::Injected);
        ticket
    }

    /// The same of a scope's task, which the scope's owner finds by its [`Backlog`], too.
    ///
    /// # Safety
    /// The backlog stays in place until the task has run, and is used with this crew only.
    ///
    /// # Panics
    /// In a child of `fork()`.
    pub(crate) unsafe fn inject_to(&self, backlog: &Backlog, task: *mut Header) {
        self.assert_not_forked();
        // SAFETY: by contract.
        unsafe { self.injector.push_to(backlog, Job::Run(task)) };
        self.idle.notify(self, Reason::Injected);
    }

    /// The oldest task of the scope whose backlog that is that nobody has taken.
    pub(crate) fn take_from(&self, backlog: &Backlog) -> Option<*mut Header> {
        match self.injector.pop_from(backlog)? {
            Job::Run(task) => Some(task),
            Job::Claimed { .. } => unreachable!("frames are of no scope"),
        }
    }

    /// Queues a task of that scope where every worker finds it, the oldest first.
    pub(crate) fn share(&self, task: *mut Header, of: Context) {
        self.injector.push_of(of, Job::Run(task));
        self.idle.notify(self, Reason::Injected);
    }

    /// A task of that scope which was shared, if one can be seen at either end of the queue.
    pub(crate) fn take_shared(&self, of: Context) -> Option<*mut Header> {
        match self.injector.pop_of(of)? {
            Job::Run(task) => Some(task),
            Job::Claimed { .. } => unreachable!("frames are of no scope"),
        }
    }

    pub(in crate::worker) fn inject_job(&self, job: Job) {
        self.injector.push(job);
        self.idle.notify(self, Reason::Injected);
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
        for slot in (0..self.settings.threads).filter(|&slot| Some(slot) != except) {
            self.inboxes.push(slot as u32, Job::Run(job(slot)));
        }
        self.idle.wake_all(self);
        if self.settings.fixed {
            // Those that wait in the middle of something keep their places, and come to it there.
            for carrier in self.carriers() {
                carrier.thread.unpark();
            }
        }
    }

    /// A broadcast's job for `carrier`, which is between jobs: one for its slot, or else for a slot
    /// that nobody holds, to which the carrier then moves.
    pub(in crate::worker) fn take_inbox(&self, carrier: &Carrier) -> Option<Job> {
        if self.inboxes.is_empty() {
            return None;
        }
        let own = carrier.slot();
        if let Some(job) = self.inboxes.pop(own) {
            return Some(job);
        }
        let mut roster = self.idle.roster();
        let slot = self.orphaned_inbox(&roster)?;
        roster.exchange(own, slot);
        drop(roster);
        carrier.take_slot(slot);
        self.inboxes.pop(slot)
    }

    /// A slot that nobody holds and that has a job in its inbox.
    fn orphaned_inbox(&self, roster: &Roster) -> Option<u32> {
        roster.free_slots().find(|&slot| self.inboxes.has(slot))
    }

    /// Call it when a slot has lost its holder: only who takes it over comes to its inbox.
    pub(in crate::worker) fn slot_freed(&self) {
        if !self.inboxes.is_empty() {
            self.idle.wake_all(self);
        }
    }

    /// Whether anything waits that is no frame.
    pub(in crate::worker) fn has_queued(&self) -> bool {
        !self.injector.is_empty() || !self.inboxes.is_empty()
    }

    /// Whether something waits that is no frame: for anybody, or for the holder of `slot`.
    pub(in crate::worker) fn has_jobs(&self, slot: Option<u32>) -> bool {
        !self.injector.is_empty()
            || !self.inboxes.is_empty()
                && slot.is_some_and(|slot| {
                    self.inboxes.has(slot) || self.orphaned_inbox(&self.idle.roster()).is_some()
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
