//! Loom models: small programs run in every interleaving, with every value that a load may return.
//!
//! The items and the slots ([`Slot`]) are cells that are not atomic. So loom reports a data race in two cases: a thief gets an item but
//! does not see the owner's writes from before the push, or the owner writes a slot while a thief may read it. If an item leaves twice, an
//! assertion fails.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering, fence};
use loom::thread;

use super::{Claim, Popped, Sharing, Slot, SplitDeque, Words, orders};

/// The bound on preemptions for models with two thieves, and for models in which every pop takes the lock.
/// The other models have no bound.
const PREEMPTIONS: usize = 3;

pub(super) struct Item {
    contents: UnsafeCell<usize>,
    /// A flag that the item's thief sets, so that a waiting owner can continue.
    done: AtomicBool,
}

/// A deque with its memory and the contents of its items.
pub(super) struct Bench {
    pub(super) deque: SplitDeque<Item>,
    words: *mut Words<Item>,
    _slots: Vec<Slot<Item>>,
    items: Vec<Item>,
}

// SAFETY: loom reports any two accesses to a cell that are not ordered by happens-before, so no accesses race unnoticed.
unsafe impl Send for Bench {}
// SAFETY: loom reports any two accesses to a cell that are not ordered by happens-before, so no accesses race unnoticed.
unsafe impl Sync for Bench {}

impl Bench {
    fn new(capacity: usize, items: usize, sharing: Sharing) -> Arc<Self> {
        let mut slots: Vec<_> = (0..capacity)
            .map(|_| Slot::new(std::ptr::null_mut()))
            .collect();
        let words = Box::into_raw(Box::new(Words::at(slots.as_mut_ptr())));
        // SAFETY: words and slots live until the bench is dropped, and every thread has a reference to the bench.
        let deque = unsafe { SplitDeque::new(words, slots.as_mut_ptr(), capacity as u32, sharing) };
        let items = (0..items)
            .map(|_| Item {
                contents: UnsafeCell::new(0),
                done: AtomicBool::new(false),
            })
            .collect();
        Arc::new(Bench {
            deque,
            words,
            _slots: slots,
            items,
        })
    }

    pub(super) fn words(&self) -> &Words<Item> {
        // SAFETY: only `drop` frees the words, and it has exclusive access.
        unsafe { &*self.words }
    }

    /// Fills item `number` and pushes it, for the owner. The first item has number 0.
    pub(super) fn push(&self, number: usize) {
        let item = &self.items[number];
        // SAFETY: loom checks that no other access races with this one.
        item.contents
            .with_mut(|cell| unsafe { *cell = 100 + number });
        // SAFETY: the owner's thread calls this function, and models push no more items than there are
        // slots.
        unsafe { self.words().push(std::ptr::from_ref(item).cast_mut()) };
    }

    /// Pops once, for the owner. Returns false if a thief has the newest item, whose slot then stays in use.
    pub(super) fn pop(&self) -> bool {
        // SAFETY: the owner's thread calls this function, and the deque still contains an item.
        unsafe {
            if !self.words().pop() && self.deque.pop_slow() == Popped::Stolen {
                return false;
            }
            self.take(self.deque.popped());
        }
        true
    }

    /// Checks an item that a thread got. The item must be whole, and no thread may have got it before.
    pub(super) fn take(&self, item: *mut Item) {
        assert!(!item.is_null(), "read from a slot that nobody wrote");
        // SAFETY: the item belongs to the bench, which does not free items before it is dropped.
        let item = unsafe { &*item };
        item.contents.with_mut(|cell| {
            // SAFETY: loom checks that no other access races with this one.
            let found = unsafe { std::mem::replace(&mut *cell, 0) };
            assert_ne!(found, 0, "left twice");
        });
        item.done.store(true, Ordering::Release);
    }

    /// Waits for the thief of item `number`, for the owner.
    pub(super) fn wait(&self, number: usize) {
        while !self.items[number].done.load(Ordering::Acquire) {
            thread::yield_now();
        }
    }

    pub(super) fn claim(&self) {
        if let Claim::Taken(item, _) = self.deque.claim(0) {
            self.take(item);
        }
    }

