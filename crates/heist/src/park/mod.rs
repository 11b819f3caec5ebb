#![doc = include_str!("README.md")]

mod counts;
mod idle;
mod lists;
mod mailbox;
#[cfg(all(test, heist_model))]
mod models;
mod refused;
mod steps;

pub(crate) use idle::{Idle, IdleHooks, Reason};
pub(crate) use lists::IdleLists;
pub(crate) use mailbox::Mailbox;
