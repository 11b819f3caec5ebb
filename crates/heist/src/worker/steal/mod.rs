#![doc = include_str!("README.md")]

pub(super) mod backoff;
#[cfg(feature = "policies")]
pub(super) mod direct_request;
pub(super) mod protocol;
pub(super) mod signal;
pub(super) mod thief;
pub(super) mod throttle;
pub(super) mod victim;
pub(super) mod victims;
