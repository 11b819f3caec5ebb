//! Records the place at which an exception was raised, and the calls that had not returned at that time.
//!
//! A raise stores one word in the worker, the exception's *origin*: the return address of the call that raised the exception. Code that
//! raises an exception again keeps the origin. The runtime reads frames only when an exception leaves its strand. Then no handler has
//! caught the exception, so all frames that the exception has passed still exist. The runtime keeps the frames that the exception has
//! passed as a *trail*, for the strand that joins this strand, or for the message of an unhandled exception. When a trail exists, its
//! number is the exception's origin.

use std::fmt::Write;

use crate::code::places::Places;
use crate::state::strand::Strand;
use crate::state::trails::{How, TRAIL, Trail};
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;
use crate::value::made::Made;

/// The history of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// The exception was not raised before.
    Nothing,
    /// The exception has this origin, and a handler raises it again.
    Handled(usize),
    /// The exception has this origin. The exception comes from a fork's right side that another strand has run.
    Joined(usize),
}

/// Keeps the strand's frames as a trail, when an exception leaves the strand. Returns the new origin of the exception.
///
/// # Safety
/// The worker must be the calling thread's own and run a strand. A thunk must have noted the strand's newest frame.
pub unsafe fn record(worker: *mut Worker, before: Before) -> usize {
    // SAFETY: `worker` is this thread's own, so no other thread changes its strand. The noted frame and all older frames are whole during
    // this call: the raise that has called this function leaves them only afterwards.
    unsafe {
        let mut trail = Trail::default();
        let world = (*worker).world();
        if let Before::Handled(origin) | Before::Joined(origin) = before {
            if origin & TRAIL == 0 {
                trail.step(How::First, origin);
            } else if let Some(before) = world.trails.lock().get(origin) {
                trail = before.clone();
            }
        }
        let mut how = match before {
            Before::Nothing => How::Raised,
            Before::Handled(_) => How::Again,
            Before::Joined(_) => How::Called,
        };
        for frame in Walk::new((*worker).frame, (*(*worker).strand).marks()) {
            trail.step(how, frame.address);
            how = How::Called;
        }
        world.trails.add(trail)
    }
}

/// The lines about an exception, each with the number of calls for which the line stands.
#[derive(Default)]
struct Lines(Vec<(How, String, usize)>);

impl Lines {
    fn add(&mut self, how: How, place: String, times: usize) {
        match self.0.last_mut() {
            Some((How::Called, last, count)) if how == How::Called && *last == place => {
                *count += times;
            }
            _ => self.0.push((how, place, times)),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (how, place, times) in &self.0 {
            let what = match how {
                // The place of the raise may not be known.
                How::First | How::Raised => "raised at",
                _ if text.is_empty() => "raised at",
                How::Again => "raised again at",
                How::Called => "called at",
            };
            let _ = write!(text, "  {what} {place}");
            if *times > 1 {
                let _ = write!(text, " ({times} times)");
            }
            text.push('\n');
        }
        text
    }
}

/// Returns the lines about an unhandled exception, from its origin, or an empty text if nothing is known.
#[must_use]
pub fn describe(world: &World, origin: usize) -> String {
    let trail = if origin & TRAIL == 0 {
        let mut trail = Trail::default();
        trail.step(How::First, origin);
        trail
    } else if let Some(trail) = world.trails.lock().get(origin) {
        trail.clone()
    } else {
        return String::new();
    };
    let inner = world.inner();
    let mut read: Vec<Option<Places>> = vec![None; inner.known.len()];
    let mut lines = Lines::default();
    for step in &trail.steps {
        let Some((program, spot)) = spot(inner, step.at) else {
            continue;
        };
        let places = read[program]
            .get_or_insert_with(|| Places::decode(inner.known[program].places).unwrap_or_default());
        let mut how = step.how;
        let depth = if how == How::First { 1 } else { usize::MAX };
        for place in places.around(spot).take(depth) {
            lines.add(how, place.to_string(), step.times);
            how = How::Called;
        }
    }
    let mut text = lines.text();
    if trail.left_out > 0 {
        let _ = writeln!(text, "  ... and {} more calls", trail.left_out);
    }
    text
}

/// The tables of places that a report on waiting strands has read. These tables contain the places at which strands wait, the places at
/// which strands were made, and the places at which the program made the objects for which strands wait.
pub(crate) struct Waits<'a> {
    world: &'a World,
    read: Vec<Option<Places>>,
}

