//! Tasks of a scope.

use super::Finish;
use super::drive::{drive, tell_others};
use super::label::Place;
use super::scope::Scope;
use super::track::{Job, Launch, Report, Track, Tracks, start};
use crate::cancel;
use crate::task::{Header, Node, free_node};
use crate::worker::{WorkerLocal, WorkerThread, leave, local, local_now};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null};

/// The state of a task in addition to its closure.
struct Meta {
    scope: *const Scope,
    place: Place,
}

#[inline]
pub(super) fn spawn<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    #[cfg(feature = "tracing")]
    if crate::spans::are_watched() {
        return spawn_in_span(handle, work);
    }
    spawn_here(handle, work);
}

/// Spawns a task that runs inside of the current span of `tracing`.
#[cfg(feature = "tracing")]
#[cold]
#[inline(never)]
fn spawn_in_span<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    // A task on a track may continue on another thread after each of its own spawns. A span that the task has entered
    // would stay on the first thread, and other code on that thread would be inside of it.
    let stays = !handle.scope().policy().needs_fibers();
    match stays.then(crate::spans::current).flatten() {
        None => spawn_here(handle, work),
        Some(span) => spawn_here(handle, move |f: &Finish<'scope>| span.in_scope(|| work(f))),
    }
}

#[inline]
fn spawn_here<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    match handle.at_home() {
        Some(local) => {
            let place = handle.next_place_at_home();
            let (scope, worker) = (handle.scope(), local.worker());
            let node = node(worker, scope, place, work, run::<'scope, F>);
            scope.accept(local, worker, node);
        }
        // The switch is inlined into the caller's code: a processor predicts that a return goes to the latest
        // call, and a call around the switch makes two predictions fail.
        None => match child_track(handle) {
            // SAFETY: the handle's track runs on this thread and can stop; `child_track` returned
            // the child as an idle track of this thread.
            Some(child) => unsafe {
                let place = handle.next_place_at_home();
                handle.own_track().spawn(child, place, work);
            },
            None => spawn_elsewhere(handle, work),
        },
    }
}

/// Returns an idle track on which the task should run immediately. Returns `None` if the task should be queued, or if
/// the caller does not run on the track of `handle`.
// Not inlined: the caller may have moved to another thread.
#[cold]
#[inline(never)]
fn child_track(handle: &Finish<'_>) -> Option<NonNull<Track>> {
    let policy = handle.scope().policy();
    if !policy.needs_fibers() {
        return None;
    }
    let local = local_now();
    // The request word stays set while the scope is cancelled, so this test also finds a cancellation.
    if local.shared.is_requested() {
        cancel::check();
    }
    handle.track(local)?.for_child(local, policy)
}

/// Spawns a task for a caller that does not run on the thread of `handle`, or for a `handle` that belongs to a track.
// Not inlined: the caller may have moved to another thread.
#[cold]
#[inline(never)]
fn spawn_elsewhere<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let local = local_now();
    let scope = handle.scope();
    let execute: unsafe fn(*mut Header) = if scope.policy().needs_fibers() {
        run_on_track::<'scope, F>
    } else {
        run::<'scope, F>
    };
    let worker = local.worker();
    let node = node(worker, scope, handle.next_place(), work, execute);
    scope.accept_anywhere(local, worker, node);
}

#[inline(always)]
fn node<'scope, F>(
    worker: Option<&WorkerThread>,
    scope: &Scope,
    place: Place,
    work: F,
    execute: unsafe fn(*mut Header),
) -> *mut Header
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let meta = Meta { scope, place };
    // SAFETY: this is the current thread's worker, and the reference is used only during this call.
    let lists = worker.map(|worker| unsafe { worker.free_lists() });
    Node::allocate(lists, execute, meta, work).as_ptr().cast()
}

/// Takes a task out of its node.
///
/// # Safety
/// `this` must be a node that `spawn` made with a closure of this type, and only the caller may run
/// it.
#[inline(always)]
unsafe fn begin<F>(worker: &WorkerThread, this: *mut Header) -> (Meta, F) {
    // SAFETY: by contract. The node is freed before the closure runs, so that the closure's spawns reuse it while it
    // is in the cache.
    let (meta, work) = unsafe {
        let contents = Node::<Meta, F>::take(this);
        free_node::<Meta, F>(Some(worker.free_lists()), this);
        contents
    };
    tell_others(worker, meta.scope);
    (meta, work)
}

/// Runs a task on a track.
unsafe fn run_on_track<'scope, F>(this: *mut Header)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let local = local();
    let Some(worker) = local.worker() else {
        unreachable!("tasks run on workers");
    };
    let Some(track) = Tracks::take(worker) else {
        // There is no memory for a stack, so the task's spawns are help-first. SAFETY: `this` is a
        // node that `spawn` made with this type, and only this call runs it.
        unsafe { run_from::<F>(local, worker, this, null()) };
        return;
    };
    // SAFETY: `this` is a node that `spawn` made with this type, and only this call runs it.
    let (Meta { scope, place }, work) = unsafe { begin::<F>(worker, this) };
    let mut launch = ManuallyDrop::new(Launch { order: place, work });
    let job = Job {
        start: start::<F>,
        at: (&raw mut launch).cast(),
    };
    // SAFETY: the track is idle, and belongs to this thread until the job runs. The scope, and its cancel scope, wait
    // for the task.
    unsafe {
        track.as_ref().prepare(scope, Report::Task, job);
        let entered = worker.enter((*scope).cancel_scope());
        drive(local, worker, track);
        leave(entered);
    }
}

unsafe fn run<'scope, F>(this: *mut Header)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let local = local();
    let Some(worker) = local.worker() else {
        unreachable!("tasks run on workers");
    };
    // SAFETY: `this` is a node that `spawn` made with this type, and only this call runs it.
    unsafe { run_from::<F>(local, worker, this, local) };
}

/// Runs a task on the worker's own stack. `home` is the home of the task's handle. `home` is null in a scope on tracks, because such a
/// scope counts nothing at home.
///
/// # Safety
/// `this` must be a node that `spawn` made with a closure of this type, and only the caller may run
/// it.
#[inline(always)]
unsafe fn run_from<'scope, F>(
    local: &WorkerLocal,
    worker: &WorkerThread,
    this: *mut Header,
    home: *const WorkerLocal,
) where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    // SAFETY: by contract, `spawn` made the node with this type, and only this call runs it.
    let (meta, work) = unsafe { begin::<F>(worker, this) };
    // SAFETY: the scope waits for this task.
    let scope = unsafe { &*meta.scope };
    let handle = Finish::new(scope, home, meta.place);
    // SAFETY: the scope waits for this task, which is counted out after the thread has left the cancel scope. The
    // cancel scope ends after the scope.
    let entered = unsafe { worker.enter(scope.cancel_scope()) };
    let ended = catch_unwind(AssertUnwindSafe(|| {
        // If the scope was cancelled, the task does not begin, and the drop of this variable drops
        // it.
        let work = work;
        cancel::check();
        work(&handle);
    }));
    if let Err(payload) = ended {
        scope.keep_panic(meta.place.end(), payload);
    }
    leave(entered);
    scope.count_done(local, worker);
}
