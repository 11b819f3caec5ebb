//! Matches that are not exhaustive, and rules that are redundant.
