//! Where many wait for one thing that lets them all go on: a queue for each worker.

use super::monitor::{Locked, Queue, constant, serve_all};
use crate::suspend::{delegate, worker_number};
use std::sync::OnceLock;

/// From so many parties on each worker has a queue of its own.
const MANY: usize = 16;
/// The most queues: workers beyond share.
const MOST: usize = 32;

/// The queues. Those of the workers are made when they are worth it.
#[derive(Debug)]
pub(super) struct Gathering {
    home: Locked<Queue>,
    wings: OnceLock<Box<[Wing]>>,
}

/// On a line of its own, as only one worker uses it most of the time.
#[derive(Debug)]
#[repr(align(128))]
struct Wing(Locked<Queue>);

/// One of the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u16);

/// Something that people gather for, which delegated work keeps alive.
pub(super) trait Occasion: Send + Sync + 'static {
    fn gathering(&self) -> &Gathering;

    /// Whether who waits with this tag may go on.
    fn has_passed(&self, tag: u64) -> bool;
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

    /// Prepares for so many.
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

    /// Where the current thread's work waits.
    pub(super) fn place(&self) -> Place {
        let wings = self.wings();
        match worker_number() {
            Some(number) if !wings.is_empty() => Place(1 + (number % wings.len()) as u16),
            _ => Place(0),
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

/// Lets everybody go on whose tag has passed: those of this worker here and now; those of others as
/// jobs, which others take if they have nothing to do. So the tasks that waited on a worker mostly go on on
/// it, and are woken by it: their memory is in its cache.
pub(super) fn dismiss<O: Occasion>(occasion: &std::sync::Arc<O>) {
    let gathering = occasion.gathering();
    let mine = gathering.place();
    for other in (0..=gathering.wings().len() as u16).map(Place) {
        if other != mine && !gathering.queue(other).lock().is_empty() {
            let occasion = std::sync::Arc::clone(occasion);
            delegate(move || serve(&*occasion, other));
        }
    }
    serve(&**occasion, mine);
}

fn serve<O: Occasion>(occasion: &O, place: Place) {
    serve_all(occasion.gathering().queue(place), |queue: &mut Queue| {
        queue.serve_if(|tag| occasion.has_passed(tag))
    });
}