impl Waits<'_> {
    pub(crate) fn new(world: &World) -> Waits<'_> {
        let read = vec![None; world.inner().known.len()];
        Waits { world, read }
    }

    /// Returns the innermost known place outside of the Basis at which a strand waits. If no place outside of the Basis is known, returns
    /// the innermost known place within the Basis, or `None`.
    ///
    /// # Safety
    /// The strand must wait, and nothing may run it during the call.
    pub(crate) unsafe fn at(&mut self, strand: *const Strand) -> Option<String> {
        // SAFETY: the strand waits and nothing runs it, so its frames and marks do not change during the walk.
        let (frame, marks) = unsafe { ((*strand).newest_frame(), (*strand).marks()) };
        // SAFETY: the newest frame of a strand that waits has not returned, or is 0.
        let walk = unsafe { Walk::new(frame, marks) };
        let (outside, innermost) = self.places(walk.map(|frame| frame.address));
        outside.or(innermost)
    }

    /// Returns the innermost known place outside of the Basis. `addresses` begin with the return address of the newest frame.
    pub(crate) fn outside(&mut self, addresses: &[usize]) -> Option<String> {
        self.places(addresses.iter().copied()).0
    }

    /// Returns the place at which the program made an object for which strands wait.
    pub(crate) fn made_at(&mut self, made: Made) -> Option<String> {
        let inner = self.world.inner();
        let spots = made.spots();
        self.around(spots.iter().filter_map(|spot| numbered(inner, *spot)))
            .0
    }

    /// Returns the innermost place outside of the Basis, and the innermost place within the Basis, among the given return addresses.
    fn places(
        &mut self,
        addresses: impl Iterator<Item = usize>,
    ) -> (Option<String>, Option<String>) {
        let inner = self.world.inner();
        self.around(addresses.filter_map(|address| spot(inner, address)))
    }

    /// Returns the innermost place outside of the Basis, and the innermost place within the Basis, among the given spots.
    fn around(
        &mut self,
        spots: impl Iterator<Item = (usize, u32)>,
    ) -> (Option<String>, Option<String>) {
        let inner = self.world.inner();
        let mut innermost = None;
        for (program, spot) in spots {
            let places = self.read[program].get_or_insert_with(|| {
                Places::decode(inner.known[program].places).unwrap_or_default()
            });
            for place in places.around(spot) {
                if !place.is_of_basis() {
                    return (Some(place.to_string()), innermost);
                }
                innermost.get_or_insert_with(|| place.to_string());
            }
        }
        (None, innermost)
    }
}

/// Returns the return addresses of the newest frames of the strand that the worker runs. If the strand has fewer frames than the result has
/// elements, the other elements are zeros.
///
/// # Safety
/// The worker must be the calling thread's own and run a strand. A thunk must have noted the strand's newest frame.
pub(crate) unsafe fn newest<const N: usize>(worker: *mut Worker) -> [usize; N] {
    let mut addresses = [0; N];
    // SAFETY: `worker` is this thread's own, so no other thread changes its strand. The noted frame and all older frames of the strand have
    // not returned.
    let walk = unsafe { Walk::new((*worker).frame, (*(*worker).strand).marks()) };
    for (address, frame) in addresses.iter_mut().zip(walk) {
        *address = frame.address;
    }
    addresses
}

/// Returns the spot for which an address stands: its program, and its number in that program.
fn spot(inner: &crate::state::world::Inner, at: usize) -> Option<(usize, u32)> {
    let by_address = inner.known.iter().position(|known| {
        at.checked_sub(known.spots)
            .is_some_and(|offset| offset < known.count)
    });
    if let Some(program) = by_address {
        return Some((program, (at - inner.known[program].spots) as u32));
    }
    numbered(inner, inner.frames.spot(at)?)
}

/// Returns the program of the spot with this number, and the spot's number in that program; `None` for 0.
fn numbered(inner: &crate::state::world::Inner, number: u32) -> Option<(usize, u32)> {
    let program = inner
        .known
        .iter()
        .rposition(|known| known.before < number)?;
    Some((program, number - inner.known[program].before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_count_together() {
        let mut lines = Lines::default();
        for (how, place, times) in [
            (How::Raised, "a", 1),
            (How::Called, "a", 2),
            (How::Called, "a", 3),
            (How::Again, "a", 1),
            (How::Called, "b", 1),
        ] {
            lines.add(how, place.into(), times);
        }
        assert_eq!(
            lines.text(),
            "  raised at a\n  called at a (5 times)\n  raised again at a\n  called at b\n"
        );
        let mut lines = Lines::default();
        lines.add(How::Called, "a".into(), 1);
        assert_eq!(lines.text(), "  raised at a\n");
    }
}
