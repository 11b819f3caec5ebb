//! Words on separate cache lines.

/// A value alone on two cache lines, because processors fetch lines in pairs.
#[repr(align(128))]
pub(crate) struct CachePadded<V>(pub(crate) V);
