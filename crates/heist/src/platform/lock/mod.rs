#![doc = include_str!("README.md")]

mod orders;
#[cfg_attr(
    heist_model,
    allow(dead_code, reason = "models of the lock alone use it")
)]
mod spin;
#[cfg(heist_model)]
mod stand_in;

#[cfg(not(heist_model))]
pub(crate) use spin::{Guard, Locked};
#[cfg(heist_model)]
pub(crate) use stand_in::{Guard, Locked};

/// Defines a function that is `const` except in models, because loom's locks cannot be created in
/// constants.
macro_rules! constant {
    ($(#[$attribute:meta])* $visible:vis const fn $($rest:tt)*) => {
        #[cfg(not(heist_model))]
        $(#[$attribute])* $visible const fn $($rest)*
        #[cfg(heist_model)]
        $(#[$attribute])* $visible fn $($rest)*
    };
}
pub(crate) use constant;
