//! The steps of the protocol that look dispensable, by name, so that each can be changed or left
//! out alone by a mutant (`--cfg heist_mutant="..."`) and the models can show that they notice.

/// The owner's room is judged by `done`, not by `head`.
pub(super) const ROOM_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_room_by_done");
/// A growing owner holds the lock.
pub(super) const LOCK_TO_GROW: bool = !cfg!(heist_mutant = "cilk5_lock_to_grow");
/// An owner that gives up at once does so by `done`, not by `head`.
pub(super) const EMPTY_BY_DONE: bool = !cfg!(heist_mutant = "cilk5_empty_by_done");
/// An owner that has met a thief waits for the lock and looks again.
pub(super) const LOOK_AGAIN: bool = !cfg!(heist_mutant = "cilk5_look_again");
/// Thieves give up at once by `done`, not by `head`.
pub(super) const LOOK_AT_DONE: bool = !cfg!(heist_mutant = "cilk5_look_at_done");
/// A thief says that it is done after it has read the slot, not before.
pub(super) const READ_FIRST: bool = !cfg!(heist_mutant = "cilk5_read_first");