    pub(super) fn claim_batch(&self) {
        if let Ok(batch) = self.deque.claim_batch(2) {
            self.deque.read_batch(batch, |item| self.take(item));
        }
    }

    fn force(&self) {
        // SAFETY: in a model, this full fence and the full fence in each pop have the effect of the heavy fence.
        unsafe { self.deque.force(|| fence(orders::HEAVY_FENCE)) };
    }

    pub(super) fn force_and_claim(&self) {
        self.force();
        self.claim();
    }

    /// Calls `gain_fence` for the owner. (A model always has the fence.)
    pub(super) fn gain_fence(&self) {
        // SAFETY: the owner's thread calls this function between its pops, and a model's forces have full
        // fences.
        unsafe { self.deque.gain_fence() };
    }

    pub(super) fn expose_half(&self) {
        // SAFETY: the owner's thread calls this function.
        unsafe { self.deque.expose_half() };
    }

    pub(super) fn expose_all(&self) {
        // SAFETY: the owner's thread calls this function.
        unsafe { self.deque.expose_all() };
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the words in a box, and this is the last thread that uses the deque.
        drop(unsafe { Box::from_raw(self.words) });
    }
}

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) slots: usize,
    pub(super) items: usize,
    pub(super) sharing: Sharing,
}

/// Returns the shape of a bench with `items` items and the same number of slots.
pub(super) fn of(items: usize) -> Shape {
    Shape {
        slots: items,
        items,
        sharing: Sharing::Split,
    }
}

/// Runs `before`, and then `owner` against the thieves. Then pops the remaining items, and checks that each item has left the deque once.
pub(super) fn model<const THIEVES: usize>(
    shape: Shape,
    before: fn(&Bench),
    thieves: [fn(&Bench); THIEVES],
    owner: impl Fn(&Bench) + Send + Sync + 'static,
) {
    let mut builder = loom::model::Builder::new();
    if THIEVES > 1 || shape.sharing != Sharing::Split {
        builder.preemption_bound = Some(PREEMPTIONS);
    }
    builder.check(move || {
        let bench = Bench::new(shape.slots, shape.items, shape.sharing);
        before(&bench);
        let handles = thieves.map(|thief| {
            let bench = Arc::clone(&bench);
            thread::spawn(move || thief(&bench))
        });
        owner(&bench);
        for handle in handles {
            handle.join().unwrap();
        }
        while bench.deque.height() > 0 && bench.pop() {}
        assert!(bench.deque.head() <= bench.deque.height());
        for (number, item) in bench.items.iter().enumerate() {
            // SAFETY: loom checks that no write races with this read.
            let left = item.contents.with(|cell| unsafe { *cell });
            assert_eq!(left, 0, "item {number} was lost");
        }
    });
}

pub(super) fn nothing(_: &Bench) {}

/// Two thieves compete for one public item.
#[test]
fn two_thieves_last_public() {
    model(of(1), nothing, [Bench::claim, Bench::claim], |bench| {
        bench.push(0);
        bench.expose_all();
    });
}

/// The owner and a thief compete for one public item.
#[test]
fn last_element() {
    model(of(1), nothing, [Bench::claim], |bench| {
        bench.push(0);
        bench.expose_all();
        bench.pop();
    });
}

/// The owner and two thieves compete for one public item.
#[test]
fn last_element_two_thieves() {
    model(of(1), nothing, [Bench::claim, Bench::claim], |bench| {
        bench.push(0);
        bench.expose_all();
        bench.pop();
    });
}

/// The owner exposes the older of two items, and pops both items.
#[test]
fn expose_against_pop() {
    let thief = |bench: &Bench| {
        bench.claim();
        bench.claim();
    };
    model(of(2), nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_half();
        let _ = bench.pop() && bench.pop();
    });
}

/// There are three public items. When the owner reclaims the newest item, it takes the middle item back as well, while thieves claim items
/// from the oldest on.
#[test]
fn reclaim_against_thieves() {
    model(of(3), nothing, [Bench::claim, Bench::claim], |bench| {
        bench.push(0);
        bench.push(1);
        bench.push(2);
        bench.expose_all();
        let _ = bench.pop() && bench.pop() && bench.pop();
    });
}

