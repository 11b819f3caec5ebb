//! The record of a stolen frame: one word for each cell of the fork deque, in an array next to the deque. Only code that handles stolen
//! frames accesses records.

use super::orders;
use crate::platform::shim::{AtomicU64, Ordering};

const DONE: u64 = 1;
const WAITER: u64 = 1 << 1;
const RUNNING: u64 = 1 << 2;
const THIEF_SHIFT: u32 = 3;
const THIEF_BITS: u32 = 16;
const BASE_SHIFT: u32 = THIEF_SHIFT + THIEF_BITS;
const BASE_BITS: u32 = 21;
const SERIAL_SHIFT: u32 = BASE_SHIFT + BASE_BITS;
const SERIAL_BITS: u32 = 64 - SERIAL_SHIFT;

/// The theft of a frame: the thief, and the height at which the thief's own forks begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stolen {
    /// The thief's index among the pool's workers.
    pub(crate) thief: u16,
    /// The height of the thief's deque when it began the frame: frames at or above this height
    /// descend from the stolen frame. `None` if the height is too large for the record; then the
    /// waiter steals nothing back.
    pub(crate) base: Option<u32>,
    /// The thief's count of thefts. The count distinguishes a theft from a later theft at the same place.
    pub(crate) serial: u32,
}

impl Stolen {
    const NO_BASE: u64 = (1 << BASE_BITS) - 1;

    fn pack(self) -> u64 {
        let base = self
            .base
            .map_or(Self::NO_BASE, |base| u64::from(base).min(Self::NO_BASE));
        RUNNING
            | u64::from(self.thief) << THIEF_SHIFT
            | base << BASE_SHIFT
            | (u64::from(self.serial) & ((1 << SERIAL_BITS) - 1)) << SERIAL_SHIFT
    }

    fn unpack(word: u64) -> Option<Self> {
        if word & (RUNNING | DONE) != RUNNING {
            return None;
        }
        let base = word >> BASE_SHIFT & Self::NO_BASE;
        Some(Stolen {
            thief: (word >> THIEF_SHIFT) as u16,
            base: (base != Self::NO_BASE).then_some(base as u32),
            serial: (word >> SERIAL_SHIFT) as u32,
        })
    }
}

/// The state of a stolen frame. The word is zero before a thief has written it, so new zeroed
/// memory is an array of fresh records. This folder's README has the protocol.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct JoinRecord(AtomicU64);

