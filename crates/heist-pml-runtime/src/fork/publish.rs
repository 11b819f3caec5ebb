//! Publishes forks: the answer of a worker to a request for work. `poll/join.rs` joins the published forks.
//!
//! A fork leaves no record other than its frame. When another worker has no work, a running worker walks over the frames of its strand,
//! from the newest frame to the frame of the newest published fork. The worker publishes the older half of the forks that it finds, the
//! oldest first. The worker replaces the return address into the frame of the newest published fork by a *return barrier*, the address of
//! code of the runtime. A return over the barrier sets the worker's poll, so the join in that frame calls the runtime. *Invariant*: while a
//! strand has published forks, a return barrier is at the frame of the newest published fork (`armed`), or the poll of the strand's worker
//! is set.
//!
//! If a fork can be published only during the last call of its left side, the fork's join contains no check. A worker that publishes such a
//! fork diverts the return of this call to the call's *landing*, the slow path of the join (`Strand::divert`).

use std::sync::Arc;

use crate::code::forks::Fork;
use crate::collect::promote;
use crate::collect::verify::verify_globals;
use crate::fork::barrier::disarm;
use crate::fork::tasks;
use crate::measure::trace;
use crate::process::ends::fatal;
use crate::protocol::job::Job;
use crate::state::strand::{Entry, Landing, Strand};
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::object::Value;
use crate::wait::lazy;

/// Number of frames between two marks (see `state/walk.rs`) that a walk sets while it finds no fork to publish.
const MARK_EVERY: u32 = 64;

/// Maximum number of published forks of a strand. Each published fork takes a few hundred bytes until its join. Without this limit, an
/// endless recursion would fill the memory before its stack is full.
const MANY: usize = 1 << 20;

/// A fork that a walk has found.
struct Candidate {
    frame: usize,
    place: usize,
    fork: u32,
    /// Slot of the address to which the frame's callee returns.
    slot: *mut usize,
    address: usize,
    /// The landing of the frame's call, or 0 if the fork's join itself checks whether the fork was published.
    landing: usize,
    /// Number of marks that are older than this frame.
    older: usize,
    marked: bool,
}

/// Answers a request for work: publishes the older half of the strand's unpublished forks. Returns true if it has published a fork.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame.
pub unsafe fn publish(worker: *mut Worker) -> bool {
    // SAFETY: `worker` is this thread's own, so only this thread writes to its strand, which has noted its newest frame: walks and
    // collections see all frames. No reference to the strand is kept across a call that makes another.
    unsafe {
        if (*worker).has_clones() {
            return tasks::publish(worker);
        }
        let world = (*worker).shared_world();
        let Some(pool) = world.started() else {
            return false;
        };
        if (*(*worker).strand).entries.len() >= MANY {
            return false;
        }
        let mut found = search(worker);
        if found.is_empty() {
            return false;
        }
        if !world.is_shared() {
            promote::begin_to_share(worker, &world);
            found = search(worker);
        }
        let mut all = arguments(&found, &world);
        if !share(worker, &found, &mut all, &world) {
            // A collection changes the arguments, and the marks that the walk has found.
            promote::promote_all(worker, (*worker).strand, &mut []);
            found = search(worker);
            all = arguments(&found, &world);
        }
        let strand = &mut *(*worker).strand;
        if world.options.stress && strand.is_program() {
            verify_globals(&world);
        }
        if strand.armed {
            disarm(worker, strand);
        }
        trace::note(&trace::PUBLISHED, found.len() as u64);
        for (candidate, args) in found.iter().rev().zip(all) {
            let mask = strand.mask(candidate.frame);
            let job = Job::new(candidate.fork, args, strand.around(candidate.frame)).below(mask);
            let depth = strand.depth(|masked, _| masked.frame > candidate.frame);
            let job = Arc::new(job.of_program(strand.program).in_transactions(depth));
            let queued = pool.push(job);
            let races = world.inner().forks.fork(candidate.fork).lazy;
            let race = if races {
                strand.entries.len() + 1
            } else {
                strand.entries.last().map_or(0, |entry| entry.race)
            };
            strand.entries.push(Entry {
                frame: candidate.frame,
                place: candidate.place,
                races,
                race,
                queued,
            });
            world.note_published();
            (*worker).stats.published += 1;
        }
        divert(strand, &mut found);
        let newest = &found[0];
        // If no compiled function is above that frame, its callee is the thunk that has called the runtime. The thunk returns over the
        // barrier immediately.
        strand.put_barrier(newest.slot, newest.address, newest.older, newest.marked);
        pool.told();
    }
    true
}

/// Sets marks that lead to landings, one mark for each frame whose newest fork is in `published` and has a landing. The newest fork comes
/// first in `published`. After the call, the entries of `published` describe the marks that exist then.
///
/// # Safety
/// The candidates must come from [`search`] of this strand, and the strand must not have run since then.
unsafe fn divert(strand: &mut Strand, published: &mut [Candidate]) {
    let mut added = 0;
    let mut landings = Vec::new();
    for candidate in published.iter_mut().rev() {
        let older = candidate.older;
        candidate.older += added;
        if candidate.landing == 0 {
            continue;
        }
        landings.push(Landing {
            older,
            marked: candidate.marked,
            address: candidate.landing,
        });
        if !candidate.marked {
            // SAFETY: the strand has not run since the search, so the slot still is the return address of a callee. The strand does not run
            // before its marks include the landing.
            unsafe { *candidate.slot = crate::state::walk::mark() };
            added += 1;
        }
        (candidate.marked, candidate.address) = (true, candidate.landing);
    }
    strand.divert(&landings);
}

