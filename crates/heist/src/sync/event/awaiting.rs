//! Events of constructs that are monitors. An event of this kind makes the wait for a condition a branch of a choice.

use super::{Choice, Event, Inside, Sealed, Subject, Turn};
use crate::sync::monitor::{Condition, Guard, Locked, Stage, Waiter};
use std::fmt;
use std::pin::Pin;
use std::task::Context;

/// A wait for a condition, as one branch of a choice. A choice never calls [`Condition::announce`], so the condition must become true
/// without that call.
pub(in crate::sync) struct Awaiting<C: Condition> {
    condition: C,
    /// The result of the event; `Some` after the event has happened.
    output: Option<C::Output>,
    waiter: Waiter,
}

impl<C: Condition> fmt::Debug for Awaiting<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (construct, made) = self.condition.construct();
        f.debug_struct("Event")
            .field("construct", &construct)
            .field("made", &made)
            .finish_non_exhaustive()
    }
}

impl<C: Condition> Awaiting<C> {
    pub(in crate::sync) fn new(condition: C) -> Self {
        Awaiting {
            condition,
            output: None,
            waiter: Waiter::new(),
        }
    }

    pub(in crate::sync) fn condition(&self) -> &C {
        &self.condition
    }

    /// Locks the state of the condition. The guard does not borrow the condition.
    ///
    /// # Safety
    /// The caller must drop the guard before the condition.
    unsafe fn lock<'s>(&self) -> Guard<'s, C::State> {
        let lock: *const Locked<C::State> = self.condition.state();
        // SAFETY: the condition always returns the same lock, which stays in place while the condition lives. By this function's
        // contract, the guard is dropped before the condition.
        unsafe { &*lock }.lock()
    }

    /// Takes the waiter out of its queue, if it is still queued. Before the call, the choice must have been closed, or decided for
    /// another branch.
    #[cold]
    fn leave(&mut self) {
        self.waiter.stage.set(Stage::Idle);
        // SAFETY: the guard is dropped before this function returns, and the condition lives longer than the guard.
        let mut state = unsafe { self.lock() };
        if self.waiter.is_queued() {
            // SAFETY: the waiter is in this queue, and this thread has the lock that protects the queue.
            let (_, tag) = unsafe { self.condition.queue(&mut state).remove(&self.waiter) };
            self.condition.leave(state, tag);
        }
    }
}

impl<C: Condition> Sealed for Awaiting<C> {}

impl<C: Condition> Event for Awaiting<C> {
    type Output = C::Output;

    #[inline]
    fn plain(&self) -> u32 {
        1
    }

    #[inline]
    fn now(&mut self, _: Turn) -> Option<C::Output> {
        self.condition.begin();
        // SAFETY: the guard is dropped before this function returns, and the condition lives longer than the guard.
        let mut state = unsafe { self.lock() };
        let output = self.condition.attempt(&mut state).ok()?;
        self.condition.pass_on(state);
        Some(output)
    }

    fn attempt(self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        this.condition.begin();
        // SAFETY: the guard is dropped before this function returns, and the condition lives longer than the guard.
        let mut state = unsafe { this.lock() };
        match this.condition.attempt(&mut state) {
            Ok(output) => {
                this.output = Some(output);
                this.condition.pass_on(state);
                true
            }
            Err(_) => false,
        }
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, _: &mut Context<'_>) -> bool {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the guard is dropped before this function returns, and the condition lives longer than the guard.
        let mut state = unsafe { this.lock() };
        if !choice.claim() {
            return true;
        }
        match this.condition.attempt(&mut state) {
            Ok(output) => {
                choice.decide(Choice::BY_ITSELF);
                this.output = Some(output);
                this.condition.pass_on(state);
                true
            }
            Err(tag) => {
                // SAFETY: the waiter is part of the pinned event. The event's drop takes the waiter out of the queue, under the
                // lock, unless the choice was decided for it. `Syncing` drops the choice after the event.
                unsafe {
                    let waiter = Pin::new_unchecked(&mut this.waiter);
                    let queue = this.condition.queue(&mut state);
                    queue.push_for(waiter, choice, tag);
                }
                this.waiter.stage.set(Stage::Queued);
                choice.release();
                this.condition.queued(state);
                choice.is_over()
            }
        }
    }

    fn withdraw(self: Pin<&mut Self>, _: Inside) {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        if this.waiter.stage.get() == Stage::Queued {
            this.leave();
        }
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        if this.waiter.stage.get() == Stage::Queued {
            if this.waiter.is_chosen() {
                this.waiter.stage.set(Stage::Over);
                this.output = Some(this.condition.served());
            } else {
                this.leave();
            }
        }
        this.output.is_some()
    }

    fn output(self: Pin<&mut Self>, _: Inside) -> C::Output {
        // SAFETY: only the waiter is pinned, and this function does not move it.
        let this = unsafe { self.get_unchecked_mut() };
        let output = this.output.take();
        output.unwrap_or_else(|| unreachable!("asked of the branch that was chosen"))
    }

    fn subject(&self) -> Option<Subject> {
        let (construct, made) = self.condition.construct();
        Some(Subject { construct, made })
    }
}

impl<C: Condition> Drop for Awaiting<C> {
    #[inline]
    fn drop(&mut self) {
        if self.waiter.stage.get() == Stage::Queued {
            if self.waiter.is_chosen() {
                self.condition.forfeit();
            } else {
                self.leave();
            }
        }
    }
}
