//! Model tests (loom) of two or three real members with the real busy count. The members' deques are counters. The models explore every
//! interleaving with a limited number of preemptions, and every value that a load may return.

use std::sync::atomic::{AtomicU32 as Plain, Ordering::Relaxed};

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;

use super::busy_count::BusyCount;
use super::member::{Draw, End, Victims, World, work};

/// The maximum number of preemptions. Without a limit of preemptions, the models take many minutes.
const PREEMPTIONS_OF_TWO: usize = 2;
const PREEMPTIONS_OF_THREE: usize = 1;

/// The rank of an item. An item of rank r pushes r items of rank r - 1.
type Rank = u32;

/// The rank of seeds.
const SEED: Rank = 1;

/// Number of bits that count the items of one rank in the word of a deque.
const BITS: u32 = 8;

/// Returns the number of items that come from an item, including itself.
fn family(rank: Rank) -> u32 {
    if rank == 0 {
        1
    } else {
        1 + rank * family(rank - 1)
    }
}

/// The state that the members share.
struct Village {
    busy_count: BusyCount,
    /// The items in each member's deque: a count for each rank.
    deques: Vec<AtomicU32>,
    /// Number of seeds that are not drawn yet, or [`DRY`] once a member has received the answer
    /// `Dry`.
    seeds: AtomicU32,
    /// Number of processed items. The field's type is not loom's atomic, because the protocol does not depend on this number.
    done: Plain,
    all: u32,
}

const DRY: u32 = u32::MAX;

struct Member {
    village: Arc<Village>,
    own: usize,
    /// Number of searches for work after which the member gives up.
    patience: usize,
    stops_at: Option<u32>,
}

/// Takes an item of the highest rank in the deque.
fn take(deque: &AtomicU32, order: Ordering) -> Option<Rank> {
    let mut seen = deque.load(Ordering::Relaxed);
    loop {
        let rank = (0..=SEED)
            .rev()
            .find(|rank| seen >> (rank * BITS) & 0xFF > 0)?;
        let next = seen - (1 << (rank * BITS));
        match deque.compare_exchange(seen, next, order, Ordering::Relaxed) {
            Ok(_) => return Some(rank),
            Err(now) => seen = now,
        }
    }
}

/// Adds `count` items of one rank.
fn add(deque: &AtomicU32, rank: Rank, count: u32) {
    deque.fetch_add(count << (rank * BITS), Ordering::Release);
}

impl World for Member {
    type Item = Rank;

    fn is_stopped(&self) -> bool {
        self.stops_at
            .is_some_and(|done| self.village.done.load(Relaxed) >= done)
    }

    fn pop(&mut self) -> Option<Rank> {
        // Relaxed, because the weakest deque of a worklist uses Relaxed when its owner loads what
        // thieves wrote.
        take(&self.village.deques[self.own], Ordering::Relaxed)
    }

    fn run(&mut self, rank: Rank) {
        if rank > 0 {
            add(&self.village.deques[self.own], rank - 1, rank);
        }
        self.village.done.fetch_add(1, Relaxed);
    }

    fn has_seeds(&self) -> bool {
        self.village.seeds.load(Ordering::Relaxed) != DRY
    }

    fn draw(&mut self, busy_count: &BusyCount) -> Draw {
        let mut seen = self.village.seeds.load(Ordering::Relaxed);
        busy_count.enter();
        loop {
            let next = match seen {
                DRY => {
                    busy_count.leave();
                    return Draw::Nothing;
                }
                0 => DRY,
                some => some - 1,
            };
            let seeds = &self.village.seeds;
            match seeds.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(0) => return Draw::Dry,
                Ok(_) => {
                    add(&self.village.deques[self.own], SEED, 1);
                    return Draw::Some;
                }
                Err(now) => seen = now,
            }
        }
    }

    fn victims(&mut self) -> Victims {
        Victims::of(self.own, self.village.deques.len(), 0)
    }

    fn looks_empty(&self, victim: usize) -> bool {
        self.village.deques[victim].load(Ordering::Relaxed) == 0
    }

    fn steal(&mut self, victim: usize) -> Option<Rank> {
        take(&self.village.deques[victim], Ordering::AcqRel)
    }

    fn wait(&mut self) -> bool {
        self.patience -= 1;
        self.patience > 0
    }
}

/// Runs `members` members on some seeds. Checks that when a member finds the worklist over, all
/// items have been processed.
fn village(members: usize, seeds: u32, patience: usize, stops_at: Option<u32>) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(match members {
        2 => PREEMPTIONS_OF_TWO,
        _ => PREEMPTIONS_OF_THREE,
    });
    builder.check(move || {
        let village = Arc::new(Village {
            busy_count: BusyCount::new(),
            deques: (0..members).map(|_| AtomicU32::new(0)).collect(),
            seeds: AtomicU32::new(seeds),
            done: Plain::new(0),
            all: seeds * family(SEED),
        });
        let attend = |own: usize, busy: bool, patience: usize| {
            let village = Arc::clone(&village);
            move || {
                let mut member = Member {
                    village: Arc::clone(&village),
                    own,
                    patience,
                    stops_at,
                };
                if work(&mut member, &village.busy_count, busy) == End::Over {
                    let done = village.done.load(Relaxed);
                    assert_eq!(done, village.all, "it is over, and not all is done");
                }
            }
        };
        let others: Vec<_> = (1..members)
            .map(|own| thread::spawn(attend(own, false, patience)))
            .collect();
        attend(0, true, 1)();
        for other in others {
            other.join().unwrap();
        }
        let done = village.done.load(Relaxed);
        match stops_at {
            // A member gives up only with an empty deque, so no items are left when all members
            // have left.
            None => assert_eq!(done, village.all, "items were left"),
            Some(least) => assert!(done >= least && done <= village.all),
        }
    });
}

#[test]
fn one_seed_and_a_thief() {
    village(2, 1, 2, None);
}

#[test]
fn a_thief_that_looks_once() {
    village(2, 1, 1, None);
}

#[test]
fn two_draw_seeds() {
    village(2, 2, 1, None);
}

#[test]
fn no_seeds() {
    village(2, 0, 2, None);
    village(3, 0, 1, None);
}

#[test]
fn two_thieves() {
    village(3, 1, 1, None);
}

#[test]
fn stopped_before_the_end() {
    village(2, 1, 2, Some(1));
}
