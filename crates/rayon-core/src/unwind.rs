//! Panics, and code that must not panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send>;

struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        eprintln!("rayon-core (heist): a panic that nobody waits for; aborting");
        std::process::abort();
    }
}

/// Runs `work`, which must not panic: a panic aborts the process.
pub(crate) fn or_abort<R>(work: impl FnOnce() -> R) -> R {
    let bomb = AbortOnUnwind;
    let result = work();
    std::mem::forget(bomb);
    result
}

/// Runs `work` and catches its panic.
pub(crate) fn halt<R>(work: impl FnOnce() -> R) -> Result<R, Payload> {
    catch_unwind(AssertUnwindSafe(work))
}
