use super::Owner;
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
#[cfg_attr(miri, ignore = "leaks, which it reports")]
fn a_panicking_drop_leaks_those_that_follow() {
    // The deque drops the oldest items first.
    for place in 0..5 {
        let drops = trials::drops_with_a_bomb::<Exact<Box<trials::Bomb>>>(place);
        assert_eq!(drops, place + 1);
    }
}

#[test]
#[ignore = "2^33 puts: cargo test --release -p heist-deque --lib -- --ignored"]
fn all_tags_of_a_generation() {
    trials::puts::<Loose<u32>>((1 << 32) + 1000);
    trials::puts::<Exact<u32>>((1 << 32) + 1000);
}
