//! Models: the scenes that all idempotent deques have in common, with both deliveries, and this
//! deque's own.

use super::Owner;
use crate::scenes::{self, Deque, Leaves, Numbered, play, pop, push};
use crate::{AtLeastOnce, ExactlyOnce};

type Loose = Owner<usize>;
type Exact = Owner<usize, ExactlyOnce>;
/// Three words.
type Wide = Owner<(u32, usize, usize)>;
type WideExact = Owner<(u32, usize, usize), ExactlyOnce>;

impl<T: Numbered> Deque for Owner<T, AtLeastOnce> {
    const LEAVES: Leaves = Leaves::AtLeastOnce;
}

impl<T: Numbered> Deque for Owner<T, ExactlyOnce> {
    const LEAVES: Leaves = Leaves::Once;
}

#[test]
fn last_element() {
    // Once for the owner, once for the thief.
    assert_eq!(scenes::last_element::<Loose>(&[1]), 2);
    assert_eq!(scenes::last_element::<Exact>(&[1]), 1);
}

#[test]
fn last_element_and_two_thieves() {
    assert_eq!(scenes::last_element::<Loose>(&[1, 1]), 2);
    assert_eq!(scenes::last_element::<Exact>(&[1, 1]), 1);
}

#[test]
fn empty_and_refill() {
    scenes::empty_and_refill::<Loose>();
    scenes::empty_and_refill::<Exact>();
}

#[test]
fn steal_after_take() {
    scenes::steal_after_take::<Loose>();
    scenes::steal_after_take::<Exact>();
}

#[test]
fn two_thieves() {
    scenes::two_thieves::<Loose>();
    scenes::two_thieves::<Exact>();
}

#[test]
fn put_against_steal() {
    scenes::put_against_steal::<Loose>();
    scenes::put_against_steal::<Exact>();
}

#[test]
fn take_then_put() {
    scenes::take_then_put::<Loose>();
    scenes::take_then_put::<Exact>();
}

#[test]
fn take_then_put_above() {
    scenes::take_then_put_above::<Loose>();
    scenes::take_then_put_above::<Exact>();
}

#[test]
fn reuse_against_two_thieves() {
    scenes::reuse_against_two_thieves::<Loose>();
    scenes::reuse_against_two_thieves::<Exact>();
}

#[test]
fn grow_against_steal() {
    scenes::grow_against_steal::<Loose>(&[2]);
    scenes::grow_against_steal::<Exact>(&[2]);
}

#[test]
fn grow_against_two_thieves() {
    scenes::grow_against_steal::<Loose>(&[1, 1]);
    scenes::grow_against_steal::<Exact>(&[1, 1]);
}

#[test]
fn grow_then_reuse() {
    scenes::grow_then_reuse::<Loose>();
    scenes::grow_then_reuse::<Exact>();
}

#[test]
fn slots_and_tags_come_round() {
    scenes::rounds::<Loose>(5);
    scenes::rounds::<Exact>(5);
}

#[test]
fn more_than_fit() {
    scenes::more_than_fit::<Loose>();
    scenes::more_than_fit::<Exact>();
}

#[test]
fn empty_shows_the_thief() {
    scenes::empty_shows_the_thief::<Loose>();
    scenes::empty_shows_the_thief::<Exact>();
}

#[test]
fn wide_items_are_whole() {
    scenes::take_then_put::<Wide>();
    scenes::take_then_put::<WideExact>();
}

#[test]
fn wide_items_are_whole_after_growth() {
    scenes::grow_then_reuse::<Wide>();
    scenes::grow_then_reuse::<WideExact>();
}

#[test]
fn left_items_drop() {
    scenes::left_items_drop::<Owner<Box<loom::alloc::Track<usize>>, ExactlyOnce>>();
}

/// The owner writes over two steals at once, and both items come back.
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

/// A thief never calls a deque empty that was not: one item is in before it begins, and the owner's take
/// leaves another.
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
