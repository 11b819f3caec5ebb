//! Heap profiles: the bytes that are live, by type and allocation site, over time.
//!
//! A profile is a sample. Each worker divides the bytes that it allocates into stretches of [`Profiling::interval`] bytes, and chooses one
//! random point in each stretch. The object at a point is *sampled*: this object represents all bytes of the stretch. All points of a
//! stretch are equally likely, so periodic allocation does not bias the profile. Workers that allocate quickly use longer stretches.
//! Objects that are larger than [`LARGE`](crate::memory::heap::LARGE) are all recorded, with their own sizes.
//!
//! Compiled code has no instruction for sampling. Instead, the limit of the worker's young memory is the address of the next point. So the
//! allocation at the point takes the slow path (`sampler.rs`), which notes the frames of the strand. The table of sampled objects is weak.
//! A collection updates the addresses of the objects that it has moved, and removes from the table the objects that it has not reached.
//! Only a major collection removes an old object from the table. So a profile requests additional major collections, which take a bounded
//! share of the time ([`Profiling::share`]).

mod json;
mod sampler;
mod sites;
mod timeline;
mod watch;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::memory::uses::Use;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
pub(crate) use sampler::Sampler;
use sites::Sites;
use timeline::{Snapshot, Timeline};
pub(crate) use watch::hand_over;

/// The default value of [`Profiling::interval`].
pub const INTERVAL: usize = 1 << 13;
/// The shortest time between two major collections that a profile requests.
const PAUSE: Duration = Duration::from_millis(2);
/// The default value of [`Profiling::share`].
pub const SHARE: u32 = 10;

/// The heap profile to make of a program.
#[derive(Clone)]
pub struct Profiling {
    /// Number of allocated bytes that one sampled object represents. The number is larger for workers that allocate quickly.
    pub interval: usize,
    /// The time for which the program runs before the profile requests another major collection, as a multiple of the duration of the last
    /// major collection.
    pub share: u32,
    /// The function that gets the profile as JSON when the program ends.
    pub done: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Profiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiling")
            .field("interval", &self.interval)
            .field("share", &self.share)
            .finish_non_exhaustive()
    }
}

/// A sampled object that is old.
#[derive(Clone, Copy, Debug)]
struct Sample {
    object: Value,
    site: u32,
    /// The number of allocated bytes that the object represents.
    bytes: u64,
}

/// The heap profile of a world.
pub(crate) struct HeapProfile {
    interval: usize,
    share: u32,
    began: Instant,
    done: Arc<dyn Fn(&str) + Send + Sync>,
    /// The time at which the next major collection is due, in nanoseconds since `began`.
    due: AtomicU64,
    ended: AtomicBool,
    /// Number of snapshots that the profile has taken after major collections.
    snapshots: AtomicU64,
    /// The world. The thread that handles signals reads this field, because it is not a worker's thread.
    world: OnceLock<Weak<World>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sites: Sites,
    /// The sampled objects that are old.
    old: Vec<Sample>,
    /// The live bytes of each site, according to all collections so far.
    live: Vec<u64>,
    timeline: Timeline,
}

impl State {
    fn keep(&mut self, sample: Sample) {
        let at = sample.site as usize;
        if self.live.len() <= at {
            self.live.resize(at + 1, 0);
        }
        self.live[at] += sample.bytes;
        self.old.push(sample);
    }

    fn snapshot(&mut self, at: u64, heap: usize, full: bool) {
        if !self.timeline.wants(at, full) {
            return;
        }
        let live = self.live.iter().zip(0..);
        self.timeline.add(Snapshot {
            at,
            heap: heap as u64,
            full,
            live: live
                .filter(|(bytes, _)| **bytes > 0)
                .map(|(bytes, site)| (site, *bytes))
                .collect(),
        });
    }
}

impl HeapProfile {
    /// Begins a profile. The profile ends when the program or the process ends.
    pub(crate) fn start(profiling: &Profiling) -> Arc<HeapProfile> {
        let profile = Arc::new(HeapProfile {
            interval: profiling.interval.max(64),
            share: profiling.share,
            began: Instant::now(),
            done: profiling.done.clone(),
            due: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            snapshots: AtomicU64::new(0),
            world: OnceLock::new(),
            state: Mutex::default(),
        });
        watch::start(&profile);
        profile
    }

