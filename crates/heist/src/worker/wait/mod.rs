#![doc = include_str!("README.md")]

pub(super) mod join;
pub(super) mod region;
pub(super) mod steal_back;
pub(super) mod turn;
