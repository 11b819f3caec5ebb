//! Monomorphisation.
