use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use super::*;

/// A kernel in which node `v` takes `1 + v % leaving` steps. Every step checks how many steps the other nodes have taken.
struct Lockstep {
    steps: Vec<AtomicUsize>,
    leaving: usize,
    /// Two nodes are neighbours if their numbers differ by at most `reach`. If `reach` is the number of nodes, all nodes are
    /// neighbours.
    reach: usize,
    panics: Option<(usize, usize)>,
}

impl Lockstep {
    fn new(nodes: usize, leaving: usize, reach: usize) -> Lockstep {
        Lockstep {
            steps: (0..nodes).map(|_| AtomicUsize::new(0)).collect(),
            leaving,
            reach,
            panics: None,
        }
    }

    fn rounds(&self, node: usize) -> usize {
        1 + node % self.leaving
    }

    fn check(&self) {
        for (node, steps) in self.steps.iter().enumerate() {
            assert_eq!(steps.load(SeqCst), self.rounds(node), "node {node}");
        }
    }
}

impl Rounds for Lockstep {
    fn nodes(&self) -> usize {
        self.steps.len()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        assert_ne!(self.panics, Some((node, round)), "as planned");
        assert_eq!(self.steps[node].fetch_add(1, SeqCst), round);
        for other in self.neighbours(node) {
            let steps = self.steps[other].load(SeqCst);
            let least = round.min(self.rounds(other));
            assert!(
                least <= steps && steps <= round + 1,
                "{other} took {steps} steps when {node} was in round {round}"
            );
        }
        if round + 1 == self.rounds(node) {
            Step::Done
        } else {
            Step::Again
        }
    }
}

impl Local for Lockstep {
    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> {
        let near = node.saturating_sub(self.reach)..self.nodes().min(node + self.reach + 1);
        near.filter(move |&other| other != node)
    }
}

#[test]
fn in_lock_step_until_the_last_leaves() {
    for workers in [1, 2, 5] {
        let pools = Pools::new(workers).unwrap();
        for (nodes, leaving) in [(1, 1), (2, 2), (60, 7), (200, 60), (33, 1)] {
            for &who in Entrant::ALL {
                let kernel = Arc::new(Lockstep::new(nodes, leaving, nodes));
                run(who, &pools, &kernel).unwrap();
                kernel.check();
            }
            for &who in Entrant::WAITING {
                for reach in [0, 1, 3] {
                    let kernel = Arc::new(Lockstep::new(nodes, leaving, reach));
                    run_local(who, &pools, &kernel).unwrap();
                    kernel.check();
                }
            }
        }
    }
}

#[test]
fn a_panic_leaves_nobody_waiting() {
    let pools = Pools::new(2).unwrap();
    for at in [(0, 0), (5, 3), (49, 9), (7, 7)] {
        let kernel = || {
            Arc::new(Lockstep {
                panics: Some(at),
                ..Lockstep::new(50, 10, 1)
            })
        };
        for &who in Entrant::ALL {
            let run = catch_unwind(AssertUnwindSafe(|| run(who, &pools, &kernel())));
            assert!(run.is_err(), "{who}");
        }
        for &who in Entrant::WAITING {
            let run = catch_unwind(AssertUnwindSafe(|| run_local(who, &pools, &kernel())));
            assert!(run.is_err(), "{who}");
        }
    }
    // The pools still work after the panic.
    for &who in Entrant::ALL {
        let kernel = Arc::new(Lockstep::new(50, 10, 50));
        run(who, &pools, &kernel).unwrap();
        kernel.check();
    }
}

/// A kernel whose last node ends before it is done. If the executor did not handle the early end, the other nodes would wait forever.
struct Orphans;

impl Rounds for Orphans {
    fn nodes(&self) -> usize {
        20
    }

    fn step(&self, node: usize, round: usize) -> Step {
        assert_ne!((node, round), (19, 3), "as planned");
        Step::Again
    }
}

impl Local for Orphans {
    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> {
        let near = node.saturating_sub(1)..self.nodes().min(node + 2);
        near.filter(move |&other| other != node)
    }
}

#[test]
fn a_panic_ends_entrants_that_wait_for_news() {
    let pools = Pools::new(2).unwrap();
    for &who in Entrant::ALL {
        let run = catch_unwind(AssertUnwindSafe(|| run(who, &pools, &Arc::new(Orphans))));
        assert!(run.is_err(), "{who}");
    }
    for &who in Entrant::WAITING {
        let run = catch_unwind(AssertUnwindSafe(|| {
            run_local(who, &pools, &Arc::new(Orphans))
        }));
        assert!(run.is_err(), "{who}");
    }
}

#[test]
fn too_many_threads_are_refused() {
    let pools = Pools::new(1).unwrap();
    let kernel = Arc::new(Lockstep::new(8193, 1, 0));
    for (who, name) in [
        (Entrant::Threads, "threads"),
        (Entrant::HeistBlocking, "blocking"),
    ] {
        let must = format!("{name}: 8193 tasks may need a thread each, which are more than 8192");
        assert_eq!(run(who, &pools, &kernel), Err(must.clone()));
        assert_eq!(run_local(who, &pools, &kernel), Err(must));
    }
    let error = run_local(Entrant::Rayon, &pools, &kernel).unwrap_err();
    assert!(error.starts_with("rayon: "), "{error}");
}

#[test]
fn blocking_goes_on_after_its_spare_threads_have_ended() {
    let mut pools = Pools::new(2).unwrap();
    for _ in 0..2 {
        let kernel = Arc::new(Lockstep::new(50, 5, 50));
        run(Entrant::HeistBlocking, &pools, &kernel).unwrap();
        kernel.check();
        let spares = |pools: &Pools| pools.heist(Form::Blocking).unwrap().counters().handovers;
        assert_ne!(spares(&pools), 0);
        pools.end_spare_threads().unwrap();
        assert_eq!(spares(&pools), 0, "a new pool");
    }
}

#[test]
fn boards_show_the_last_round() {
    let board = Board::new(2, 7);
    board.set(1, 9);
    assert_eq!((board.read(0, 0), board.read(0, 1)), (7, 9));
    board.write(0, 0, 1);
    assert_eq!((board.read(0, 0), board.read(1, 0)), (7, 1));
    board.write(1, 0, 2);
    assert_eq!((board.read(1, 0), board.read(2, 0)), (1, 2));
    board.fill(3);
    assert_eq!(board.last(), [3, 3]);
}

#[test]
fn votes_last_a_round() {
    let vote = Vote::default();
    vote.raise(0);
    vote.reset();
    assert!(vote.any(0));
    for round in 0..10 {
        vote.clear_next(round);
        if round % 3 == 1 {
            vote.raise(round);
        }
        assert_eq!(vote.any(round), round == 0 || round % 3 == 2);
    }
}
