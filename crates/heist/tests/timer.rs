//! Sleeps, timeouts, intervals, and waits with a time limit.
#![cfg(not(any(miri, heist_model)))]

#[path = "timer/futures.rs"]
mod futures;
#[path = "timer/waits.rs"]
mod waits;
