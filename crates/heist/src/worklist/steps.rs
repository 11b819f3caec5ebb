//! Names for the steps of the protocol that look dispensable. A mutant (`--cfg heist_mutant="..."`) leaves out one of these steps, and the
//! models must then fail.

/// A thief enters the busy count before it steals, not afterwards.
pub(super) const ENTER_FIRST: bool = !cfg!(heist_mutant = "worklist_enter_first");
/// A member that leaves sees the writes that thieves of its items made before they stole.
pub(super) const LEAVE_FENCE: bool = !cfg!(heist_mutant = "worklist_leave_fence");
/// The busy count includes a unit for the seeds that are not drawn yet.
pub(super) const SEEDS_COUNT: bool = !cfg!(heist_mutant = "worklist_seeds_count");
