//! Loom models: small programs run in every interleaving, with every value that a load may return.
//!
//! An item is a number, and its content is in a [`Ledger`].

use loom::alloc::Track;
use loom::sync::Arc;
use loom::thread;

use super::{Owner, Thief};
use crate::ledger::Ledger;
use crate::{Owner as _, Thief as _};

/// The bound on preemptions for the models with two thieves. Models with one thief have no bound.
const PREEMPTIONS: usize = 3;

/// Runs `owner` against one thief for each entry of `attempts`, which is the thief's number of attempts. At the end, the function drains
/// the deque and checks that each item has left the deque once.
fn model(
    items: usize,
    attempts: &'static [usize],
    owner: impl Fn(&mut Owner<usize>, &Ledger) + Sync + Send + 'static,
) {
    let mut builder = loom::model::Builder::new();
    if attempts.len() > 1 {
        // Bound the preemptions if there are three threads, because running all executions would take many minutes.
        builder.preemption_bound = Some(PREEMPTIONS);
    }
    builder.check(move || {
        let ledger = Ledger::new(items);
        let mut deque = Owner::new();
        let thieves: Vec<_> = attempts
            .iter()
            .map(|&count| {
                let (thief, ledger): (Thief<usize>, _) = (deque.thief(), Arc::clone(&ledger));
                thread::spawn(move || {
                    for _ in 0..count {
                        if let Some(item) = thief.steal().success() {
                            ledger.take(item);
                        }
                    }
                })
            })
            .collect();
        owner(&mut deque, &ledger);
        for thief in thieves {
            thief.join().unwrap();
        }
        while let Some(item) = deque.pop() {
            ledger.take(item);
        }
        ledger.settle();
    });
}

fn push(deque: &mut Owner<usize>, ledger: &Ledger, item: usize) {
    deque.push(ledger.put(item));
}

fn pop(deque: &mut Owner<usize>, ledger: &Ledger) {
    if let Some(item) = deque.pop() {
        ledger.take(item);
    }
}

/// The owner and two thieves compete for one item.
#[test]
fn last_element() {
    model(1, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
    });
}

/// A deque that the owner has emptied is empty for the thief as well, and can be used again.
#[test]
fn last_element_then_push() {
    model(2, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
        pop(deque, ledger);
    });
}

/// Two thieves steal the oldest items while the owner pops the newest items.
#[test]
fn two_thieves() {
    model(2, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
    });
}

/// A thief reads a bottom that a pop stored. The thief must still see the older item.
#[test]
fn steal_below_pop() {
    model(2, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
    });
}

/// The owner pops without a CAS, then reuses the slot: the thief must not get the old item a second time, and must not mistake the new item
/// for the old item.
#[test]
fn pop_then_push() {
    model(3, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
    });
}

/// The same program as [`pop_then_push`], with two thieves instead of one thief. The second thief learns the position of the top from the
/// other thief's claim.
#[test]
fn pop_then_push_two_thieves() {
    model(3, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
    });
}

/// The third item does not fit into the first buffer. The owner either grows the deque, or finds that a thief has freed a slot, and reuses
/// this slot.
#[test]
fn grow_against_steal() {
    model(3, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
    });
}

/// The deque grows while two thieves may hold the old buffer.
#[test]
fn grow_against_two_thieves() {
    model(3, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
    });
}

/// The indices wrap around the smallest buffer, so that the deque uses slots for the second and third time.
#[test]
fn wrap_around() {
    model(4, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
        pop(deque, ledger);
        push(deque, ledger, 4);
    });
}

/// The owner or the thief, whichever is dropped last, drops the items that no thread took. Loom reports a tracked item that is dropped
/// twice or is never dropped.
#[test]
fn left_items_drop_once() {
    loom::model(|| {
        let mut deque = Owner::new();
        let thief: Thief<Box<Track<usize>>> = deque.thief();
        let thread = thread::spawn(move || drop(thief.steal()));
        for item in 0..3 {
            deque.push(Box::new(Track::new(item)));
        }
        drop(deque);
        thread.join().unwrap();
    });
}
