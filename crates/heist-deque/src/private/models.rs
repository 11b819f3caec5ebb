//! Loom models: small programs run in many interleavings, with every value that a load may return.
//!
//! The items of a [`World`] show whether an item was lost, torn or taken twice. The mailbox's cell and the items of a dropped owner are
//! also loom's cells, so that loom reports racing accesses to them.

use loom::alloc::Track;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::mailbox::State;
use super::world::World;
use super::{Owner, Thief};
use crate::{Owner as _, Steal, Thief as _};

/// Runs a model in every execution with at most `preemptions` preemptions. Running all executions would take minutes: see
/// [`every_order`](crate::shim::every_order).
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// The owner only pushes and polls. A thief requests items before or after a push.
#[test]
fn request_and_answer() {
    explore(5, || {
        let mut world = World::new(2);
        let thief = world.thief(3);
        world.push();
        world.push();
        world.poll();
        world.end([thief]);
    });
}

/// Push and pop poll, too: if there is a request, they answer it with the oldest item.
#[test]
fn push_and_pop_answer() {
    explore(5, || {
        let mut world = World::new(3);
        world.push();
        let robber = world.robber();
        assert_eq!(robber.steal(), Steal::Retry);
        let thief = world.thief(1);
        world.push();
        thief.join().unwrap();
        if world.state() == State::Answered {
            assert_eq!(robber.steal(), Steal::Success(0));
        }
        world.push();
        assert_eq!(robber.steal(), Steal::Retry);
        assert!(world.pop());
        assert_eq!(robber.steal(), Steal::Success(1));
        world.end([]);
    });
}

/// An owner that only polls also gives its last item away.
#[test]
fn last_item_of_a_busy_owner() {
    explore(5, || {
        let mut world = World::new(1);
        world.push();
        let thief = world.thief(2);
        world.poll();
        world.poll();
        thief.join().unwrap();
        let robber = world.robber();
        for _ in 0..2 {
            if robber.steal() == Steal::Retry {
                world.poll();
            }
        }
        assert_eq!(robber.steal(), Steal::Empty);
        world.ledger.settle();
    });
}

/// The owner withdraws a request that is pending when the owner pops its last item. So the owner does not put a later item into the mailbox
/// for a thief that may have left.
#[test]
fn push_after_decline() {
    explore(5, || {
        let mut world = World::new(2);
        world.push();
        let thief = world.thief(2);
        assert!(world.pop());
        thief.join().unwrap();
        let robber = world.robber();
        assert_eq!(robber.steal(), Steal::Empty);
        world.poll();
        assert_eq!(world.state(), State::Idle);
        world.push();
        assert_eq!(world.state(), State::Idle);
        assert_eq!(robber.steal(), Steal::Retry);
        world.end([]);
    });
}

/// The owner declines a request that comes while the deque becomes empty, answers it later, or leaves it unanswered. The thief never gets
/// an item that the owner has popped.
#[test]
fn decline_against_request() {
    explore(4, || {
        let mut world = World::new(2);
        let thief = world.thief(2);
        world.push();
        world.pop();
        world.push();
        world.pop();
        world.end([thief]);
    });
}

/// Two thieves and the owner compete for one answer.
#[test]
fn two_thieves_one_answer() {
    explore(4, || {
        let mut world = World::new(1);
        world.answered();
        let thieves = [world.thief(1), world.thief(1)];
        world.pop();
        world.end(thieves);
    });
}

/// Two thieves make requests and compete for the answers.
#[test]
fn two_thieves_ask() {
    explore(3, || {
        let mut world = World::new(2);
        let thieves = [world.thief(1), world.thief(2)];
        world.push();
        world.push();
        world.end(thieves);
    });
}

/// One thief takes an answer while a second thief asks and the owner answers. The second answer reuses the cell.
#[test]
fn two_thieves_two_answers() {
    explore(3, || {
        let mut world = World::new(2);
        world.answered();
        let thieves = [world.thief(1), world.thief(2)];
        world.push();
        world.end(thieves);
    });
}

/// A thief makes a request and does not come back: the owner gets all items, including the item with which it answered.
#[test]
fn thief_that_leaves_after_asking() {
    explore(5, || {
        let mut world = World::new(2);
        world.push();
        let thief = world.thief(1);
        world.push();
        let popped = [world.pop(), world.pop(), world.pop()];
        assert_eq!(popped, [true, true, false]);
        world.end([thief]);
    });
}

/// Owner and thief compete for the answer, which is the only item.
#[test]
fn take_back_against_take() {
    explore(5, || {
        let mut world = World::new(2);
        world.answered();
        let thief = world.thief(2);
        world.pop();
        world.push();
        world.end([thief]);
    });
}

/// The owner answers several requests through the same cell, while the thief may still be reading the previous item.
#[test]
fn cell_serves_again() {
    explore(5, || {
        let mut world = World::new(3);
        world.answered();
        world.push();
        let thief = world.thief(4);
        world.push();
        world.poll();
        world.poll();
        world.end([thief]);
    });
}

