//! Stress tests with one owner and several thieves. The tests account for every item.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use super::{Deque, Numbered};
use crate::{Steal, Thief};

/// The number of items of a [`stress`]. This number is smaller under ThreadSanitizer, because ThreadSanitizer needs to see a race only
/// once.
pub(crate) const STRESS: usize = if cfg!(miri) {
    150
} else if cfg!(heist_brief) {
    25_000
} else {
    100_000
};

/// The maximum length of a burst in [`stress`]. With this length the deque is often empty, and sometimes grows.
pub(crate) const BURST: usize = 64;

/// A maximum length of a burst. This maximum is so large that one burst nearly always contains all items.
pub(crate) const ALL_AT_ONCE: usize = 1 << 31;

/// The owner pushes numbered items in bursts, while thieves steal. Checks that no item is lost or torn, and that no item leaves twice
/// unless the deque allows it.
pub(crate) fn stress<O: Deque<Item: Numbered>>(thieves: usize) {
    stress_on(&mut O::default(), thieves, STRESS, BURST);
}

/// Runs [`stress`] on the deque of `owner`, with `items` items in bursts of up to `burst` items.
pub(crate) fn stress_on<O: Deque<Item: Numbered>>(
    owner: &mut O,
    thieves: usize,
    items: usize,
    burst: usize,
) {
    // The counts have 32 bits: under constant theft, one item of an idempotent deque has left 510 times.
    let seen: Vec<AtomicU32> = (0..items).map(|_| AtomicU32::new(0)).collect();
    let done = AtomicBool::new(false);
    let take = |item: O::Item| {
        seen[item.number()].fetch_add(1, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        for _ in 0..thieves {
            let (thief, done, take) = (owner.thief(), &done, &take);
            scope.spawn(move || {
                loop {
                    // Read `done` before the attempt: only an attempt after the last push can show that no item is left.
                    let last = done.load(Ordering::Acquire);
                    match thief.steal() {
                        Steal::Success(item) => take(item),
                        Steal::Empty if last => return,
                        Steal::Empty => thread::yield_now(),
                        Steal::Retry => std::hint::spin_loop(),
                    }
                }
            });
        }
        // Push bursts of all lengths. After each burst, pop a random number of items, so that the deque is sometimes empty and sometimes
        // grows.
        let mut next = 0;
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |limit: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005) + 1;
            (random >> 33) as usize % limit
        };
        while next < items {
            let end = items.min(next + below(burst));
            for item in next..end {
                owner.push(O::Item::of(item));
            }
            next = end;
            for _ in 0..below(burst) {
                let Some(item) = owner.pop() else { break };
                take(item);
            }
        }
        while let Some(item) = owner.pop() {
            take(item);
        }
        done.store(true, Ordering::Release);
    });
    let wrong = |count: u32| if O::ONCE { count != 1 } else { count == 0 };
    let counts = || seen.iter().map(|count| count.load(Ordering::Relaxed));
    if let Some(item) = counts().position(wrong) {
        let times = counts().nth(item).unwrap_or_default();
        panic!("of {items} items, number {item} came {times} times");
    }
}
