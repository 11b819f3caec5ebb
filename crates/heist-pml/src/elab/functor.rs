//! Functors.

/// A functor.
#[derive(Debug)]
pub(super) struct Functor;
