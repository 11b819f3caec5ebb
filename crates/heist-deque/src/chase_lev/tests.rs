use super::Owner;
use crate::Item;
use crate::trials::{self, Bomb, Deque, End, copying_trials, moving_trials};

impl<T: Item + Send> Deque for Owner<T> {
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
#[cfg_attr(miri, ignore = "leaks, which it reports")]
fn a_panicking_drop_leaks_those_that_follow() {
    // The deque drops the oldest items first.
    for place in 0..5 {
        let drops = trials::drops_with_a_bomb::<Owner<Box<Bomb>>>(place);
        assert_eq!(drops, place + 1);
    }
}
