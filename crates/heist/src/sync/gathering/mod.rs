//! Gatherings: many waiters wait for one event that releases them all, in a queue for each worker.

use super::monitor::{Locked, Queue, constant, serve_all};
use crate::suspend::{delegate, polling_worker};
use std::sync::OnceLock;

/// Number of parties from which on each worker has a queue of its own.
const MANY: usize = 16;
/// The most queues: workers beyond share.
const MOST: usize = 32;

/// The queues. A worker gets one of its own only when there are enough parties.
#[derive(Debug)]
pub(super) struct Gathering {
    home: Locked<Queue>,
    wings: OnceLock<Box<[Wing]>>,
}

/// A worker's queue, on a cache line of its own, because mostly one worker uses it.
#[derive(Debug)]
#[repr(align(128))]
struct Wing(Locked<Queue>);

/// Index of one of the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u16);

/// Something that people gather for, which delegated work keeps alive.
pub(super) trait Occasion: Send + Sync + 'static {
    fn gathering(&self) -> &Gathering;

    /// Whether a waiter with this tag may go on.
    fn has_passed(&self, tag: u64) -> bool;
}

impl Place {
    /// The place of waiters that are no tasks: a thread outside, or a closure that blocks.
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

    /// Prepares for `parties` parties.
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

    /// Queue for a wait of what is polled here: the worker's, if it is a task.
    pub(super) fn place(&self) -> Place {
        let wings = self.wings();
        match polling_worker() {
            Some(number) if !wings.is_empty() => Place(1 + (number % wings.len()) as u16),
            _ => Place::HOME,
        }
    }

    /// The queue at a place.
    pub(super) fn queue(&self, place: Place) -> &Locked<Queue> {
        match place.0.checked_sub(1) {
            None => &self.home,
            Some(wing) => &self.wings()[usize::from(wing)].0,
        }
    }
}

/// Lets all waiters go on whose tag has passed. It serves threads and the tasks of this worker at once. For
/// tasks that waited on other workers it queues jobs, which idle workers take. So the tasks that waited on a
/// worker mostly go on on it, and are woken by it: their memory is in its cache. While no worker is free to
/// take the job, none is free to run the tasks.
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
