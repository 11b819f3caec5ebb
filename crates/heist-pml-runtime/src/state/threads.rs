//! The part of a world's state that threads need.

use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::state::clock::Clock;
use crate::state::parts::Parts;
use crate::state::ready::Inbox;
use crate::state::scopes::Scopes;
use crate::state::strand::ITSELF;
use crate::state::stuck::Stuck;
use crate::state::watches::Watches;
use crate::state::world::MOST_WORKERS;
use crate::value::object::Value;

/// The program number of threads that must not begin. The numbers of programs are smaller than this number.
const ENDED: u32 = ITSELF - 1;

/// The part of a world's state that threads need.
pub struct Threads {
    /// Whether any program that this world runs or has run may make threads.
    used: AtomicBool,
    /// The number of the present program, counted from 1. A thread with another number belongs to a program that has ended. `RunCML.doit`
    /// also changes the number.
    program: AtomicU32,
    /// The number of programs that have ended.
    run: AtomicU32,
    /// The time at which masks cease to protect the strands of the ended program, in nanoseconds since the world began; 0 while a program
    /// runs.
    void_from: AtomicU64,
    /// Number of entries in the pool's deques and queues that have not begun to run.
    pub(crate) queued: AtomicUsize,
    /// Number of times that a worker has begun to run.
    pub(crate) begun: AtomicUsize,
    /// Number of workers in a system call that may block.
    pub(crate) blocked: AtomicUsize,
    /// Number of parked strands that got their permits by a call other than `unpark`, or were dropped. `Inbox::note_parked` counts
    /// the strands that park, minus the strands that `unpark` wakes.
    pub(crate) unparked: AtomicIsize,
    /// Strands that have made offers, or that wait for their permits, inside of a part that may be cancelled.
    pub(crate) parts: Mutex<Parts>,
    /// The scopes of cancelables.
    pub(crate) scopes: Scopes,
    /// The report for a program in which no strand can continue.
    pub(crate) stuck: Stuck,
    /// For each worker, strands that only this worker may run.
    pub(crate) inboxes: Box<[Inbox]>,
    /// Strands that workers have given away, which any worker may run.
    pub(crate) turns: Inbox,
    /// Strands that any worker may run, and that workers run before published forks.
    pub(crate) urgent: Inbox,
    /// The alarms and time slices of threads.
    pub(crate) clock: Clock,
    /// Threads that wait for descriptors.
    pub(crate) watches: Watches,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            used: AtomicBool::new(false),
            program: AtomicU32::new(1),
            run: AtomicU32::new(0),
            void_from: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            blocked: AtomicUsize::new(0),
            unparked: AtomicIsize::new(0),
            parts: Mutex::default(),
            scopes: Scopes::default(),
            stuck: Stuck::default(),
            turns: Inbox::default(),
            urgent: Inbox::default(),
            inboxes: (0..MOST_WORKERS).map(|_| Inbox::default()).collect(),
            clock: Clock::default(),
            watches: Watches::default(),
        }
    }
}

impl Threads {
    /// Returns true if programs may make threads. The result changes only while no program runs.
    #[must_use]
    pub fn are_used(&self) -> bool {
        // Relaxed: a worker that runs a program has synchronised with the thread that has attached it.
        self.used.load(Ordering::Relaxed)
    }

    /// Notes that an attached program may make threads.
    pub fn use_them(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    /// Calls `look` with each thread that waits for an alarm or a descriptor. The collector calls this function while all workers are
    /// stopped.
    pub fn each_sleeper(&self, mut look: impl FnMut(&mut Value)) {
        self.clock.each(&mut look);
        self.watches.each(look);
    }

    pub(crate) fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a program begins. After this call, masks protect the strands of this program.
    pub fn begin_program(&self) {
        // Relaxed: the world is held, and no strand runs before it is released.
        self.void_from.store(0, Ordering::Relaxed);
    }

    /// Notes that the running program has ended. The program's threads end at their next polls, and threads that its forks make do not
    /// begin. Masks protect the program's strands for a further `grace`, and masks for locks protect them without a limit. `began` is the
    /// time at which the world began.
    pub fn end_program(&self, began: Instant, grace: Duration) {
        let void_from = (began.elapsed() + grace).as_nanos() as u64;
        // Relaxed, here and in the next store: the release in `end_threads` publishes both stores.
        self.void_from.store(void_from.max(1), Ordering::Relaxed);
        self.run.fetch_add(1, Ordering::Relaxed);
        self.end_threads();
    }

    /// Makes the threads of the running program end at their next polls.
    pub(crate) fn end_threads(&self) {
        let next = |now: u32| Some(now % (ENDED - 1) + 1);
        // Release: pairs with the acquire in `program`, which workers call after a ring. The update cannot fail, because `next` always
        // returns a number.
        let _ = self
            .program
            .fetch_update(Ordering::Release, Ordering::Relaxed, next);
        let _ = self.stuck.take();
    }

    /// Returns true if any strand is parked. The caller must ensure that no worker runs.
    pub(crate) fn has_parked(&self) -> bool {
        let parked: isize = self.inboxes.iter().map(Inbox::parked).sum();
        // Relaxed: no worker runs, and a caller that has seen the workers end also sees their counts.
        parked > self.unparked.load(Ordering::Relaxed)
    }

    /// Returns the number of the running program.
    #[must_use]
    pub fn program(&self) -> u32 {
        // Acquire: pairs with `end_threads`.
        self.program.load(Ordering::Acquire)
    }

    /// Returns the value of `Strand::program` for the program's own strand, in the present run.
    pub(crate) fn this_run(&self) -> u32 {
        // Relaxed: `program_of_thread_of` calls `program` first, whose acquire orders this load.
        self.run.load(Ordering::Relaxed) | ITSELF
    }

    /// Returns true if a strand whose `program` is `own` belongs to a program that ended so long ago that masks do not protect the strand.
    #[inline]
    pub(crate) fn is_void(&self, own: u32, began: Instant) -> bool {
        // Relaxed: no strand of an ended program runs when the next program begins. A strand that misses the end of its program calls this
        // function again, because the clock rings the doorbell of the strand's worker.
        let void_from = self.void_from.load(Ordering::Relaxed);
        void_from != 0 && self.is_void_since(void_from, own, began)
    }

    #[cold]
    #[inline(never)]
    fn is_void_since(&self, void_from: u64, own: u32, began: Instant) -> bool {
        self.program_of_thread_of(own) != self.program()
            && began.elapsed().as_nanos() as u64 >= void_from
    }

    /// Returns the program number of a new thread. `own` is the [`Strand::program`] of the strand that makes the thread.
    ///
    /// If a thread's program has ended, the threads that this thread makes also belong to the ended program, so they end too. The same
    /// applies to threads that a fork of an ended program makes: such a fork may continue while it is masked. Without this rule, the
    /// threads of an ended program could make new threads forever.
    pub(crate) fn program_of_thread_of(&self, own: u32) -> u32 {
        // `program` is read first: its acquire makes the number of the next run visible together with the number of the next program.
        let program = self.program();
        if own & ITSELF == 0 {
            own
        } else if own == self.this_run() {
            program
        } else {
            ENDED
        }
    }
}
