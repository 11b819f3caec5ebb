//! Tasks of a scope.

use super::label::Place;
use super::scope::Scope;
use super::{Finish, flush};
use crate::task::{Header, Node, free_node};
use crate::worker::{Hot, hot, hot_now};
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
    #[cfg(feature = "tracing")]
    if crate::spans::are_watched() {
        return spawn_in_span(handle, work);
    }
    spawn_here(handle, work);
}

/// A task that runs inside of the span in which it was spawned.
#[cfg(feature = "tracing")]
#[cold]
#[inline(never)]
fn spawn_in_span<'scope, F>(handle: &Finish<'scope>, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    match crate::spans::current() {
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
        Some(hot) => spawn_at(hot, handle, handle.next_place_at_home(), work),
        None => spawn_at(hot_now(), handle, handle.next_place_elsewhere(), work),
    }
}

#[inline(always)]
fn spawn_at<'scope, F>(hot: &Hot, handle: &Finish<'scope>, place: Place, work: F)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let scope = handle.scope();
    let meta = Meta { scope, place };
    let carrier = hot.carrier();
    // SAFETY: the own carrier's lists, for the time of the call.
    let lists = carrier.map(|carrier| unsafe { carrier.free_lists() });
    let node = Node::allocate(lists, run::<'scope, F>, meta, work);
    scope.accept(hot, carrier, node.as_ptr().cast());
}

unsafe fn run<'scope, F>(this: *mut Header)
where
    F: FnOnce(&Finish<'scope>) + Send + 'scope,
{
    let hot = hot();
    let Some(carrier) = hot.carrier() else {
        unreachable!("tasks run on workers");
    };
    // SAFETY: a node that `spawn` made, run once. It is freed before the closure runs, so that
    // what the closure spawns reuses it while it is in the cache.
    let (meta, work) = unsafe {
        let contents = Node::<Meta, F>::take(this);
        free_node::<Meta, F>(Some(carrier.free_lists()), this);
        contents
    };
    let (other, _) = carrier.finished.get();
    if !other.is_null() && !std::ptr::eq(other, meta.scope.cast()) {
        flush(carrier);
    }
    // SAFETY: the scope waits for this task.
    let scope = unsafe { &*meta.scope };
    let handle = Finish::new(scope, hot, meta.place);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| work(&handle))) {
        scope.keep_panic(meta.place.end(), payload);
    }
    scope.count_done(hot, carrier);
}
