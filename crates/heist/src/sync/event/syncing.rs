//! The future that synchronises an event.

use super::{Choice, Event, Inside, Turn};
use crate::suspend::{note_wait, still_waits};
use crate::waiting::{Reason, Site};
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Guards have not run.
    New,
    /// Guards have run, and no waiter is queued.
    Forced,
    /// Other threads may know the choice.
    Enlisted,
    Over,
}

/// The future that [`Event::sync_async`] returns. Dropping this future gives up the wait.
#[must_use = "nothing waits unless it is awaited"]
pub struct Syncing<E> {
    /// The event. The event is dropped before the choice, because the event's waiters refer to the choice.
    event: E,
    choice: Choice,
    stage: Stage,
    began: &'static Location<'static>,
}

impl<E> fmt::Debug for Syncing<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Syncing")
            .field("began", &self.began)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

impl<E: Event> Syncing<E> {
    pub(super) fn at(event: E, began: &'static Location<'static>) -> Self {
        Syncing {
            event,
            choice: Choice::new(),
            stage: Stage::New,
            began,
        }
    }

    fn parts(self: Pin<&mut Self>) -> (Pin<&mut E>, &Choice, &mut Stage) {
        // SAFETY: the event and the choice are pinned with `self`, and are not moved before they are dropped in place.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the event is a field of the pinned `self`, and is not moved.
        let event = unsafe { Pin::new_unchecked(&mut this.event) };
        (event, &this.choice, &mut this.stage)
    }

    /// Runs the guards (S1) and tries the branches (S2) in one call. Returns true if a branch has happened. The call polls no foreign code;
    /// [`decide`](Self::decide) polls it later.
    #[inline]
    pub(super) fn begin(self: Pin<&mut Self>) -> bool {
        let (mut event, _, stage) = self.parts();
        event.as_mut().force(Inside(()));
        *stage = Stage::Forced;
        let mut context = Context::from_waker(Waker::noop());
        !event.is_foreign() && event.attempt(Turn::draw(), &mut context)
    }

    /// Settles the choice (S5) and computes the output (S6), after the choice has been decided. The second step runs the functions that the
    /// program has passed to `wrap`, and these functions may wait.
    pub(super) fn finish(self: Pin<&mut Self>) -> E::Output {
        let (mut event, _, stage) = self.parts();
        *stage = Stage::Over;
        let found = event.as_mut().settle(Inside(()));
        debug_assert!(found, "a choice is decided for one of its branches");
        event.output(Inside(()))
    }

    /// Runs guards, tries branches, queues waiters and looks (S1 to S4), until the choice has been decided. The caller must then call
    /// [`finish`](Self::finish).
    pub(super) fn decide(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let (mut event, choice, stage) = self.as_mut().parts();
        let waits = match *stage {
            Stage::Over => panic!("heist: a wait was polled after it had ended"),
            Stage::New => {
                event.as_mut().force(Inside(()));
                *stage = Stage::Forced;
                false
            }
            Stage::Forced => false,
            Stage::Enlisted if event.is_foreign() => {
                // Foreign code is polled only while no other thread can decide the choice. Otherwise its output might be ready and
                // then be lost.
                if !choice.close() {
                    return Poll::Ready(());
                }
                event.as_mut().withdraw(Inside(()));
                *stage = Stage::Forced;
                false
            }
            Stage::Enlisted => true,
        };
        let decided = if waits {
            event.as_mut().look(choice, context) || !choice.renew(context.waker())
        } else if event.as_mut().attempt(Turn::draw(), context) {
            true
        } else {
            choice.open(context.waker().clone());
            *stage = Stage::Enlisted;
            event.as_mut().enlist(choice, context)
        };
        if decided {
            return Poll::Ready(());
        }
        if !event.is_foreign() {
            let site = self.site();
            if waits {
                still_waits(|| Some(site));
            }
            note_wait(Reason::Construct(site));
        }
        Poll::Pending
    }

    fn site(&self) -> Site {
        let subject = self.event.subject();
        Site {
            construct: subject.map_or(&"event", |subject| subject.construct),
            made: subject.map_or(self.began, |subject| subject.made),
            waits: self.began,
        }
    }
}

impl<E: Event> Future for Syncing<E> {
    type Output = E::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<E::Output> {
        self.as_mut().decide(context).map(|()| self.finish())
    }
}

impl<E> Drop for Syncing<E> {
    fn drop(&mut self) {
        if self.stage == Stage::Enlisted {
            // S7. If the choice has been decided, the drop of the chosen branch passes on its share.
            self.choice.close();
        }
    }
}
