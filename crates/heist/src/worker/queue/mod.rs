//! Queues beside the deques: work from outside, broadcasts, fibers bound to a thread, tasks that can go on.

pub(super) mod inbox;
pub(super) mod injector;
pub(super) mod pinned;
pub(super) mod ready;
pub(super) mod stubs;
