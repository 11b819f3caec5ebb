//! From the monomorphic program to A-normal form.
