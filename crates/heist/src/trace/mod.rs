#![doc = include_str!("README.md")]

mod arrows;
mod chrome;
mod collected;
mod event;
#[cfg(all(test, heist_model))]
mod models;
mod orders;
mod ring;
mod slices;
mod switch;
#[cfg(all(test, not(heist_model)))]
mod tests;
mod words;

pub use chrome::Process;
pub use collected::{Trace, Usage, Wait};
pub use event::{Event, EventKind, Name, PollEnd};
pub(crate) use switch::{Switch, Tracer};
