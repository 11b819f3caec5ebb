//! Models of the deques without a private part: loom runs small programs in every interleaving.

use loom::thread;

use super::models::{Bench, Shape, model, nothing, of};
use super::{Popped, Sharing};

/// Runs a model under both protocols. In each protocol, the owner pops first by the protocol's own fast path, then by the split deque's
/// fast path. In an open deque, the fast path of the split deque always leads to the slow path.
fn both<const THIEVES: usize>(
    items: usize,
    slots: usize,
    before: fn(&Bench),
    thieves: [fn(&Bench); THIEVES],
    owner: fn(&Bench, fn(&Bench) -> bool),
) {
    let shape = |sharing| Shape {
        slots,
        sharing,
        ..of(items)
    };
    let run = |sharing, by: fn(&Bench, fn(&Bench) -> bool), pop| {
        model(shape(sharing), before, thieves, move |bench| by(bench, pop));
    };
    run(Sharing::ChaseLev, owner, chase_lev as fn(&Bench) -> bool);
    run(Sharing::ChaseLev, owner, Bench::pop);
    run(Sharing::The, owner, the);
    run(Sharing::The, owner, Bench::pop);
}

fn chase_lev(bench: &Bench) -> bool {
    fast(bench, Sharing::ChaseLev)
}

fn the(bench: &Bench) -> bool {
    fast(bench, Sharing::The)
}

/// Pops once for the owner, as a join under the deque's protocol does. Returns false if a thief has the newest item.
fn fast(bench: &Bench, sharing: Sharing) -> bool {
    // SAFETY: the owner's thread calls this function on a deque of that protocol, and the deque still contains an item.
    unsafe {
        if !bench.deque.top().pop(bench.words(), sharing)
            && bench.deque.pop_slow() == Popped::Stolen
        {
            return false;
        }
        bench.take(bench.deque.popped());
    }
    true
}

/// The owner and a thief compete for the last item.
#[test]
fn open_last_element() {
    both(1, 1, nothing, [Bench::claim], |bench, pop| {
        bench.push(0);
        pop(bench);
    });
}

/// The owner and two thieves compete for the last item.
#[test]
fn open_last_element_two_thieves() {
    let thieves: [fn(&Bench); 2] = [Bench::claim, Bench::claim];
    both(1, 1, nothing, thieves, |bench, pop| {
        bench.push(0);
        pop(bench);
    });
}

/// The owner and a thief take two items from opposite ends.
#[test]
fn open_two_pops_against_two_claims() {
    let thief = |bench: &Bench| {
        bench.claim();
        bench.claim();
    };
    both(2, 2, nothing, [thief], |bench, pop| {
        bench.push(0);
        bench.push(1);
        let _ = pop(bench) && pop(bench);
    });
}

/// A thief claims a batch: one item in Chase and Lev's protocol, half of the items in THE.
#[test]
fn open_pops_against_a_batch() {
    let before = |bench: &Bench| {
        bench.push(0);
        bench.push(1);
        bench.push(2);
    };
    both(3, 3, before, [Bench::claim_batch], |bench, pop| {
        let _ = pop(bench) && pop(bench) && pop(bench);
    });
}

/// The owner takes its last item and pushes another item into that slot. A thief that read the word before the pop must get the
/// new item or no item.
#[test]
fn open_pop_then_push() {
    both(2, 1, nothing, [Bench::claim], |bench, pop| {
        bench.push(0);
        if pop(bench) {
            bench.push(1);
        } else {
            bench.wait(0);
            // SAFETY: this is the owner's thread, and the thief is done with the frame.
            unsafe { bench.deque.retire_stolen() };
            bench.push(1);
        }
    });
}

/// The owner pushes another item into the slot of a stolen item, as after a join.
#[test]
fn open_retire_and_reuse() {
    let thief = |bench: &Bench| {
        bench.claim();
        bench.claim();
    };
    both(3, 2, nothing, [thief], |bench, pop| {
        bench.push(0);
        bench.push(1);
        let newest = pop(bench);
        if !newest {
            bench.wait(1);
            // SAFETY: this is the owner's thread, and the thief is done with the frame.
            unsafe { bench.deque.retire_stolen() };
        }
        bench.push(2);
        thread::yield_now();
    });
}
