//! The memory orders of the split deque by name, so that each can be weakened alone by a mutant
//! (`--cfg heist_mutant="..."`) and the models can show that they notice.

use crate::shim::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

/// Owner's push: pairs with [`TAIL_LOAD`]; who sees the tail sees the slots below it.
pub(super) const TAIL_PUSH: Ordering = if cfg!(heist_mutant = "split_tail_push") {
    Relaxed
} else {
    Release
};
/// Owner's pop: pairs with [`TAIL_LOAD`] too. A plain store ends the release sequence of the push
/// before it, so a forcing thief that reads a popped-to tail needs its own Release here.
pub(super) const TAIL_POP: Ordering = if cfg!(heist_mutant = "split_tail_pop") {
    Relaxed
} else {
    Release
};
/// A forcing thief's read of the tail: pairs with [`TAIL_PUSH`] and [`TAIL_POP`].
pub(super) const TAIL_LOAD: Ordering = if cfg!(heist_mutant = "split_tail_load") {
    Relaxed
} else {
    Acquire
};
/// Making frames public: pairs with [`CLAIM`].
pub(super) const EXPOSE: Ordering = if cfg!(heist_mutant = "split_expose") {
    Relaxed
} else {
    Release
};
/// A thief's claim. Acquire pairs with [`EXPOSE`], through other thieves' claims too because they
/// are read-modify-writes and so continue its release sequence.
pub(super) const CLAIM: Ordering = if cfg!(heist_mutant = "split_claim") {
    Relaxed
} else {
    Acquire
};
/// A thief's note that it has read its slots: pairs with [`READS_LOAD`].
pub(super) const READS_ADD: Ordering = if cfg!(heist_mutant = "split_reads_add") {
    Relaxed
} else {
    Release
};
/// The owner's check before it writes slots again that were claimed: pairs with [`READS_ADD`].
pub(super) const READS_LOAD: Ordering = if cfg!(heist_mutant = "split_reads_load") {
    Relaxed
} else {
    Acquire
};
/// Owner's reclaim. It publishes nothing, but a later thief may claim from the range it leaves, so
/// it must carry the exposure before it on: AcqRel keeps the chain even though it is the owner's own.
pub(super) const RECLAIM: Ordering = AcqRel;
