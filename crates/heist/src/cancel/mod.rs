#![doc = include_str!("README.md")]

mod current;
mod extents;
mod node;
mod orders;
mod slots;

#[cfg(all(test, heist_model))]
mod models;
#[cfg(all(test, heist_model))]
mod node_models;

pub use current::{Cancelled, is_cancelled};
pub(crate) use current::{
    Flag, Payload, Watch, check, current, enclosing, enclosing_node, flag, is_cancellation,
    is_inside, is_stopping, keep_panic, payload, set_current, unwind,
};
pub(crate) use extents::Extents;
pub(crate) use node::{Member, Node, Workers};
pub(crate) use orders::{ANSWER, REQUEST};
