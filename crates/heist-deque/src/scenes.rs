//! Scenes for the models of the idempotent deques: one owner and up to two thieves execute a few steps each. Loom tries every interleaving
//! up to a number of preemptions, and every value that a load may return.
//!
//! An item is a number (or three words made from a number), and its content is in a [`Ledger`] of cells that are not atomic. So if a thread
//! gets an item but does not see the owner's effects from before the push, loom reports a data race. The ledger reports items that are
//! lost, torn, never pushed, or taken too often.

use std::sync::atomic::{AtomicU32, Ordering};

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::{Item, Owner, Steal, Thief};

/// The bounds on preemptions. Without a bound, the models would run for many minutes.
const PREEMPTIONS_OF_ONE_THIEF: usize = 3;
const PREEMPTIONS_OF_TWO_THIEVES: usize = 2;

/// The types of items that a scene can use.
pub(crate) trait Numbered: Item + Copy + Send + 'static {
    /// Returns the item with the number `number`, which is at least 1.
    fn of(number: usize) -> Self;
    /// Returns the item's number. Panics if the words are not those of one item.
    fn number(self) -> usize;
}

impl Numbered for usize {
    fn of(number: usize) -> Self {
        number
    }

    fn number(self) -> usize {
        self
    }
}

impl Numbered for (u32, usize, usize) {
    fn of(number: usize) -> Self {
        (number as u32, 100 * number, !number)
    }

    fn number(self) -> usize {
        let number = self.0 as usize;
        assert_eq!(self, Self::of(number), "torn");
        number
    }
}

/// Says whether an item may leave more than once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    AtLeastOnce,
    Once,
}

/// The ledger of a scene: its pushed items, and how often each item came out.
pub(crate) struct Ledger {
    contents: Vec<UnsafeCell<usize>>,
    /// The number of times that each item came out. These counts are not in loom's atomics, so they add no happens-before edges to the
    /// model.
    taken: Vec<AtomicU32>,
}

// SAFETY: loom reports any two accesses to a cell that are not ordered by happens-before, so no accesses race unnoticed.
unsafe impl Sync for Ledger {}

impl Ledger {
    pub(crate) fn new(items: usize) -> Arc<Self> {
        Arc::new(Ledger {
            contents: (0..items).map(|_| UnsafeCell::new(0)).collect(),
            taken: (0..items).map(|_| AtomicU32::new(0)).collect(),
        })
    }

    /// Enters an item into the ledger, and returns the item. The numbers of items start at 1, because 0 is the content of a new slot.
    pub(crate) fn put<T: Numbered>(&self, number: usize) -> T {
        // SAFETY: loom checks that no other access races with this one.
        self.contents[number - 1].with_mut(|cell| unsafe { *cell = 100 + number });
        T::of(number)
    }

    pub(crate) fn take<T: Numbered>(&self, item: T) {
        let number = item.number();
        assert_ne!(number, 0, "read from a slot that nobody wrote");
        // SAFETY: loom checks that no write races with this read.
        let found = self.contents[number - 1].with(|cell| unsafe { *cell });
        assert_eq!(found, 100 + number, "contents of item {number}");
        self.taken[number - 1].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of times that an item has come out.
    pub(crate) fn times(&self, number: usize) -> u32 {
        self.taken[number - 1].load(Ordering::Relaxed)
    }

    /// Checks the counts, and returns the greatest number of times that an item came out. The caller must have emptied the deque.
    pub(crate) fn settle(&self, leaves: Leaves) -> u32 {
        let times: Vec<_> = (1..=self.taken.len())
            .map(|number| self.times(number))
            .collect();
        for (place, &times) in times.iter().enumerate() {
            assert!(times > 0, "item {} was lost", place + 1);
            assert!(
                leaves == Leaves::AtLeastOnce || times == 1,
                "item {} came {times} times",
                place + 1
            );
        }
        times.into_iter().max().unwrap_or(0)
    }
}

/// A deque that a scene can use.
pub(crate) trait Deque:
    Owner<Item: Numbered, Thief: Send + 'static> + Default + 'static
{
    const LEAVES: Leaves;
}

/// Runs `owner` against one thief for each entry of `attempts`, which is the thief's number of attempts. At the end, the function drains
/// the deque and checks the ledger. Returns the greatest number of times that an item came out in any execution.
pub(crate) fn play<O: Deque>(
    items: usize,
    attempts: &'static [usize],
    owner: impl Fn(&mut O, &Ledger) + Sync + Send + 'static,
) -> u32 {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(match attempts.len() {
        1 => PREEMPTIONS_OF_ONE_THIEF,
        _ => PREEMPTIONS_OF_TWO_THIEVES,
    });
    let most = std::sync::Arc::new(AtomicU32::new(0));
    let seen = std::sync::Arc::clone(&most);
    builder.check(move || {
        let ledger = Ledger::new(items);
        let mut deque = O::default();
        let thieves: Vec<_> = attempts
            .iter()
            .map(|&count| {
                let (thief, ledger) = (deque.thief(), Arc::clone(&ledger));
                thread::spawn(move || {
                    for _ in 0..count {
                        if let Steal::Success(item) = thief.steal() {
                            ledger.take(item);
                        }
                    }
                })
            })
            .collect();
        owner(&mut deque, &ledger);
        for thief in thieves {
            thief.join().unwrap();
        }
        while let Some(item) = deque.pop() {
            ledger.take(item);
        }
        seen.fetch_max(ledger.settle(O::LEAVES), Ordering::Relaxed);
    });
    let most = most.load(Ordering::Relaxed);
    println!("an item came out {most} times at most");
    most
}

pub(crate) fn push<O: Deque>(deque: &mut O, ledger: &Ledger, number: usize) {
    deque.push(ledger.put(number));
}

pub(crate) fn pop<O: Deque>(deque: &mut O, ledger: &Ledger) {
    if let Some(item) = deque.pop() {
        ledger.take(item);
    }
}

/// The owner and `thieves` compete for one item.
pub(crate) fn last_element<O: Deque>(thieves: &'static [usize]) -> u32 {
    play::<O>(1, thieves, |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
    })
}

