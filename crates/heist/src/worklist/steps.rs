//! The steps that look dispensable, by name. A mutant (`--cfg heist_mutant="..."`) leaves one of
//! them out, and the models must notice.

/// A thief counts itself in before it steals, not after.
pub(super) const ENTER_FIRST: bool = !cfg!(heist_mutant = "worklist_enter_first");
/// A member that leaves sees the writes of the thieves of its items from before they stole.
pub(super) const LEAVE_FENCE: bool = !cfg!(heist_mutant = "worklist_leave_fence");
/// Seeds that are not yet drawn count.
pub(super) const SEEDS_COUNT: bool = !cfg!(heist_mutant = "worklist_seeds_count");
