//! Spawn policies.
#![cfg(all(unix, not(miri)))]

// The tests are in a module, so that the module's name can exclude all of them: ThreadSanitizer does not follow switches of stacks.
#[path = "policies/fibers.rs"]
mod fibers;
