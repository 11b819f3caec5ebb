//! Gatherings: many waiters for one event. The event releases all waiters of its gathering. Each worker has a queue for its waiters.

use super::monitor::{Locked, Queue, constant, serve_all};
use crate::suspend::{delegate, polling_worker};
use std::sync::OnceLock;

/// The minimum number of parties for which each worker has a queue of its own.
const MANY: usize = 16;
/// Maximum number of queues. If the pool has more workers than queues, several workers share a queue.
const MOST: usize = 32;

/// The queues of a gathering. Workers have queues of their own only if there are enough parties.
#[derive(Debug)]
pub(super) struct Gathering {
    home: Locked<Queue>,
    wings: OnceLock<Box<[Wing]>>,
}

/// A worker's queue. The queue is on a cache line of its own, because in most cases only one worker uses it.
#[derive(Debug)]
#[repr(align(128))]
struct Wing(Locked<Queue>);

/// The place of a queue in a gathering. The queue of waiters that are not tasks has place 0. The place of a worker's queue is the
/// worker's index plus one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u16);

/// A construct with a gathering. The jobs that serve the construct's waiters keep the construct alive.
pub(super) trait Occasion: Send + Sync + 'static {
    fn gathering(&self) -> &Gathering;

    /// Returns true if a waiter with the given tag may continue.
    fn has_passed(&self, tag: u64) -> bool;
}

impl Place {
    /// The place of the queue for waiters that are not tasks: threads outside of the pool, and closures that block.
    pub(super) const HOME: Place = Place(0);
}

impl Gathering {
    constant! {
        pub(super) const fn new() -> Self {
            Gathering {
                home: Locked::new(Queue::new()),
                wings: OnceLock::new(),
            }
        }
    }

    /// Creates the queues of workers if `parties` is large enough.
    pub(super) fn expect(&self, parties: usize) {
        if parties >= MANY && !cfg!(heist_model) {
            self.wings.get_or_init(|| {
                let workers = std::thread::available_parallelism().map_or(1, usize::from);
                let wings = (0..workers.min(MOST)).map(|_| Wing(Locked::new(Queue::new())));
                wings.collect()
            });
        }
    }

    fn wings(&self) -> &[Wing] {
        self.wings.get().map_or(&[], |wings| wings)
    }

    /// Returns the place of the queue for the waiter that is being polled. If the waiter is a task, the result is the place of the current
    /// worker's queue.
    pub(super) fn place(&self) -> Place {
        let wings = self.wings();
        match polling_worker() {
            Some(number) if !wings.is_empty() => Place(1 + (number % wings.len()) as u16),
            _ => Place::HOME,
        }
    }

    /// Returns the queue at a place.
    pub(super) fn queue(&self, place: Place) -> &Locked<Queue> {
        match place.0.checked_sub(1) {
            None => &self.home,
            Some(wing) => &self.wings()[usize::from(wing)].0,
        }
    }
}

/// Releases all waiters that may continue. This thread immediately serves waiting threads, and the tasks that waited on this worker. For
/// each other worker whose tasks waited, this thread queues a job, which an idle worker takes. So in most cases a worker wakes and
/// continues the tasks that waited on it, and has their memory in its cache. If no worker is free to take such a job, no worker is free to
/// run the tasks either.
pub(super) fn dismiss<O: Occasion>(occasion: &std::sync::Arc<O>) {
    let gathering = occasion.gathering();
    serve(&**occasion, Place::HOME);
    let mine = gathering.place();
    for other in (1..=gathering.wings().len() as u16).map(Place) {
        if other != mine && !gathering.queue(other).lock().is_empty() {
            let occasion = std::sync::Arc::clone(occasion);
            delegate(move || serve(&*occasion, other));
        }
    }
    if mine != Place::HOME {
        serve(&**occasion, mine);
    }
}

fn serve<O: Occasion>(occasion: &O, place: Place) {
    serve_all(occasion.gathering().queue(place), |queue: &mut Queue| {
        queue.serve_if(|tag| occasion.has_passed(tag))
    });
}
