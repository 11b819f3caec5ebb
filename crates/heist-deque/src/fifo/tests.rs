use std::sync::atomic::Ordering;

use super::Owner;
use crate::trials::{self, Deque, End, copying_trials, moving_trials};
use crate::{AtLeastOnce, ExactlyOnce, Item, Owner as _, Steal, Thief as _};

type Loose<T> = Owner<T, AtLeastOnce>;
type Exact<T> = Owner<T, ExactlyOnce>;

impl<T: Item + Copy + Send> Deque for Loose<T> {
    const OWNER_TAKES: End = End::Oldest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = false;
}

impl<T: Item + Send> Deque for Exact<T> {
    const OWNER_TAKES: End = End::Oldest;
    const THIEF_TAKES: End = End::Oldest;
    const ONCE: bool = true;
}

copying_trials!(at_least_once: Loose);
copying_trials!(exactly_once: Exact);
moving_trials!(moving: Exact);

#[test]
fn both_ends_take_the_oldest() {
    trials::takes_in_turns::<Loose<usize>>([1, 2, 3, 4]);
    trials::takes_in_turns::<Exact<usize>>([1, 2, 3, 4]);
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
fn slots_serve_again_without_growth() {
    let mut owner = Loose::default();
    let thief = owner.thief();
    let capacity = || thief.shared.buffers.newest(Ordering::Relaxed).capacity();
    let before = capacity();
    for item in 0..trials::MANY {
        owner.push(item);
        if item % 2 == 0 {
            assert_eq!(owner.pop(), Some(item));
        } else {
            assert_eq!(thief.steal(), Steal::Success(item));
        }
    }
    assert_eq!(capacity(), before);
}
