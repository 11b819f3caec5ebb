//! Amounts of stolen work.

/// The amount of work that a thief gets at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum StealAmount {
    /// One frame, or one task.
    One,
    /// Half of the tasks of a scope that are there, up to 32. A thief takes one *frame* of a join even so, since its victim
    /// waits for it; but of return barriers, half of the victim's frames become public, so that
    /// the next thieves need not ask.
    Half,
}
