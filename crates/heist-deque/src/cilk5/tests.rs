use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::{FIRST, Owner};
use crate::trials::{self, Bomb, Counted, Deque, End, MANY, copying_trials, moving_trials};
use crate::{Owner as _, Steal, Thief as _};

impl<T: Send> Deque for Owner<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = true;
}

copying_trials!(copying: Owner);
moving_trials!(moving: Owner);

#[test]
fn owner_takes_newest_and_thief_oldest() {
    trials::takes_in_turns::<Owner<usize>>([4, 1, 3, 2]);
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
    // SAFETY: the caller has the owner's end of the deque.
    unsafe { owner.shared.buffer(|buffer| buffer.capacity()) }
}

/// Checks items of types that do not fit into words.
#[test]
fn items_of_any_type() {
    trials::there_and_back::<Owner<[usize; 100]>>([5; 100]);
    trials::there_and_back::<Owner<String>>("a string".to_string());
    trials::there_and_back::<Owner<(u8, Vec<u64>, Option<Box<u32>>)>>((1, vec![2; 3], None));
    #[derive(Clone, Debug, PartialEq)]
    #[repr(align(128))]
    struct Aligned(u8);
    trials::there_and_back::<Owner<Aligned>>(Aligned(9));
    trials::left_items_drop_once::<Owner<Counted>>(200);
}

#[test]
fn a_panicking_drop_leaks_nothing() {
    for place in 0..5 {
        assert_eq!(trials::drops_with_a_bomb::<Owner<Bomb>>(place), 5);
    }
}

#[test]
fn a_thief_that_finds_the_lock_taken_need_not_wait() {
    let mut owner = Owner::new();
    for item in 1..=3 {
        owner.push(item);
    }
    let thief = owner.thief();
    let shared = Arc::clone(&owner.shared);
    let held = shared.old.0.lock.try_lock();
    assert!(held.is_some());
    assert_eq!(thief.steal(), Steal::Retry);
    // The owner needs no lock while no thief tries to steal its newest item.
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

/// A thief has raised the head and sleeps while it holds the lock. When the thief continues, it finds that the item is gone.
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
        // Wait until the owner has lowered the tail. From now on the owner must wait until this thread continues.
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
