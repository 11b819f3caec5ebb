//! Work-first scopes, whose bodies and tasks run on tracks: the conditions for such a scope, its start and its
//! end.

use super::drive::drive;
use super::label::Place;
use super::scope::{Order, Scope};
use super::track::{Job, Report, Track, Tracks};
use super::{Finish, run_with};
use crate::policy::SpawnPolicy;
use crate::suspend::in_fiber;
use crate::worker::{PoolInner, WorkerLocal, WorkerThread, local_now};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::thread;

/// Returns the policy, if the pool can follow it.
pub(super) fn checked(pool: &PoolInner, policy: SpawnPolicy) -> SpawnPolicy {
    assert!(
        !policy.needs_fibers() || pool.settings.has_migrating_fibers(),
        "heist: a {policy} scope needs a pool with fibers that are not pinned: see Builder::fibers"
    );
    policy
}

/// Runs a scope under `policy`, or help-first if the current thread cannot follow the policy.
pub(super) fn choose<'scope, F, R>(pool: &PoolInner, policy: SpawnPolicy, body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    if policy.needs_fibers() {
        run_on_tracks(pool, policy, body)
    } else {
        run_with(pool, Order::Lifo, policy, body)
    }
}

/// The body of a scope, and the place for the body's result. The value lives as long as the scope.
struct Opening<'a, F, R> {
    body: ManuallyDrop<F>,
    result: &'a mut Option<thread::Result<R>>,
}

// This function is not inlined, because a fiber may call it between two waits.
#[inline(never)]
fn run_on_tracks<'scope, F, R>(pool: &PoolInner, policy: SpawnPolicy, body: F) -> R
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    let local = local_now();
    let Some((worker, track)) = berth(local, pool) else {
        return run_with(pool, Order::Lifo, SpawnPolicy::HelpFirst, body);
    };
    let scope = Scope::on_tracks(pool, worker, policy);
    let mut result = None;
    let mut opening = Opening {
        body: ManuallyDrop::new(body),
        result: &mut result,
    };
    let job = Job {
        start: start::<F, R>,
        at: (&raw mut opening).cast(),
    };
    scope.host(local, worker, || {
        // SAFETY: the track is idle, and belongs to this thread until the job runs. The job's data stay
        // in place until the scope is over, and the scope waits for its body.
        unsafe {
            track.as_ref().prepare(&scope, Report::Body, job);
            drive(local, worker, track);
        }
    });
    let Some(result) = result else {
        unreachable!("a body that is done leaves a result");
    };
    let value = scope.kept(result, Place::BODY.end());
    scope.outcome(value)
}

/// Returns a track for a scope that this thread opens, or `None` if the scope cannot run on a track.
fn berth(local: &WorkerLocal, pool: &PoolInner) -> Option<(&'static WorkerThread, NonNull<Track>)> {
    let worker = local.worker_of(pool)?;
    // A fiber that can be suspended should be suspended at the scope's end, and not occupy the
    // thread.
    if in_fiber() {
        return None;
    }
    Some((worker, Tracks::take(worker)?))
}

/// Runs a body.
unsafe fn start<'scope, F, R>(track: &Track, at: *mut ())
where
    F: FnOnce(&Finish<'scope>) -> R + Send,
    R: Send,
{
    let opening = at.cast::<Opening<'_, F, R>>();
    // SAFETY: `at` is an opening of that type. Only this function moves its body out, and no other code uses the opening until the body has
    // ended.
    let body = unsafe { ManuallyDrop::take(&mut (*opening).body) };
    let handle = Finish::new(
        track.scope.get(),
        std::ptr::from_ref(track).cast(),
        Place::BODY,
    );
    let result = catch_unwind(AssertUnwindSafe(|| body(&handle)));
    // SAFETY: the opening stays in place until the scope is over, and the home does not use it before the body has ended.
    unsafe { *(*opening).result = Some(result) };
}
