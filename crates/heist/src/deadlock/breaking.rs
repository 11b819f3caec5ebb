//! Ends the waits of a deadlock.

use super::gather::for_each_suspended;
use super::look::Deadlock;

/// Ends every wait that a panic can end. Marks all waits that a panic can end before it wakes the first waiter, because threads run again
/// after the first wake-up.
///
/// If no wait can end by a panic, aborts the process, because its state would otherwise never change.
pub(super) fn end_waits(deadlock: &Deadlock) {
    let mut tasks = Vec::new();
    let mut threads = Vec::new();
    for pool in &deadlock.pools {
        // SAFETY: no thread runs yet, so each task stays suspended.
        for_each_suspended(pool, |task| tasks.extend(unsafe { task.give_up() }));
    }
    for pool in &deadlock.pools {
        for worker in pool.workers() {
            let stuck = worker.seat.stuck();
            if stuck.is_some_and(|wait| worker.seat.give_up(wait)) {
                threads.push(&worker.thread);
            }
        }
    }
    for (seat, wait) in &deadlock.outside {
        if seat.seat.give_up(*wait) {
            threads.push(&seat.thread);
        }
    }
    if tasks.is_empty() && threads.is_empty() {
        crate::platform::say(format_args!(
            "heist: deadlock: none of these waits can be ended (joins, scopes and closures given to pools that wait for each other); aborting"
        ));
        std::process::abort();
    }
    for thread in threads {
        thread.unpark();
    }
    for task in tasks {
        task.wake();
    }
}
