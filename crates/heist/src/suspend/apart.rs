//! Runs a task on top of other code that waits on this thread.

use super::broken::Breaking;
use super::isolation::Isolation;
use super::site::{note_wait, take_wait};

/// Runs work that is unrelated to the waits below: in none of their isolated sections, and without a
/// wait of theirs that a deadlock has ended. Notes of that stay.
pub(crate) fn apart(work: impl FnOnce()) {
    let noted = take_wait();
    let broken = Breaking::replace(false);
    Isolation::None.during(work);
    Breaking::set(broken);
    note_wait(noted);
}
