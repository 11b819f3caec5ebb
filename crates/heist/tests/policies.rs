//! Spawn policies.
#![cfg(all(unix, not(miri)))]

// A module of that name, so that all can be left out by it: ThreadSanitizer does not follow switches of stacks.
#[path = "policies/fibers.rs"]
mod fibers;
