//! The protocols between workers: see the README in this folder. Models run this code on loom (`models/heist-pml-runtime`).

pub mod choice;
pub mod doorbell;
pub mod job;
pub mod mask;
pub mod part;
pub mod permit;
pub(crate) mod shim;
mod steps;
pub mod stop;

#[cfg(all(test, heist_model))]
mod job_models;
#[cfg(all(test, heist_model))]
mod models;
#[cfg(all(test, heist_model))]
mod thread_models;
