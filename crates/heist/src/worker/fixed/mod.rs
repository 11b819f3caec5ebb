#![doc = include_str!("README.md")]

pub(super) mod adopted;
pub(super) mod ancestry;
pub(super) mod serve;
pub(super) mod wait_policy;
