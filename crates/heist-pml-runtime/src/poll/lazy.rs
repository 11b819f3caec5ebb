//! Waits for lazy values: see `wait/lazy.rs`.

use std::sync::atomic::Ordering;

use crate::fork::publish::publish;
use crate::poll::attend::attend;
use crate::process::ends::fatal;
use crate::state::strand::Wait;
use crate::state::switch::WAITS;
use crate::state::worker::Worker;
use crate::value::object::Value;
use crate::wait::lazy::{NOTED, state};

/// Decides what a strand does when it needs a lazy value that is being computed. Returns [`WAITS`] if the strand must be suspended, 1 if
/// the strand must check the state again, and 0 if the strand itself computes the value.
///
/// # Safety
/// Only a thunk may call this function, on the strand that the worker runs.
pub unsafe fn wait(worker: *mut Worker, lazy: Value) -> u64 {
    // SAFETY: `worker` is this thread's own and runs the strand that calls, and the thunk has noted its frame, so the polls may collect.
    // The field `awaits` keeps the lazy value during the polls, and this function does not use `lazy` after the polls.
    unsafe {
        let strand = (*worker).strand;
        // Acquire: pairs with the swap of `put`.
        let now = Value(state(lazy).load(Ordering::Acquire));
        if !now.is_immediate() {
            return 1;
        }
        // If the computation of a lazy value was not recorded, it began while there was only one strand.
        let unnoted = now.number() & NOTED == 0 && (*strand).is_program();
        if unnoted || (*strand).computes.iter().any(|it| it.0 == lazy) {
            return 0;
        }
        if (*worker).world().started().is_none() {
            fatal("internal error: a lazy value that nobody computes");
        }
        // After this store, the collector keeps the reference in `awaits` up to date.
        (*strand).awaits = lazy;
        attend(worker);
        // Publish all forks now: while the strand waits, thieves cannot request its work.
        while publish(worker) {}
        (*strand).wait = Wait::Lazy;
        WAITS
    }
}
