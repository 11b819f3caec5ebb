//! Major collections, for which one worker stops all other workers and collects all generations.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::collect::minor::{empty, minor};
use crate::collect::team::Team;
use crate::collect::verify::verify;
use crate::measure::trace;
use crate::state::ready;
use crate::state::worker::Worker;
use crate::state::world::{FIRST_THRESHOLD, World};

/// Major collections count as rare if the time between two major collections is more than `RARE` times the duration of the second
/// collection.
const RARE: u32 = 8;

/// Collects the worker's young generation. Collects all generations if `all` is set or if a major collection is due. Returns true if the
/// heap is still over its limit: then the caller must call `Worker::exhausted`.
///
/// # Safety
/// The worker must be the calling thread's own. The worker must count as running, unless it belongs to no running program. If the worker
/// runs a strand, the strand must have noted its newest frame. No reference to the worker or to a young object may be in use.
#[must_use]
pub unsafe fn collect(worker: *mut Worker, all: bool) -> bool {
    // SAFETY: `worker` is this thread's own, and its strand has noted its newest frame. Other threads write to this worker only while it is
    // stopped in this function, and this function keeps no reference to it across a stop.
    unsafe {
        let world = (*worker).shared_world();
        let stress = world.options.stress;
        // A major collection also evacuates young generations.
        if !all {
            minor(worker, (*worker).strand, &mut []);
        }
        let often = stress && ((*worker).is_flat() || (*worker).stats.minor % 7 == 6);
        let over = world.heap().is_over();
        if all || often || over || world.is_due() {
            let begin = Instant::now();
            everything(worker, &world);
            (*worker).stats.global(begin);
        }
        if stress && world.stop() {
            verify(&world);
            world.resume();
        }
        world.heap().is_over()
    }
}

/// Stops all workers and collects all generations. If another worker stops this worker first, this function waits until that stop ends and
/// returns without its own collection. The caller then checks whether the other worker's collection has freed enough memory.
///
/// # Safety
/// The worker must be the calling thread's own, and its strand must have noted its newest frame. No reference to the worker or to an object
/// may be in use.
unsafe fn everything(worker: *mut Worker, world: &World) {
    let begin = Instant::now();
    if !world.stop() {
        return;
    }
    // SAFETY: `stop` has stopped all other workers until `resume`, and `worker` is this thread's own.
    unsafe {
        world.heap().open_reserve();
        trace::begins(&trace::MAJOR, 0);
        let before = (*worker).stats.major_bytes;
        if let Some(profile) = &world.heap_profile {
            profile.before_major(world);
        }
        let full = major(world, worker);
        trace::ends((*worker).stats.major_bytes - before);
        world.heap().close_reserve();
        world.each_worker(|each| {
            empty(each, each == worker);
            ready::settle(each);
        });
        drop_unreached(world);
        if full {
            (*worker).out_of_memory();
        }
    }
    if let Some(profile) = &world.heap_profile {
        profile.rest(begin.elapsed());
    }
    world.resume();
}

/// Drops the parked threads that cannot be reached.
///
/// # Safety
/// All other workers must be stopped, and a major collection must have ended.
unsafe fn drop_unreached(world: &World) {
    let Some(pool) = world.started() else {
        return;
    };
    if !world.threads.are_used() {
        return;
    }
    let mut dropped = Vec::new();
    world.each_strand(|strand| {
        // SAFETY: all other workers are stopped.
        unsafe {
            if std::mem::take(&mut (*strand).weak) && !(*strand).reached.load(Ordering::Relaxed) {
                dropped.push(strand);
            }
        }
    });
    for strand in dropped {
        // SAFETY: all workers are stopped. The strand is parked, and its object was not reached, so no permit is left for it and it never
        // runs again.
        unsafe { pool.drop_parked(strand) };
    }
}

/// Collects all generations. Returns true if the heap was too small.
///
/// # Safety
/// All other workers must be stopped, and each stopped strand must have noted its newest frame. The worker must be the calling thread's
/// own.
unsafe fn major(world: &World, worker: *mut Worker) -> bool {
    let begin = Instant::now();
    let from = world.heap().flip();
    // SAFETY: all other workers are stopped until this function has returned.
    let counts = unsafe {
        let team = Team::new(world);
        world.work_together(&team);
        team.counts()
    };
    // SAFETY: `worker` is this thread's own. The members of the team, which use workers too, have left.
    let stats = unsafe { &mut (*worker).stats };
    stats.major_bytes += counts.copied;
    stats.frames += counts.frames;
    stats.major_most += counts.most;
    // If the heap was too small, the collection may have missed live objects, so the profile keeps its data from before the collection.
    let profile = world.heap_profile.as_ref().filter(|_| !counts.full);
    if let Some(profile) = profile {
        // SAFETY: all other workers are stopped, and the memory that the collection has left is freed below.
        unsafe { profile.after_major(world) };
    }
    let mut strands = 0;
    world.each_strand(|strand| {
        // SAFETY: all other workers are stopped.
        unsafe {
            let frame = (*strand).newest_frame();
            if let Some(stack) = &(*strand).stack {
                stack.release(frame);
            }
            // Parked threads that the collection has not reached do not count, because `drop_unreached` drops them after the collection.
            if !(*strand).weak || (*strand).reached.load(Ordering::Relaxed) {
                strands += (*strand).packed_bytes();
            }
        }
    });
    let mut heap = world.heap();
    heap.leave(&from);
    let live = heap.old_bytes();
    if let Some(profile) = profile {
        profile.snapshot_all(live);
    }
    // Parallel computations keep their objects at the same time, whereas a single worker would make these objects one after the other. So
    // while major collections are rare, a large heap grows by a smaller share before the next major collection.
    let (pause, between) = (begin.elapsed(), begin - world.inner().collected);
    let part = if pause * RARE < between { 40 } else { 75 };
    let growth = |live: usize| {
        if world.is_shared() {
            live.min(FIRST_THRESHOLD.max(live / 100 * part))
        } else {
            live
        }
    };
    // A collection also scans the frames of all strands, which are a part of the program's memory. So the heap may also grow by the size of
    // the frames, but not beyond half of its limit, because the copies of the next collection need the other half.
    let with_strands = (live + growth(live + strands)).min(heap.limit() / 2);
    let threshold = (live + growth(live)).max(with_strands).max(FIRST_THRESHOLD);
    // SAFETY: all other workers are stopped.
    let inner = unsafe { world.inner_mut() };
    (inner.threshold, inner.collected) = (threshold, Instant::now());
    // Keep the memory that will be needed until the next major collection, and the memory into which that collection will copy.
    heap.release(threshold);
    stats.major += 1;
    counts.full
}
