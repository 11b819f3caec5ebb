//! Names for those steps of the protocol that might seem unnecessary. A mutant (`--cfg heist_mutant="..."`) leaves out one step, and the
//! models must detect this.

/// A push tells thieves that the ring is no longer empty.
pub(super) const PUSH_FLAG: bool = !cfg!(heist_mutant = "private_push_flag");
/// A pop of the last item tells thieves that the ring is empty.
pub(super) const POP_FLAG: bool = !cfg!(heist_mutant = "private_pop_flag");
/// An answer with the last item tells thieves that the ring is empty.
pub(super) const ANSWER_FLAG: bool = !cfg!(heist_mutant = "private_answer_flag");
/// The owner records that the ring is empty after it has answered, not before.
pub(super) const ANSWER_FIRST: bool = !cfg!(heist_mutant = "private_answer_first");
/// The owner also gives its last item away.
pub(super) const GIVE_LAST: bool = !cfg!(heist_mutant = "private_give_last");
/// An owner without items withdraws the request that it saw.
pub(super) const DECLINE: bool = !cfg!(heist_mutant = "private_decline");
/// An owner that withdraws a request acquires the writes that the request makes visible, although it does not write the cell.
pub(super) const DECLINE_ACQUIRES: bool = !cfg!(heist_mutant = "private_decline_acquires");
/// A pop polls.
pub(super) const POP_POLLS: bool = !cfg!(heist_mutant = "private_pop_polls");
/// A push polls.
pub(super) const PUSH_POLLS: bool = !cfg!(heist_mutant = "private_push_polls");
/// A pop from an empty ring looks into the mailbox.
pub(super) const TAKE_BACK: bool = !cfg!(heist_mutant = "private_take_back");
/// The owner takes the answer from the mailbox by a CAS, not by a store.
pub(super) const TAKE_BACK_CAS: bool = !cfg!(heist_mutant = "private_take_back_cas");
/// A thief keeps the mailbox in state `Taking` while it reads the cell.
pub(super) const TAKING: bool = !cfg!(heist_mutant = "private_taking");
/// A thief reads the flag before the mailbox's state.
pub(super) const FLAG_FIRST: bool = !cfg!(heist_mutant = "private_flag_first");
/// A thief asks only if the flag says that there is an item.
pub(super) const FLAG: bool = !cfg!(heist_mutant = "private_flag");
/// Thieves read `rest`, the items of a dropped owner, under a lock.
pub(super) const REST_LOCK: bool = !cfg!(heist_mutant = "private_rest_locked");
/// The thief that takes the last remaining item records that no item is left.
pub(super) const REST_FLAG: bool = !cfg!(heist_mutant = "private_rest_flag");
/// An owner that is dropped leaves its items to its thieves.
pub(super) const LEAVE: bool = !cfg!(heist_mutant = "private_leave");
/// The last end of the deque to be dropped drops an answer that no thread took.
pub(super) const DROP_ANSWER: bool = !cfg!(heist_mutant = "private_drop_answer");
