//! Loom models: the small programs that test all idempotent deques, with both modes of delivery, and models of this deque alone.

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

/// A thief must not report `Empty` for a deque that is never empty: the owner pushes an item before the thief
/// starts, and a second item before it pops.
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
