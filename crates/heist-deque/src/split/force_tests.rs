//! Tests of forced exposures on one thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::without_provenance_mut;

use super::bench::Bench;
use super::tests::both;
use super::{Popped, Sharing};

#[test]
fn force_exposes_the_private_frames_of_an_idle_owner() {
    both(|sharing| {
        let bench = Bench::filled(5, sharing);
        for (claimable, more) in [(3, true), (1, true), (1, true), (0, false)] {
            assert_eq!(bench.force_quietly(), more);
            for _ in 0..claimable {
                assert!(bench.claim(0).is_some());
            }
            assert_eq!(bench.claim(0), None);
        }
        assert_eq!(bench.pop_number(), None);
        // While the owner waits for a stolen frame, its tail is just above that frame, so a force finds no private frame.
        assert!(!bench.force_quietly());
    });
}

#[test]
fn a_deque_that_gains_its_fence_pops_without_the_lock() {
    let bench = Bench::filled(4, Sharing::SplitLocked);
    let pops_fast = || {
        // SAFETY: this thread is the owner, and the deque still contains an item; `pop_slow` decides a failed pop immediately.
        unsafe {
            let fast = bench.words().pop();
            assert!(fast || bench.deque.pop_slow() == Popped::Mine);
            fast
        }
    };
    assert!(bench.deque.lacks_fence());
    assert!(!pops_fast());
    assert!(!pops_fast(), "a decided pop does not lower the barrier yet");
    bench.gain_fence();
    assert!(!bench.deque.lacks_fence());
    assert!(pops_fast());
    // From now on, each force calls its fence.
    let mut fences = 0;
    // SAFETY: the only thread of this test forces exposure, so no fence is necessary.
    assert!(unsafe { bench.deque.force(|| fences += 1) });
    assert_eq!(fences, 1);
    assert_eq!(bench.claim(0), Some((0, 0)));
}

#[test]
fn a_fence_that_comes_when_frames_are_public_leaves_them_so() {
    let bench = Bench::filled(4, Sharing::SplitLocked);
    assert_eq!(bench.expose_half(), 2);
    bench.gain_fence();
    assert_eq!(bench.counts(), (0, true, true, 4));
    assert_eq!(bench.claim(0), Some((0, 0)));
    for item in [Some(3), Some(2), Some(1), None] {
        assert_eq!(bench.pop_number(), item);
    }
}

#[test]
fn open_deques_gain_no_fence() {
    for sharing in [Sharing::ChaseLev, Sharing::The, Sharing::Split] {
        let bench = Bench::filled(2, sharing);
        assert!(!bench.deque.lacks_fence());
        bench.gain_fence();
        assert_eq!(bench.pop_number(), Some(1));
        assert_eq!(bench.pop_number(), Some(0));
    }
}

#[test]
fn force_leaves_out_frames_that_the_owner_pops_meanwhile() {
    let bench = Bench::filled(4, Sharing::Split);
    // The force raises the barrier to 2. The first two pops take their fast path. The third pop reaches the barrier and would wait for the
    // lock.
    let pop = || {
        // SAFETY: this thread is the owner too, and the deque still contains an item.
        unsafe { bench.words().pop() }
    };
    // SAFETY: the owner's pops are on this thread, after the barrier's store, so no fence is necessary.
    let forced = unsafe {
        bench.deque.force(|| {
            assert!(!bench.force_quietly(), "one is under way");
            assert!(pop());
            assert!(pop());
            assert!(!pop());
        })
    };
    assert!(forced);
    // SAFETY: this thread is the owner, whose last pop returned false.
    assert_eq!(unsafe { bench.deque.pop_slow() }, Popped::Mine);
    // SAFETY: this thread is the owner, whose pop has just succeeded.
    assert_eq!(unsafe { bench.deque.popped() }.addr(), 1);
    assert_eq!(bench.claim(0), Some((0, 0)));
    assert_eq!(bench.claim(0), None);
}

#[test]
fn force_gives_up_when_everything_is_popped_meanwhile() {
    let bench = Bench::filled(1, Sharing::Split);
    // SAFETY: the owner's pop is on this thread, so no fence is necessary, and the deque still contains an item.
    let forced = unsafe { bench.deque.force(|| assert!(!bench.words().pop())) };
    assert!(!forced);
    // SAFETY: this thread is the owner, whose last pop returned false.
    assert_eq!(unsafe { bench.deque.pop_slow() }, Popped::Mine);
    assert_eq!(bench.counts(), (0, false, false, 0));
    // The barrier is at its old slot again.
    bench.push(without_provenance_mut(1));
    // SAFETY: this is the owner, and the deque still contains an item.
    assert!(unsafe { bench.words().pop() });
}

#[test]
fn force_gives_up_when_the_owner_comes_down_meanwhile() {
    let moves: [fn(&Bench<()>); 3] = [
        |bench| assert_eq!(bench.pop_number(), Some(0)),
        |bench| {
            assert_eq!(bench.pop_number(), Some(0));
            bench.push(without_provenance_mut(1));
        },
        |bench| {
            // SAFETY: this thread is the owner too.
            unsafe { assert_eq!(bench.deque.expose_half(), 1) }
        },
    ];
    for (number, owner) in moves.into_iter().enumerate() {
        let bench = Bench::filled(1, Sharing::Split);
        // SAFETY: the owner's calls are on this thread, so no fence is necessary.
        assert!(!unsafe { bench.deque.force(|| owner(&bench)) });
        let exposed = (number == 2).then_some((0, 0));
        assert_eq!(bench.claim(0), exposed);
        assert_eq!(bench.force_quietly(), number == 1);
    }
}

#[test]
fn a_panicking_fence_leaves_the_deque_usable() {
    let bench = Bench::filled(3, Sharing::Split);
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the only thread of this test forces exposure, so no fence is necessary.
        unsafe { bench.deque.force(|| panic!("as planned")) }
    }));
    assert!(result.is_err());
    assert_eq!(bench.claim(0), None);
    assert_eq!(bench.pop_number(), Some(2));
    assert_eq!(bench.pop_number(), Some(1));
    assert!(bench.force_quietly());
    assert_eq!(bench.claim(0), Some((0, 0)));
}

/// An interruption stays in effect until the next slow pop, even if the barrier moves in the meantime.
#[test]
fn an_interrupted_owner_pops_slowly_once() {
    let bench = Bench::filled(6, Sharing::Split);
    let pops_fast = || {
        // SAFETY: this thread is the owner, and the deque still contains an item; `pop_slow` decides a failed pop immediately.
        unsafe {
            let fast = bench.words().pop();
            assert!(fast || bench.deque.pop_slow() == Popped::Mine);
            fast
        }
    };
    assert!(pops_fast());
    bench.deque.interrupt();
    assert!(!pops_fast());
    assert!(pops_fast());
    bench.deque.interrupt();
    assert_eq!(bench.expose_half(), 2);
    assert!(bench.force_quietly());
    assert!(!pops_fast());
    assert_eq!(bench.claim(0), Some((0, 0)));
}
