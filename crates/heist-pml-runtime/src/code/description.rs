//! The description of a compiled program: the addresses of its tables and of its code.

use crate::value::object::Value;

/// The version of [`Description`].
pub const VERSION: u64 = 5;

/// The tables that code generation writes in addition to the code, in memory or as `heist_pml_program` in an object file.
#[derive(Debug)]
#[repr(C)]
pub struct Description {
    /// The version of this description, which is always [`VERSION`].
    pub version: u64,
    /// The function that runs the whole program.
    pub main: usize,
    /// Cells of globals, pointers first.
    pub globals: *mut usize,
    /// Number of globals that are pointers.
    pub pointers: usize,
    /// The identities of the runtime's exceptions, followed by one packet without payload for each of these exceptions, in the same order.
    pub exns: *const Value,
    /// Addresses of functions.
    pub functions: *const usize,
    /// Number of functions.
    pub function_count: usize,
    /// The table of calls (`sites.rs`).
    pub frames: *const u32,
    /// Number of words of the table of calls.
    pub frame_words: usize,
    /// The table of forks (`sites.rs`).
    pub forks: *const u32,
    /// Number of words of the table of forks.
    pub fork_words: usize,
    /// Start of a range of addresses, each of which stands for one spot.
    pub spots: usize,
    /// Number of the addresses at `spots`.
    pub spot_count: usize,
    /// The encoded `Places`.
    pub places: *const u8,
    /// Number of bytes of the encoded places.
    pub place_bytes: usize,
}