/// A deque that the owner has emptied is empty for thieves as well, and can be used again.
pub(crate) fn empty_and_refill<O: Deque>() {
    play::<O>(2, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        pop(deque, ledger);
        push(deque, ledger, 2);
    });
}

/// A thief reads a state that a take stored. The thief must still see the remaining item.
pub(crate) fn steal_after_take<O: Deque>() {
    play::<O>(2, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
    });
}

/// Two thieves steal while the owner takes.
pub(crate) fn two_thieves<O: Deque>() {
    play::<O>(2, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
    });
}

/// Only the stolen item comes back if a put overwrites a thief's claim.
pub(crate) fn put_against_steal<O: Deque>() -> u32 {
    play::<O>(2, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
    })
}

/// The owner reuses a slot, and the number of items returns to an earlier value (ABA). A thief that has read the first item must not
/// succeed when the slot holds the second item.
pub(crate) fn take_then_put<O: Deque>() {
    play::<O>(2, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
    });
}

/// The owner reuses a slot (ABA) above an item that stays in the deque.
pub(crate) fn take_then_put_above<O: Deque>() {
    play::<O>(3, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
    });
}

/// The owner reuses a slot (ABA) while two thieves steal. One of the thieves may empty the slot instead of the owner.
pub(crate) fn reuse_against_two_thieves<O: Deque>() {
    play::<O>(2, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
    });
}

/// The deque grows while thieves steal. In models, deques begin with room for two items.
pub(crate) fn grow_against_steal<O: Deque>(thieves: &'static [usize]) {
    play::<O>(3, thieves, |deque, ledger| {
        for number in 1..=3 {
            push(deque, ledger, number);
        }
    });
}

/// The deque grows while a thief steals; then the owner takes items and reuses the new slots.
pub(crate) fn grow_then_reuse<O: Deque>() {
    play::<O>(4, &[1], |deque, ledger| {
        for number in 1..=3 {
            push(deque, ledger, number);
        }
        pop(deque, ledger);
        push(deque, ledger, 4);
    });
}

/// The owner puts and takes until the slots and the tags (which are narrow in models) have wrapped.
pub(crate) fn rounds<O: Deque>(items: usize) {
    play::<O>(items, &[1], move |deque, ledger| {
        for number in 1..=items {
            push(deque, ledger, number);
            if number < items {
                pop(deque, ledger);
            }
        }
    });
}

/// The owner puts more items than a generation can hold, which is four in models.
pub(crate) fn more_than_fit<O: Deque>() {
    play::<O>(6, &[1], |deque, ledger| {
        for number in 1..=6 {
            push(deque, ledger, number);
        }
    });
}

/// An owner that finds the deque empty sees the thief's effects from before the steal.
pub(crate) fn empty_shows_the_thief<O: Deque>() {
    loom::model(|| {
        let ledger = Ledger::new(1);
        let before = Arc::new(UnsafeCell::new(0));
        let mut deque = O::default();
        let (thief, other, stolen) = (deque.thief(), Arc::clone(&ledger), Arc::clone(&before));
        push(&mut deque, &ledger, 1);
        let thread = thread::spawn(move || {
            // SAFETY: loom checks that no other access races with this one.
            stolen.with_mut(|cell| unsafe { *cell = 1 });
            if let Steal::Success(item) = thief.steal() {
                other.take(item);
            }
        });
        match deque.pop() {
            Some(item) => ledger.take(item),
            // SAFETY: loom checks that no write races with this read.
            None => before.with(|cell| assert_eq!(unsafe { *cell }, 1)),
        }
        thread.join().unwrap();
        while let Some(item) = deque.pop() {
            ledger.take(item);
        }
        ledger.settle(O::LEAVES);
    });
}

