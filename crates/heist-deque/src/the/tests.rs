use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;

use super::{FIRST, Owner, Thief};
use crate::{Owner as _, Steal, Thief as _};

/// Enough to grow several times, unless an interpreter runs it.
const MANY: usize = if cfg!(miri) { 300 } else { 10_000 };

#[test]
fn owner_takes_newest_and_thief_oldest() {
    let mut owner = Owner::new();
    let thief: Thief<usize> = owner.thief();
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
    for item in 1..=4 {
        owner.push(item);
    }
    assert!(!thief.is_empty());
    assert_eq!(thief.steal(), Steal::Success(1));
    assert_eq!(owner.pop(), Some(4));
    assert_eq!(thief.clone().steal(), Steal::Success(2));
    assert_eq!(owner.pop(), Some(3));
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
    assert!(thief.is_empty());
}

#[test]
fn grows_and_keeps_order() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    // An offset first, so that growth has to move items to other places.
    for item in 0..10 {
        owner.push(item);
        assert_eq!(thief.steal(), Steal::Success(item));
    }
    for item in 0..MANY {
        owner.push(item);
    }
    for item in 0..MANY / 2 {
        assert_eq!(thief.steal(), Steal::Success(item));
    }
    for item in (MANY / 2..MANY).rev() {
        assert_eq!(owner.pop(), Some(item));
    }
    assert_eq!(owner.pop(), None);
}

#[test]
fn slots_serve_again_without_growth() {
    let mut owner = Owner::new();
    let thief = owner.thief();
    let before = capacity(&owner);
    let mut stolen = 0;
    for item in 0..MANY {
        owner.push(item);
        if item % 50 == 49 {
            while let Steal::Success(item) = thief.steal() {
                assert_eq!(item, stolen);
                stolen += 1;
            }
        }
    }
    assert_eq!(stolen, MANY);
    assert_eq!(capacity(&owner), before);
}

fn capacity<T>(owner: &Owner<T>) -> u64 {
    // SAFETY: the caller has the owner.
    unsafe { owner.shared.buffer(|buffer| buffer.capacity()) }
}

#[test]
fn items_of_all_sizes() {
    fn there_and_back<T: Send + Clone + PartialEq + std::fmt::Debug>(item: T) {
        let mut owner = Owner::new();
        for _ in 0..100 {
            owner.push(item.clone());
        }
        for _ in 0..50 {
            assert_eq!(owner.thief().steal(), Steal::Success(item.clone()));
            assert_eq!(owner.pop(), Some(item.clone()));
        }
        assert_eq!(owner.pop(), None);
    }
    there_and_back(());
    there_and_back(7_u8);
    there_and_back([3_u8; 13]);
    there_and_back([u64::MAX; 8]);
    there_and_back([5_usize; 100]);
    there_and_back("a string".to_string());
    there_and_back((1_u8, vec![2_u64; 3], None::<Box<u32>>));
    #[derive(Clone, Debug, PartialEq)]
    #[repr(align(128))]
    struct Aligned(u8);
    there_and_back(Aligned(9));
}

#[test]
fn who_finds_the_lock_taken_need_not_wait() {
    let mut owner = Owner::new();
    for item in 1..=3 {
        owner.push(item);
    }
    let thief = owner.thief();
    let shared = Arc::clone(&owner.shared);
    let held = shared.old.0.lock.try_lock();
    assert!(held.is_some());
    assert_eq!(thief.steal(), Steal::Retry);
    // The owner needs no lock while no thief tries for its newest item.
    assert_eq!(owner.pop(), Some(3));
    owner.push(4);
    assert_eq!(owner.pop(), Some(4));
    assert_eq!(owner.pop(), Some(2));
    assert_eq!(owner.pop(), Some(1));
    assert_eq!(owner.pop(), None);
    assert_eq!(thief.steal(), Steal::Empty);
    owner.push(5);
    drop(held);
    assert_eq!(thief.steal(), Steal::Success(5));
}

/// A thief that has raised the head and sleeps with the lock, then finds that the item is gone.
#[test]
fn the_owner_waits_for_a_thief_at_the_last_item() {
    let mut owner = Owner::new();
    owner.push(1);
    let shared = Arc::clone(&owner.shared);
    let old = &shared.old.0;
    let held = old.lock.try_lock();
    old.head.store(FIRST + 1, Ordering::Relaxed);
    let released = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(owner.pop(), Some(1));
            assert!(released.load(Ordering::Relaxed), "it did not wait");
        });
        // Until the owner has lowered the tail. It must now wait, however long this thread takes.
        while shared.tail.load(Ordering::Relaxed) != FIRST {
            thread::yield_now();
        }
        for _ in 0..100 {
            thread::yield_now();
        }
        old.head.store(FIRST, Ordering::Relaxed);
        released.store(true, Ordering::Relaxed);
        drop(held);
    });
}

