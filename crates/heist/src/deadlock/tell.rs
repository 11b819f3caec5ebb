//! The delivery of a report to its handlers.

use crate::waiting::DeadlockReport;
use crate::worker::PoolInner;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Gives a report to the handlers of the pools that have waiters, or otherwise prints it.
pub(super) fn tell(pools: &[Arc<PoolInner>], report: &DeadlockReport) {
    let mut told = false;
    for handler in pools
        .iter()
        .filter_map(|pool| pool.settings.deadlock.as_ref())
    {
        // A panic must not unwind the caller, because the caller waits, and the work for which it waits uses its stack.
        match catch_unwind(AssertUnwindSafe(|| handler(report))) {
            Ok(()) => told = true,
            Err(payload) => std::mem::forget(payload),
        }
    }
    if !told {
        // One call writes the whole text, so that no other output interrupts it.
        crate::platform::say(format_args!(
            "{report}\n  Each of these waits ends with a panic now, if nothing relies on it."
        ));
    }
}
