//! Records the place at which an exception was raised, and the calls that had not returned at that time.
//!
//! A raise stores one word in the worker, the exception's *origin*: the return address of the call that raised the exception. Code that
//! raises an exception again keeps the origin. The runtime reads frames only when an exception leaves its strand. Then no handler has
//! caught the exception, so all frames that the exception has passed still exist. The runtime keeps the frames that the exception has
//! passed as a *trail*, for the strand that joins this strand, or for the message of an unhandled exception. When a trail exists, its
//! number is the exception's origin.

use std::fmt::Write;

use crate::code::places::Places;
use crate::exception::spots::spot;
use crate::state::trails::{How, TRAIL, Trail};
use crate::state::walk::Walk;
use crate::state::worker::Worker;
use crate::state::world::World;

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