/// Adds one to a counter when it drops.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn left_items_drop_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let mut owner = Owner::new();
    for _ in 0..200 {
        owner.push(Counted(Arc::clone(&drops)));
    }
    let thief = owner.thief();
    drop(owner.pop());
    drop(thief.steal());
    assert_eq!(drops.load(Ordering::Relaxed), 2);
    drop(owner);
    assert_eq!(
        drops.load(Ordering::Relaxed),
        2,
        "the thief keeps the deque"
    );
    drop(thief.steal());
    assert_eq!(drops.load(Ordering::Relaxed), 3);
    drop(thief);
    assert_eq!(drops.load(Ordering::Relaxed), 200);
}

#[test]
fn a_panicking_drop_leaks_nothing_and_drops_nothing_twice() {
    struct Bomb(
        #[expect(dead_code, reason = "counts when it drops")] Counted,
        bool,
    );
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.1, "as planned");
        }
    }
    for bomb in 0..5 {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut owner = Owner::new();
        for item in 0..5 {
            owner.push(Bomb(Counted(Arc::clone(&drops)), item == bomb));
        }
        assert!(thread::spawn(move || drop(owner)).join().is_err());
        assert_eq!(drops.load(Ordering::Relaxed), 5, "item {bomb} panicked");
    }
}

#[test]
fn ends_are_send_and_thieves_sync() {
    fn send<V: Send>(_: &V) {}
    fn sync<V: Sync>(_: &V) {}
    // `Cell` is `Send` and not `Sync`, which is all that a deque asks of an item.
    let owner = Owner::<std::cell::Cell<u8>>::new();
    send(&owner);
    send(&owner.thief());
    sync(&owner.thief());
}

#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Pop,
    Steal,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => any::<usize>().prop_map(Step::Push),
        2 => Just(Step::Pop),
        2 => Just(Step::Steal),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 100 } else { 1000 })
}

proptest! {
    // No file of past failures: an interpreter has no file system.
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn behaves_like_a_queue_with_two_ends(steps in steps()) {
        let mut owner = Owner::new();
        let thief = owner.thief();
        let mut model = VecDeque::new();
        for step in steps {
            match step {
                Step::Push(item) => {
                    owner.push([item; 3]);
                    model.push_back([item; 3]);
                }
                Step::Pop => prop_assert_eq!(owner.pop(), model.pop_back()),
                Step::Steal => prop_assert_eq!(thief.steal().success(), model.pop_front()),
            }
            prop_assert_eq!(thief.is_empty(), model.is_empty());
        }
    }
}

/// An item of several words, one of which owns memory.
struct Wide {
    index: usize,
    boxed: Box<usize>,
    words: [usize; 4],
}

impl Wide {
    fn new(index: usize) -> Self {
        Wide {
            index,
            boxed: Box::new(index),
            words: [index; 4],
        }
    }
}

/// Each of many items must leave exactly once and whole, whoever takes it.
fn stress(thieves: usize) {
    let items = if cfg!(miri) { 150 } else { 300_000 };
    let seen: Vec<AtomicU8> = (0..items).map(|_| AtomicU8::new(0)).collect();
    let done = AtomicBool::new(false);
    let take = |item: Wide| {
        assert_eq!(*item.boxed, item.index);
        assert_eq!(item.words, [item.index; 4]);
        seen[item.index].fetch_add(1, Ordering::Relaxed);
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
                        // Read first: what was pushed before the end must be looked for after it.
                        let last = done.load(Ordering::Acquire);
                        match thief.steal() {
                            Steal::Success(item) => taken += take(item),
                            Steal::Empty if last => return taken,
                            Steal::Empty => thread::yield_now(),
                            Steal::Retry => std::hint::spin_loop(),
                        }
                    }
                })
            })
            .collect();
        // Bursts of all lengths, some popped at once to the last item, some left to grow.
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
        }
        while let Some(item) = owner.pop() {
            taken += take(item);
        }
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
    stress(1);
}

#[test]
fn stress_2_thieves() {
    stress(2);
}

#[test]
fn stress_3_thieves() {
    stress(3);
}

#[test]
fn stress_8_thieves() {
    stress(8);
}
