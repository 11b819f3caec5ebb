//! Threads that wait: what for, and whether they can go on. Everything that makes a thread wait
//! keeps it, for reports (see `deadlock`).

mod outside;
mod reason;
mod report;
mod seat;

pub(crate) use outside::{OutsideSeat, outside_seats, set_watch, wait_outside};
pub(crate) use reason::{Reason, Site};
pub use report::{DeadlockReport, Stuck, WaiterKind, Waiters};
pub(crate) use seat::{Awaited, Seat, Until};
