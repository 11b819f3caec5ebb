//! Cancels published forks.

use crate::protocol::job::State;
use crate::state::strand::Strand;
use crate::state::world::World;
use crate::wait::tell::tell_cancelled;

/// Cancels and forgets the published forks of `frame` with an index of at least `place`, because an exception leaves the code of these
/// forks. A thief's results for the cancelled forks are not needed any more.
pub fn cancel(world: &World, strand: &mut Strand, frame: usize, place: usize) {
    let mut runs = false;
    while let Some(entry) = strand.entries.last()
        && entry.frame == frame
        && entry.place >= place
    {
        if let Some(entry) = strand.entries.pop() {
            let before = entry.job().cancel();
            runs |= matches!(before, State::Taken | State::Waiting);
        }
        strand.armed = false;
    }
    if runs {
        tell_cancelled(world);
    }
}
