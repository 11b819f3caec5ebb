//! Runs each node as a Tokio task.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::super::pools::Pools;
use super::tally::Tally;
use super::{Local, Rounds, Step};

/// Runs a kernel whose nodes share one barrier.
pub(super) fn run<K: Rounds>(pools: &Pools, kernel: &Arc<K>) {
    let kernel = Arc::clone(kernel);
    pools.on_tokio(async move {
        let barrier = Arc::new(Barrier::new(kernel.nodes()));
        let tasks: Vec<JoinHandle<()>> = (0..kernel.nodes())
            .map(|node| {
                let (kernel, place) = (Arc::clone(&kernel), Place::new(&barrier));
                tokio::spawn(steps(kernel, node, place))
            })
            .collect();
        all(tasks).await;
    });
}

async fn steps<K: Rounds>(kernel: Arc<K>, node: usize, mut place: Place) {
    for round in 0.. {
        if kernel.step(node, round) == Step::Done {
            place.done = true;
            return;
        }
        if !place.wait().await {
            return;
        }
    }
}

/// Waits for all tasks.
///
/// # Panics
/// Panics if a task panicked.
async fn all(tasks: Vec<JoinHandle<()>>) {
    for task in tasks {
        if let Err(error) = task.await {
            resume_unwind(error.into_panic());
        }
    }
}

/// A barrier like `tokio::sync::Barrier` that a participant can leave.
struct Barrier {
    tally: Mutex<Tally>,
    turn: watch::Sender<Turn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Next,
    /// A node was lost, and all nodes must end.
    Lost,
}

impl Barrier {
    fn new(nodes: usize) -> Barrier {
        Barrier {
            tally: Mutex::new(Tally::new(nodes)),
            turn: watch::Sender::new(Turn::Next),
        }
    }

    fn turn(&self) {
        // This call does not change the value: after `Lost`, the value stays `Lost` forever.
        self.turn.send_modify(|_| ());
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("no panic under the lock")
    }
}

/// One node's membership in the barrier. When the membership is dropped, the node leaves the barrier.
struct Place {
    barrier: Arc<Barrier>,
    /// The receiver of turns. Receives a notification each time the barrier opens.
    turned: watch::Receiver<Turn>,
    /// True if the node leaves because it is done. False if the node leaves because of a panic.
    done: bool,
}

impl Place {
    fn new(barrier: &Arc<Barrier>) -> Place {
        Place {
            turned: barrier.turn.subscribe(),
            barrier: Arc::clone(barrier),
            done: false,
        }
    }

    /// Waits until all nodes have arrived. Returns false if a node was lost.
    async fn wait(&mut self) -> bool {
        // A node may have been lost before this node subscribed.
        if *self.turned.borrow() == Turn::Lost {
            return false;
        }
        let last = self.barrier.lock().arrive();
        if last {
            self.barrier.turn();
        }
        // The last node to arrive sees the turn that it has made itself, and does not wait.
        let turned = self.turned.changed().await;
        turned.expect("the barrier, which this holds, has the sender");
        *self.turned.borrow() != Turn::Lost
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let last = self.barrier.lock().leave();
        if !self.done {
            self.barrier.turn.send_replace(Turn::Lost);
        } else if last {
            self.barrier.turn();
        }
    }
}

/// Runs a kernel whose nodes wait for their neighbours.
pub(super) fn run_local<K: Local>(pools: &Pools, kernel: &Arc<K>) {
    let kernel = Arc::clone(kernel);
    pools.on_tokio(async move {
        let progress: Vec<watch::Sender<usize>> =
            (0..kernel.nodes()).map(|_| watch::Sender::new(0)).collect();
        let neighbours: Vec<Vec<watch::Receiver<usize>>> = (0..kernel.nodes())
            .map(|node| {
                let others = kernel.neighbours(node);
                others.map(|other| progress[other].subscribe()).collect()
            })
            .collect();
        let tasks: Vec<JoinHandle<()>> = progress
            .into_iter()
            .zip(neighbours)
            .enumerate()
            .map(|(node, (ended, others))| {
                tokio::spawn(local_steps(Arc::clone(&kernel), node, ended, others))
            })
            .collect();
        all(tasks).await;
    });
}

async fn local_steps<K: Local>(
    kernel: Arc<K>,
    node: usize,
    ended: watch::Sender<usize>,
    mut others: Vec<watch::Receiver<usize>>,
) {
    for round in 0.. {
        if kernel.step(node, round) == Step::Done {
            ended.send_replace(usize::MAX);
            return;
        }
        ended.send_replace(round + 1);
        for other in &mut others {
            // If the wait returns an error, the neighbour ended before it was done.
            if other.wait_for(|&rounds| rounds > round).await.is_err() {
                return;
            }
        }
    }
}
