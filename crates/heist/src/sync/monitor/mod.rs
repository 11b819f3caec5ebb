//! Monitors: a lock, a state, and queues of those who wait for it to change.

/// A function that is `const`, but for models: loom's locks cannot be made in constants.
macro_rules! constant {
    ($(#[$attribute:meta])* $visible:vis const fn $($rest:tt)*) => {
        #[cfg(not(heist_model))]
        $(#[$attribute])* $visible const fn $($rest)*
        #[cfg(heist_model)]
        $(#[$attribute])* $visible fn $($rest)*
    };
}
pub(crate) use constant;

mod lock;
mod queue;
#[cfg(heist_model)]
mod stand_in;
mod wait;

#[cfg(not(heist_model))]
pub(crate) use lock::{Guard, Locked};
pub(crate) use queue::Queue;
#[cfg(heist_model)]
pub(crate) use stand_in::{Guard, Locked};
pub(crate) use wait::{Condition, Wait, serve_all, serve_more};
