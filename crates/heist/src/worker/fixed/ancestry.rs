//! Determines which jobs descend from a job of a worker. A thread that waits for a job may run its descendants.
//!
//! In a pool with a fixed number of threads, a waiter keeps its slot, so it should find work to do. A worker's *epoch* begins with a job
//! that the worker found when it had none. All jobs in the worker's deques descend from this first job. So a worker that waits for this
//! first job, or for an ancestor of the first job, may take any job of those deques.
//!
//! Each worker publishes its epoch and the parent of its first job, so that waiters on other threads can read both. The parent is a scope,
//! or a frame that another worker has forked in one of its epochs. The forker of the frame waits for the first job, so the forker's epoch
//! has not ended.

use crate::platform::shim::{AtomicU64, Ordering};
use crate::task::Header;
use crate::worker::local::WorkerLocal;
use crate::worker::queue::job::Job;
use crate::worker::steal::protocol::Repeat;
use crate::worker::thread::{Context, WorkerThread};
use heist_deque::split::Claim;
#[cfg(heist_model)]
use loom::thread::yield_now;
use std::hint::spin_loop;
use std::ptr::null_mut;
#[cfg(not(heist_model))]
use std::thread::yield_now;
use std::time::Instant;

/// Each of these three constants is false in one mutant, and the mutant leaves out one step of the protocol: see the README.
const CLEARS: bool = !cfg!(heist_mutant = "ancestry_clears");
const HOLDS: bool = !cfg!(heist_mutant = "ancestry_holds");
const WAITS: bool = !cfg!(heist_mutant = "ancestry_waits");

/// Maximum number of links from a job to its parent that a waiter follows.
const LINKS: usize = 16;
/// The value that each holder adds to the epoch's word. The low bits of the word count the holders.
const HOLDER: u64 = 1;
const EPOCH: u64 = 1 << 8;

/// The origin of a job: the worker and the epoch of the job's parent, in one word. The word is 0 if there is no origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin(u64);

impl Origin {
    const KNOWN: u64 = 1 << 63;
    /// The flag that marks a parent as the frame of a join. With this flag, the low bits contain the index of the frame's deque cell.
    /// Without this flag, the parent is a scope, and `Ancestry::scope` contains the scope's number.
    const FRAME: u64 = 1 << 62;
    const WORKER_SHIFT: u32 = 46;
    const EPOCH_SHIFT: u32 = 22;
    const EPOCH_MASK: u64 = (1 << (Self::WORKER_SHIFT - Self::EPOCH_SHIFT)) - 1;
    const INDEX_MASK: u64 = (1 << Self::EPOCH_SHIFT) - 1;

    /// The value of a job that has no origin, and of a job with an origin for which no worker can wait.
    pub(crate) const NONE: Origin = Origin(0);

    fn new(worker: u16, epoch: u64) -> Self {
        Origin(
            Self::KNOWN
                | u64::from(worker) << Self::WORKER_SHIFT
                | (epoch & Self::EPOCH_MASK) << Self::EPOCH_SHIFT,
        )
    }

    fn with_frame(self, index: u32) -> Self {
        Origin(self.0 | Self::FRAME | u64::from(index) & Self::INDEX_MASK)
    }

    /// Returns the index of the parent's worker, or `None` if there is no origin.
    fn worker(self) -> Option<usize> {
        (self != Self::NONE).then_some((self.0 >> Self::WORKER_SHIFT & 0xFFFF) as usize)
    }

    /// Returns true if the parent began in epoch `epoch` of its worker.
    fn is_in(self, epoch: u64) -> bool {
        self.0 >> Self::EPOCH_SHIFT & Self::EPOCH_MASK == epoch & Self::EPOCH_MASK
    }
}

/// The scope or frame for which a worker waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Awaited {
    /// A scope: its origin and its number.
    Scope(Origin, u64),
    /// A frame of the waiter: the index of its deque cell.
    Frame(u32),
}

