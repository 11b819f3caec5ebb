//! Activities: the running tasks that a finish counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::PlaceError;
use crate::finish::{Counts, FinishId, Position};
use crate::place::Place;

/// The way in which an activity began. The origin determines to which place this place reports the end of the activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A spawned task, or the body of a finish.
    Counted,
    /// A task that another task has called by `at`. The place `caller` awaits the reply.
    Visit { caller: usize, ticket: u64 },
}

/// The result of a task's own code.
#[derive(Debug)]
pub(crate) enum Conclusion {
    Returned(Vec<u8>),
    Failed(PlaceError),
}

/// A running task. An activity ends when its code and all its calls have ended.
#[derive(Debug)]
pub(crate) struct Activity {
    pub(crate) finish: FinishId,
    pub(crate) origin: Origin,
    position: Vec<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of calls that have not been answered.
    pending: u32,
    /// The number of tasks that this activity has started.
    started: u64,
    /// The result of the task's code, once the code has ended.
    conclusion: Option<Conclusion>,
    ended: bool,
    /// The numbers of tasks that this activity has sent, by receiver, if it is a visit: a task called by `at`.
    sent: Counts,
    /// True if a place died during a call.
    lost: bool,
}

/// The information that a visit (a task called by `at`) must report to the home of its finish.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub(crate) sent: Counts,
    pub(crate) lost: bool,
}

impl Activity {
    pub(crate) fn new(finish: FinishId, origin: Origin, position: Vec<u64>) -> Arc<Self> {
        Arc::new(Activity {
            finish,
            origin,
            position,
            state: Mutex::default(),
        })
    }

    /// Returns the maximum size in bytes of a child task's position in a message.
    pub(crate) fn position_bytes(&self) -> usize {
        10 * (self.position.len() + 1)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a child task: calls `count` with the position of the child. During the call, a lock prevents the end of this activity.
    ///
    /// # Panics
    /// Panics if this activity has ended.
    pub(crate) fn start<R>(
        &self,
        to: usize,
        asynchronous: bool,
        count: impl FnOnce(Vec<u64>) -> R,
    ) -> R {
        let mut state = self.lock();
        if state.ended {
            drop(state);
            panic!(
                "heist-places: this world belongs to a task that has ended, so it cannot start another one"
            );
        }
        let mut position = Vec::with_capacity(self.position.len() + 1);
        position.extend_from_slice(&self.position);
        position.push(state.started);
        state.started += 1;
        if asynchronous {
            if self.origin != Origin::Counted {
                state.sent.add(to, 1);
            }
        } else {
            state.pending += 1;
        }
        count(position)
    }

    /// Records that the task's own code has ended.
    pub(crate) fn conclude(&self, place: &Arc<Place>, conclusion: Conclusion) {
        let mut state = self.lock();
        state.conclusion = Some(conclusion);
        self.end_if_over(place, state);
    }

    /// Records that a call has been answered, or that its place has died.
    pub(crate) fn answered(&self, place: &Arc<Place>, lost: bool) {
        let mut state = self.lock();
        state.pending -= 1;
        state.lost |= lost;
        self.end_if_over(place, state);
    }

    fn end_if_over(&self, place: &Arc<Place>, mut state: MutexGuard<'_, State>) {
        if state.pending > 0 {
            return;
        }
        let Some(conclusion) = state.conclusion.take() else {
            return;
        };
        state.ended = true;
        let news = News {
            sent: std::mem::take(&mut state.sent),
            lost: state.lost,
        };
        let mut position = self.position.clone();
        position.push(state.started);
        drop(state);
        place.ended(self, Position(position), conclusion, news);
    }
}
