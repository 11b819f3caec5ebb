//! Words on separate cache lines.

/// Keeps a value alone on its cache lines: two, because processors fetch them in pairs.
#[repr(align(128))]
pub(crate) struct CachePadded<V>(pub(crate) V);
