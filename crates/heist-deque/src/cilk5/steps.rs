//! The steps of the protocol that look dispensable, by name. A mutant (`--cfg heist_mutant="..."`)
//! changes or leaves out one of them, and the models must notice.

/// The owner decides by `done`, not by `head`, whether there is room.
pub(super) const ROOM_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_room_by_done");
/// A growing owner holds the lock.
pub(super) const LOCK_TO_GROW: bool = !cfg!(heist_mutant = "cilk5_lock_to_grow");
/// An owner whose first look finds an empty deque decides this by `done`, not by `head`.
pub(super) const EMPTY_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_empty_by_done");
/// An owner that has met a thief waits for the lock and looks again.
pub(super) const LOOK_AGAIN: bool = !cfg!(heist_mutant = "cilk5_look_again");
/// A thief whose first look finds an empty deque decides this by `done`, not by `head`.
pub(super) const LOOK_AT_DONE: bool = !cfg!(heist_mutant = "cilk5_look_at_done");
/// A thief advances `done` after it has read the slot, not before.
pub(super) const READ_FIRST: bool = !cfg!(heist_mutant = "cilk5_read_first");
