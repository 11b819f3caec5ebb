//! Amounts of stolen work.

/// The amount of work that a thief gets in one steal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum StealAmount {
    /// A thief takes one frame, or one task.
    One,
    /// A thief takes half of the public tasks, up to 32. Of the *frames* of joins it still takes only one, because the
    /// victim waits for each. But with return barriers, half of the victim's frames become public, so the next thieves
    /// need no request.
    Half,
}
