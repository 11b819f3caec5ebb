//! Tasks of a scope.

use super::Finish;
use super::drive::{drive, tell_others};
use super::label::Place;
use super::scope::Scope;
use super::track::{Job, Launch, Report, Tracks, start};
use crate::task::{Header, Node, free_node};
use crate::worker::{Carrier, hot, hot_now};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a task knows beside its closure.
struct Meta {
    scope: *const Scope,
    place: Place,
}

#[inline]
pub(super) fn spawn<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    match handle.at_home() {
        Some(hot) => {
            let carrier = hot.carrier();
            let place = handle.next_place_at_home();
            let node = node(carrier, handle, place, work, run::<'scope, F>);
            handle.scope().accept(hot, carrier, node);
        }
        None => spawn_elsewhere(handle, work),
    }
}

/// Not by the thread that the handle was made for; or it was made for a track.
// Not inlined: this may end on another thread.
#[cold]
#[inline(never)]
fn spawn_elsewhere<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let hot = hot_now();
    let scope = handle.scope();
    let mut execute: unsafe fn(*mut Header) = run::<'scope, F>;
    let mut place = None;
    if scope.policy().needs_fibers() {
        execute = run_on_track::<'scope, F>;
        if let Some(track) = handle.track(hot) {
            let own = handle.next_place_at_home();
            if let Some(child) = track.for_child(hot, scope.policy()) {
                // SAFETY: the track runs here and can stop; the child was idle.
                unsafe { track.spawn(child, own, work) };
                return;
            }
            place = Some(own);
        }
    }
    let place = place.unwrap_or_else(|| handle.next_place_elsewhere());
    let carrier = hot.carrier();
    let node = node(carrier, handle, place, work, execute);
    scope.accept_anywhere(hot, carrier, node);
}

#[inline(always)]
fn node<'scope, F>(
    carrier: Option<&Carrier>,
    handle: &Finish<'scope>,
    place: Place,
    work: F,
    execute: unsafe fn(*mut Header),
) -> *mut Header
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let meta = Meta {
        scope: handle.scope(),
        place,
    };
    // SAFETY: the own carrier's lists, for the time of the call.
    let lists = carrier.map(|carrier| unsafe { carrier.free_lists() });
    Node::allocate(lists, execute, meta, work).as_ptr().cast()
}

/// Takes a task out of its node.
///
/// # Safety
/// `this` is a node that `spawn` made with a closure of this type, and the caller's to run.
#[inline(always)]
unsafe fn begin<F>(carrier: &Carrier, this: *mut Header) -> (Meta, F) {
    // SAFETY: by contract. The node is freed before the closure runs, so that what the closure spawns reuses it while
    // it is in the cache.
    let (meta, work) = unsafe {
        let contents = Node::<Meta, F>::take(this);
        free_node::<Meta, F>(Some(carrier.free_lists()), this);
        contents
    };
    tell_others(carrier, meta.scope);
    (meta, work)
}

/// Runs a task on a track.
unsafe fn run_on_track<'scope, F>(this: *mut Header)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let hot = hot();
    let Some(carrier) = hot.carrier() else {
        unreachable!("tasks run on workers");
    };
    let Some(track) = Tracks::take(carrier) else {
        // There is no memory for a stack. Then what the task spawns is help-first.
        // SAFETY: as for this function.
        unsafe { run::<'scope, F>(this) };
        return;
    };
    // SAFETY: a node that `spawn` made, run once.
    let (Meta { scope, place }, work) = unsafe { begin::<F>(carrier, this) };
    let mut launch = ManuallyDrop::new(Launch { order: place, work });
    let job = Job {
        start: start::<F>,
        at: (&raw mut launch).cast(),
    };
    // SAFETY: idle and this thread's, until the task is told of.
    unsafe {
        track.as_ref().prepare(scope, Report::Task, job);
        drive(hot, carrier, track);
    }
}

unsafe fn run<'scope, F>(this: *mut Header)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let hot = hot();
    let Some(carrier) = hot.carrier() else {
        unreachable!("tasks run on workers");
    };
    // SAFETY: a node that `spawn` made, run once.
    let (meta, work) = unsafe { begin::<F>(carrier, this) };
    // SAFETY: the scope waits for this task.
    let scope = unsafe { &*meta.scope };
    let handle = Finish::new(scope, hot, meta.place);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(&handle))) {
        scope.keep_panic(meta.place.end(), payload);
    }
    scope.count_done(hot, carrier);
}
