//! The programs that the model explores.

use super::explore::Step::{Call, Spawn};
use super::explore::{ID, Program, State, explore, explore_from};
use super::{Action, Counts, FinishId, Finishes, Report};

const EMPTY: Program = &[&[]];
/// A program whose tasks all run at the home.
const HOME: Program = &[&[Spawn(0, 1), Call(0, 2)], &[], &[]];
/// A chain of tasks. Each task spawns the next task at another place, and then ends.
const CHAIN: Program = &[
    &[Spawn(1, 1)],
    &[Spawn(2, 2)],
    &[Spawn(1, 3)],
    &[Spawn(0, 4)],
    &[],
];
const TREE: Program = &[
    &[Spawn(1, 1), Spawn(2, 2)],
    &[Spawn(2, 3), Spawn(1, 4)],
    &[Spawn(1, 5)],
    &[],
    &[],
    &[],
];
const SMALL_TREE: Program = &[
    &[Spawn(1, 1), Spawn(2, 2)],
    &[Spawn(2, 3)],
    &[Spawn(1, 4)],
    &[],
    &[],
];
/// A program with a call whose task spawns at another place. The caller is not at the home.
const VISIT: Program = &[
    &[Spawn(1, 1)],
    &[Call(2, 2)],
    &[Spawn(1, 3), Spawn(0, 4)],
    &[Spawn(2, 5)],
    &[],
    &[],
];
const VISITS: Program = &[
    &[Call(1, 1)],
    &[Call(2, 2), Spawn(1, 3)],
    &[Call(1, 4)],
    &[],
    &[Spawn(2, 5)],
    &[],
];
/// A program with calls through two places. The task at the last place spawns.
const CALLS: Program = &[
    &[Call(1, 1)],
    &[Call(2, 2)],
    &[Spawn(0, 3), Spawn(1, 4)],
    &[],
    &[],
];
const OWN_VISIT: Program = &[
    &[Spawn(1, 1)],
    &[Call(1, 2)],
    &[Spawn(1, 3), Spawn(2, 4)],
    &[],
    &[],
];

#[test]
fn finishes_end_when_their_tasks_have() {
    for program in [CHAIN, TREE, VISIT, VISITS, CALLS, OWN_VISIT] {
        let (ends, losses) = explore(program, None, true);
        assert!(ends > 0 && losses == 0);
    }
}

#[test]
fn finishes_end_when_a_place_dies() {
    for victim in [1, 2] {
        for program in [CHAIN, SMALL_TREE, VISIT, VISITS, CALLS, OWN_VISIT] {
            let (ends, _) = explore(program, Some(victim), false);
            assert!(ends > 0);
        }
        for program in [VISITS, CALLS, OWN_VISIT] {
            let (ends, _) = explore(program, Some(victim), true);
            assert!(ends > 0);
        }
    }
}

#[test]
fn finishes_end_when_their_home_dies() {
    for program in [CHAIN, SMALL_TREE, VISIT, VISITS, CALLS, OWN_VISIT] {
        let (ends, losses) = explore(program, Some(ID.home), false);
        assert!(ends > 0 && losses > 0);
    }
}

#[test]
fn finishes_that_are_opened_after_a_death_end() {
    for dead in [1, 2] {
        for program in [EMPTY, HOME, CHAIN, SMALL_TREE, VISIT, VISITS, CALLS] {
            for holds in [false, true] {
                let state = State::new(3, Some(dead));
                let (ends, _) = explore_from(state, program, Some(dead), holds);
                assert!(ends > 0);
            }
        }
    }
}

#[test]
fn a_report_for_the_finish_of_another_home_is_ignored() {
    let mut home = Finishes::new(0, 2);
    let own = home.open();
    let other = FinishId { home: 1, ..own };
    let mut sent = Counts::default();
    sent.add(0, 1);
    let report = Report {
        sent,
        ..Report::default()
    };
    assert_eq!(home.receive_report(1, other, report), []);
    assert_eq!(home.end(own, None), [Action::Done(own.number, Ok(()))]);
}
