//! Runs tracks: the worker's side of work-first scopes.

use super::scope::Scope;
use super::track::{Report, Track, Tracks};
use crate::task::Header;
use crate::worker::{Place, WorkerLocal, WorkerThread, leave, local};
use std::ptr::{NonNull, null};

/// Continues a spawner that was taken from a deque, whose task runs on another thread.
pub(super) unsafe fn go_on(this: *mut Header) {
    let local = local();
    let Some(worker) = local.worker() else {
        unreachable!("tasks run on workers");
    };
    // SAFETY: taken from a deque or a queue by the caller, so that the track is this thread's.
    let track = unsafe { Track::of(this) };
    tell_others(worker, track.scope.get());
    track.joint.part();
    // SAFETY: the scope waits for the track, and is over before the one that can be cancelled.
    let entered = unsafe { worker.enter((*track.scope.get()).cancel_scope()) };
    // SAFETY: as above; it has stopped in its work.
    unsafe { drive(local, worker, NonNull::from(track)) };
    leave(entered);
}

/// Reports the end to a scope other than this one before the next job, which may take long.
pub(super) fn tell_others(worker: &WorkerThread, scope: *const Scope) {
    let (other, _) = worker.finished.get();
    if !other.is_null() && !std::ptr::eq(other, scope.cast()) {
        worker.flush();
    }
}

/// Runs a track and its spawns, until its work has ended or another thread continues it. This thread does
/// not leave the function during that time: it is below all tracks.
///
/// # Safety
/// The track is the caller's, and has work.
pub(super) unsafe fn drive(local: &WorkerLocal, worker: &WorkerThread, head: NonNull<Track>) {
    // What is below on this stack cannot stop while something runs on top of it.
    let fiber = local.fiber.replace(null());
    let below = local.track.get();
    let depth = worker.tracks.depth.get();
    let place = Place::here(local);
    let mut now = head;
    loop {
        // SAFETY: this thread's: the head by contract, others by the code below.
        let track = unsafe { now.as_ref() };
        // SAFETY: as above, and it has work.
        if let Some(child) = unsafe { track.resume(local, place) } {
            now = child;
            continue;
        }
        if local.worker().is_none() {
            // In a child of fork(), where the work has ended, and the caller says what there is to say.
            break;
        }
        if let (true, Report::Spawner(spawner)) = (now != head, track.report.get()) {
            local.track.set(below);
            if take_back(local, worker, spawner, track) {
                worker.tracks.depth.set(worker.tracks.depth.get() - 1);
                debug_assert!(track.joint.is_whole());
                // SAFETY: ended, and no task has parted from it, or a thief would have taken its spawner before.
                unsafe { Tracks::keep(worker, now) };
                // SAFETY: a reference to a track is not null.
                now = unsafe { NonNull::new_unchecked(spawner.cast_mut()) };
                continue;
            }
        }
        // No code on this thread waits for it: its spawner, if it has one, goes on elsewhere.
        if track.joint.close() {
            // SAFETY: ended, with all that it spawned.
            unsafe { report(local, worker, now) };
        }
        break;
    }
    worker.tracks.depth.set(depth);
    local.track.set(below);
    local.fiber.set(fiber);
}

/// Takes the spawner of the task that has ended on `track` back from the deque, after all above it. False if a thread
/// has taken it: then it may be running now, and only its address is known.
fn take_back(
    local: &WorkerLocal,
    worker: &WorkerThread,
    spawner: *const Track,
    track: &Track,
) -> bool {
    while let Some(task) = worker.pop_task(local, track.slot.get()) {
        // The header is a track's first field.
        if std::ptr::eq(task.cast_const().cast(), spawner) {
            return true;
        }
        // SAFETY: popped, so this thread alone has it. It was put there by what has run here, above the spawner: as
        // what a scope's home finds above its floor, or what a worker with nothing on its stack finds anywhere.
        unsafe { Header::execute(task) };
        if local.worker().is_none() {
            return false;
        }
        tell_others(worker, track.scope.get());
    }
    false
}

/// Reports the end of a track's work, and the ends of the tracks that waited only for it.
///
/// # Safety
/// The track is the caller's; it has ended, with all that it spawned.
unsafe fn report(local: &WorkerLocal, worker: &WorkerThread, mut ended: NonNull<Track>) {
    loop {
        // SAFETY: the caller's, or the code's below.
        let track = unsafe { ended.as_ref() };
        let (to, scope) = (track.report.get(), track.scope.get());
        // SAFETY: as above.
        unsafe { Tracks::keep(worker, ended) };
        match to {
            Report::Spawner(spawner) => {
                // SAFETY: it waits for this task.
                if !unsafe { (*spawner).joint.done() } {
                    return;
                }
                // SAFETY: a reference to a track is not null. It has ended, and this was the last it waited for.
                ended = unsafe { NonNull::new_unchecked(spawner.cast_mut()) };
            }
            Report::Task => {
                tell_others(worker, scope);
                // SAFETY: the scope waits for this task.
                unsafe { (*scope).count_done(local, worker) };
                return;
            }
            Report::Body => {
                // SAFETY: the scope waits for its body.
                unsafe { (*scope).body_done(worker) };
                return;
            }
        }
    }
}
