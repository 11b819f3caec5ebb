//! Compiles the protocols of heist-pml-runtime alone, without compiled code and without the heap.

#![allow(dead_code)]

#[path = "../../crates/heist-pml-runtime/src/protocol/mod.rs"]
mod protocol;
