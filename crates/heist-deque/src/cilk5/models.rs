//! Loom models: small programs run in every interleaving, with every value that a load may return.
//!
//! An item is two words, a number and its complement, and its content is in a [`Ledger`]. Slots are cells of loom, and loom reports two
//! accesses to a cell that are not ordered.

use loom::alloc::Track;
use loom::sync::Arc;
use loom::thread;

use super::{Owner, Thief};
use crate::ledger::Ledger;
use crate::{Owner as _, Steal, Thief as _};

/// The bound on preemptions for the models with two thieves. Models with one thief have no bound.
const PREEMPTIONS: usize = 3;

/// An item of two words, which a thread must take together.
type Item = [usize; 2];

fn push(deque: &mut Owner<Item>, ledger: &Ledger, item: usize) {
    let item = ledger.put(item);
    deque.push([item, !item]);
}

/// Pops an item into the ledger, and returns true if the deque was empty.
fn pop(deque: &mut Owner<Item>, ledger: &Ledger) -> bool {
    let popped = deque.pop();
    popped.map(|item| take(item, ledger)).is_none()
}

fn take(item: Item, ledger: &Ledger) {
    assert_eq!(item[1], !item[0], "half of an item");
    ledger.take(item[0]);
}

/// Returns a builder for a model with `thieves` thieves.
fn builder(thieves: usize) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    if thieves > 1 {
        // Bound the preemptions if there are three threads, because running all executions would take many minutes.
        builder.preemption_bound = Some(PREEMPTIONS);
    }
    builder
}

/// Starts a thief that tries `attempts` times to steal.
fn thief(deque: &Owner<Item>, ledger: &Arc<Ledger>, attempts: usize) -> thread::JoinHandle<()> {
    let (thief, ledger): (Thief<Item>, _) = (deque.thief(), Arc::clone(ledger));
    thread::spawn(move || {
        for _ in 0..attempts {
            if let Some(item) = thief.steal().success() {
                take(item, &ledger);
            }
        }
    })
}

/// Runs `owner` against one thief for each entry of `attempts`, which is the thief's number of attempts. At the end, the function drains
/// the deque and checks that each item has left the deque once. `owner` returns true if it has found the deque empty, and has pushed no
/// item since then. In that case the drain must find no item.
fn model(
    items: usize,
    attempts: &'static [usize],
    owner: impl Fn(&mut Owner<Item>, &Ledger) -> bool + Sync + Send + 'static,
) {
    builder(attempts.len()).check(move || {
        let ledger = Ledger::new(items);
        let mut deque = Owner::new();
        let thieves: Vec<_> = attempts
            .iter()
            .map(|&count| thief(&deque, &ledger, count))
            .collect();
        let empty = owner(&mut deque, &ledger);
        for thief in thieves {
            thief.join().unwrap();
        }
        while !pop(&mut deque, &ledger) {
            assert!(!empty, "not empty, as the owner was told");
        }
        ledger.settle();
    });
}

/// The owner and a thief compete for one item. If the owner does not get the item, the thief must have the item.
#[test]
fn last_element() {
    model(1, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger)
    });
}

/// The owner and two thieves compete for one item.
#[test]
fn last_element_two_thieves() {
    model(1, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger)
    });
}

/// A deque that the owner has emptied is empty for the thief as well, and can be used again. If a thief has raised the head and lowered it
/// again, the owner must not count the item as taken.
#[test]
fn empty_and_refill() {
    model(2, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
        pop(deque, ledger)
    });
}

/// The owner pops and a thief steals from a new deque, before and after its first item is pushed.
#[test]
fn steal_from_empty() {
    model(1, &[2], |deque, ledger| {
        assert!(pop(deque, ledger));
        push(deque, ledger, 1);
        false
    });
}

/// A thief steals the oldest items while the owner pops the newest items, until the deque is empty.
#[test]
fn both_ends() {
    model(2, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        pop(deque, ledger)
    });
}

/// Two thieves steal the oldest items while the owner pops the newest items.
#[test]
fn two_thieves() {
    model(2, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger)
    });
}

