//! The process: its memory, its output, and its end.

pub mod allocator;
pub mod defaults;
pub mod ends;
pub mod executable;
pub mod exit;
pub mod files;
pub mod mapped;
pub mod size;
