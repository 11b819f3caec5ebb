//! Runs tracks: the worker's side of work-first scopes.

use super::scope::Scope;
use super::track::{Report, Track, Tracks};
use crate::task::Header;
use crate::worker::{Place, WorkerLocal, WorkerThread, leave, local};
use std::ptr::{NonNull, null};

/// Continues a spawner that was taken from a deque, while its task runs on another thread.
pub(super) unsafe fn go_on(this: *mut Header) {
    let local = local();
    let Some(worker) = local.worker() else {
        unreachable!("tasks run on workers");
    };
    // SAFETY: the caller has taken the header from a deque or a queue, so the track is this thread's.
    let track = unsafe { Track::of(this) };
    tell_others(worker, track.scope.get());
    track.joint.part();
    // SAFETY: the scope waits for the track, and ends before its cancel scope does.
    let entered = unsafe { worker.enter((*track.scope.get()).cancel_scope()) };
    // SAFETY: the track belongs to this thread, and has stopped in the middle of its work.
    unsafe { drive(local, worker, NonNull::from(track)) };
    leave(entered);
}

/// Reports the finished tasks of all scopes except `scope`. A worker reports finished tasks before its next job, because the next job may
/// take long.
pub(super) fn tell_others(worker: &WorkerThread, scope: *const Scope) {
    let (other, _) = worker.finished.get();
    if !other.is_null() && !std::ptr::eq(other, scope.cast()) {
        worker.flush();
    }
}

/// Runs a track, and the tracks of the tasks that it spawns, until the track's work has ended or another
/// thread continues the track. This function itself stays on the thread's own stack, below all tracks.
///
/// # Safety
/// The track must belong to the caller, and must have work.
pub(super) unsafe fn drive(local: &WorkerLocal, worker: &WorkerThread, head: NonNull<Track>) {
    // The fiber below on this stack cannot stop while code runs on top of it.
    let fiber = local.fiber.replace(null());
    let below = local.track.get();
    let depth = worker.tracks.depth.get();
    let place = Place::here(local);
    let mut now = head;
    loop {
        // SAFETY: the track belongs to this thread: the first track by contract, and each later
        // track because of the code below.
        let track = unsafe { now.as_ref() };
        // SAFETY: the track belongs to this thread, and has work.
        if let Some(child) = unsafe { track.resume(local, place) } {
            now = child;
            continue;
        }
        if local.worker().is_none() {
            // This process is a child of fork(), in which the work has ended. The caller reports the error.
            break;
        }
        if let (true, Report::Spawner(spawner)) = (now != head, track.report.get()) {
            local.track.set(below);
            if take_back(local, worker, spawner, track) {
                worker.tracks.depth.set(worker.tracks.depth.get() - 1);
                debug_assert!(track.joint.is_whole());
                // SAFETY: the track has ended. No task has parted from it: a thief takes the oldest entry first, so a thief would have
                // taken the spawner before this track.
                unsafe { Tracks::keep(worker, now) };
                // SAFETY: the spawner is a track, so the pointer is not null.
                now = unsafe { NonNull::new_unchecked(spawner.cast_mut()) };
                continue;
            }
        }
        // No code on this thread waits for the track: its spawner, if it has one, continues on another
        // thread.
        if track.joint.close() {
            // SAFETY: the track has ended, with all tasks that it spawned.
            unsafe { report(local, worker, now) };
        }
        break;
    }
    worker.tracks.depth.set(depth);
    local.track.set(below);
    local.fiber.set(fiber);
}

/// Runs all entries of the deque above the spawner of the task that has ended on `track`, and then takes the spawner
/// back. Returns false if another thread has taken the spawner. The spawner may then be running, and this thread may
/// use only its address.
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
        // SAFETY: the task was popped, so only this thread has it. Code that ran on top of this `drive`, after the
        // spawner was pushed, has pushed the task, so it may run on this stack: a home may run tasks above its
        // scope's floor, and a worker with an empty stack may run any task.
        unsafe { Header::execute(task) };
        if local.worker().is_none() {
            return false;
        }
        tell_others(worker, track.scope.get());
    }
    false
}

/// Reports the end of a track's work to its spawner or scope. If the spawner waited only for this end, reports the end of the spawner's
/// track as well, and continues with the spawner of that track.
///
/// # Safety
/// The track must belong to the caller. The track's work and all tasks that this work spawned must have ended.
unsafe fn report(local: &WorkerLocal, worker: &WorkerThread, mut ended: NonNull<Track>) {
    loop {
        // SAFETY: the first track belongs to the caller by contract, and each later track belongs
        // to this thread because of the code below.
        let track = unsafe { ended.as_ref() };
        let (to, scope) = (track.report.get(), track.scope.get());
        // SAFETY: the track belongs to this thread, and has ended.
        unsafe { Tracks::keep(worker, ended) };
        match to {
            Report::Spawner(spawner) => {
                // SAFETY: the spawner waits for this task.
                if !unsafe { (*spawner).joint.done() } {
                    return;
                }
                // SAFETY: the spawner is a track, so the pointer is not null. The spawner has ended, and this task was
                // the last for which it waited, so the spawner now belongs to this thread.
                ended = unsafe { NonNull::new_unchecked(spawner.cast_mut()) };
            }
            Report::Task => {
                tell_others(worker, scope);
                // SAFETY: the scope waits for this task.
                unsafe { (*scope).count_done(local, worker) };
                return;
            }
            Report::Body => {
                // SAFETY: the scope waits for its body, and so exists until this report.
                unsafe { (*scope).body_done(worker) };
                return;
            }
        }
    }
}
