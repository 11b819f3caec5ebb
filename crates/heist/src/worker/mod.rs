#![doc = include_str!("README.md")]

mod activity;
mod carrier;
mod counters;
mod crew;
mod delegate;
mod home;
mod hot;
mod inbox;
mod injector;
mod ready;
mod run;
mod steal;
mod still;
mod wait;

pub(crate) use carrier::{Carrier, Context};
pub use counters::Counters;
pub(crate) use crew::{Crew, Settings};
pub(crate) use delegate::{delegate, polling_worker};
pub(crate) use hot::{Hot, Place, hot, hot_now};
pub(crate) use run::carrier_main;
pub(crate) use steal::fork_slow;
pub(crate) use wait::{join_slow, retract};
