//! Tests of bags over places, including places that die.

mod common;
#[path = "../examples/nqueens.rs"]
#[allow(dead_code, reason = "the test has a main function of its own")]
mod nqueens;
#[path = "../examples/uts.rs"]
#[allow(dead_code, reason = "the test has a main function of its own")]
mod uts;

use std::thread;
use std::time::Duration;

use common::{PLACES, repeat};
use heist_places::{Bag, Local, PlaceError, register_bag};
use serde::{Deserialize, Serialize};
use uts::count;

/// The number of nodes of the tree with depth 6. `counts_are_those_of_a_loop` checks this number and the number for depth 8, without
/// places.
const DEPTH_6: u64 = 16_000;
const DEPTH_8: u64 = 257_042;

/// A bag that panics at its hundredth item.
#[derive(Serialize, Deserialize)]
struct Bomb(u32);
impl Bag for Bomb {
    fn process(&mut self, _: usize) -> bool {
        self.0 += 1;
        assert!(self.0 < 100, "the hundredth item");
        true
    }
    fn split(&mut self) -> Option<Self> {
        None
    }
    fn merge(&mut self, _: Self) {}
}

register_bag!(Bomb);

#[test]
fn counts_are_those_of_a_loop() {
    for (depth, nodes) in [(6, DEPTH_6), (8, DEPTH_8)] {
        let mut tree = uts::Tree::new(depth);
        while tree.process(1000) {}
        assert_eq!(tree.nodes, nodes);
    }
}

#[test]
fn the_result_is_exact() {
    for places in PLACES {
        for workers in [1, 2] {
            repeat(3, || {
                let outcomes = Local::new(places).workers(workers).run(|world| {
                    // All places balance at the same time, each a tree of its own.
                    count(&world, 6)
                });
                assert!(
                    outcomes.iter().all(|outcome| *outcome == Ok(Ok(DEPTH_6))),
                    "{outcomes:?}"
                );
            });
        }
    }
}

#[test]
fn queens_are_placed() {
    let outcomes = Local::new(3).workers(2).run(|world| {
        let sizes = [1, 2, 6, 9];
        sizes.map(|size| {
            world
                .balance(nqueens::Boards::new(size))
                .wait()
                .unwrap()
                .solutions
        })
    });
    for outcome in outcomes {
        assert_eq!(outcome, Ok([1, 0, 4, 352]));
    }
}

#[test]
fn the_result_is_exact_when_places_die() {
    let round = std::cell::Cell::new(0_u64);
    repeat(10, || {
        let moment = round.replace(round.get() + 1);
        let outcomes = Local::new(4)
            .workers(1 + moment as usize % 2)
            .run_with(|world, kill| {
                if world.here() == 0 {
                    return count(&world, 8);
                }
                if world.here() % 2 == 1 {
                    thread::sleep(Duration::from_micros(moment * moment * 977 % 40_000));
                    kill.kill();
                }
                Ok(0)
            });
        assert_eq!(outcomes[0], Ok(Ok(DEPTH_8)), "round {moment}");
    });
}

#[test]
fn a_panic_of_a_bag_names_its_place() {
    let outcomes = Local::new(2).run(|world| {
        let outcome = (world.here() == 1).then(|| world.balance(Bomb(0)).wait().map(|bomb| bomb.0));
        outcome.transpose()
    });
    let error = outcomes[1].clone().unwrap().unwrap_err();
    assert!(
        matches!(&error, PlaceError::Panicked { message, .. } if message == "the hundredth item"),
        "{error}"
    );
}
