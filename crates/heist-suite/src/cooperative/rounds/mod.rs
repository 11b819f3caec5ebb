//! Programs in rounds: there is one task for each node, and all tasks run in lock step.
//!
//! A kernel defines what a node does in a round ([`Rounds`]). An entrant spawns a task for each node. The task runs the node's steps.
//! Between two steps, the task waits for all other nodes ([`run`]) or only for the node's neighbours ([`run_local`]). The kernel is the
//! same for all entrants.
//!
//! Nodes end in different rounds. Heist's tasks use a phaser, from which a task can drop out. A node cannot leave `std::sync::Barrier` or
//! `tokio::sync::Barrier`: a node that is done would have to take part in every round until the last node is done. Each round after the
//! node's last step would cost the node a useless wake-up. So this module has two barriers that nodes can leave, one for threads and one
//! for Tokio. Each barrier has the same parts as the original barrier: a lock and a condition variable for threads, and a lock and a
//! `watch` for Tokio. Rayon instead runs a parallel loop over all nodes in each round: no task waits, and no node has a task of its own.

mod board;
mod on_heist;
mod on_threads;
mod on_tokio;
mod tally;

use std::sync::Arc;

use rayon::prelude::*;

use super::entrant::Entrant;
use super::pools::{Form, Pools};

pub use board::{Board, Vote};

/// The decision of a node to continue or to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The node takes part in the next round.
    Again,
    /// The node leaves, because this step was its last step.
    Done,
}

/// A kernel: the work of each node in each round.
///
/// The executor calls `step(node, 0)`, `step(node, 1)`, ... for each node, until a step returns [`Step::Done`]. A step begins after all
/// steps of the previous round have ended, and sees the writes of these steps. The steps of one round may run at the same time. A step
/// never waits.
pub trait Rounds: Send + Sync + 'static {
    /// Returns the number of nodes.
    fn nodes(&self) -> usize;

    /// Runs the step of `node` in `round`.
    fn step(&self, node: usize, round: usize) -> Step;
}

/// A kernel in which each node needs only the results of its neighbours' previous steps.
pub trait Local: Rounds {
    /// Returns the nodes that must have ended a round before `node` begins the next round. If `a` is a neighbour of `b`, then `b`
    /// must be a neighbour of `a`. So neighbours are never more than one round apart.
    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize>;
}

/// Runs a kernel to its end, with a barrier of all nodes between rounds.
///
/// # Errors
/// Returns a one-line error if the entrant cannot run this number of nodes.
///
/// # Panics
/// Panics if a step panics. If a step panics, no node waits forever.
pub fn run<K: Rounds>(who: Entrant, pools: &Pools, kernel: &Arc<K>) -> Result<(), String> {
    match who {
        Entrant::Serial => serial(&**kernel),
        Entrant::HeistAsync => return on_heist::run(Form::Async, pools, &**kernel),
        Entrant::HeistFiber => return on_heist::run(Form::Fiber, pools, &**kernel),
        Entrant::HeistBlocking => return on_heist::run(Form::Blocking, pools, &**kernel),
        Entrant::Threads => return on_threads::run(&**kernel),
        Entrant::Tokio => on_tokio::run(pools, kernel),
        Entrant::Rayon => pools.on_rayon(|| rayon(&**kernel)),
    }
    Ok(())
}

/// Runs a kernel to its end. Each node waits only for its neighbours.
///
/// # Errors
/// Returns the same errors as [`run`]. Rayon always returns an error, because its parallel loops wait for all nodes.
///
/// # Panics
/// Panics like [`run`].
pub fn run_local<K: Local>(who: Entrant, pools: &Pools, kernel: &Arc<K>) -> Result<(), String> {
    match who {
        Entrant::Serial => serial(&**kernel),
        Entrant::HeistAsync => return on_heist::run_local(Form::Async, pools, &**kernel),
        Entrant::HeistFiber => return on_heist::run_local(Form::Fiber, pools, &**kernel),
        Entrant::HeistBlocking => return on_heist::run_local(Form::Blocking, pools, &**kernel),
        Entrant::Threads => return on_threads::run_local(&**kernel),
        Entrant::Tokio => on_tokio::run_local(pools, kernel),
        Entrant::Rayon => return Err("rayon: its tasks cannot wait for neighbours".to_owned()),
    }
    Ok(())
}

fn serial(kernel: &impl Rounds) {
    let mut nodes: Vec<usize> = (0..kernel.nodes()).collect();
    for round in 0.. {
        nodes.retain(|&node| kernel.step(node, round) == Step::Again);
        if nodes.is_empty() {
            return;
        }
    }
}

fn rayon(kernel: &impl Rounds) {
    let mut nodes: Vec<usize> = (0..kernel.nodes()).collect();
    for round in 0.. {
        nodes = nodes
            .into_par_iter()
            .filter(|&node| kernel.step(node, round) == Step::Again)
            .collect();
        if nodes.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
