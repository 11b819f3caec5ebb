#![doc = include_str!("README.md")]

mod census;
mod idle;
mod letters;
#[cfg(all(test, heist_model))]
mod models;
mod refused;
mod roster;
mod steps;

pub(crate) use idle::{Idle, IdleHooks, Reason};
pub(crate) use letters::Letters;
pub(crate) use roster::Roster;
