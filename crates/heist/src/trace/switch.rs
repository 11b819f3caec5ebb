//! The start and stop of a pool's trace, and the workers' side of it.

use super::collected::{Thread, Trace};
use super::event::{EventKind, WORDS, decode, encode};
use super::ring::Ring;
use crate::platform::{Scale, Ticks, ticks};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pool's switch for tracing: starts and stops traces, one at a time.
#[derive(Default)]
pub(crate) struct Switch {
    /// The number of the trace that is on; 0 if no trace is on. All accesses are relaxed: if a
    /// thread reads an old number, it records an event too many or too few, which is harmless.
    session: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Number of traces that were ever started.
    sessions: u64,
    current: Option<Session>,
}

struct Session {
    began: Ticks,
    capacity: usize,
    /// Rings of the threads that have recorded an event.
    rings: Vec<(u16, Arc<Ring<WORDS>>)>,
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Switch")
            .field("on", &self.is_on())
            .finish_non_exhaustive()
    }
}

impl Switch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.session.load(Ordering::Relaxed) != 0
    }

    /// Starts a trace with room for `capacity` events of each thread. Discards a trace that is on.
    pub(crate) fn start(&self, capacity: usize) {
        Scale::prepare();
        let mut state = self.state();
        state.sessions += 1;
        state.current = Some(Session {
            began: ticks(),
            capacity,
            rings: Vec::new(),
        });
        self.session.store(state.sessions, Ordering::Relaxed);
    }

    /// Stops the trace. The first `threads` threads of the pool are not spare threads.
    pub(crate) fn stop(&self, pool: &str, threads: usize) -> Option<Trace> {
        let mut state = self.state();
        self.session.store(0, Ordering::Relaxed);
        let session = state.current.take()?;
        drop(state);
        let ended = ticks();
        let scale = Scale::measure();
        let nanos = |at: Ticks| scale.nanos(at.saturating_sub(session.began));
        let mut tracks: Vec<Thread> = session
            .rings
            .iter()
            .map(|(id, ring)| {
                let snapshot = ring.snapshot();
                let mut last = 0;
                let events = snapshot
                    .entries
                    .into_iter()
                    // SAFETY: `Tracer::note` has encoded the entries of the ring.
                    .map(|entry| unsafe { decode(entry) })
                    // Some workers may not have seen yet that the trace was stopped.
                    .take_while(|&(at, _)| at <= ended)
                    .map(|(at, kind)| {
                        // The thread may have moved between two cores whose counters differ, so times must be kept from going back.
                        last = nanos(at).max(last);
                        (last, kind)
                    })
                    .collect();
                Thread {
                    number: (*id).into(),
                    spare: usize::from(*id) >= threads,
                    dropped: snapshot.lost,
                    events,
                }
            })
            .collect();
        // Workers that recorded no event also have a track.
        for number in 0..threads {
            if tracks.iter().all(|track| track.number != number) {
                tracks.push(Thread {
                    number,
                    spare: false,
                    dropped: 0,
                    events: Vec::new(),
                });
            }
        }
        tracks.sort_by_key(|track| track.number);
        Some(Trace::new(pool, tracks, nanos(ended)))
    }

    /// Returns a ring for thread `id` in the trace `session`, if that trace is still on.
    #[cold]
    fn enlist(&self, session: u64, id: u16) -> Option<Arc<Ring<WORDS>>> {
        let mut state = self.state();
        if state.sessions != session {
            return None;
        }
        let current = state.current.as_mut()?;
        let ring = Arc::new(Ring::new(current.capacity));
        current.rings.push((id, Arc::clone(&ring)));
        Some(ring)
    }
}

/// A worker's side of a trace. Only the worker's own thread uses this value.
#[derive(Default)]
pub(crate) struct Tracer {
    /// The number of the last trace in which the worker took part, and the worker's ring in that
    /// trace.
    own: RefCell<Option<(u64, Arc<Ring<WORDS>>)>>,
    /// True if the worker has stolen tasks since the last call of [`has_batch`](Self::has_batch).
    batch: Cell<bool>,
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The ring is left out, because it belongs to the thread.
        f.debug_struct("Tracer").finish_non_exhaustive()
    }
}

impl Tracer {
    /// Returns true if the worker has taken tasks since the last call.
    pub(crate) fn has_batch(&self) -> bool {
        self.batch.take()
    }

    /// Records an event of thread `id`, if a trace is on.
    #[cold]
    #[inline(never)]
    pub(crate) fn note(&self, switch: &Switch, id: u16, kind: EventKind) {
        let at = ticks();
        let session = switch.session.load(Ordering::Relaxed);
        if session == 0 {
            return;
        }
        if matches!(kind, EventKind::StoleTasks { .. }) {
            self.batch.set(true);
        }
        let mut own = self.own.borrow_mut();
        if own.as_ref().is_none_or(|(of, _)| *of != session) {
            *own = switch.enlist(session, id).map(|ring| (session, ring));
        }
        if let Some((_, ring)) = &*own {
            ring.write(encode(at, kind));
        }
    }
}