    /// Notes the world of the profile.
    pub(crate) fn belongs(&self, world: &Arc<World>) {
        // Only the first call counts.
        let _ = self.world.set(Arc::downgrade(world));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the beginning, in microseconds.
    fn now(&self) -> u64 {
        self.began.elapsed().as_micros() as u64
    }

    /// Returns true if a major collection is due.
    pub(crate) fn is_due(&self) -> bool {
        // Relaxed: the word protects no other memory.
        self.began.elapsed().as_nanos() as u64 >= self.due.load(Ordering::Relaxed)
    }

    /// Makes workers take a last snapshot at their next polls. Waits for that snapshot, but no longer than `patience`, because the workers
    /// may be blocked in system calls. The caller must not be a worker's thread.
    fn hurry(&self, patience: Duration) {
        let Some(world) = self.world.get().and_then(Weak::upgrade) else {
            return;
        };
        let before = self.snapshots.load(Ordering::Relaxed);
        let began = Instant::now();
        // Relaxed: see `is_due`. If a collection is running, it changes the time again at its end, but its snapshot is recent enough.
        self.due.store(0, Ordering::Relaxed);
        world.ring_in_handler();
        while self.snapshots.load(Ordering::Relaxed) == before && began.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Notes that a major collection has ended, and its duration.
    pub(crate) fn rest(&self, time: Duration) {
        let due = self.began.elapsed() + (self.share * time).max(PAUSE);
        // Relaxed: see `is_due`.
        self.due.store(due.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Finds the objects of all workers' samples, before a major collection moves them.
    ///
    /// # Safety
    /// All other workers must be stopped, and no object may have moved yet.
    pub(crate) unsafe fn before_major(&self, world: &World) {
        let mut state = self.lock();
        world.each_worker(|worker| {
            // SAFETY: all other workers are stopped, so no thread uses the samples of this worker, and no object has moved.
            unsafe { (*worker).sampler.find(&mut state.sites) };
        });
    }

    /// Updates the samples whose objects a major collection has moved, and drops the samples of objects that the collection has not
    /// reached.
    ///
    /// # Safety
    /// All other workers must be stopped. The memory that the collection leaves must not be freed yet.
    pub(crate) unsafe fn after_major(&self, world: &World) {
        let mut state = self.lock();
        let old = std::mem::take(&mut state.old);
        state.live.fill(0);
        let mut follow = |sample: Sample| {
            // SAFETY: the object was in memory that the collection leaves and that is not freed, or is large.
            if let Some(object) = unsafe { survivor(world, sample.object) } {
                state.keep(Sample { object, ..sample });
            }
        };
        old.into_iter().for_each(&mut follow);
        world.each_worker(|worker| {
            // SAFETY: all other workers are stopped, so no thread uses the samples of this worker.
            unsafe { (*worker).sampler.take().for_each(&mut follow) };
        });
    }

    /// Takes a snapshot after a major collection. The caller must ensure that the collection has freed the memory that it has evacuated.
    pub(crate) fn snapshot_all(&self, heap: usize) {
        self.lock().snapshot(self.now(), heap, true);
        // Relaxed: the lock orders the snapshots.
        self.snapshots.fetch_add(1, Ordering::Relaxed);
    }

    /// Finds the objects of a worker's samples, before a collection of its young generation moves them.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and no object of its young generation may have moved yet.
    pub(crate) unsafe fn before_minor(&self, worker: *mut Worker) {
        // SAFETY: the worker is the caller's, and no young object has moved.
        unsafe { (*worker).sampler.find(&mut self.lock().sites) };
    }

    /// Updates a worker's young samples after a collection: stores the new address of each object, and drops the samples of objects that
    /// have not survived.
    ///
    /// # Safety
    /// The worker must be the calling thread's own, and its young generation must not be in use again yet.
    pub(crate) unsafe fn after_minor(&self, worker: *mut Worker, heap: usize) {
        let mut state = self.lock();
        // SAFETY: the worker is the caller's. The headers of its young objects are still there.
        unsafe {
            for sample in (*worker).sampler.take() {
                let header = sample.object.header();
                if header.is_moved() {
                    let object = Value(header.0 as usize);
                    state.keep(Sample { object, ..sample });
                }
            }
        }
        let now = self.now();
        state.snapshot(now, heap, false);
    }

    /// Checks that each sample is one of the given old objects, whose addresses are sorted, and that the live bytes of each site are the
    /// sum of its samples.
    pub(crate) fn verify(&self, objects: &[usize]) {
        let state = self.lock();
        let mut live = vec![0; state.live.len()];
        for sample in &state.old {
            let found = objects.binary_search(&sample.object.0);
            assert!(found.is_ok(), "a sample of no object");
            live[sample.site as usize] += sample.bytes;
        }
        assert_eq!(live, state.live, "live bytes without samples");
    }

    /// Ends the profile, and passes it to [`Profiling::done`]. All calls but the first do nothing. `patience` bounds the wait for a thread
    /// that uses the profile.
    fn end(&self, patience: Duration) {
        // Relaxed: the word protects no other memory.
        if self.ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let began = Instant::now();
        let mut state = loop {
            match self.state.try_lock() {
                Ok(state) => break state,
                Err(std::sync::TryLockError::Poisoned(state)) => break state.into_inner(),
                Err(_) if began.elapsed() > patience => return,
                Err(_) => std::thread::yield_now(),
            }
        };
        let now = self.now();
        let heap = state.timeline.last().map_or(0, |last| last.heap);
        state.snapshot(now, heap as usize, false);
        let text = json::text(&state, self.interval, now);
        drop(state);
        (self.done)(&text);
    }

    /// Ends the profile when the program has ended.
    pub(crate) fn finish(&self) {
        self.end(Duration::from_secs(10));
    }
}

/// Returns the address of a sampled object after a major collection, or `None` if the collection has not reached the object.
///
/// # Safety
/// The object must be large, or its old address must be in memory that the collection has evacuated. The caller must not have freed the
/// evacuated memory yet.
unsafe fn survivor(world: &World, object: Value) -> Option<Value> {
    let left = match world.uses.at(object.0) {
        Some(Use::From) => true,
        Some(Use::LargeFound) => return Some(object),
        None => world.is_young(object),
        Some(_) => false,
    };
    if !left {
        return None;
    }
    // SAFETY: the memory was not freed, so it still holds the object's header or new address.
    let header = unsafe { object.header() };
    header.is_moved().then_some(Value(header.0 as usize))
}