/// A thief reads a tail that a pop stored. The thief must still see the older item, even if the only item that the thief has seen before
/// had the same index.
#[test]
fn steal_below_pop() {
    model(3, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
        pop(deque, ledger)
    });
}

/// The owner pops without the lock, then reuses the slot: the thief must not get the old item a second time, and must not mistake the new
/// item for the old item.
#[test]
fn pop_then_push() {
    model(3, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
        false
    });
}

/// The same program as [`pop_then_push`], with two thieves instead of one thief. The second thief learns the position of the head from the
/// first thief.
#[test]
fn pop_then_push_two_thieves() {
    model(3, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
        false
    });
}

/// The third item does not fit into the first buffer. Either the owner grows the deque under the lock and frees the old buffer, or the
/// owner finds that a thief has finished with a slot, and reuses that slot.
#[test]
fn grow_against_steal() {
    model(3, &[2], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
        false
    });
}

/// The deque grows while one of two thieves may hold the lock.
#[test]
fn grow_against_two_thieves() {
    model(3, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
        false
    });
}

/// The owner waits for a thief twice: when it grows the deque, and when it pops the last item.
#[test]
fn owner_waits_for_the_lock() {
    model(3, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        push(deque, ledger, 3);
        pop(deque, ledger);
        pop(deque, ledger);
        pop(deque, ledger)
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
        false
    });
}

/// Two thieves compete, and no thief waits. A thief that finds the lock taken gets `Retry`, and no thief gets `Empty`.
#[test]
fn a_taken_lock_is_a_retry() {
    builder(2).check(|| {
        let mut deque = Owner::new();
        deque.push([1, 2]);
        deque.push([3, 4]);
        let thief = deque.thief();
        let thread = thread::spawn(move || thief.steal());
        let mine = deque.thief().steal();
        let other = thread.join().unwrap();
        let first = Steal::Success([1, 2]);
        let second = Steal::Success([3, 4]);
        assert!(
            [
                (first, second),
                (second, first),
                (first, Steal::Retry),
                (Steal::Retry, first),
            ]
            .contains(&(mine, other)),
            "{mine:?} and {other:?}"
        );
    });
}

/// A deque that was never empty must not seem empty to a thief, even if the thief learns of the second item only by a steal of the first
/// item.
#[test]
fn a_deque_with_items_never_seems_empty() {
    builder(1).check(|| {
        let mut deque = Owner::new();
        deque.push([1, 2]);
        let thief = deque.thief();
        let thread = thread::spawn(move || assert_ne!(thief.steal(), Steal::Empty));
        deque.push([3, 4]);
        let _ = deque.thief().steal();
        thread.join().unwrap();
    });
}

/// `is_empty` (in this model on the owner's thread) must not count the item as taken if a thief has raised the head and lowered it again.
#[test]
fn an_empty_look_is_true() {
    model(2, &[1], |deque, ledger| {
        push(deque, ledger, 1);
        pop(deque, ledger);
        push(deque, ledger, 2);
        deque.thief().is_empty()
    });
}

/// The owner or the thief, whichever is dropped last, drops the items that no thread took. Loom reports a tracked item that is dropped
/// twice or is never dropped.
#[test]
fn left_items_drop_once() {
    loom::model(|| {
        let mut deque = Owner::new();
        let thief: Thief<Track<usize>> = deque.thief();
        let thread = thread::spawn(move || drop(thief.steal()));
        for item in 0..3 {
            deque.push(Track::new(item));
        }
        drop(deque);
        thread.join().unwrap();
    });
}

/// The owner moves to another thread. The new thread drops the owner, and leaves the deque to the thief.
#[test]
fn the_owner_moves() {
    builder(1).check(|| {
        let ledger = Ledger::new(3);
        let mut deque = Owner::new();
        push(&mut deque, &ledger, 1);
        push(&mut deque, &ledger, 2);
        let thief = deque.thief();
        let its = Arc::clone(&ledger);
        let thread = thread::spawn(move || {
            pop(&mut deque, &its);
            push(&mut deque, &its, 3);
        });
        if let Some(item) = thief.steal().success() {
            take(item, &ledger);
        }
        thread.join().unwrap();
        while let Steal::Success(item) = thief.steal() {
            take(item, &ledger);
        }
        ledger.settle();
    });
}
