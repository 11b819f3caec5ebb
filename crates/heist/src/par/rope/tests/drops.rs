//! Checks that each item is dropped exactly once, even when a clone or a destructor panics.

use super::super::{Rope, RopeBuilder};
use super::{check, check_filled, rope_of};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// A record of the values that are alive, and of the calls that will panic.
#[derive(Default)]
struct Ledger {
    alive: RefCell<Vec<bool>>,
    clones_left: Cell<Option<usize>>,
    explosive: Cell<Option<u32>>,
}

struct Item {
    ledger: Rc<Ledger>,
    id: usize,
    value: u32,
}

impl Ledger {
    fn item(self: &Rc<Self>, value: u32) -> Item {
        let mut alive = self.alive.borrow_mut();
        alive.push(true);
        Item {
            ledger: Rc::clone(self),
            id: alive.len() - 1,
            value,
        }
    }

    fn items(self: &Rc<Self>, values: std::ops::Range<u32>) -> impl Iterator<Item = Item> {
        let ledger = Rc::clone(self);
        values.map(move |value| ledger.item(value))
    }

    fn alive(&self) -> usize {
        self.alive.borrow().iter().filter(|&&alive| alive).count()
    }
}

impl Clone for Item {
    fn clone(&self) -> Self {
        if let Some(left) = self.ledger.clones_left.get() {
            if left == 0 {
                quietly_panic();
            }
            self.ledger.clones_left.set(Some(left - 1));
        }
        self.ledger.item(self.value)
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        let was_alive = std::mem::replace(&mut self.ledger.alive.borrow_mut()[self.id], false);
        assert!(was_alive, "{} dropped twice", self.value);
        if self.ledger.explosive.get() == Some(self.value) {
            self.ledger.explosive.set(None);
            quietly_panic();
        }
    }
}

/// Panics without a message, because Miri takes seconds to print a message.
fn quietly_panic() -> ! {
    resume_unwind(Box::new("planted"))
}

/// Returns a function that panics at the item whose value is `count`.
fn panic_at(count: u32) -> impl Fn(&Item) {
    move |item| {
        if item.value == count {
            quietly_panic();
        }
    }
}

fn values(rope: &Rope<Item>) -> Vec<u32> {
    rope.iter().map(|item| item.value).collect()
}

fn fails<R>(act: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(|| drop(act()))).is_err()
}

#[test]
fn each_item_once() {
    let ledger = Rc::new(Ledger::default());
    let rope = rope_of(4, ledger.items(0..50));
    assert_eq!(ledger.alive(), 50);
    let (first, rest) = rope.split_at(21);
    assert_eq!(ledger.alive(), 50, "a split copies nothing");
    drop(rope);
    drop(first);
    // The array of the leaf that was cut still exists.
    assert_eq!(ledger.alive(), 30);
    let mut owned = rest.into_iter();
    assert_eq!(ledger.alive(), 30);
    owned.next().unwrap();
    assert_eq!(
        ledger.alive(),
        28,
        "what no rope showed, and what was taken"
    );
    owned.next_back().unwrap();
    assert_eq!(owned.len(), 27);
    drop(owned);
    assert_eq!(ledger.alive(), 0);
    // No item was cloned.
    assert_eq!(ledger.alive.borrow().len(), 50);
}

#[test]
fn nothing_is_cloned_that_nobody_shares() {
    let ledger = Rc::new(Ledger::default());
    ledger.clones_left.set(Some(0));
    let mut rope = rope_of(8, ledger.items(0..3));
    for _ in 0..20 {
        rope = rope.concat(rope_of(8, ledger.items(0..3)));
        rope.push_back(ledger.item(9));
    }
    rope.extend(ledger.items(0..100));
    check_filled(&rope);
    assert_eq!(rope.len(), 183);
    let rope = Rope::cat_n([rope, rope_of(8, ledger.items(0..5))]);
    assert_eq!(Vec::from(rope.clone().slice(3..3)).len(), 0);
    assert_eq!(Vec::from(rope).len(), 188);
    assert_eq!(ledger.alive(), 0);
}

/// Runs `act` several times. In each run, a different clone that `act` makes panics: the first, the second, and so on.
fn at_each_clone(ledger: &Rc<Ledger>, at_least: usize, mut act: impl FnMut() -> bool) {
    let before = ledger.alive();
    for clones in 0.. {
        ledger.clones_left.set(Some(clones));
        let failed = act();
        ledger.clones_left.set(None);
        assert_eq!(ledger.alive(), before, "after {clones} clones");
        if !failed {
            assert!(clones >= at_least, "only {clones} clones");
            return;
        }
    }
}

