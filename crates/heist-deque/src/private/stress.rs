//! Stress tests: an owner and its thieves at full speed.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::thread;

use super::Owner;
use crate::trials::STRESS;
use crate::{Owner as _, Steal, Thief as _};

/// An item that is wider than an atomic and owns memory. The item's mark shows whether the item is torn.
struct Wide {
    item: Box<usize>,
    mark: [usize; 6],
}

impl Wide {
    fn new(item: usize) -> Self {
        Wide {
            item: Box::new(item),
            mark: [!item; 6],
        }
    }
}

/// Checks that each of many items leaves exactly once, through the owner or a thief. The owner ends when it has taken its last item. If
/// `leaves` is true, the owner ends earlier.
fn stress(thieves: usize, leaves: bool) {
    let items = if cfg!(miri) { STRESS } else { 3 * STRESS };
    let seen: Vec<AtomicU8> = (0..items).map(|_| AtomicU8::new(0)).collect();
    let done = AtomicBool::new(false);
    let take = |taken: Wide| {
        assert_eq!(taken.mark, [!*taken.item; 6]);
        seen[*taken.item].fetch_add(1, Ordering::Relaxed);
        1_usize
    };
    let mut owner = Owner::new();
    let mut taken = 0;
    thread::scope(|scope| {
        let handles: Vec<_> = (0..thieves)
            .map(|_| {
                let (thief, done, take) = (owner.thief(), &done, &take);
                scope.spawn(move || {
                    let mut taken = 0;
                    loop {
                        // Read `done` before the attempt: only an attempt after the last push can show that no item is left.
                        let last = done.load(Ordering::Acquire);
                        match thief.steal() {
                            Steal::Success(item) => taken += take(item),
                            Steal::Empty if last => return taken,
                            // Yield, because the owner needs a processor to answer.
                            Steal::Empty | Steal::Retry => thread::yield_now(),
                        }
                    }
                })
            })
            .collect();
        // Push bursts of all lengths. After each burst, pop a random number of items, so that the deque is sometimes empty and sometimes
        // grows.
        let mut next = 0;
        let mut random = 0x9E37_79B9_u32;
        while next < items {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let burst = (random >> 26) as usize;
            for item in next..items.min(next + burst) {
                owner.push(Wide::new(item));
            }
            next = items.min(next + burst);
            for _ in 0..(random >> 16) % 64 {
                taken += owner.pop().map_or(0, take);
            }
            for _ in 0..(random >> 8) % 16 {
                owner.poll();
                if random & 3 == 0 {
                    thread::yield_now();
                }
            }
        }
        if !leaves {
            while let Some(item) = owner.pop() {
                taken += take(item);
            }
        }
        drop(owner);
        done.store(true, Ordering::Release);
        for handle in handles {
            taken += handle.join().unwrap();
        }
    });
    assert_eq!(taken, items);
    assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
}

#[test]
fn stress_1_thief() {
    stress(1, false);
}

#[test]
fn stress_2_thieves() {
    stress(2, false);
}

#[test]
fn stress_3_thieves() {
    stress(3, false);
}

#[test]
fn stress_8_thieves() {
    stress(8, false);
}

#[test]
fn stress_3_thieves_of_an_owner_that_leaves() {
    stress(3, true);
}

/// After each push the owner waits until a thief has taken the item, so that each item goes through the mailbox.
fn hand_over(thieves: usize) {
    let items = if cfg!(miri) { 50 } else { 20_000 };
    let taken = AtomicUsize::new(0);
    let mut owner = Owner::new();
    thread::scope(|scope| {
        for _ in 0..thieves {
            let (thief, taken) = (owner.thief(), &taken);
            scope.spawn(move || {
                while taken.load(Ordering::Relaxed) < items {
                    match thief.steal() {
                        Steal::Success(item) => {
                            let Wide { item, mark } = item;
                            assert_eq!(mark, [!*item; 6]);
                            // Relaxed: each push waits for the increment for the previous item, so the increments do not race.
                            assert_eq!(taken.fetch_add(1, Ordering::Relaxed), *item);
                        }
                        Steal::Empty | Steal::Retry => thread::yield_now(),
                    }
                }
            });
        }
        for item in 0..items {
            owner.push(Wide::new(item));
            while taken.load(Ordering::Relaxed) <= item {
                owner.poll();
                thread::yield_now();
            }
        }
    });
    assert!(owner.pop().is_none());
}

#[test]
fn a_busy_owner_hands_over_every_item() {
    hand_over(1);
    hand_over(3);
}
