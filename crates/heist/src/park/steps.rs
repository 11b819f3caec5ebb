//! Names for those steps of the protocol that might seem unnecessary. A mutant (`--cfg heist_mutant="..."`) leaves out one of these steps,
//! and the models must then fail.

pub(super) const NOTIFY_FENCE: bool = !cfg!(heist_mutant = "park_notify_fence");
pub(super) const LAST_SEARCHER: bool = !cfg!(heist_mutant = "park_last_searcher");
pub(super) const TELL_REQUEST: bool = !cfg!(heist_mutant = "park_tell_request");
pub(super) const HINT_REQUEST: bool = !cfg!(heist_mutant = "park_hint_request");
pub(super) const HEAVY_FENCE: bool = !cfg!(heist_mutant = "park_heavy_fence");
pub(super) const LAST_LOOK: bool = !cfg!(heist_mutant = "park_last_look");
pub(super) const SLEEPER_LOOKS: bool = !cfg!(heist_mutant = "park_sleeper_looks");
pub(super) const VACATE_LOOKS: bool = !cfg!(heist_mutant = "park_vacate_looks");
pub(super) const SENTINEL_LOOKS: bool = !cfg!(heist_mutant = "park_sentinel_looks");
pub(super) const SUCCESSOR: bool = !cfg!(heist_mutant = "park_successor");
pub(super) const MESSAGE_UNPARKS: bool = !cfg!(heist_mutant = "park_message_unparks");
pub(super) const RECALL_COUNTS: bool = !cfg!(heist_mutant = "park_recall_counts");
pub(super) const MESSAGE_CLEARS: bool = !cfg!(heist_mutant = "park_message_clears");
pub(super) const RETRY_LOOKS: bool = !cfg!(heist_mutant = "park_retry_looks");
