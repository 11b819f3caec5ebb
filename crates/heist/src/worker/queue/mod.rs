#![doc = include_str!("README.md")]

pub(super) mod class;
pub(super) mod inbox;
pub(super) mod injector;
pub(super) mod job;
pub(super) mod lists;
pub(super) mod pinned;
pub(super) mod ready;
pub(super) mod stubs;
pub(super) mod turns;
