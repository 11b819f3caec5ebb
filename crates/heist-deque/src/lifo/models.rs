//! Loom models: the small programs that test all idempotent deques, with both modes of delivery, and one model of this deque alone.

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
