//! Amounts of stolen work.

/// The amount of work that a thief gets at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum StealAmount {
    /// A thief takes one frame, or one task.
    One,
    /// A thief takes half of the public tasks, up to 32. A thief still takes one *frame* of a join, because its victim
    /// waits for it. But with return barriers, half of the victim's frames become public, so the next thieves need not ask.
    Half,
}