impl JoinRecord {
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        JoinRecord(AtomicU64::new(0))
    }

    /// Records that the calling thief runs the frame. If a waiter is already recorded, it stays recorded.
    pub(crate) fn begin(&self, stolen: Stolen) {
        // Relaxed: a worker that steals back claims frames from the thief's deque, and this claim is an Acquire of its own.
        self.0.fetch_or(stolen.pack(), Ordering::Relaxed);
    }

    /// Records that the result is in the frame. Only the thief may call this function. After the call, the thief must access neither the
    /// frame nor the record. Returns true if the forker sleeps and must be woken.
    pub(crate) fn complete(&self) -> bool {
        self.0.swap(DONE, orders::COMPLETE) & WAITER != 0
    }

    /// Gives the frame back: the calling thief has claimed the frame but cannot run it. The forker must run the frame
    /// when it reaches the frame's join. Returns true if the forker sleeps and must be woken.
    pub(crate) fn give_back(&self) -> bool {
        self.0.swap(DONE | RUNNING, orders::COMPLETE) & WAITER != 0
    }

    /// Returns true if a thief has given the frame back. A frame that was given back has no result. Only the forker may call this function,
    /// after [`is_done`](Self::is_done).
    pub(crate) fn was_given_back(&self) -> bool {
        // Relaxed: the word does not change any more.
        self.0.load(Ordering::Relaxed) & RUNNING != 0
    }

    /// Returns true if the frame contains its result, or was given back. Only the forker may call this function.
    pub(crate) fn is_done(&self) -> bool {
        self.0.load(orders::IS_DONE) & DONE != 0
    }

    /// Returns the thief that runs the frame now. The caller must be the forker, or a worker that follows the chain of
    /// thieves.
    pub(crate) fn stolen(&self) -> Option<Stolen> {
        Stolen::unpack(self.0.load(Ordering::Acquire))
    }

    /// Records that the forker is about to sleep, so that [`complete`](Self::complete) will return
    /// true. Returns false if the frame is done already.
    pub(crate) fn wait(&self) -> bool {
        // Relaxed: before it reads the result, the forker calls `is_done`.
        self.0.fetch_or(WAITER, Ordering::Relaxed) & DONE == 0
    }

    /// Makes the record fresh again. Only the forker may call this function, after it saw DONE.
    pub(crate) fn reset(&self) {
        // Relaxed: the next thief of this cell sees the fresh word through the exposure from which it claims.
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{JoinRecord, Stolen};

    #[test]
    fn packs_and_unpacks() {
        for thief in [0, 1, u16::MAX] {
            for base in [Some(0), Some(77), None] {
                for serial in [0, 1, (1 << 24) - 1] {
                    let stolen = Stolen {
                        thief,
                        base,
                        serial,
                    };
                    assert_eq!(Stolen::unpack(stolen.pack()), Some(stolen));
                }
            }
        }
        let high = Stolen {
            thief: 0,
            base: Some(1 << 24),
            serial: 0,
        };
        assert_eq!(Stolen::unpack(high.pack()).unwrap().base, None);
    }

    #[test]
    fn waiter_survives_a_late_begin() {
        let record = JoinRecord::new();
        assert!(record.wait());
        record.begin(Stolen {
            thief: 1,
            base: Some(2),
            serial: 3,
        });
        assert_eq!(record.stolen().unwrap().thief, 1);
        assert!(!record.is_done());
        assert!(record.complete());
        assert!(record.is_done() && record.stolen().is_none() && !record.was_given_back());
        assert!(!record.wait());
    }

    #[test]
    fn a_record_given_back_is_done_and_has_no_thief() {
        let record = JoinRecord::new();
        assert!(!record.give_back());
        assert!(record.is_done() && record.was_given_back() && record.stolen().is_none());
        record.reset();
        assert!(record.wait() && record.give_back());
    }
}

#[cfg(all(test, heist_model))]
mod models {
    use super::{JoinRecord, Stolen};
    use loom::cell::UnsafeCell;
    use loom::thread;
    use std::sync::Arc;

    struct World {
        record: JoinRecord,
        result: UnsafeCell<u32>,
    }

    // SAFETY: the record decides which thread may access the result; the model checks this.
    unsafe impl Sync for World {}

    fn world() -> Arc<World> {
        Arc::new(World {
            record: JoinRecord::new(),
            result: UnsafeCell::new(0),
        })
    }

    /// Starts a thief that steals the frame, as its theft number `serial`.
    fn steal(world: &Arc<World>, serial: u32) -> thread::JoinHandle<()> {
        let (world, forker) = (Arc::clone(world), thread::current());
        thread::spawn(move || {
            let (thief, base) = (3, Some(7));
            world.record.begin(Stolen {
                thief,
                base,
                serial,
            });
            // SAFETY: the forker reads the result only when the record is complete, so no other thread accesses the result now.
            world.result.with_mut(|result| unsafe { *result = serial });
            if world.record.complete() {
                forker.unpark();
            }
        })
    }

    fn read(world: &World) -> u32 {
        // SAFETY: the record is complete.
        world.result.with(|result| unsafe { *result })
    }

    /// Checks two thefts at the same place, one after the other. The forker sees each result, a
    /// sleeping forker is woken, and the record is fresh again for the second thief.
    #[test]
    fn a_result_is_handed_over_and_the_sleeper_woken() {
        loom::model(|| {
            let world = world();
            for round in 1..=2 {
                let thief = steal(&world, round);
                if let Some(stolen) = world.record.stolen() {
                    assert_eq!((stolen.thief, stolen.serial), (3, round));
                }
                if world.record.wait() {
                    while !world.record.is_done() {
                        thread::park();
                    }
                }
                assert!(world.record.is_done());
                assert_eq!(read(&world), round);
                world.record.reset();
                thief.join().unwrap();
            }
        });
    }

    /// Checks that a forker that never sleeps sees the result, too.
    #[test]
    fn a_result_is_seen_by_a_forker_that_never_sleeps() {
        loom::model(|| {
            let world = world();
            let thief = steal(&world, 1);
            while !world.record.is_done() {
                thread::yield_now();
            }
            assert_eq!(read(&world), 1);
            thief.join().unwrap();
        });
    }
}
