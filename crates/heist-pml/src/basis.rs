//! The sources of the Basis.
