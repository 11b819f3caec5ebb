//! Compiles the protocols of heist-pml-runtime alone, without compiled code and without the heap.

#![allow(dead_code)]

#[path = "../../crates/heist-pml-runtime/src/protocol/mod.rs"]
mod protocol;

mod strand {
    /// A placeholder for a strand. The protocols use only the address of this value.
    pub struct Strand;
}
