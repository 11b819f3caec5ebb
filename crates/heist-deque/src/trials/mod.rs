//! Trials: tests that all deques share, whatever their protocol. The `tests.rs` of each deque describes the deque's ends, generates the
//! shared tests with the macros below, and adds tests of its own.

mod items;
mod stress;
mod tags;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::{Owner, Steal, Thief};
pub(crate) use items::{Bomb, Counted, Numbered, Owning, Wide};
pub(crate) use stress::{ALL_AT_ONCE, BURST, STRESS, stress, stress_on};
pub(crate) use tags::tag_trials;

/// The number of items of a trial: so many that the deque grows several times, unless Miri runs the trial.
pub(crate) const MANY: usize = if cfg!(miri) { 300 } else { 10_000 };

/// The item that leaves the deque at one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Newest,
    Oldest,
}

impl End {
    fn take<T>(self, model: &mut VecDeque<T>) -> Option<T> {
        match self {
            End::Newest => model.pop_back(),
            End::Oldest => model.pop_front(),
        }
    }
}

/// A deque on trial.
pub(crate) trait Deque: Owner<Thief: Send> + Default {
    const OWNER_TAKES: End;
    const THIEF_TAKES: End;
    /// True if each item leaves exactly once. If the flag is false, an item leaves at least once, and more than once only if there are
    /// thieves.
    const ONCE: bool;

    /// Steals an item, and executes the owner's part of the steal if the protocol has one.
    fn rob(&mut self, thief: &Self::Thief) -> Option<Self::Item> {
        thief.steal().success()
    }
}

/// The owner and a thief take turns. Checks which of the items 1 to 4 the owner gets, and which the thief gets.
pub(crate) fn takes_in_turns<O: Deque<Item = usize>>(expected: [usize; 4]) {
    let mut owner = O::default();
    let thief = owner.thief();
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
    assert!(thief.is_empty());
    for item in 1..=4 {
        owner.push(item);
    }
    assert!(!thief.is_empty());
    assert_eq!(owner.pop(), Some(expected[0]));
    assert_eq!(owner.rob(&thief), Some(expected[1]));
    assert_eq!(owner.pop(), Some(expected[2]));
    assert_eq!(owner.rob(&thief.clone()), Some(expected[3]));
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
    assert!(thief.is_empty());
}

/// Checks that the items keep their order when growth moves them to other slots.
pub(crate) fn grows_and_keeps_order<O: Deque<Item = usize>>() {
    let mut owner = O::default();
    let thief = owner.thief();
    for item in 0..10 {
        owner.push(item);
        assert_eq!(owner.rob(&thief), Some(item));
    }
    let mut model = VecDeque::new();
    for item in 0..MANY {
        owner.push(item);
        model.push_back(item);
    }
    for _ in 0..MANY / 2 {
        assert_eq!(owner.rob(&thief), O::THIEF_TAKES.take(&mut model));
    }
    drain(&mut owner, model);
}

/// Checks that the owner gets all remaining items in the order of `model`.
pub(crate) fn drain<O: Deque<Item: PartialEq + Debug>>(
    owner: &mut O,
    mut model: VecDeque<O::Item>,
) {
    while let Some(item) = O::OWNER_TAKES.take(&mut model) {
        assert_eq!(owner.pop(), Some(item));
    }
    assert_eq!(owner.pop(), None);
    assert!(owner.thief().is_empty());
}

pub(crate) fn there_and_back<O: Deque<Item: Clone + PartialEq + Debug>>(item: O::Item) {
    let mut owner = O::default();
    let thief = owner.thief();
    for _ in 0..100 {
        owner.push(item.clone());
    }
    for _ in 0..50 {
        assert_eq!(owner.rob(&thief), Some(item.clone()));
        assert_eq!(owner.pop(), Some(item.clone()));
    }
    assert_eq!(owner.pop(), None);
}

#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Pop,
    Steal,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (0..=u32::MAX as usize).prop_map(Step::Push),
        2 => Just(Step::Pop),
        2 => Just(Step::Steal),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 100 } else { 1000 })
}

