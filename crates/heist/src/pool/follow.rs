//! The thread that adjusts a pool to the number of CPUs that the process may use.

use super::builder::default_threads;
use crate::worker::PoolInner;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// Starts the thread that adjusts the pool to the number of CPUs, if the pool was built to follow this number. If the thread cannot start,
/// the pool keeps its size.
pub(crate) fn start(pool: &Arc<PoolInner>) {
    let Some(interval) = pool.settings.follow else {
        return;
    };
    let weak = Arc::downgrade(pool);
    let thread = thread::Builder::new()
        .name(format!("{}-size", pool.settings.name))
        .stack_size(256 << 10);
    if let Err(error) = thread.spawn(move || follow(&weak, interval)) {
        crate::platform::say(format_args!(
            "heist: cannot start the thread that follows the number of CPUs: {error}"
        ));
    }
}

/// Resizes the pool at each interval, until the pool ends.
fn follow(pool: &Weak<PoolInner>, interval: Duration) {
    // Shorter intervals would only cost time.
    let interval = interval.max(Duration::from_millis(1));
    loop {
        thread::sleep(interval);
        let Some(pool) = pool.upgrade() else {
            return;
        };
        // Relaxed: a late read does no harm, because the size of an ending pool does not matter.
        if pool.closing.load(Ordering::Relaxed) || !pool.generation.is_current() {
            return;
        }
        let most = pool.settings.threads;
        match default_threads() {
            Ok(threads) if threads.min(most) != pool.size.target() => {
                pool.resize(threads);
            }
            _ => {}
        }
    }
}
