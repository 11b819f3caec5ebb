#![doc = include_str!("README.md")]

mod breaking;
mod gather;
mod look;
mod tell;
#[cfg(all(test, target_os = "linux", not(miri), not(heist_model)))]
mod tests;

use crate::platform::PerProcess;
use crate::task::discard;
use crate::waiting::set_watch;
use crate::worker::PoolInner;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The pools of this process.
static POOLS: PerProcess<Mutex<Vec<Weak<PoolInner>>>> = PerProcess::new();

/// Adds a pool to the pools in which Heist looks for deadlocks.
pub(crate) fn enlist(pool: &Arc<PoolInner>) {
    let mut pools = POOLS.get().lock().unwrap_or_else(PoisonError::into_inner);
    pools.retain(|pool| pool.strong_count() > 0);
    pools.push(Arc::downgrade(pool));
    drop(pools);
    set_watch(watch);
}

/// Looks for a deadlock once. If there is a deadlock, reports it, and ends the waits. The function never unwinds, because the caller waits
/// in a join, a scope or an `install`, and other threads use the caller's stack.
fn watch() {
    if let Err(payload) = catch_unwind(look_and_act) {
        // The panic hook has reported the panic.
        discard(payload);
    }
}

fn look_and_act() {
    let Some(deadlock) = look::look(pools()) else {
        return;
    };
    let report = gather::gather(&deadlock);
    tell::tell(&deadlock.pools, &report);
    // The handler may have ended the deadlock.
    drop(deadlock);
    if let Some(deadlock) = look::look(pools()) {
        breaking::end_waits(&deadlock);
    }
}

fn pools() -> Vec<Arc<PoolInner>> {
    let pools = POOLS.get().lock().unwrap_or_else(PoisonError::into_inner);
    pools.iter().filter_map(Weak::upgrade).collect()
}