/// Runs random steps on one thread, and after every step compares the deque with a `VecDeque`.
pub(crate) fn follows_the_model<O: Deque<Item: Numbered + PartialEq + Debug>>() {
    // Keep no file of past failures: Miri has no file system.
    let config = ProptestConfig {
        cases: if cfg!(any(miri, heist_brief)) { 4 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&steps(), |steps| {
        let mut owner = O::default();
        let thief = owner.thief();
        let mut model = VecDeque::new();
        for step in steps {
            match step {
                Step::Push(number) => {
                    owner.push(O::Item::of(number));
                    model.push_back(O::Item::of(number));
                }
                Step::Pop => prop_assert_eq!(owner.pop(), O::OWNER_TAKES.take(&mut model)),
                Step::Steal => {
                    prop_assert_eq!(owner.rob(&thief), O::THIEF_TAKES.take(&mut model));
                }
            }
            prop_assert_eq!(thief.is_empty(), model.is_empty());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Pushes more items than thieves can reach, on one thread, and checks that each item leaves once, in any order.
pub(crate) fn all_leave_once<O: Deque<Item = u32>>(items: usize) {
    let mut owner = O::default();
    let thief = owner.thief();
    let mut seen = vec![0_u8; items];
    for item in 0..items {
        owner.push(item as u32);
    }
    while let Some(item) = owner.pop() {
        seen[item as usize] += 1;
        if let Some(item) = owner.rob(&thief) {
            seen[item as usize] += 1;
        }
    }
    assert_eq!(thief.steal(), Steal::Empty);
    assert_eq!(seen.iter().position(|&count| count != 1), None);
}

/// Pushes and takes `puts` items, above two items that stay in the deque.
pub(crate) fn puts<O: Deque<Item = u32>>(puts: u64) {
    let mut owner = O::default();
    let thief = owner.thief();
    let mut model = VecDeque::from([0, 1]);
    owner.push(0);
    owner.push(1);
    for number in 0..puts {
        owner.push(number as u32);
        model.push_back(number as u32);
        if number % 64 == 0 {
            assert_eq!(owner.rob(&thief), O::THIEF_TAKES.take(&mut model));
        } else {
            assert_eq!(owner.pop(), O::OWNER_TAKES.take(&mut model));
        }
    }
    drain(&mut owner, model);
}

/// Checks that the thread that takes an item drops it. Also checks that the remaining items are dropped together with the last
/// end of the deque.
pub(crate) fn left_items_drop_once<O: Deque<Item: From<Counted>>>(items: usize) {
    let drops = Arc::new(AtomicUsize::new(0));
    let dropped = || drops.load(Ordering::Relaxed);
    let mut owner = O::default();
    for _ in 0..items {
        owner.push(Counted(Arc::clone(&drops)).into());
    }
    let thief = owner.thief();
    drop(owner.pop());
    drop(owner.rob(&thief));
    assert_eq!(dropped(), 2);
    drop(owner);
    assert_eq!(dropped(), 2, "the thief keeps the deque");
    drop(thief.steal());
    assert_eq!(dropped(), 3);
    drop(thief);
    assert_eq!(dropped(), items);
}

/// Drops a deque of five items, and checks that no item is dropped twice. The drop of the item at `place` panics. Returns the number
/// of dropped items.
pub(crate) fn drops_with_a_bomb<O>(place: usize) -> usize
where
    O: Deque<Item: From<Bomb>> + Send + 'static,
{
    let counts: [_; 5] = std::array::from_fn(|_| Arc::new(AtomicUsize::new(0)));
    let mut owner = O::default();
    for (nth, drops) in counts.iter().enumerate() {
        let bomb = Bomb {
            drops: Arc::clone(drops),
            live: nth == place,
        };
        owner.push(bomb.into());
    }
    assert!(thread::spawn(move || drop(owner)).join().is_err());
    let counts = counts.map(|drops| drops.load(Ordering::Relaxed));
    assert_eq!(counts[place], 1);
    assert!(counts.iter().all(|&drops| drops <= 1), "{counts:?}");
    counts.iter().sum()
}

pub(crate) fn is_send<V: Send>(_: &V) {}
pub(crate) fn is_sync<V: Sync>(_: &V) {}

/// The tests of any deque, for items that are `Copy`. `$deque` is generic over its items.
macro_rules! copying_trials {
    ($module:ident: $deque:ident) => {
        mod $module {
            use super::$deque;
            use crate::trials::{self, Wide};

            #[test]
            fn grows_and_keeps_order() {
                trials::grows_and_keeps_order::<$deque<usize>>();
            }

            #[test]
            fn items_of_all_sizes() {
                trials::there_and_back::<$deque<()>>(());
                trials::there_and_back::<$deque<u8>>(7);
                trials::there_and_back::<$deque<&str>>("a string");
                trials::there_and_back::<$deque<Option<&u8>>>(Some(&8));
                trials::there_and_back::<$deque<[u8; 13]>>([3; 13]);
                trials::there_and_back::<$deque<(u8, u64, u16)>>((1, u64::MAX, 2));
                trials::there_and_back::<$deque<[u64; 3]>>([1, 2, 3]);
                trials::there_and_back::<$deque<u128>>(u128::MAX - 1);
                trials::there_and_back::<$deque<[u64; 5]>>([5, 6, 7, 8, 9]);
                trials::there_and_back::<$deque<(u32, [u64; 5])>>((4, [u64::MAX; 5]));
                trials::there_and_back::<$deque<Wide>>(trials::Numbered::of(77));
                trials::there_and_back::<$deque<[u64; 8]>>([1, 2, 3, 4, 5, 6, 7, 8]);
            }

            #[test]
            fn follows_the_model() {
                trials::follows_the_model::<$deque<usize>>();
                trials::follows_the_model::<$deque<Wide>>();
            }

            #[test]
            fn stress_1_thief() {
                trials::stress::<$deque<Wide>>(1);
            }

            #[test]
            fn stress_2_thieves() {
                trials::stress::<$deque<Wide>>(2);
            }

            #[test]
            fn stress_3_thieves() {
                trials::stress::<$deque<Wide>>(3);
            }

            #[test]
            fn stress_8_thieves() {
                trials::stress::<$deque<Wide>>(8);
            }
        }
    };
}
pub(crate) use copying_trials;

/// The additional tests of deques with exactly-once delivery, with items that are not `Copy`.
macro_rules! moving_trials {
    ($module:ident: $deque:ident) => {
        mod $module {
            use super::$deque;
            use crate::trials::{self, Bomb, Counted, Owning};

            #[test]
            fn owning_items() {
                trials::there_and_back::<$deque<Box<u32>>>(Box::new(9));
                trials::there_and_back::<$deque<(u8, Option<Box<u64>>)>>((1, Some(Box::new(2))));
                trials::there_and_back::<$deque<std::sync::Arc<u32>>>(3.into());
            }

            #[test]
            fn left_items_drop_once() {
                trials::left_items_drop_once::<$deque<Box<Counted>>>(200);
            }

            #[test]
            fn a_panicking_drop_drops_nothing_twice() {
                // The deque drops the oldest items first, so the item that panics must be the last item. Items after this item would leak,
                // and Miri would report the leak.
                assert_eq!(trials::drops_with_a_bomb::<$deque<Box<Bomb>>>(4), 5);
            }

            #[test]
            fn ends_are_send_and_thieves_sync() {
                // `Cell` is `Send` but not `Sync`, and a deque requires only `Send` of an item.
                let owner = $deque::<Box<std::cell::Cell<u8>>>::default();
                let thief = crate::Owner::thief(&owner);
                trials::is_send(&owner);
                trials::is_send(&thief);
                trials::is_sync(&thief);
            }

            #[test]
            fn stress_with_owning_items() {
                for thieves in [1, 3] {
                    trials::stress::<$deque<Owning>>(thieves);
                }
            }
        }
    };
}
pub(crate) use moving_trials;
