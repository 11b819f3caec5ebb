//! Names for those steps of the protocol that might seem unnecessary. A mutant (`--cfg heist_mutant="..."`) changes or leaves out one step,
//! and the models must then fail.

/// A push reads `done`, not `head`, to decide whether there is room.
pub(super) const ROOM_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_room_by_done");
/// The owner holds the lock while it grows the deque.
pub(super) const LOCK_TO_GROW: bool = !cfg!(heist_mutant = "cilk5_lock_to_grow");
/// A pop reads `done`, not `head`, in its first check for an empty deque.
pub(super) const EMPTY_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_empty_by_done");
/// The owner waits for the lock and looks again if a thief may have claimed the last item.
pub(super) const LOOK_AGAIN: bool = !cfg!(heist_mutant = "cilk5_look_again");
/// A steal reads `done`, not `head`, in its first check for an empty deque.
pub(super) const LOOK_AT_DONE: bool = !cfg!(heist_mutant = "cilk5_look_at_done");
/// A thief advances `done` after it has read the slot, not before.
pub(super) const READ_FIRST: bool = !cfg!(heist_mutant = "cilk5_read_first");
