//! The team of a parallel collection: all stopped workers share the work of copying objects.
//!
//! Each member copies objects to a chunk of its own, and scans these copies. Work that other members may take is a [`Part`]: copies that no
//! member has scanned, or slots of a large array. A member keeps its parts until another member has no work ([`Team::is_hungry`]), and then
//! gives half of the parts away. Members claim roots one by one with a counter.
//!
//! Two members that find the same object at the same time both copy it (`Copy::moved`). If the object has an identity or is mutable, each
//! member writes its copy's address into the header by a compare-and-swap. Only the copy of the first member stays, and the other member
//! drops its own copy. If the object cannot be distinguished from its copies, each member keeps its own copy, and writes the header with a
//! plain store. With these plain stores, the whole collection takes a sixth less time than with a compare-and-swap for every object.
//!
//! *The end*: `working` counts members that have work. A member leaves the count, under the lock, when there is neither a root nor a part.
//! If the member takes a part later, it enters the count again under the same lock. So when the count is 0, there is no part, and no member
//! can make a part: the collection is over. A member that arrives after the end has nothing to do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::collect::copy::Copy;
use crate::memory::heap::{Region, ZONE_SPAN};
use crate::protocol::stop::Shared;
use crate::state::strand::Strand;
use crate::state::thread_object;
use crate::state::worker::Worker;
use crate::state::world::World;

/// The time for which a member without work searches for work before it sleeps.
const LOOK: Duration = Duration::from_micros(20);

/// Work that one member may give to another member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The consecutive objects from the first address to the second address.
    Objects(usize, usize),
    /// Slots that hold values: the address of the first slot, and the number of slots.
    Slots(*mut usize, usize),
}

// SAFETY: only the member that holds a part uses the part's memory. All workers that could change this memory are stopped.
unsafe impl Send for Part {}

/// A root: the values from which a collection begins to look for live objects.
#[derive(Clone, Copy, Debug)]
pub enum Root {
    /// A worker, with the strand that it runs.
    Worker(*mut Worker),
    /// A strand that no worker runs.
    Strand(*mut Strand),
    /// The globals of all programs, and the world's own values.
    World,
}

/// Counts of a collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Number of bytes that were copied.
    pub copied: u64,
    /// Number of objects that were copied.
    pub objects: u64,
    /// Number of frames that were scanned.
    pub frames: u64,
    /// Whether the heap has reached its limit, so that some objects stay where they are.
    pub full: bool,
    /// Number of bytes that the member with the most work copied.
    pub most: u64,
}

#[derive(Default)]
struct State {
    parts: Vec<Part>,
    working: usize,
    over: bool,
    counts: Counts,
}

/// The members of a running collection.
pub struct Team {
    world: *const World,
    roots: Vec<Root>,
    next_root: AtomicUsize,
    /// Number of members that have no work.
    hungry: AtomicUsize,
    state: Mutex<State>,
    /// Notified when there are parts, or when the collection is over.
    news: Condvar,
}

impl Team {
    /// Makes a team without members, for a collection that begins at all roots of the world.
    ///
    /// # Safety
    /// The caller must have stopped all other workers, for as long as the team exists.
    #[must_use]
    pub unsafe fn new(world: &World) -> Team {
        let mut roots = Vec::new();
        // Workers and strands come first, because their stacks may be deep: members that begin with them soon have work for other members.
        world.each_worker(|worker| roots.push(Root::Worker(worker)));
        world.each_strand(|strand| {
            // SAFETY: all other workers are stopped.
            unsafe {
                if (*strand).worker.is_null() && !(*strand).is_idle() {
                    (*strand).weak = thread_object::is_dispensable(strand);
                    if (*strand).weak {
                        (*strand).reached.store(false, Ordering::Relaxed);
                    } else {
                        roots.push(Root::Strand(strand));
                    }
                }
            }
        });
        roots.push(Root::World);
        Team {
            world,
            roots,
            next_root: AtomicUsize::new(0),
            hungry: AtomicUsize::new(0),
            state: Mutex::default(),
            news: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes part in the collection until all objects are copied.
    ///
    /// # Safety
    /// The collection must have begun. Until all workers are resumed, the calling thread may touch the heap only in this function.
    unsafe fn work(&self) {
        // SAFETY: the caller of `new` waits for the end of the team, and the world lives as long as its workers.
        let world = unsafe { &*self.world };
        {
            let mut state = self.lock();
            if state.over {
                return;
            }
            state.working += 1;
        }
        let mut copy = Copy::<true>::new(
            world,
            (world.zone, ZONE_SPAN),
            Region::default(),
            Some(self),
        );
        // SAFETY: each root and each part belongs to only one member, and all workers are stopped.
        unsafe {
            while let Some(root) = self.claim() {
                copy.root(root);
                copy.scan_all();
            }
            while let Some(part) = self.take() {
                copy.part(part);
                copy.scan_all();
            }
        }
        let (region, counts) = copy.end();
        world.heap().note(&region);
        let sum = &mut self.lock().counts;
        sum.copied += counts.copied;
        sum.objects += counts.objects;
        sum.frames += counts.frames;
        sum.full |= counts.full;
        sum.most = sum.most.max(counts.copied);
    }

    fn claim(&self) -> Option<Root> {
        // Relaxed: the roots were complete before the first member came, and the lock orders this.
        let next = self.next_root.fetch_add(1, Ordering::Relaxed);
        self.roots.get(next).copied()
    }

    /// Returns true if another member waits for work.
    #[inline]
    #[must_use]
    pub fn is_hungry(&self) -> bool {
        // Relaxed: the number is a hint.
        self.hungry.load(Ordering::Relaxed) != 0
    }

    /// Gives work to other members.
    pub fn give(&self, parts: impl Iterator<Item = Part>) {
        self.lock().parts.extend(parts);
        self.news.notify_all();
    }

    /// Takes a part that another member has given away. If there is no part, waits while any member has work.
    fn take(&self) -> Option<Part> {
        let mut state = self.lock();
        if let Some(part) = state.parts.pop() {
            return Some(part);
        }
        state.working -= 1;
        // Relaxed: the number is a hint, see `is_hungry`.
        self.hungry.fetch_add(1, Ordering::Relaxed);
        let began = Instant::now();
        let part = loop {
            if let Some(part) = state.parts.pop() {
                state.working += 1;
                break Some(part);
            }
            if state.working == 0 {
                state.over = true;
                self.news.notify_all();
                break None;
            }
            state = if began.elapsed() < LOOK {
                drop(state);
                std::hint::spin_loop();
                self.lock()
            } else {
                self.news
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner)
            };
        };
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        part
    }

    /// Returns the sums of the members' counts, once all members have ended.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.lock().counts
    }
}

impl Shared for Team {
    /// Returns true if all objects are copied.
    fn is_over(&self) -> bool {
        self.lock().over
    }

    unsafe fn take_part(&self) {
        // SAFETY: the stopper shares this team only once its collection has begun, and the calling thread is stopped or idle, so it touches
        // the heap only in this function.
        unsafe { self.work() };
    }
}
