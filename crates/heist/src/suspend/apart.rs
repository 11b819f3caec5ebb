//! Runs a task on the stack of a thread whose code waits.

use super::broken::Breaking;
use super::isolation::Isolation;
use super::site::{note_wait, take_wait};

/// Runs `work`, which is unrelated to the waits below it on this stack. During `work`, the thread
/// is in no isolated section, and has no mark of a broken wait. After `work`, restores the section,
/// the mark, and the recorded reason of the wait.
pub(crate) fn apart(work: impl FnOnce()) {
    let noted = take_wait();
    let broken = Breaking::replace(false);
    Isolation::None.during(work);
    Breaking::set(broken);
    note_wait(noted);
}
