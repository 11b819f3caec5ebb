//! The memory orders of the lock, by name, so that a mutant can weaken each alone.

use crate::platform::shim::Ordering;

/// The exchange that takes the lock. Acquire: the writes of the previous holder; pairs with [`UNLOCK`].
pub(super) const LOCK: Ordering = if cfg!(heist_mutant = "platform_lock") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The store that releases the lock. Release: pairs with [`LOCK`].
pub(super) const UNLOCK: Ordering = if cfg!(heist_mutant = "platform_unlock") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
