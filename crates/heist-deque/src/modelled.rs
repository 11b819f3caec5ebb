//! An atomic word for models in which threads store to a word and also exchange it.
//!
//! loom orders two writes of a location only if happens-before or the coherence of earlier reads requires it. So loom does not order a
//! store and an exchange by two unsynchronised threads. Suppose that a store and an exchange follow the same write W, and that the exchange
//! read W's value. Then the exchange comes directly after W in the modification order, so the store comes after the exchange. But in loom
//! the storing thread may still read the exchange's value *after* its own store. C++20 and Rust allow no such execution. In such an
//! execution, an algorithm that overwrites claims appears to lose items.
//!
//! So this word implements every write as an exchange. loom puts all exchanges into one order. A separate record tracks synchronisation. A
//! plain store begins a new release sequence, which is empty if the store is Relaxed. An exchange continues the release sequence of the
//! value that it reads.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread::{self, ThreadId};

/// One write of the word.
#[derive(Clone)]
struct Write {
    value: u64,
    /// The numbers of the release writes with which an Acquire load of this write synchronises.
    releases: Vec<usize>,
}

/// A record of the current execution. The record is not part of the model. The steps of the model update the record without races, because
/// loom runs one thread at a time and switches threads only before a step.
#[derive(Default)]
struct Known {
    writes: Vec<Write>,
    newest: usize,
    /// Pairs of a thread and a release write that the thread has made or acquired. A second acquire of the same write has no effect.
    has: HashSet<(ThreadId, usize)>,
}

/// A replacement of `AtomicU64` with the operations that the deques use. The replacement does not model fences after Relaxed loads.
pub struct Modelled {
    /// The write that the word holds: an index of `writes`.
    newest: AtomicUsize,
    /// Each access begins with a read-modify-write of this atomic. To decide which orders of two accesses differ, loom considers only the
    /// last access to the same atomic. Suppose that thread A loads, and that thread B then loads and writes. loom does not try B's write
    /// before A's load, because the last access before B's write is B's own load. But loom tries read-modify-writes in every order.
    turn: AtomicUsize,
    known: Mutex<Known>,
    /// The atomics through which the release writes synchronise, by number. These atomics are created with the word, because loom requires
    /// an atomic to be created before all its uses.
    released: Vec<AtomicBool>,
}

/// An upper bound on the number of writes in a model.
const WRITES: usize = 20;

fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}

impl Modelled {
    pub(crate) fn new(value: u64) -> Self {
        let first = Write {
            value,
            releases: Vec::new(),
        };
        Modelled {
            newest: AtomicUsize::new(0),
            turn: AtomicUsize::new(0),
            known: Mutex::new(Known {
                writes: vec![first],
                ..Known::default()
            }),
            released: (0..WRITES).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a write that this thread is about to make, and returns the number of the write.
    fn note(&self, value: u64, mut before: Vec<usize>, order: Ordering) -> usize {
        let number = {
            let mut known = self.known();
            let number = known.writes.len();
            if releases(order) {
                before.push(number);
                known.has.insert((thread::current().id(), number));
            }
            known.writes.push(Write {
                value,
                releases: before,
            });
            number
        };
        if releases(order) {
            self.released[number].store(true, Ordering::Release);
        }
        number
    }

    fn synchronise(&self, write: &Write, order: Ordering) {
        for &number in &write.releases {
            if acquires(order) && self.known().has.insert((thread::current().id(), number)) {
                // Use an exchange that fails, because it reads the newest value, and a load might read the first value.
                let found = self.released[number].compare_exchange(
                    false,
                    false,
                    Ordering::Acquire,
                    Ordering::Acquire,
                );
                assert_eq!(found, Err(true));
            }
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.turn.fetch_add(1, Ordering::Relaxed);
        let number = self.newest.load(Ordering::Relaxed);
        let write = self.known().writes[number].clone();
        self.synchronise(&write, order);
        write.value
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        self.turn.fetch_add(1, Ordering::Relaxed);
        let next = self.note(value, Vec::new(), order);
        self.newest.swap(next, Ordering::Relaxed);
        self.known().newest = next;
    }

    pub(crate) fn compare_exchange(
        &self,
        current: u64,
        value: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.turn.fetch_add(1, Ordering::Relaxed);
        loop {
            let (number, found) = {
                let known = self.known();
                (known.newest, known.writes[known.newest].clone())
            };
            // If the value differs, this exchange always fails, because no write has this number.
            let (expected, next) = if found.value == current {
                (number, self.note(value, found.releases.clone(), success))
            } else {
                (usize::MAX, usize::MAX)
            };
            let done =
                self.newest
                    .compare_exchange(expected, next, Ordering::Relaxed, Ordering::Relaxed);
            match done {
                Ok(_) => {
                    self.known().newest = next;
                    self.synchronise(&found, success);
                    return Ok(current);
                }
                Err(newest) if newest == number => {
                    self.synchronise(&found, failure);
                    return Err(found.value);
                }
                // Another thread wrote before this exchange: try again.
                Err(_) => {}
            }
        }
    }
}
