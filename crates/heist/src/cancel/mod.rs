#![doc = include_str!("README.md")]

mod current;
mod extents;
mod node;
mod orders;
mod slots;

#[cfg(all(test, heist_model))]
mod models;

pub use current::{Cancelled, is_cancelled};
pub(crate) use current::{
    Payload, Watch, check, current, enclosing, enclosing_node, flag, is_cancellation, is_inside,
    is_stopping, keep_panic, set_current, unwind,
};
pub(crate) use extents::Extents;
pub(crate) use node::{Member, Node, Workers};
pub(crate) use orders::{ANSWER, REQUEST};