/// The owner or the thief, whichever is dropped last, drops each remaining item once.
pub(crate) fn left_items_drop<O>()
where
    O: Owner<Item = Box<loom::alloc::Track<usize>>, Thief: Send + 'static> + Default + 'static,
{
    // loom reports a tracked value that was not dropped, or dropped twice.
    loom::model(|| {
        let mut deque = O::default();
        for number in 1..=3 {
            deque.push(Box::new(loom::alloc::Track::new(number)));
        }
        let thief = deque.thief();
        let thread = thread::spawn(move || drop(thief.steal()));
        drop(deque.pop());
        drop(deque);
        thread.join().unwrap();
    });
}

/// Makes tests of one deque from the scenes, with both modes of delivery.
macro_rules! scenes {
    ($owner:ident) => {
        type Loose = $owner<usize>;
        type Exact = $owner<usize, $crate::ExactlyOnce>;
        /// A deque whose items have three words.
        type Wide = $owner<(u32, usize, usize)>;
        type WideExact = $owner<(u32, usize, usize), $crate::ExactlyOnce>;

        impl<T: $crate::scenes::Numbered> $crate::scenes::Deque for $owner<T, $crate::AtLeastOnce> {
            const LEAVES: $crate::scenes::Leaves = $crate::scenes::Leaves::AtLeastOnce;
        }

        impl<T: $crate::scenes::Numbered> $crate::scenes::Deque for $owner<T, $crate::ExactlyOnce> {
            const LEAVES: $crate::scenes::Leaves = $crate::scenes::Leaves::Once;
        }

        #[test]
        fn last_element() {
            // With at-least-once delivery, owner and thief may each get the item once.
            assert_eq!($crate::scenes::last_element::<Loose>(&[1]), 2);
            assert_eq!($crate::scenes::last_element::<Exact>(&[1]), 1);
        }

        #[test]
        fn last_element_and_two_thieves() {
            assert_eq!($crate::scenes::last_element::<Loose>(&[1, 1]), 2);
            assert_eq!($crate::scenes::last_element::<Exact>(&[1, 1]), 1);
        }

        #[test]
        fn empty_and_refill() {
            $crate::scenes::empty_and_refill::<Loose>();
            $crate::scenes::empty_and_refill::<Exact>();
        }

        #[test]
        fn steal_after_take() {
            $crate::scenes::steal_after_take::<Loose>();
            $crate::scenes::steal_after_take::<Exact>();
        }

        #[test]
        fn two_thieves() {
            $crate::scenes::two_thieves::<Loose>();
            $crate::scenes::two_thieves::<Exact>();
        }

        #[test]
        fn put_against_steal() {
            $crate::scenes::put_against_steal::<Loose>();
            $crate::scenes::put_against_steal::<Exact>();
        }

        #[test]
        fn take_then_put() {
            $crate::scenes::take_then_put::<Loose>();
            $crate::scenes::take_then_put::<Exact>();
        }

        #[test]
        fn take_then_put_above() {
            $crate::scenes::take_then_put_above::<Loose>();
            $crate::scenes::take_then_put_above::<Exact>();
        }

        #[test]
        fn reuse_against_two_thieves() {
            $crate::scenes::reuse_against_two_thieves::<Loose>();
            $crate::scenes::reuse_against_two_thieves::<Exact>();
        }

        #[test]
        fn grow_against_steal() {
            $crate::scenes::grow_against_steal::<Loose>(&[2]);
            $crate::scenes::grow_against_steal::<Exact>(&[2]);
        }

        #[test]
        fn grow_against_two_thieves() {
            $crate::scenes::grow_against_steal::<Loose>(&[1, 1]);
            $crate::scenes::grow_against_steal::<Exact>(&[1, 1]);
        }

        #[test]
        fn grow_then_reuse() {
            $crate::scenes::grow_then_reuse::<Loose>();
            $crate::scenes::grow_then_reuse::<Exact>();
        }

        #[test]
        fn slots_and_tags_come_round() {
            $crate::scenes::rounds::<Loose>(5);
            $crate::scenes::rounds::<Exact>(5);
        }

        #[test]
        fn more_than_fit() {
            $crate::scenes::more_than_fit::<Loose>();
            $crate::scenes::more_than_fit::<Exact>();
        }

        #[test]
        fn empty_shows_the_thief() {
            $crate::scenes::empty_shows_the_thief::<Loose>();
            $crate::scenes::empty_shows_the_thief::<Exact>();
        }

        #[test]
        fn wide_items_are_whole() {
            $crate::scenes::take_then_put::<Wide>();
            $crate::scenes::take_then_put::<WideExact>();
        }

        #[test]
        fn wide_items_are_whole_after_growth() {
            $crate::scenes::grow_then_reuse::<Wide>();
            $crate::scenes::grow_then_reuse::<WideExact>();
        }

        #[test]
        fn left_items_drop() {
            $crate::scenes::left_items_drop::<
                $owner<Box<loom::alloc::Track<usize>>, $crate::ExactlyOnce>,
            >();
        }
    };
}

pub(crate) use scenes;
