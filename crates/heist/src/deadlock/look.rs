//! Whether anything can still happen in this process. The one place that decides it: the
//! argument is in the README.

use crate::platform::{has_threads, heavy_fence};
use crate::waiting::{OutsideSeat, outside_seats};
use crate::worker::Crew;
use std::sync::Arc;

/// A state of the process in which no thread can go on.
#[derive(Debug)]
pub(super) struct Deadlock {
    pub(super) crews: Vec<Arc<Crew>>,
    /// The threads that are no workers, each with the number of its wait.
    pub(super) outside: Vec<(Arc<OutsideSeat>, u64)>,
}

/// Result of a look at all known threads if none of them can go on by itself.
#[derive(PartialEq, Eq, Debug)]
struct Stillness {
    /// Number of threads.
    threads: usize,
    /// Numbers of which one at least is another one if a thread has done anything since.
    stamps: Vec<u64>,
}

/// A deadlock, if the process is in one. Called by a thread that waits itself, on its seat.
pub(super) fn look(crews: Vec<Arc<Crew>>) -> Option<Deadlock> {
    look_among(crews, has_threads)
}

pub(super) fn look_among(
    crews: Vec<Arc<Crew>>,
    are_all: impl FnOnce(usize) -> bool,
) -> Option<Deadlock> {
    let seats = outside_seats();
    let before = stillness(&crews, &seats)?;
    if !are_all(before.threads) {
        return None;
    }
    // What any thread did before it came to rest, or ended, is seen below.
    heavy_fence();
    let after = stillness(&crews, &seats)?;
    if after != before {
        return None;
    }
    let outside = seats.into_iter().filter_map(|seat| {
        let wait = seat.seat.stuck()?;
        Some((seat, wait))
    });
    Some(Deadlock {
        outside: outside.collect(),
        crews,
    })
}

fn stillness(crews: &[Arc<Crew>], seats: &[Arc<OutsideSeat>]) -> Option<Stillness> {
    let mut threads = 0;
    let mut stamps = Vec::new();
    for crew in crews {
        threads += crew.still_threads(&mut stamps)?;
    }
    for seat in seats {
        // One that does not wait may have ended. If not, the threads are too many.
        if let Some(wait) = seat.seat.stuck() {
            threads += 1;
            stamps.push(wait);
        }
    }
    Some(Stillness { threads, stamps })
}
