//! A wrapper that keeps a value on cache lines of its own.

/// A value that has two cache lines to itself, because processors fetch lines in pairs.
#[repr(align(128))]
pub(crate) struct CachePadded<V>(pub(crate) V);
