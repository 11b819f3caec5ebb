//! Heap profiles: the bytes that are live, by type and allocation site, over time.
//!
//! A profile is a sample. Each worker divides the bytes that it allocates into stretches of [`Profiling::interval`] bytes, and chooses one
//! random point in each stretch. The object at a point is *sampled*: this object represents all bytes of the stretch. All points of a
//! stretch are equally likely, so periodic allocation does not bias the profile. Workers that allocate quickly use longer stretches.
//! Objects that are larger than [`LARGE`](crate::memory::heap::LARGE) are all recorded, with their own sizes.
//!
//! Compiled code has no instruction for sampling. Instead, the limit of the worker's young memory is the address of the next point. So the
//! allocation at the point takes the slow path (`collect/samples.rs`), which notes the frames of the strand. The table of sampled objects
//! is weak. A collection updates the addresses of the objects that it has moved, and removes from the table the objects that it has not
//! reached. Only a major collection removes an old object from the table. So a profile requests additional major collections, which take a
//! bounded share of the time ([`Profiling::share`]).

mod json;
pub(crate) mod sampler;
pub(crate) mod sites;
mod timeline;
mod watch;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

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
pub(crate) struct Sample {
    pub(crate) object: Value,
    pub(crate) site: u32,
    /// The number of allocated bytes that the object represents.
    pub(crate) bytes: u64,
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
    /// The function that rings the doorbells of all workers. The function returns false if the world has ended.
    ring: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) sites: Sites,
    /// The sampled objects that are old.
    pub(crate) old: Vec<Sample>,
    /// The live bytes of each site, according to all collections so far.
    pub(crate) live: Vec<u64>,
    timeline: Timeline,
}

impl State {
    pub(crate) fn keep(&mut self, sample: Sample) {
        let at = sample.site as usize;
        if self.live.len() <= at {
            self.live.resize(at + 1, 0);
        }
        self.live[at] += sample.bytes;
        self.old.push(sample);
    }

    pub(crate) fn snapshot(&mut self, at: u64, heap: usize, full: bool) {
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
            ring: OnceLock::new(),
            state: Mutex::default(),
        });
        watch::start(&profile);
        profile
    }

    /// Sets the function that rings the doorbells of all workers. The function must return false if the world has ended.
    pub(crate) fn set_ring(&self, ring: impl Fn() -> bool + Send + Sync + 'static) {
        // Only the first call counts.
        let _ = self.ring.set(Box::new(ring));
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the beginning, in microseconds.
    pub(crate) fn now(&self) -> u64 {
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
        let Some(ring) = self.ring.get() else {
            return;
        };
        let before = self.snapshots.load(Ordering::Relaxed);
        let began = Instant::now();
        // Relaxed: see `is_due`. If a collection is running, it changes the time again at its end, but its snapshot is recent enough.
        self.due.store(0, Ordering::Relaxed);
        if !ring() {
            return;
        }
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

    /// Takes a snapshot after a major collection. The caller must ensure that the collection has freed the memory that it has evacuated.
    pub(crate) fn snapshot_all(&self, heap: usize) {
        self.lock().snapshot(self.now(), heap, true);
        // Relaxed: the lock orders the snapshots.
        self.snapshots.fetch_add(1, Ordering::Relaxed);
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
