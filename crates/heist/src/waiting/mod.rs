//! Threads that wait: the subjects of their waits, and whether they can continue. All code that makes a thread wait records the wait here,
//! for reports (see `deadlock`).

mod outside;
mod reason;
mod report;
mod seat;

pub(crate) use outside::{OutsideSeat, outside_seats, set_watch, wait_outside};
pub(crate) use reason::{Reason, Site};
pub use report::{DeadlockReport, Stuck, WaiterKind, Waiters};
pub(crate) use seat::{Awaited, Seat, Until};
