//! Spawn policies.
#![cfg(all(unix, not(miri)))]

// The tests are in a module, so that its name can exclude them all: ThreadSanitizer does not follow
// switches of stacks.
#[path = "policies/fibers.rs"]
mod fibers;