/// Returns the forks to publish, the newest first: the older half of the forks that the strand has not published. If the strand would then
/// have more than [`MANY`] published forks, returns fewer forks.
///
/// # Safety
/// The worker must be the calling thread's own, and run a strand that has noted its newest frame. No reference to the strand may be in use.
unsafe fn search(worker: *mut Worker) -> Vec<Candidate> {
    // SAFETY: `worker` is this thread's own and runs the strand, so no other thread writes to it, and the caller holds no reference to it.
    let (strand, world) = unsafe { (&mut *(*worker).strand, (*worker).world()) };
    let inner = world.inner();
    strand.settle(strand.marks_used());
    let newest = strand.entries.last().map(|entry| entry.frame);
    let mut found: Vec<Candidate> = Vec::new();
    // The number of newer forks that `found` no longer has.
    let mut newer = 0;
    let (mut passed, mut frames, mut fresh) = (false, 0_u32, Vec::new());
    // SAFETY: the worker has noted the frame, and nothing else runs on this stack.
    let mut walk = unsafe { Walk::new((*worker).frame, strand.marks()) };
    while let Some(frame) = walk.next() {
        if frame.marked && walk.marks_left() < strand.searched {
            break;
        }
        let Some(site) = inner.frames.site(frame.address) else {
            fatal("internal error: a frame that is not known")
        };
        // If this walk finds no fork to publish, the next walk need not visit this frame again.
        frames += 1;
        passed |= frame.marked;
        if frames % MARK_EVERY == 0 && !passed {
            fresh.push((frame.slot, frame.address));
        }
        let reached = newest == Some(frame.pointer);
        if site.chain != 0 {
            let forks = &inner.forks.chain(site.chain).forks;
            // The forks that are older than the newest published fork are published, or were left out because a strand computes their lazy
            // values.
            let published = if reached {
                strand.entries.last().map_or(0, |entry| entry.place + 1)
            } else {
                0
            };
            for (place, fork) in forks.iter().enumerate().skip(published).rev() {
                // SAFETY: the site says that this fork is under way in the frame, which has not returned.
                if unsafe { is_idle(inner.forks.fork(*fork), frame.pointer) } {
                    continue;
                }
                found.push(Candidate {
                    frame: frame.pointer,
                    place,
                    fork: *fork,
                    slot: frame.slot,
                    address: frame.address,
                    landing: if place + 1 == forks.len() {
                        site.landing
                    } else {
                        0
                    },
                    older: walk.marks_left(),
                    marked: frame.marked,
                });
            }
            if found.len() >= 2 * MANY {
                // Only the oldest forks are published.
                newer += found.drain(..MANY).len();
            }
        }
        if reached {
            break;
        }
    }
    if found.is_empty() {
        for (slot, _) in &fresh {
            // SAFETY: the slot holds the return address of a frame of this strand, which does not run before its marks include that
            // address.
            unsafe { **slot = crate::state::walk::mark() };
        }
        let addresses: Vec<usize> = fresh.iter().map(|mark| mark.1).collect();
        strand.add_marks(&addresses);
        strand.searched = strand.marks_used();
    }
    let half = (newer + found.len()).div_ceil(2);
    let count = half.min(found.len()).min(MANY - strand.entries.len());
    found.drain(..found.len() - count);
    found
}

/// Returns true if a fork would compute a lazy value that some strand has already begun to compute.
///
/// # Safety
/// The left side of the fork must be running in the frame.
unsafe fn is_idle(fork: &Fork, frame: usize) -> bool {
    match &fork.args[..] {
        // SAFETY: the table says that the frame has the value there while the fork is under way.
        [(below, true)] if fork.lazy => unsafe {
            !lazy::is_delayed(Value(*((frame - below) as *const usize)))
        },
        _ => false,
    }
}

/// Returns the arguments of these forks, the oldest first.
///
/// # Safety
/// The candidates must come from [`search`]. Since then, the strand must not have run, and no collection may have happened.
unsafe fn arguments(found: &[Candidate], world: &World) -> Vec<Vec<usize>> {
    let oldest = found.iter().rev();
    oldest
        .map(|candidate| {
            let fork = world.inner().forks.fork(candidate.fork);
            let args = fork.args.iter();
            // SAFETY: the table says that the frame has a word there while the fork is under way.
            args.map(|(below, _)| unsafe { *((candidate.frame - below) as *const usize) })
                .collect()
        })
        .collect()
}

/// Promotes the arguments of forks by copying, so that other workers may see them. Returns false if some arguments cannot be copied.
///
/// # Safety
/// The worker must be the calling thread's own. `all` must hold the arguments of the candidates, as values. No object may
/// have moved since the caller read these arguments.
unsafe fn share(
    worker: *mut Worker,
    found: &[Candidate],
    all: &mut [Vec<usize>],
    world: &World,
) -> bool {
    let oldest = found.iter().rev();
    oldest.zip(all).all(|(candidate, args)| {
        let fork = world.inner().forks.fork(candidate.fork);
        let pointers = args
            .iter_mut()
            .zip(&fork.args)
            .filter(|(_, (_, pointer))| *pointer);
        // SAFETY: `worker` is this thread's own, and the table says which words of this thread's vectors are values.
        unsafe { promote::promote_by_copy(worker, pointers.map(|(word, _)| word)) }
    })
}