/// Like [`cell_serves_again`], but the owner declines a request between its answers. A decline must acquire the writes that the request has
/// made visible.
#[test]
fn cell_serves_again_after_decline() {
    explore(3, || {
        let mut world = World::new(3);
        world.answered();
        let thief = world.thief(3);
        world.push();
        world.pop();
        world.push();
        world.poll();
        world.end([thief]);
    });
}

/// A thief that has seen an item never sees the deque empty while the item is in the ring or the mailbox, or
/// moves from the ring to the mailbox.
#[test]
fn never_empty_with_an_item() {
    explore(5, || {
        let mut world = World::new(1);
        let robber = world.robber();
        let thief = thread::spawn(move || {
            let first = robber.steal();
            let stocked = !robber.thief.is_empty();
            let second = robber.steal();
            assert!(stocked || first == Steal::Empty);
            assert!(!stocked || second != Steal::Empty);
        });
        world.push();
        world.poll();
        world.end([thief]);
    });
}

/// A thief sees an item that was pushed before the thief came, although the deque had been empty before.
#[test]
fn flag_after_empty() {
    explore(5, || {
        let mut world = World::new(3);
        world.push();
        world.push();
        let early = world.thief(1);
        world.pop();
        world.pop();
        world.push();
        let robber = world.robber();
        let late = thread::spawn(move || assert_ne!(robber.steal(), Steal::Empty));
        early.join().unwrap();
        world.end([late]);
    });
}

/// After a pop has returned `None`, a thief that knows of this pop finds the deque empty, even if the thief made a request earlier.
/// Termination detection relies on this property.
#[test]
fn empty_after_none() {
    explore(5, || {
        let mut world = World::new(2);
        let none = Arc::new(AtomicBool::new(false));
        world.answered();
        let (robber, seen) = (world.robber(), Arc::clone(&none));
        let judge = thread::spawn(move || {
            let _ = robber.steal();
            if seen.load(Ordering::Acquire) {
                assert_eq!(robber.steal(), Steal::Empty);
                assert!(robber.thief.is_empty());
            }
        });
        world.push();
        while world.pop() {}
        none.store(true, Ordering::Release);
        world.end([judge]);
    });
}

/// The owner is dropped before it answers a request. The thief itself takes the item.
#[test]
fn owner_drops_with_a_request() {
    explore(5, || {
        let mut world = World::new(2);
        world.push();
        world.push();
        let robber = world.robber();
        assert_eq!(robber.steal(), Steal::Retry);
        let thief = world.thief(2);
        drop(world.deque);
        thief.join().unwrap();
        robber.end();
    });
}

/// The owner is dropped while a thief makes a request or takes an answer.
#[test]
fn owner_drops_against_steal() {
    explore(5, || {
        let mut world = World::new(3);
        let thief = world.thief(3);
        world.push();
        world.push();
        world.push();
        let robber = world.robber();
        drop(world.deque);
        thief.join().unwrap();
        robber.end();
    });
}

/// Two thieves share the remaining items.
#[test]
fn owner_drops_against_two_thieves() {
    explore(3, || {
        let mut world = World::new(2);
        world.push();
        world.push();
        let thieves = [world.thief(1), world.thief(2)];
        let robber = world.robber();
        drop(world.deque);
        for thief in thieves {
            thief.join().unwrap();
        }
        robber.end();
    });
}

/// Thieves take the answer and the remaining items if the mailbox holds an answer when the owner is dropped.
#[test]
fn owner_drops_with_an_answer() {
    explore(3, || {
        let mut world = World::new(2);
        world.answered();
        world.push();
        let thieves = [world.thief(1), world.thief(1)];
        let robber = world.robber();
        drop(world.deque);
        for thief in thieves {
            thief.join().unwrap();
        }
        robber.end();
    });
}

/// Items wider than any atomic are not torn.
#[test]
fn wide_items_are_not_torn() {
    explore(4, || {
        let mut deque = Owner::new();
        let thief: Thief<[usize; 8]> = deque.thief();
        let robber = thread::spawn(move || {
            (0..4)
                .filter_map(|_| thief.steal().success())
                .inspect(|item| assert_eq!(*item, [item[0]; 8]))
                .count()
        });
        deque.push([1; 8]);
        deque.push([2; 8]);
        deque.poll();
        let mut left = robber.join().unwrap();
        while let Some(item) = deque.pop() {
            assert_eq!(item, [item[0]; 8]);
            left += 1;
        }
        assert_eq!(left, 2);
    });
}

/// The owner or the thief, whichever is dropped last, drops the items that no thread took: the item in the mailbox, and the remaining
/// items. Loom reports a tracked item that is dropped twice or is never dropped.
#[test]
fn left_items_drop_once() {
    explore(5, || {
        let mut deque = Owner::new();
        let thief: Thief<Box<Track<usize>>> = deque.thief();
        deque.push(Box::new(Track::new(0)));
        assert!(matches!(thief.steal(), Steal::Retry));
        let thread = thread::spawn(move || drop(thief.steal()));
        deque.push(Box::new(Track::new(1)));
        deque.push(Box::new(Track::new(2)));
        drop(deque);
        thread.join().unwrap();
    });
}
