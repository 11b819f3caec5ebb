//! The memory orders of the lock, by name, so that a mutant can weaken each order alone.

use crate::platform::shim::Ordering;

/// The memory order of the exchange that takes the lock. Acquire obtains the writes of the previous holder,
/// and pairs with [`UNLOCK`].
pub(super) const LOCK: Ordering = if cfg!(heist_mutant = "platform_lock") {
    Ordering::Relaxed
} else {
    Ordering::Acquire
};
/// The memory order of the store that releases the lock. Release pairs with [`LOCK`].
pub(super) const UNLOCK: Ordering = if cfg!(heist_mutant = "platform_unlock") {
    Ordering::Relaxed
} else {
    Ordering::Release
};