#[test]
fn clones_that_panic_while_leaves_are_merged() {
    let ledger = Rc::new(Ledger::default());
    // Both ropes have small leaves at the seam, and all these leaves are shared.
    let left = rope_of(8, ledger.items(0..35)).slice(..27);
    let right = rope_of(8, ledger.items(0..35)).slice(7..);
    let old = (values(&left), values(&right));
    at_each_clone(&ledger, 4, || {
        fails(|| {
            let both = left.clone().concat(right.clone());
            check_filled(&both);
            assert_eq!(values(&both), [&old.0[..], &old.1].concat());
        })
    });
    // The left rope is consumed.
    let before = ledger.alive();
    for clones in 0..4 {
        let own = rope_of(8, ledger.items(0..3));
        ledger.clones_left.set(Some(clones));
        let failed = fails(|| own.concat(right.slice(5..10)));
        ledger.clones_left.set(None);
        assert!(failed == (clones < 4));
        assert_eq!(ledger.alive(), before);
    }
    assert_eq!((values(&left), values(&right)), old);
    check(&left);
    check(&right);
}

#[test]
fn clones_that_panic_elsewhere() {
    let ledger = Rc::new(Ledger::default());
    let old = rope_of(8, ledger.items(0..21));
    let expected = values(&old);
    at_each_clone(&ledger, 5, || {
        let mut rope = old.clone();
        let failed = fails(|| rope.push_back(ledger.item(99)));
        assert_eq!(values(&rope)[..21], expected);
        assert_eq!(rope.len(), if failed { 21 } else { 22 });
        check(&rope);
        failed
    });
    at_each_clone(&ledger, 7, || fails(|| old.update(3, ledger.item(99))));
    at_each_clone(&ledger, 21, || fails(|| Vec::from(old.clone())));
    at_each_clone(&ledger, 21, || {
        fails(|| old.clone().into_iter().rev().count())
    });
    at_each_clone(&ledger, 0, || {
        let mut rest = old.clone().into_iter();
        let failed = fails(|| rest.next());
        // After the panic, the iterator continues at the same item.
        ledger.clones_left.set(None);
        assert_eq!(rest.next().unwrap().value, u32::from(!failed));
        failed
    });
    assert_eq!(values(&old), expected);
}

#[test]
fn a_builder_drops_its_items_if_an_iterator_panics() {
    let ledger = Rc::new(Ledger::default());
    for count in [0, 3, 8, 30] {
        let failed = fails(|| {
            let mut builder = RopeBuilder::with_leaf(8);
            builder.push_vec(ledger.items(0..5).collect());
            builder.extend(ledger.items(0..100).inspect(panic_at(count)));
        });
        assert!(failed);
        assert_eq!(ledger.alive(), 0);
        let mut rope = rope_of(8, ledger.items(0..10));
        assert!(fails(
            || rope.extend(ledger.items(0..100).inspect(panic_at(count)))
        ));
        assert_eq!(values(&rope), (0..10).collect::<Vec<_>>());
    }
}

#[test]
fn drops_that_panic() {
    let ledger = Rc::new(Ledger::default());
    // A write to an array drops the items that no view shows: those behind the view, and those before the view.
    for (range, explosive) in [(2..5, 6), (4..8, 1)] {
        let mut rope = rope_of(8, ledger.items(0..8)).slice(range.clone());
        ledger.explosive.set(Some(explosive));
        assert!(fails(|| rope.push_back(ledger.item(99))));
        let range = range.start as u32..range.end as u32;
        assert!(values(&rope).into_iter().eq(range.clone()));
        check(&rope);
        rope.push_back(ledger.item(99));
        assert!(values(&rope).into_iter().eq(range.chain([99])));
        drop(rope);
        assert_eq!(ledger.alive(), 0);
    }
    // Destructors panic while leaves are merged, while items are moved out of arrays, and at the end.
    let own = || rope_of(8, ledger.items(0..20));
    let acts: [&dyn Fn(Rope<Item>); 5] = [
        &|rope| drop(rope.slice(..18).concat(own().slice(3..))),
        &|rope| drop(Vec::from(rope.slice(1..18))),
        &|rope| _ = rope.slice(1..18).into_iter().rev().count(),
        &|rope| drop(rope.update(3, ledger.item(0))),
        &drop,
    ];
    for act in acts {
        for explosive in (0..20).step_by(if cfg!(miri) { 4 } else { 1 }) {
            let rope = own();
            ledger.explosive.set(Some(explosive));
            fails(|| act(rope));
            ledger.explosive.set(None);
            assert_eq!(ledger.alive(), 0, "with the drop of {explosive}");
        }
    }
}
