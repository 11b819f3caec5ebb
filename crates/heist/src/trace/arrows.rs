//! Arrows from the source of work to the place where it ran.

use super::collected::Thread;
use super::event::EventKind;
use super::slices::Stretch;
use std::collections::HashMap;

/// An arrow from a time on one thread to a time on another thread. Both ends of an arrow are within slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) name: &'static str,
    /// The number of the thread, and the time, at which the arrow begins.
    pub(super) from: (usize, u64),
    pub(super) to: (usize, u64),
}

/// The name of the arrows of thefts.
pub(super) const STEAL: &str = "steal";
/// The name of the arrows from the event that queued a suspending task to the task's next poll.
pub(super) const QUEUE: &str = "go on";

/// Returns the arrows between the threads. `stretches` contains the times at which each thread was
/// active.
pub(super) fn arrows(threads: &[Thread], stretches: &[Vec<Stretch>]) -> Vec<Arrow> {
    let of: HashMap<usize, &Vec<Stretch>> = threads
        .iter()
        .map(|thread| thread.number)
        .zip(stretches)
        .collect();
    let mut wanted: Vec<Arrow> = Vec::new();
    for thread in threads {
        let mut taken: Option<(usize, u64)> = None;
        for &(at, kind) in &thread.events {
            let to = (thread.number, at);
            match kind {
                EventKind::StoleFrame { victim } => taken = Some((victim.into(), at)),
                EventKind::FrameBegins { victim } => {
                    // If this thread did not steal the frame itself, another thread claimed the frame too late, and passed the frame on to
                    // this thread.
                    let from = taken
                        .take()
                        .filter(|&(from, _)| from == usize::from(victim));
                    wanted.push(Arrow {
                        name: STEAL,
                        from: from.unwrap_or((victim.into(), at)),
                        to,
                    });
                }
                EventKind::StoleTasks { victim, .. } => wanted.push(Arrow {
                    name: STEAL,
                    from: (victim.into(), at),
                    to,
                }),
                _ => {}
            }
        }
    }
    wanted.extend(of_tasks(threads));
    wanted
        .into_iter()
        .filter_map(|arrow| {
            let (from, at) = arrow.from;
            let from = (from, within(of.get(&from)?, at.min(arrow.to.1))?);
            let (to, at) = arrow.to;
            // The arrow must end within a slice, exactly at `at`.
            (within(of.get(&to)?, at)? == at).then_some(Arrow { from, ..arrow })
        })
        .collect()
}

/// Returns the arrows from the event that queued each task to the following poll.
fn of_tasks(threads: &[Thread]) -> Vec<Arrow> {
    // If a task was queued and polled at the same time, the queue event comes first.
    let mut all: Vec<(u64, bool, u64, usize)> = Vec::new();
    for thread in threads {
        for &(at, kind) in &thread.events {
            match kind {
                EventKind::Queued { task } => all.push((at, false, task, thread.number)),
                EventKind::PollBegins { task, .. } => all.push((at, true, task, thread.number)),
                _ => {}
            }
        }
    }
    all.sort_unstable();
    let mut queued: HashMap<u64, (usize, u64)> = HashMap::new();
    let mut arrows = Vec::new();
    for (at, polled, task, thread) in all {
        if !polled {
            queued.insert(task, (thread, at));
        } else if let Some(from) = queued.remove(&task) {
            arrows.push(Arrow {
                name: QUEUE,
                from,
                to: (thread, at),
            });
        }
    }
    arrows
}

/// Returns `at` if the thread was active at that time, and otherwise the last earlier moment at
/// which the thread was active.
fn within(stretches: &[Stretch], at: u64) -> Option<u64> {
    let after = stretches.partition_point(|stretch| stretch.begin <= at);
    let last = stretches[..after].last()?;
    Some(at.min(last.end - 1))
}
