//! The compiler of Parallel ML. The README of the crate describes the architecture.

// Most modules are private. This file exports the public items of the crate.
#![allow(unreachable_pub)]

mod anf;
mod basis;
mod close;
mod codegen;
mod coverage;
mod diag;
pub mod driver;
mod elab;
mod library;
mod lower;
mod mono;
mod opt;
mod prim;
mod session;
mod source;
mod symbol;
mod syntax;
mod typed;

use heist_pml_runtime as runtime;
