//! Models of forced exposures, concurrent with each action of the owner.

use super::Sharing;
use super::models::{Bench, Shape, model, nothing, of};

/// The owner and a forcing thief compete for one private item.
#[test]
fn force_against_pop() {
    model(of(1), nothing, [Bench::force_and_claim], |bench| {
        bench.push(0);
        bench.pop();
    });
}

/// The owner and a thief that forces twice compete for two private items.
#[test]
fn force_against_two_pops() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.claim();
    };
    model(of(2), nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        let _ = bench.pop() && bench.pop();
    });
}

/// The thief may read a tail that a pop of the owner has stored. The item below this tail must be whole.
#[test]
fn force_below_pop() {
    model(of(2), nothing, [Bench::force_and_claim], |bench| {
        bench.push(0);
        bench.push(1);
        bench.pop();
    });
}

/// The owner pops without the lock and reuses the slot: the thief must not get the old item a second time, and must not get an incomplete
/// new item.
#[test]
fn force_against_pop_then_push() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.force_and_claim();
    };
    model(of(3), nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        bench.pop();
        bench.push(2);
    });
}

/// The owner reaches the barrier while a force is at its fence, moves the barrier, and reuses the slot. The force must give up, because its
/// fence does not order pops that read a different barrier.
#[test]
fn force_against_slow_pop_then_push() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.claim();
    };
    model(of(2), nothing, [thief], |bench| {
        bench.push(0);
        if bench.pop() {
            bench.push(1);
            bench.pop();
        }
    });
}

/// A thief forces while the owner reclaims: the lock puts force and reclaim into one order.
#[test]
fn force_against_reclaim() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.claim();
    };
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_all();
        bench.push(2);
    };
    model(of(3), before, [thief], |bench| {
        let _ = bench.pop() && bench.pop() && bench.pop();
    });
}

/// The owner exposes and a thief forces: the wider exposure remains, and no item is lost.
#[test]
fn force_against_expose() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.claim();
    };
    model(of(3), nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_half();
        bench.push(2);
        bench.pop();
    });
}

/// Two thieves force: the second thief exposes further frames, after the frames that the first thief has exposed.
#[test]
fn force_against_force() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
    };
    let thieves: [fn(&Bench); 2] = [Bench::force_and_claim, Bench::force_and_claim];
    model(of(2), before, thieves, |bench| {
        let _ = bench.pop() && bench.pop();
    });
}

/// The owner pops twice while a thief forces without an asymmetric fence: the lock decides every pop.
#[test]
fn force_against_two_pops_without_fence() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.claim();
    };
    let shape = Shape {
        sharing: Sharing::SplitLocked,
        ..of(2)
    };
    model(shape, nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        let _ = bench.pop() && bench.pop();
    });
}

/// The owner pops, and pushes into the same slot, while a thief forces without an asymmetric fence: the lock decides every pop.
#[test]
fn force_against_pop_then_push_without_fence() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.force_and_claim();
    };
    let shape = Shape {
        sharing: Sharing::SplitLocked,
        ..of(3)
    };
    model(shape, nothing, [thief], |bench| {
        bench.push(0);
        bench.push(1);
        bench.pop();
        bench.push(2);
    });
}

/// Runs a model in which owner and thief begin without the fence. The owner gains the fence before, between or after its pops.
fn gains(items: usize, owner: impl Fn(&Bench) + Send + Sync + 'static) {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
        bench.force_and_claim();
    };
    let shape = Shape {
        sharing: Sharing::SplitLocked,
        ..of(items)
    };
    model(shape, nothing, [thief], owner);
}

/// The owner gains the fence before its pops. A force that took the lock earlier still relies on the lock, whereas the next force relies on
/// its fence.
#[test]
fn gain_before_two_pops() {
    gains(2, |bench| {
        bench.push(0);
        bench.push(1);
        bench.gain_fence();
        let _ = bench.pop() && bench.pop();
    });
}

/// The owner gains the fence between two pops. The first pop takes the lock, and the second pop does not take it.
#[test]
fn gain_between_pops() {
    gains(2, |bench| {
        bench.push(0);
        bench.push(1);
        let mine = bench.pop();
        bench.gain_fence();
        let _ = mine && bench.pop();
    });
}

/// The owner gains the fence before it reuses a slot that it has popped under the lock.
#[test]
fn gain_before_a_slot_serves_again() {
    gains(2, |bench| {
        bench.push(0);
        if bench.pop() {
            bench.gain_fence();
            bench.push(1);
            bench.pop();
        }
    });
}

/// The owner gains the fence while some frames are public: the barrier must be at the first private frame.
#[test]
fn gain_with_public_frames() {
    gains(3, |bench| {
        bench.push(0);
        bench.push(1);
        bench.expose_half();
        bench.push(2);
        bench.gain_fence();
        let _ = bench.pop() && bench.pop() && bench.pop();
    });
}

/// The owner finds that a frame is stolen while a force is at its fence. In this case the owner does not move the barrier, and later pushes
/// above the stolen frame may become public.
#[test]
fn force_across_a_stolen_frame() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
    };
    let before = |bench: &Bench| {
        bench.push(0);
        bench.expose_all();
        bench.claim();
        bench.push(1);
    };
    let shape = Shape { slots: 3, ..of(3) };
    model(shape, before, [thief], |bench| {
        if bench.pop() {
            // The frame is stolen: the owner puts the tail above slot 0.
            assert!(!bench.pop());
            bench.push(2);
            bench.pop();
        } else {
            bench.push(2);
            bench.pop();
        }
    });
}

/// The owner rewinds while a force is at its fence, and reuses the slot.
#[test]
fn force_across_a_rewind() {
    let thief = |bench: &Bench| {
        bench.force_and_claim();
    };
    let before = |bench: &Bench| {
        bench.push(0);
        bench.expose_all();
        bench.claim();
        bench.push(1);
    };
    let shape = Shape { slots: 3, ..of(3) };
    model(shape, before, [thief], |bench| {
        if bench.pop() {
            assert!(!bench.pop());
            // SAFETY: this is the owner's thread, and the thief is done with the frame.
            unsafe { bench.deque.retire_stolen() };
            bench.push(2);
            bench.pop();
        } else {
            bench.push(2);
            bench.pop();
        }
    });
}
