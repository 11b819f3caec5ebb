//! Runs each node on a system thread of its own.

use std::sync::{Condvar, Mutex};

use super::super::pools::on_threads;
use super::tally::Tally;
use super::{Local, Rounds, Step};

/// Runs a kernel whose nodes share one barrier.
pub(super) fn run(kernel: &impl Rounds) -> Result<(), String> {
    let barrier = Barrier::new(kernel.nodes());
    on_threads((0..kernel.nodes()).map(|node| {
        let place = Place {
            barrier: &barrier,
            done: false,
        };
        move || {
            let mut place = place;
            for round in 0.. {
                if kernel.step(node, round) == Step::Done {
                    place.done = true;
                    return;
                }
                if !place.wait() {
                    return;
                }
            }
        }
    }))
}

/// A barrier like `std::sync::Barrier` that a participant can leave.
struct Barrier {
    state: Mutex<State>,
    turned: Condvar,
}

struct State {
    tally: Tally,
    round: usize,
    /// True if a node was lost. If a node was lost, all nodes must end.
    lost: bool,
}

impl Barrier {
    fn new(nodes: usize) -> Barrier {
        Barrier {
            state: Mutex::new(State {
                tally: Tally::new(nodes),
                round: 0,
                lost: false,
            }),
            turned: Condvar::new(),
        }
    }

    fn turn(&self, state: &mut State) {
        state.round += 1;
        self.turned.notify_all();
    }
}

/// One node's membership in the barrier. When the membership is dropped, the node leaves the barrier.
struct Place<'a> {
    barrier: &'a Barrier,
    /// True if the node leaves because it is done. False if the node leaves because of a panic, or because no thread could be started for
    /// it.
    done: bool,
}

impl Place<'_> {
    /// Waits until all nodes have arrived. Returns false if a node was lost.
    fn wait(&self) -> bool {
        let barrier = self.barrier;
        let mut state = barrier.state.lock().expect("no panic under the lock");
        let round = state.round;
        if state.tally.arrive() {
            barrier.turn(&mut state);
            return !state.lost;
        }
        let state = barrier
            .turned
            .wait_while(state, |state| state.round == round && !state.lost)
            .expect("no panic under the lock");
        !state.lost
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.barrier.state.lock().expect("no panic under the lock");
        state.lost |= !self.done;
        if state.tally.leave() || state.lost {
            self.barrier.turn(&mut state);
        }
    }
}

/// Runs a kernel whose nodes wait for their neighbours.
pub(super) fn run_local(kernel: &impl Local) -> Result<(), String> {
    let progress: Vec<Progress> = (0..kernel.nodes()).map(|_| Progress::default()).collect();
    on_threads((0..kernel.nodes()).map(|node| {
        let ended = Ended(&progress[node]);
        let progress = &progress;
        move || {
            let ended = ended;
            let neighbours: Vec<usize> = kernel.neighbours(node).collect();
            for round in 0.. {
                if kernel.step(node, round) == Step::Done {
                    ended.0.set(Rounded::ALL);
                    return;
                }
                ended.0.set(Rounded(round + 1));
                if !neighbours
                    .iter()
                    .all(|&other| progress[other].reaches(round + 1))
                {
                    return;
                }
            }
        }
    }))
}

/// The number of rounds that a node has ended, or a value that says why the node takes part in no more rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rounded(usize);

impl Rounded {
    /// The value for a node that is done.
    const ALL: Rounded = Rounded(usize::MAX);
    /// The value for a node that ended before it was done. This value is larger than any count of rounds, so that no node waits for a node
    /// with this value.
    const LOST: Rounded = Rounded(usize::MAX - 1);
}

#[derive(Default)]
struct Progress {
    rounds: Mutex<Rounded>,
    changed: Condvar,
}

impl Progress {
    fn set(&self, rounds: Rounded) {
        *self.rounds.lock().expect("no panic under the lock") = rounds;
        self.changed.notify_all();
    }

    /// Waits until the node has ended `rounds` rounds. Returns false if the node was lost.
    fn reaches(&self, rounds: usize) -> bool {
        let now = self.rounds.lock().expect("no panic under the lock");
        let now = self
            .changed
            .wait_while(now, |now| now.0 < rounds)
            .expect("no panic under the lock");
        *now != Rounded::LOST
    }
}

/// A guard. If the guard's node ends before it is done, the guard informs the node's neighbours.
struct Ended<'a>(&'a Progress);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let now = *self.0.rounds.lock().expect("no panic under the lock");
        if now != Rounded::ALL {
            self.0.set(Rounded::LOST);
        }
    }
}
