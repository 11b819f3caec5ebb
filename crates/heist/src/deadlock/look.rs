//! Decides whether any thread of this process can still run. No other code makes this decision. This folder's README explains why the
//! decision is right.

use crate::platform::{has_threads, heavy_fence};
use crate::waiting::{OutsideSeat, outside_seats};
use crate::worker::PoolInner;
use std::sync::Arc;

/// A state of the process in which no thread can continue.
#[derive(Debug)]
pub(super) struct Deadlock {
    pub(super) pools: Vec<Arc<PoolInner>>,
    /// The waiting threads that are not workers, each with the number of its current wait.
    pub(super) outside: Vec<(Arc<OutsideSeat>, u64)>,
}

/// The result of a look at which all known threads were still.
#[derive(PartialEq, Eq, Debug)]
struct Quiescence {
    /// Number of threads.
    threads: usize,
    /// Stamps of the threads: when a thread does anything, at least one stamp changes.
    stamps: Vec<u64>,
}

/// Returns the deadlock, if the process is in a deadlock. The calling thread itself must wait on
/// its seat.
pub(super) fn look(pools: Vec<Arc<PoolInner>>) -> Option<Deadlock> {
    look_among(pools, has_threads)
}

pub(super) fn look_among(
    pools: Vec<Arc<PoolInner>>,
    are_all: impl FnOnce(usize) -> bool,
) -> Option<Deadlock> {
    let seats = outside_seats();
    let before = quiescence(&pools, &seats)?;
    if !are_all(before.threads) {
        return None;
    }
    // After this fence, this thread sees what any thread did before that thread came to rest or
    // ended.
    heavy_fence();
    let after = quiescence(&pools, &seats)?;
    if after != before {
        return None;
    }
    let outside = seats.into_iter().filter_map(|seat| {
        let wait = seat.seat.stuck()?;
        Some((seat, wait))
    });
    Some(Deadlock {
        outside: outside.collect(),
        pools,
    })
}

fn quiescence(pools: &[Arc<PoolInner>], seats: &[Arc<OutsideSeat>]) -> Option<Quiescence> {
    let mut threads = 0;
    let mut stamps = Vec::new();
    for pool in pools {
        threads += pool.quiescent_threads(&mut stamps)?;
    }
    for seat in seats {
        // A thread that does not wait may have ended. If it has not ended, the kernel counts more threads than this look.
        if let Some(wait) = seat.seat.stuck() {
            threads += 1;
            stamps.push(wait);
        }
    }
    Some(Quiescence { threads, stamps })
}
