//! Runs a program on the worker of the calling thread, without a pool.

use crate::run::fault::watch;
use crate::state::switch::enter;
use crate::state::worker::Worker;

/// Runs compiled code (without arguments) on the worker's own strand. Returns 0 if the code returns, and 1 if the code raises an exception
/// that it does not handle. The exception is then in `Worker::pending`.
///
/// # Safety
/// `code` must be a function of the program attached to the worker.
pub unsafe fn run(worker: &mut Worker, code: usize) -> u64 {
    let alt = watch();
    let strand = worker.own_strand();
    let world = worker.shared_world();
    world.begin();
    // SAFETY: `code` is a function of the program that was attached. The worker's own strand runs nowhere, so no code runs on its stack,
    // whose top is aligned. `worker` is borrowed for all of this, and no thread of a pool has the strand.
    let result = unsafe {
        (*strand).mount(worker);
        let result = enter(worker, code, (*strand).top());
        (*strand).dismount();
        (*strand).reset();
        result
    };
    world.end();
    drop(alt);
    result
}
