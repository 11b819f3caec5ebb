//! The steps and memory orders of the protocols that may seem unnecessary, each with a name. A mutant (`--cfg heist_mutant="..."`) leaves
//! out one step or weakens one order, and the models must detect the mutant.

use super::shim::Ordering;

/// Evaluates to `$order`, or to the order `$weak` in the named mutant.
macro_rules! order {
    (heist_mutant = $mutant:literal, $weak:ident, $order:ident) => {
        if cfg!(heist_mutant = $mutant) {
            Ordering::$weak
        } else {
            Ordering::$order
        }
    };
}

/// A ring releases the writes before it.
pub(super) const RING: Ordering = order!(heist_mutant = "doorbell_ring_release", Relaxed, Release);
/// An answer sees the writes that came before the rings, and releases the limit that it has set.
pub(super) const ANSWER: Ordering = if cfg!(heist_mutant = "doorbell_answer_release") {
    Ordering::Acquire
} else {
    order!(heist_mutant = "doorbell_answer_acquire", Release, AcqRel)
};
/// An answer sets the limit before it takes the rings back.
pub(super) const LIMIT_FIRST: bool = !cfg!(heist_mutant = "doorbell_limit_first");
/// A ring orders its store of `poll` before its store of the limit.
pub(super) const RING_FENCE: bool = !cfg!(heist_mutant = "doorbell_ring_fence");
/// A worker orders the store of its new limit before its check for rings.
pub(super) const LIMIT_FENCE: bool = !cfg!(heist_mutant = "doorbell_limit_fence");
/// A worker that sets its limit checks for rings.
pub(super) const LIMIT_LOOK: bool = !cfg!(heist_mutant = "doorbell_limit_look");

/// A change of a job's state releases the writes of the owner or thief that makes the change.
pub(super) const CHANGE: Ordering = if cfg!(heist_mutant = "job_change_release") {
    Ordering::Acquire
} else {
    order!(heist_mutant = "job_change_acquire", Release, AcqRel)
};
/// A change of a job's state that fails acquires the writes of the thread that has changed the state first.
pub(super) const CHANGE_FAILS: Ordering =
    order!(heist_mutant = "job_fails_acquire", Relaxed, Acquire);
/// A thief that finishes a job releases its results, and acquires the writes that have saved the waiting strand.
pub(super) const FINISH: Ordering = if cfg!(heist_mutant = "job_finish_release") {
    Ordering::Acquire
} else {
    order!(heist_mutant = "job_finish_acquire", Release, AcqRel)
};
/// A cancellation raises the count of cancellations after it has changed a job's state.
pub(super) const COUNT: Ordering = order!(heist_mutant = "job_count_release", Relaxed, Release);
/// A strand that sees the new count of cancellations also sees the new state of the job.
pub(super) const COUNTED: Ordering = order!(heist_mutant = "job_counted_acquire", Relaxed, Acquire);
/// Lifting a mask makes thieves check again whether they are cancelled.
pub(super) const LIFT_COUNTS: bool = !cfg!(heist_mutant = "job_lift_counts");
/// The last strand that leaves a scope sees the effects of the other strands.
pub(super) const LEAVE: Ordering = order!(heist_mutant = "scope_leave", Relaxed, AcqRel);

/// A claimer sees the writes that the previous claimer made before it gave the choice back.
pub(super) const CHOICE_CLAIM: Ordering =
    order!(heist_mutant = "choice_claim_acquire", Relaxed, Acquire);
/// A claimer that gives a choice back releases its writes.
pub(super) const CHOICE_UNCLAIM: Ordering =
    order!(heist_mutant = "choice_unclaim_release", Relaxed, Release);
/// A claimer that decides a choice releases its write of the value that it gives to the thread.
pub(super) const CHOICE_DECIDE: Ordering =
    order!(heist_mutant = "choice_decide_release", Relaxed, Release);
/// A thread that finds its choice decided sees the value that it was given.
pub(super) const CHOICE_DECISION: Ordering =
    order!(heist_mutant = "choice_decision_acquire", Relaxed, Acquire);

/// A strand that takes its permit sees the writes of the giver.
pub(super) const PERMIT_TAKE: Ordering =
    order!(heist_mutant = "permit_take_acquire", Relaxed, Acquire);
/// A strand is saved before it is parked.
pub(super) const PERMIT_PARK: Ordering =
    order!(heist_mutant = "permit_park_release", Acquire, AcqRel);
/// A giver releases its writes, and acquires the writes that have saved the parked strand.
pub(super) const PERMIT_GIVE: Ordering = if cfg!(heist_mutant = "permit_give_release") {
    Ordering::Acquire
} else {
    order!(heist_mutant = "permit_give_acquire", Release, AcqRel)
};

/// A thread that begins to run waits while a stop is wanted.
pub(super) const BEGIN_WAITS: bool = !cfg!(heist_mutant = "stop_begin_waits");
/// A worker at a safepoint waits until the stop is over. A notification before the end of the stop does not end this wait.
pub(super) const STOPPED_WAITS: bool = !cfg!(heist_mutant = "stop_stopped_waits");
/// A stopper rings the other workers.
pub(super) const STOP_RINGS: bool = !cfg!(heist_mutant = "stop_rings");
/// A worker that is stopped notifies the stopper.
pub(super) const STOPPED_TELLS: bool = !cfg!(heist_mutant = "stop_stopped_tells");
/// A worker that ends notifies the stopper.
pub(super) const END_TELLS: bool = !cfg!(heist_mutant = "stop_end_tells");
/// The second of two threads that stop the world at the same time becomes stopped, and waits for the first stopper.
pub(super) const SECOND_STOPS: bool = !cfg!(heist_mutant = "stop_second_stops");
/// A stopper sets `wanted` even if no other thread runs, so threads that begin during the stop wait.
pub(super) const ALONE_WANTS: bool = !cfg!(heist_mutant = "stop_alone_wants");
/// The end of a stop wakes the waiting threads.
pub(super) const RESUME_TELLS: bool = !cfg!(heist_mutant = "stop_resume_tells");
/// A holder rings the running workers.
pub(super) const HOLD_RINGS: bool = !cfg!(heist_mutant = "stop_hold_rings");
/// A holder waits until no worker runs.
pub(super) const HOLD_WAITS: bool = !cfg!(heist_mutant = "stop_hold_waits");
/// The end of a hold wakes the waiting threads.
pub(super) const RELEASE_TELLS: bool = !cfg!(heist_mutant = "stop_release_tells");
/// The end of a stop during a hold does not end the hold.
pub(super) const HOLD_STAYS: bool = !cfg!(heist_mutant = "stop_hold_stays");
/// The end of a program also waits for stopped workers.
pub(super) const SETTLE_COUNTS_STOPPED: bool = !cfg!(heist_mutant = "stop_settle_stopped");
/// Shared work ends when its last member has left.
pub(super) const MEMBERS_COUNT: bool = !cfg!(heist_mutant = "stop_members_count");
/// A member that leaves notifies the stopper.
pub(super) const MEMBER_TELLS: bool = !cfg!(heist_mutant = "stop_member_tells");
/// No member joins shared work that is over.
pub(super) const WITHDRAWN: bool = !cfg!(heist_mutant = "stop_withdrawn");
