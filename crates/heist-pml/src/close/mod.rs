//! Closure conversion.
