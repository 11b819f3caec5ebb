use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;

use super::ring::{CAPACITY, Ring};
use super::{Owner, Thief};
use crate::trials::{self, Deque, End, MANY, copying_trials, moving_trials};
use crate::{Owner as _, Steal, Thief as _};

impl<T: Send> Deque for Owner<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = true;

    /// Steals an item with a request and an answer.
    fn rob(&mut self, thief: &Thief<T>) -> Option<T> {
        match thief.steal() {
            Steal::Success(item) => return Some(item),
            Steal::Empty => return None,
            Steal::Retry => self.poll(),
        }
        thief.steal().success()
    }
}

copying_trials!(copying: Owner);
moving_trials!(moving: Owner);

#[test]
fn owner_takes_newest_and_thief_oldest() {
    trials::takes_in_turns::<Owner<usize>>([4, 1, 3, 2]);
}

#[test]
fn any_thief_takes_an_answer() {
    let mut owner = Owner::new();
    let (asker, other) = (owner.thief(), owner.thief());
    owner.push(1);
    assert_eq!(asker.steal(), Steal::Retry);
    assert_eq!(other.steal(), Steal::Retry);
    owner.poll();
    drop(asker);
    assert!(!other.is_empty(), "the last item is in the mailbox");
    assert_eq!(other.steal(), Steal::Success(1));
    assert!(other.is_empty());
}

#[test]
fn the_owner_takes_back_an_item_that_no_thief_fetches() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    owner.push(1);
    owner.push(2);
    assert_eq!(thief.steal(), Steal::Retry);
    owner.push(3);
    assert_eq!(owner.pop(), Some(3));
    assert_eq!(owner.pop(), Some(2));
    assert_eq!(owner.pop(), Some(1));
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
}

#[test]
fn a_request_is_declined_once_and_not_kept() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    owner.push(1);
    assert_eq!(thief.steal(), Steal::Retry);
    assert_eq!(owner.pop(), Some(1));
    assert_eq!(thief.steal(), Steal::Empty);
    owner.push(2);
    assert_eq!(thief.steal(), Steal::Retry, "asks anew");
    owner.poll();
    assert_eq!(thief.steal(), Steal::Success(2));
}

#[test]
fn memory_follows_the_number_of_items() {
    let mut owner = Owner::new();
    assert_eq!(owner.ring.capacity(), 0, "nothing before the first push");
    let mut largest = 0;
    for item in 0..MANY {
        owner.push(item);
        largest = owner.ring.capacity();
        assert!(largest >= CAPACITY && largest <= CAPACITY.max(2 * owner.ring.len()));
    }
    assert!(largest >= MANY);
    let thief = owner.thief();
    for round in 0..MANY {
        // Take items from both ends alternately.
        let taken = if round % 2 == 0 {
            owner.pop()
        } else {
            owner.rob(&thief)
        };
        assert!(taken.is_some());
        assert!(owner.ring.capacity() <= CAPACITY.max(4 * owner.ring.len()));
    }
    assert_eq!(owner.pop(), None);
    assert_eq!(owner.ring.capacity(), CAPACITY);
}

#[test]
fn the_size_does_not_flutter() {
    let mut ring = Ring::new();
    for item in 0..4 * CAPACITY {
        ring.push(item);
    }
    // Pop until the ring shrinks, then push and pop around every size.
    while !ring.is_empty() {
        ring.pop_newest();
        let before = ring.capacity();
        let mut changes = 0;
        let mut last = before;
        for round in 0..10 {
            for _ in 0..=round {
                ring.push(0);
            }
            for _ in 0..=round {
                ring.pop_newest();
            }
            changes += usize::from(ring.capacity() != last);
            last = ring.capacity();
        }
        // A full ring grows once.
        assert!(changes <= 1, "{changes} with {} of {before}", ring.len());
    }
}

#[test]
fn items_without_size_are_counted() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    for _ in 0..MANY {
        owner.push(());
    }
    for _ in 0..MANY / 2 {
        assert_eq!(owner.rob(&thief), Some(()));
    }
    let mut left = 0;
    while owner.pop().is_some() {
        left += 1;
    }
    assert_eq!(left, MANY - MANY / 2);
}

/// An item that adds one to a counter when it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn left_items_drop_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let dropped = || drops.load(Ordering::Relaxed);
    let mut owner = Owner::new();
    for _ in 0..200 {
        owner.push(Counted(Arc::clone(&drops)));
    }
    let thief = owner.thief();
    drop(owner.pop());
    drop(owner.rob(&thief));
    assert_eq!(dropped(), 2);
    // One item waits in the mailbox, and the thieves inherit the other items.
    assert!(matches!(thief.steal(), Steal::Retry));
    owner.poll();
    drop(owner);
    assert_eq!(dropped(), 2, "the thief keeps the deque");
    assert!(!thief.is_empty());
    drop(thief.steal());
    drop(thief.steal());
    assert_eq!(dropped(), 4);
    drop(thief);
    assert_eq!(dropped(), 200);
}

