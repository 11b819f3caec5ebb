#![doc = include_str!("README.md")]

mod activity;
mod adopted;
mod carrier;
mod counters;
mod crew;
mod delegate;
mod fixed;
mod grace;
mod ground;
mod home;
mod hot;
mod inbox;
mod injector;
mod latency;
mod order;
mod ready;
mod run;
mod settings;
mod signal;
mod steal;
mod still;
mod summon;
mod summons;
mod victim;
mod wait;

pub(crate) use carrier::{Carrier, Context};
pub use counters::Counters;
pub(crate) use crew::Crew;
pub(crate) use delegate::{delegate, polling_worker};
pub(crate) use hot::{Hot, Place, hot, hot_now};
pub use latency::Latencies;
pub(crate) use run::carrier_main;
pub(crate) use settings::Settings;
pub(crate) use victim::{feed_the_hungry, fork_slow, is_bare_and_wanted, poll, somebody_is_hungry};
pub(crate) use wait::{join_slow, retract};
