//! A trace that has been stopped.

use super::event::{Event, EventKind, Name};
use super::slices::{Doing, Slice, What, slices, stretches};
use std::fmt;
use std::time::Duration;

/// The events of one thread, with times in nanoseconds since the start of the trace.
pub(super) struct Thread {
    pub(super) number: usize,
    pub(super) spare: bool,
    pub(super) dropped: u64,
    pub(super) events: Vec<(u64, EventKind)>,
}

/// The trace of the workers of a pool: see [`Pool::start_trace`](crate::Pool::start_trace).
pub struct Trace {
    pub(super) pool: String,
    pub(super) threads: Vec<Thread>,
    /// The duration of the trace.
    pub(super) end: u64,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("threads", &self.threads.len())
            .field("duration", &self.duration())
            .finish_non_exhaustive()
    }
}

/// The use of a thread's time, according to the events that were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The thread's number. Workers have numbers below the pool's number of threads. Spare threads have higher numbers.
    pub thread: usize,
    /// Time in which the thread ran work.
    pub running: Duration,
    /// Time in waits: for a stolen frame, a scope, a construct.
    pub waiting: Duration,
    /// Time in which the thread slept because there was no work. (In the remaining time of the trace, the thread searched, or did not
    /// exist.)
    pub parked: Duration,
    /// Number of frames and batches of tasks that the thread has taken from other threads.
    pub thefts: u64,
    /// Number of the thread's events that newer events have overwritten.
    pub dropped: u64,
}

/// A wait on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The thread's number.
    pub thread: usize,
    /// The subject of the wait, if the trace contains the beginning of the wait.
    pub what: Option<Name>,
    /// The time from the start of the trace to the start of the wait.
    pub at: Duration,
    /// The duration of the wait.
    pub lasted: Duration,
}

impl Trace {
    pub(super) fn new(pool: &str, mut threads: Vec<Thread>, end: u64) -> Self {
        for thread in &mut threads {
            begin_with_thefts(&mut thread.events);
        }
        Trace {
            pool: pool.to_owned(),
            threads,
            end,
        }
    }

    /// Returns the duration of the trace.
    #[must_use]
    pub fn duration(&self) -> Duration {
        Duration::from_nanos(self.end)
    }

    /// Returns the recorded events: thread by thread, and in order within each thread.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.threads.iter().flat_map(|thread| {
            thread.events.iter().map(|&(at, kind)| Event {
                thread: thread.number,
                at: Duration::from_nanos(at),
                kind,
            })
        })
    }

    /// Returns the number of events that newer events of the same thread have overwritten.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.threads.iter().map(|thread| thread.dropped).sum()
    }

    /// Returns the time use of each thread that recorded an event.
    #[must_use]
    pub fn usage(&self) -> Vec<Usage> {
        self.threads
            .iter()
            .map(|thread| self.used(thread))
            .collect()
    }

    fn used(&self, thread: &Thread) -> Usage {
        let mut usage = Usage {
            thread: thread.number,
            dropped: thread.dropped,
            ..Usage::default()
        };
        for stretch in stretches(&slices(thread, self.end)) {
            let time = Duration::from_nanos(stretch.end - stretch.begin);
            match stretch.what {
                What::Parked | What::Aside => usage.parked += time,
                what if what.runs() => usage.running += time,
                _ => usage.waiting += time,
            }
        }
        let theft = |kind: &EventKind| {
            matches!(
                kind,
                EventKind::StoleFrame { .. } | EventKind::StoleTasks { .. }
            )
        };
        usage.thefts = thread.events.iter().filter(|(_, kind)| theft(kind)).count() as u64;
        usage
    }

    /// Returns the waits of all threads, the longest first.
    #[must_use]
    pub fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for thread in &self.threads {
            for Slice { begin, end, doing } in slices(thread, self.end) {
                if doing.what() == What::Wait {
                    waits.push(Wait {
                        thread: thread.number,
                        what: match doing {
                            Doing::Wait { what, .. } => Some(what),
                            _ => None,
                        },
                        at: Duration::from_nanos(begin),
                        lasted: Duration::from_nanos(end - begin),
                    });
                }
            }
        }
        waits.sort_by_key(|wait| std::cmp::Reverse(wait.lasted));
        waits
    }
}

/// Lets work that begins with a theft begin at the time of the theft: sets the time of the begin event, and moves this event before the
/// theft in the list.
fn begin_with_thefts(events: &mut [(u64, EventKind)]) {
    for i in 0..events.len() {
        if !matches!(events[i].1, EventKind::WorkBegins { .. }) {
            continue;
        }
        let theft = events[..i]
            .iter()
            .rposition(|(_, kind)| {
                // Between the theft and the beginning, a thief may have exposed frames or woken a
                // thread.
                !matches!(kind, EventKind::Exposed { .. } | EventKind::Woke { .. })
            })
            .filter(|&last| {
                matches!(
                    events[last].1,
                    EventKind::StoleFrame { .. } | EventKind::StoleTasks { .. }
                )
            });
        if let Some(theft) = theft {
            events[i].0 = events[theft].0;
            events[theft..=i].rotate_right(1);
        }
    }
}