/// A thief may read a range that a reclaim wrote. A frame that the reclaim has left public must be whole for
/// this thief. The owner may push another frame into the slot of a reclaimed frame.
#[test]
fn reclaim_then_push() {
    let thief = |bench: &Bench| {
        bench.claim();
        bench.claim();
    };
    model(of(4), nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        bench.push(2);
        bench.expose_all();
        if bench.pop() {
            bench.push(3);
            bench.expose_all();
        }
    });
}

/// The owner reuses the slot of a stolen frame after the thief is done with the frame.
#[test]
fn retire_and_reuse() {
    let thief = |bench: &Bench| {
        bench.claim();
        bench.claim();
    };
    let shape = Shape { slots: 2, ..of(3) };
    model(shape, nothing, [thief], |bench| {
        bench.push(0);
        bench.expose_all();
        if !bench.pop() {
            // While the owner waits, the work that it runs forks above the stolen frame.
            bench.push(1);
            assert!(bench.pop() || bench.deque.head() == 2);
            if bench.deque.head() == 2 {
                bench.wait(1);
                // SAFETY: this is the owner's thread, and the thief is done with the frame.
                unsafe { bench.deque.retire_stolen() };
            }
            bench.wait(0);
            // SAFETY: this is the owner's thread, and the thief is done with the frame.
            unsafe { bench.deque.retire_stolen() };
        }
        assert_eq!(bench.deque.height(), 0);
        bench.push(2);
        bench.expose_all();
    });
}

/// The owner cannot reuse the slots of a batch while a thief still reads them.
#[test]
fn rewind_against_late_reader() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_all();
    };
    let shape = Shape { slots: 3, ..of(3) };
    let thieves: [fn(&Bench); 1] = [Bench::claim_batch];
    model(shape, before, thieves, |bench| {
        while bench.deque.height() > 0 && bench.pop() {}
        // SAFETY: all claims are batches, and each item has been popped or claimed.
        let rewound = unsafe { bench.deque.rewind_empty(0) };
        assert_eq!(rewound, bench.deque.height() == 0);
        bench.push(2);
        bench.expose_all();
    });
}

/// Each of two thieves reads a batch: the deque adds up the thieves' counts, and the owner reuses the slots.
#[test]
fn rewind_against_two_readers() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_all();
    };
    let shape = Shape { slots: 3, ..of(3) };
    let thieves: [fn(&Bench); 2] = [Bench::claim_batch, Bench::claim_batch];
    model(shape, before, thieves, |bench| {
        while bench.deque.height() > 0 && bench.pop() {}
        // SAFETY: all claims are batches, and each item has been popped or claimed.
        unsafe { bench.deque.rewind_empty(0) };
        bench.push(2);
        bench.expose_all();
    });
}

/// At the end of a scope, the owner knows that the tasks above the floor have run, although the deque does not tell it so. The owner reuses
/// the slots of these tasks before the batch's thief has reported its read.
#[test]
fn rewind_read_above_floor() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_all();
    };
    let shape = Shape { slots: 2, ..of(3) };
    let thief = |bench: &Bench| {
        bench.claim_batch();
        bench.claim_batch();
    };
    model(shape, before, [thief], |bench| {
        if !bench.pop() {
            bench.wait(1);
            // SAFETY: this is the owner's thread, and the thief is done with the frame.
            unsafe { bench.deque.rewind_read(1) };
        }
        bench.push(2);
        bench.expose_all();
    });
}

/// Without an asymmetric fence, the owner exposes and reclaims while two thieves force and claim.
#[test]
fn reclaim_without_fence() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_half();
    };
    let shape = Shape {
        sharing: Sharing::SplitLocked,
        ..of(2)
    };
    let thieves: [fn(&Bench); 2] = [Bench::claim, Bench::force_and_claim];
    model(shape, before, thieves, |bench| {
        let _ = bench.pop() && bench.pop();
    });
}
