//! Models: the scenes that all idempotent deques have in common, with both deliveries, and scenes
//! of this deque.

use super::Owner;
use crate::scenes::{play, pop, push, scenes};

scenes!(Owner);

/// The owner overwrites two steals with one store, and both items come back.
#[test]
fn two_steals_undone_by_one_store() {
    let most = play::<Loose>(3, &[1, 1], |deque, ledger| {
        push(deque, ledger, 1);
        push(deque, ledger, 2);
        pop(deque, ledger);
        push(deque, ledger, 3);
    });
    assert!(most >= 2);
}

/// A thief never reports `Empty` for a deque that always held an item: the owner pushes one before the thief
/// starts, and another before it pops.
#[test]
fn never_empty() {
    loom::model(|| {
        let mut deque = Loose::default();
        let thief = crate::Owner::thief(&deque);
        crate::Owner::push(&mut deque, 1);
        let thread = loom::thread::spawn(move || crate::Thief::steal(&thief));
        crate::Owner::push(&mut deque, 2);
        crate::Owner::pop(&mut deque);
        let stolen = thread.join().unwrap();
        assert_ne!(stolen, crate::Steal::Empty);
    });
}
