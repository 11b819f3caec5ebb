//! Amounts of stolen work.

/// The amount of work that a thief gets in one steal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum StealAmount {
    /// A thief takes one frame, or one task.
    One,
    /// A thief takes half of the public tasks, up to 32. A thief still takes only one *frame* of a join at a time, because the victim's
    /// joins wait for the frames. With return barriers, however, half of the victim's frames become public, so the next thieves need not
    /// request frames.
    Half,
}