#[test]
fn an_answer_drops_with_the_last_end() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut owner = Owner::new();
    owner.push(Counted(Arc::clone(&drops)));
    let thief = owner.thief();
    assert!(matches!(thief.steal(), Steal::Retry));
    owner.poll();
    drop(thief);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(owner);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn thieves_empty_a_deque_that_its_owner_has_left() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    for item in 0..MANY {
        owner.push(item);
    }
    // The owner never answers this request.
    assert_eq!(thief.steal(), Steal::Retry);
    drop(owner);
    for item in 0..MANY {
        assert!(!thief.is_empty());
        assert_eq!(thief.steal(), Steal::Success(item));
    }
    assert!(thief.is_empty());
    assert_eq!(thief.steal(), Steal::Empty);
}

#[test]
fn a_panicking_drop_drops_nothing_twice_and_the_others_too() {
    struct Bomb(
        #[expect(dead_code, reason = "counts when it drops")] Counted,
        bool,
    );
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.1, "as planned");
        }
    }
    // The panicking item is in the mailbox, at the old end, in the middle, after the wrap, or at
    // the new end.
    for bomb in [0, 1, 30, 50, 63] {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut owner = Owner::new();
        let thief = owner.thief();
        for _ in 0..20 {
            owner.push(Bomb(Counted(Arc::new(AtomicUsize::new(0))), false));
            drop(owner.rob(&thief));
        }
        for item in 0..64 {
            owner.push(Bomb(Counted(Arc::clone(&drops)), item == bomb));
        }
        assert!(matches!(thief.steal(), Steal::Retry));
        owner.poll();
        drop(thief);
        assert!(thread::spawn(move || drop(owner)).join().is_err());
        assert_eq!(drops.load(Ordering::Relaxed), 64, "bomb {bomb}");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Pop,
    Steal,
    Poll,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => any::<usize>().prop_map(Step::Push),
        2 => Just(Step::Pop),
        3 => Just(Step::Steal),
        1 => Just(Step::Poll),
    ];
    // Then make more pops than pushes, so that the ring shrinks.
    let down = prop_oneof![
        1 => any::<usize>().prop_map(Step::Push),
        4 => Just(Step::Pop),
        3 => Just(Step::Steal),
        1 => Just(Step::Poll),
    ];
    let half = if cfg!(miri) { 100 } else { 1000 };
    (
        prop::collection::vec(step, 0..half),
        prop::collection::vec(down, 0..half),
    )
        .prop_map(|(up, down)| up.into_iter().chain(down).collect())
}

proptest! {
    // Keep no file of past failures: Miri has no file system.
    #![proptest_config(ProptestConfig {
        cases: if cfg!(any(miri, heist_brief)) { 4 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The oldest item may be in the mailbox (`answered`). The test still counts this item as the oldest item.
    #[test]
    fn behaves_like_a_queue_with_two_ends(steps in steps(), drops in any::<bool>()) {
        let mut owner = Owner::new();
        let thief = owner.thief();
        let mut model = VecDeque::new();
        let (mut asked, mut answered) = (false, false);
        for step in steps {
            let polls = !matches!(step, Step::Steal);
            match step {
                Step::Push(item) => {
                    owner.push(item);
                    model.push_back(item);
                }
                Step::Pop => {
                    prop_assert_eq!(owner.pop(), model.pop_back());
                    answered &= !model.is_empty();
                }
                Step::Poll => owner.poll(),
                Step::Steal if answered => {
                    prop_assert_eq!(thief.steal().success(), model.pop_front());
                    answered = false;
                }
                Step::Steal if model.is_empty() => prop_assert_eq!(thief.steal(), Steal::Empty),
                Step::Steal => {
                    prop_assert_eq!(thief.steal(), Steal::Retry);
                    asked = true;
                }
            }
            if polls && asked {
                asked = false;
                answered = !model.is_empty();
            }
            prop_assert_eq!(thief.is_empty(), model.is_empty());
        }
        if drops {
            drop(owner);
            while let Some(item) = model.pop_front() {
                prop_assert_eq!(thief.steal(), Steal::Success(item));
            }
            prop_assert_eq!(thief.steal(), Steal::Empty);
        } else {
            while let Some(item) = model.pop_back() {
                prop_assert_eq!(owner.pop(), Some(item));
            }
            prop_assert_eq!(owner.pop(), None);
        }
        prop_assert!(thief.is_empty());
    }
}
