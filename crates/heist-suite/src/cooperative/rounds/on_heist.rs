//! Runs each node as a Heist task that takes part in phasers.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use heist::sync::{Mode, Phaser, Registration};

use super::super::pools::{Form, Pools};
use super::{Local, Rounds, Step};

/// Runs a kernel whose nodes share one phaser as a barrier.
pub(super) fn run(form: Form, pools: &Pools, kernel: &impl Rounds) -> Result<(), String> {
    let lost = AtomicBool::new(false);
    pools.on_heist(form, kernel.nodes(), |scope| {
        let spawner = Phaser::new().register(Mode::SignalWait);
        for node in 0..kernel.nodes() {
            // Register the node before the spawn, so that the first round cannot end without this node.
            let place = Place::new(&lost, spawner.register(Mode::SignalWait));
            match form {
                Form::Async => scope.spawn_async(steps_async(kernel, node, place)),
                Form::Fiber => scope.spawn_fiber(move || steps(kernel, node, place)),
                Form::Blocking => scope.spawn(move |_| steps(kernel, node, place)),
            }
        }
    })
}

async fn steps_async(kernel: &impl Rounds, node: usize, mut place: Place<'_, Registration>) {
    for round in 0.. {
        if kernel.step(node, round) == Step::Done {
            return place.done();
        }
        place.part.next_async().await;
        if place.is_lost() {
            return;
        }
    }
}

fn steps(kernel: &impl Rounds, node: usize, mut place: Place<'_, Registration>) {
    for round in 0.. {
        if step(kernel, node, round) == Step::Done {
            return place.done();
        }
        place.part.next();
        if place.is_lost() {
            return;
        }
    }
}

/// Runs a step. This function is not inlined into code that may run on a fiber, because a step may use thread-local state.
#[inline(never)]
fn step(kernel: &impl Rounds, node: usize, round: usize) -> Step {
    kernel.step(node, round)
}

/// Runs a kernel whose nodes wait for their neighbours. Each node has a phaser. The node signals its phaser, and the node's neighbours wait
/// for this phaser.
pub(super) fn run_local(form: Form, pools: &Pools, kernel: &impl Local) -> Result<(), String> {
    let lost = AtomicBool::new(false);
    pools.on_heist(form, kernel.nodes(), |scope| {
        let ended: Vec<Registration> = (0..kernel.nodes())
            .map(|_| Phaser::new().register(Mode::Signal))
            .collect();
        // Register all nodes before the first spawn, because a party that registers later waits only for later rounds.
        let others: Vec<Vec<Registration>> = (0..kernel.nodes())
            .map(|node| {
                let others = kernel.neighbours(node);
                others
                    .map(|other| ended[other].phaser().register(Mode::Wait))
                    .collect()
            })
            .collect();
        for (node, (ended, others)) in ended.into_iter().zip(others).enumerate() {
            let place = Place::new(&lost, Near { ended, others });
            match form {
                Form::Async => scope.spawn_async(local_steps_async(kernel, node, place)),
                Form::Fiber => scope.spawn_fiber(move || local_steps(kernel, node, place)),
                Form::Blocking => scope.spawn(move |_| local_steps(kernel, node, place)),
            }
        }
    })
}

/// A node's registrations with its own phaser and with its neighbours' phasers.
struct Near {
    ended: Registration,
    others: Vec<Registration>,
}

async fn local_steps_async(kernel: &impl Local, node: usize, mut place: Place<'_, Near>) {
    for round in 0.. {
        if kernel.step(node, round) == Step::Done {
            return place.done();
        }
        place.part.ended.signal();
        for other in &mut place.part.others {
            other.next_async().await;
        }
        if place.is_lost() {
            return;
        }
    }
}

fn local_steps(kernel: &impl Local, node: usize, mut place: Place<'_, Near>) {
    for round in 0.. {
        if step(kernel, node, round) == Step::Done {
            return place.done();
        }
        place.part.ended.signal();
        for other in &mut place.part.others {
            other.next();
        }
        if place.is_lost() {
            return;
        }
    }
}

/// One node's membership in phasers. When the membership is dropped, the node leaves the phasers.
///
/// If the node is not done (because of a panic, or because its task could not begin), the drop first records that a node was lost. The
/// phaser's lock orders the record of the loss before the member leaves. So a task that continues because this member has left sees the
/// record. So all accesses to `lost` are relaxed.
struct Place<'a, P> {
    lost: &'a AtomicBool,
    done: bool,
    part: P,
}

impl<'a, P> Place<'a, P> {
    fn new(lost: &'a AtomicBool, part: P) -> Place<'a, P> {
        Place {
            lost,
            done: false,
            part,
        }
    }

    fn done(&mut self) {
        self.done = true;
    }

    /// Returns true if a node was lost. If a node was lost, all nodes must end.
    fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }
}

impl<P> Drop for Place<'_, P> {
    fn drop(&mut self) {
        if !self.done {
            self.lost.store(true, Relaxed);
        }
    }
}
