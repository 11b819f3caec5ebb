use std::sync::Arc;

use super::Owner;
use super::anchor::MOST;
use crate::trials::{self, Deque, End, copying_trials, moving_trials, tag_trials};
use crate::{AtLeastOnce, ExactlyOnce, Item, Owner as _};

type Loose<T> = Owner<T, AtLeastOnce>;
type Exact<T> = Owner<T, ExactlyOnce>;

impl<T: Item + Copy + Send> Deque for Loose<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = false;
}

impl<T: Item + Send> Deque for Exact<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = true;
}

copying_trials!(at_least_once: Loose);
copying_trials!(exactly_once: Exact);
moving_trials!(moving: Exact);
tag_trials!(worn_tags_at_least_once: Loose);
tag_trials!(worn_tags_exactly_once: Exact);

#[test]
fn owner_takes_newest_and_thief_oldest() {
    trials::takes_in_turns::<Loose<usize>>([4, 1, 3, 2]);
    trials::takes_in_turns::<Exact<usize>>([4, 1, 3, 2]);
}

#[test]
#[cfg_attr(miri, ignore = "leaks, which it reports")]
fn a_panicking_drop_leaks_those_that_follow() {
    // The deque drops the oldest items first.
    for place in 0..5 {
        let drops = trials::drops_with_a_bomb::<Exact<Box<trials::Bomb>>>(place);
        assert_eq!(drops, place + 1);
    }
}

#[test]
#[cfg_attr(miri, ignore = "too many items for an interpreter")]
fn more_items_than_thieves_can_reach() {
    trials::all_leave_once::<Loose<u32>>(2 * MOST);
    trials::all_leave_once::<Exact<u32>>(2 * MOST);
}

#[test]
#[cfg_attr(miri, ignore = "too many items for an interpreter")]
fn more_items_than_thieves_can_reach_against_thieves() {
    trials::stress_on(
        &mut Loose::<trials::Wide>::new(),
        2,
        2 * MOST,
        trials::ALL_AT_ONCE,
    );
    trials::stress_on(
        &mut Exact::<trials::Wide>::new(),
        2,
        2 * MOST,
        trials::ALL_AT_ONCE,
    );
}

#[test]
#[cfg_attr(miri, ignore = "too many items for an interpreter")]
fn items_beyond_the_thieves_reach_drop_once() {
    let item = Arc::new(());
    let mut owner = Exact::new();
    for _ in 0..MOST + 10 {
        owner.push(Arc::clone(&item));
    }
    let thief = owner.thief();
    drop(owner);
    let left = Arc::strong_count(&item) - 1;
    assert!(0 < left && left < MOST, "the thief keeps {left}");
    drop(thief);
    assert_eq!(Arc::strong_count(&item), 1);
}

#[test]
#[ignore = "2^29 puts: cargo test --release -p heist-deque --lib -- --ignored"]
fn all_tags_of_a_generation() {
    trials::puts::<Loose<u32>>((1 << 27) + 1000);
    trials::puts::<Exact<u32>>((1 << 27) + 1000);
    let mut owner = Loose::<usize>::new();
    trials::stress_on(&mut owner, 1, (1 << 27) + 1000, trials::BURST);
    let mut owner = Exact::<usize>::new();
    trials::stress_on(&mut owner, 1, (1 << 27) + 1000, trials::BURST);
}
