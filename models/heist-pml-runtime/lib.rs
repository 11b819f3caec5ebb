//! The protocols of heist-pml-runtime, without the compiled code and the heap that they are for.

#![allow(dead_code)]

#[path = "../../crates/heist-pml-runtime/src/protocol/mod.rs"]
mod protocol;

mod strand {
    /// The protocols have its address only.
    pub struct Strand;
}