/// The current epoch of a worker, and the origin of the jobs in its deques.
#[derive(Debug)]
pub(in crate::worker) struct Ancestry {
    /// The number of the worker's current epoch and, in the low bits, the number of the epoch's holders. An epoch
    /// does not end while it has holders.
    epoch: AtomicU64,
    /// The [`Origin`] of the epoch's first job. If the parent is a scope, `scope` has the scope's number.
    origin: AtomicU64,
    scope: AtomicU64,
}

impl Ancestry {
    pub(in crate::worker) fn new() -> Self {
        Ancestry {
            epoch: AtomicU64::new(0),
            origin: AtomicU64::new(Origin::NONE.0),
            scope: AtomicU64::new(0),
        }
    }

    /// Waits until no worker holds the epoch. Then ends the epoch, and begins the next epoch, with unknown origin. Only the worker's own
    /// thread may call this function.
    fn next(&self) {
        // The origin is cleared before the new epoch begins. The Release of the new epoch pairs with the Acquire in `read`, so no reader
        // sees the new epoch with the old origin.
        if CLEARS {
            self.origin.store(Origin::NONE.0, Ordering::Relaxed);
        }
        let mut rounds = 0_u32;
        loop {
            let now = self.epoch.load(Ordering::Relaxed);
            // Acquire pairs with the Release of the former holders, which made their claims before they released the epoch.
            if (now % EPOCH == 0 || !WAITS)
                && self
                    .epoch
                    .compare_exchange(now, now + EPOCH, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            {
                break;
            }
            rounds += 1;
            if cfg!(heist_model) || rounds % 64 == 0 {
                // The holder may have lost its processor, so this thread yields.
                yield_now();
            } else {
                spin_loop();
            }
        }
    }

    /// Records the parent of the epoch's first job. Only the worker's own thread may call this function.
    fn set(&self, origin: Origin, scope: u64) {
        self.scope.store(scope, Ordering::Relaxed);
        // Release pairs with the Acquire in `read`, and publishes the scope's number, which is stored above.
        self.origin.store(origin.0, Ordering::Release);
    }

    /// Returns the epoch, the origin of its first job, and the scope's number.
    fn read(&self) -> (u64, Origin, u64) {
        // Acquire: the origin below is not older than the epoch. A newer origin does no harm: a worker that has read a
        // newer origin fails to hold this epoch.
        let epoch = self.epoch.load(Ordering::Acquire);
        let origin = Origin(self.origin.load(Ordering::Acquire));
        (epoch / EPOCH, origin, self.scope.load(Ordering::Relaxed))
    }

    /// Adds a holder to `epoch`, so that the epoch does not end. Returns false if the epoch has already ended or has too many holders.
    fn hold(&self, epoch: u64) -> bool {
        if !HOLDS {
            self.epoch.fetch_add(HOLDER, Ordering::AcqRel);
            return true;
        }
        let now = self.epoch.load(Ordering::Relaxed);
        now / EPOCH == epoch
            && now % EPOCH < EPOCH - 1
            && self
                .epoch
                .compare_exchange(now, now + HOLDER, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
    }

    fn let_go(&self) {
        self.epoch.fetch_sub(HOLDER, Ordering::Release);
    }
}

impl WorkerThread {
    /// Begins an epoch with a job that the worker has found when it had no job.
    #[inline]
    pub(in crate::worker) fn begin_epoch(&self, local: &WorkerLocal, job: &Job) {
        if !self.wait_policy.keeps_slots() {
            return;
        }
        self.ancestry.next();
        match *job {
            Job::Claimed { victim, index, .. } => {
                // SAFETY: workers live as long as the pool.
                let victim = unsafe { &*victim };
                // The victim waits for the frame, or will wait for it, so the victim's epoch does not
                // end before the frame is done.
                let (epoch, ..) = victim.ancestry.read();
                let origin = Origin::new(victim.id, epoch).with_frame(index);
                self.ancestry.set(origin, 0);
                local.fresh.set(false);
            }
            // The task itself declares its scope when it begins to run.
            Job::Run(_) => local.fresh.set(true),
        }
    }

    /// Ends the first job of an epoch, which ran with an empty stack. If the job was a frame, no worker waits for the frame any more. So a
    /// new epoch, with unknown origin, begins for the tasks that the frame has left.
    pub(in crate::worker) fn end_first(&self, local: &WorkerLocal, frame: bool) {
        local.fresh.set(false);
        if frame {
            self.ancestry.next();
        }
    }

    /// Returns the origin of the tasks of a scope that begins now (this worker in its current epoch), and a number for the scope. No other
    /// scope of this worker has this number.
    pub(crate) fn begin_scope(&self) -> (Origin, u64) {
        let number = self.nesting.scopes.get() + 1;
        self.nesting.scopes.set(number);
        (Origin::new(self.id, self.ancestry.read().0), number)
    }

    /// Declares that a task of the scope with number `scope` and with the given origin is about to run.
    #[inline]
    pub(crate) fn run_part_of(&self, local: &WorkerLocal, (origin, scope): (Origin, u64)) {
        // A task that runs in the middle of the epoch's first job declares no scope.
        if local.fresh.get() && local.context.get() == Context::BASE {
            local.fresh.set(false);
            self.ancestry.set(origin, scope);
        }
    }

    /// Returns the epoch of worker `of` if all jobs of that worker descend from the job for which this
    /// worker waits.
    fn descent(&self, of: &WorkerThread, awaited: Awaited) -> Option<u64> {
        if of.is_apart(0) {
            return None;
        }
        let own = self.ancestry.read().0;
        let (first, mut origin, mut scope) = of.ancestry.read();
        for _ in 0..LINKS {
            let is_it = match awaited {
                Awaited::Scope(began, number) => origin == began && scope == number,

                Awaited::Frame(index) => origin == Origin::new(self.id, own).with_frame(index),
            };
            if is_it {
                return Some(first);
            }
            let parent = self
                .pool()
                .worker(origin.worker()?)
                .filter(|parent| parent.id != self.id && !parent.is_apart(0))?;
            let epoch;
            let via = origin;
            (epoch, origin, scope) = parent.ancestry.read();
            if !via.is_in(epoch) {
                return None;
            }
        }
        None
    }

    /// Takes a descendant of the job for which this worker waits. Returns `Warm` if the function has found only private descendants. The
    /// argument `asked` is the time of the first request for private jobs.
    pub(in crate::worker) fn help(
        &self,
        awaited: Awaited,
        asked: &mut Option<Instant>,
    ) -> crate::worker::wait::steal_back::Lead {
        use crate::worker::wait::steal_back::Lead;
        let mut warm = false;
        let found = self.first_of_others(|other| {
            let epoch = self.descent(other, awaited)?;
            if other.has_work() && other.ancestry.hold(epoch) {
                let job = self.take_any(other);
                other.ancestry.let_go();
                let job = job.filter(|job| !self.gave_back(other, job));
                if job.is_some() {
                    return job;
                }
                if other.has_private() {
                    warm = true;
                    self.request_of(other, &other.deques(), Repeat::Once, asked);
                }
            }
            None
        });
        match found {
            Some(job) => {
                *asked = None;
                Lead::Job(job)
            }
            None if warm => Lead::Warm,
            None => Lead::Cold,
        }
    }

    /// Gives a frame back if a stranger may have forked it, because the frame then does not descend from the awaited job. Returns true if
    /// the frame was given back.
    fn gave_back(&self, other: &WorkerThread, job: &Job) -> bool {
        match *job {
            Job::Claimed { index, .. } if other.is_apart(0) => {
                other.get_back(index);
                true
            }
            _ => false,
        }
    }

    /// Takes the oldest public frame or task of another worker.
    fn take_any(&self, other: &WorkerThread) -> Option<Job> {
        if let Claim::Taken(frame, index) = other.forks.claim(0) {
            self.count_steals(1, true);
            return Some(Job::Claimed {
                victim: other,
                index,
                frame,
            });
        }
        [&other.tasks, &other.ready].into_iter().find_map(|deque| {
            let batch = deque.claim_batch(1).ok()?;
            let mut task: *mut Header = null_mut();
            deque.read_batch(batch, |found| task = found);
            self.count_steals(1, true);
            Some(Job::Run(task))
        })
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Ancestry, EPOCH, Origin};

    #[test]
    fn origins_have_named_parts() {
        let origin = Origin::new(4095, 77);
        assert_eq!(origin.worker(), Some(4095));
        assert!(origin.is_in(77) && !origin.is_in(78));
        let frame = origin.with_frame(5);
        assert_ne!(frame, origin);
        assert_eq!(frame.worker(), Some(4095));
        assert!(frame.is_in(77));
        assert_eq!(Origin::NONE.worker(), None);
    }

    #[test]
    fn an_epoch_that_is_held_does_not_end() {
        let ancestry = Ancestry::new();
        ancestry.set(Origin::new(1, 2), 7);
        let (epoch, origin, _) = ancestry.read();
        assert_eq!((epoch, origin), (0, Origin::new(1, 2)));
        assert!(ancestry.hold(0) && ancestry.hold(0));
        std::thread::scope(|scope| {
            let next = scope.spawn(|| ancestry.next());
            std::thread::sleep(std::time::Duration::from_millis(10));
            assert!(!next.is_finished());
            ancestry.let_go();
            ancestry.let_go();
        });
        assert!(!ancestry.hold(0) && ancestry.hold(1));
        assert_eq!(ancestry.read().1, Origin::NONE);
        assert_eq!(EPOCH % 2, 0);
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::{Ancestry, Origin};
    use crate::platform::shim::{AtomicU32, Ordering};
    use loom::thread;
    use std::sync::Arc;

    struct World {
        ancestry: Ancestry,
        /// A deque of one cell. The cell contains the epoch in which the item was pushed, or 0.
        item: AtomicU32,
    }

    impl World {
        fn put(&self, epoch: u32) {
            // This code uses an exchange instead of a store, because loom does not order a word's plain stores and exchanges among each
            // other.
            let _ = self.item.swap(epoch, Ordering::AcqRel);
        }
    }

    /// Takes the item, if all items of the worker descend from scope `scope`.
    fn help(world: &World, scope: u64) -> u32 {
        let (epoch, origin, of) = world.ancestry.read();
        if origin == Origin::NONE || of != scope || !world.ancestry.hold(epoch) {
            return 0;
        }
        let item = world.item.swap(0, Ordering::AcqRel);
        world.ancestry.let_go();
        item
    }

    /// Checks that a waiter takes only descendants of its own scope, while the worker begins the next epoch.
    #[test]
    fn a_waiter_claims_only_descendants_of_its_scope() {
        loom::model(|| {
            let world = Arc::new(World {
                ancestry: Ancestry::new(),
                item: AtomicU32::new(0),
            });
            let (first, second) = (1, 2);
            let waiter = {
                let world = Arc::clone(&world);
                thread::spawn(move || {
                    let item = help(&world, first);
                    assert!(item <= 1, "an item of epoch {item}");
                    item
                })
            };
            world.ancestry.set(Origin::new(1, 0), first);
            world.put(1);
            let left = world.item.swap(0, Ordering::AcqRel);
            world.ancestry.next();
            world.ancestry.set(Origin::new(2, 0), second);
            world.put(2);
            let taken = waiter.join().unwrap();
            assert_eq!(left + taken, 1, "taken once");
            assert_eq!(world.ancestry.read().2, second);
        });
    }
}
