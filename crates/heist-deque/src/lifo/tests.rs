use super::Owner;
use super::anchor::MOST;
use crate::trials::{self, Deque, End, copying_trials, moving_trials, tag_trials};
use crate::{AtLeastOnce, ExactlyOnce, Item};

type Loose<T> = Owner<T, AtLeastOnce>;
type Exact<T> = Owner<T, ExactlyOnce>;

impl<T: Item + Copy + Send> Deque for Loose<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Newest;
    const ONCE: bool = false;
}

impl<T: Item + Send> Deque for Exact<T> {
    const OWNER_TAKES: End = End::Newest;
    const THIEF_TAKES: End = End::Newest;
    const ONCE: bool = true;
}

copying_trials!(at_least_once: Loose);
copying_trials!(exactly_once: Exact);
moving_trials!(moving: Exact);
tag_trials!(worn_tags_at_least_once: Loose);
tag_trials!(worn_tags_exactly_once: Exact);

#[test]
fn both_ends_take_the_newest() {
    trials::takes_in_turns::<Loose<usize>>([4, 3, 2, 1]);
    trials::takes_in_turns::<Exact<usize>>([4, 3, 2, 1]);
}

#[test]
fn a_panicking_drop_leaks_those_that_follow() {
    // Oldest first.
    assert_eq!(
        trials::drops_with_a_bomb::<Exact<Box<trials::Bomb>>>(),
        [1, 2, 3, 4, 5]
    );
}

#[test]
#[ignore = "takes half a gigabyte: cargo test --release -p heist-deque --lib -- --ignored"]
fn more_items_than_thieves_can_reach() {
    trials::all_leave_once::<Loose<u32>>(2 * MOST);
    trials::all_leave_once::<Exact<u32>>(2 * MOST);
}

#[test]
#[ignore = "takes half a gigabyte: cargo test --release -p heist-deque --lib -- --ignored"]
fn more_items_than_thieves_can_reach_against_thieves() {
    trials::stress_on(&mut Loose::<usize>::new(), 2, 2 * MOST, trials::ALL_AT_ONCE);
    trials::stress_on(&mut Exact::<usize>::new(), 2, 2 * MOST, trials::ALL_AT_ONCE);
}
