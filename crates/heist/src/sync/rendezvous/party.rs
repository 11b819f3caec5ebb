//! Senders and receivers of a rendezvous.

use super::{Channel, State};
use crate::platform::shim::Tracked;
use crate::sync::event::{Choice, Event, Inside, Sealed, Subject, Turn, newtype};
use crate::sync::monitor::{Met, Stage, Waiter, ring};
use std::fmt;
use std::pin::Pin;
use std::ptr::null;
use std::sync::Arc;
use std::task::Context;

/// The message of a sender, or the place for a receiver's message. While the party's waiter is queued and the choice is undecided,
/// only a thread that has claimed the choice accesses the slot. Before and after that time, only the party's own future accesses
/// the slot.
#[derive(Debug)]
pub(super) struct Slot<T>(Tracked<Option<T>>);

impl<T> Slot<T> {
    /// Puts a message into the slot, which must be empty.
    ///
    /// # Safety
    /// The caller must ensure that no other thread accesses the slot during the call.
    pub(super) unsafe fn put(&self, message: Option<T>) {
        // SAFETY: by this function's contract no other thread accesses the slot.
        let before = self.0.with_mut(|slot| unsafe { slot.replace(message) });
        debug_assert!(before.is_none());
    }

    /// Takes the message out of the slot.
    ///
    /// # Safety
    /// The caller must ensure that no other thread accesses the slot during the call.
    pub(super) unsafe fn take(&self) -> Option<T> {
        // SAFETY: by this function's contract no other thread accesses the slot.
        self.0.with_mut(|slot| unsafe { (*slot).take() })
    }
}

/// A sender or a receiver of a rendezvous.
pub(super) struct Party<T, const SENDS: bool> {
    channel: Arc<Channel<T>>,
    slot: Slot<T>,
    waiter: Waiter<*const Slot<T>>,
    /// True once the party has exchanged the message with its partner.
    met: bool,
}

impl<T, const SENDS: bool> fmt::Debug for Party<T, SENDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(if SENDS { "Send" } else { "Receive" })
            .field("made", &self.channel.made)
            .finish_non_exhaustive()
    }
}

impl<T, const SENDS: bool> Party<T, SENDS> {
    pub(super) fn new(channel: Arc<Channel<T>>, message: Option<T>) -> Self {
        Party {
            channel,
            slot: Slot(Tracked::new(message)),
            waiter: Waiter::with_tag(null()),
            met: false,
        }
    }

    /// Exchanges the message with a waiting partner, if there is one. `me` is `None` while no other thread knows the choice.
    fn meet(&self, state: &mut State<T>, me: Option<&Choice>) -> Met {
        if SENDS {
            return state.receivers.meet(me, |slot| {
                // SAFETY: only this thread accesses both slots. Its own slot has no queued waiter, or this thread has claimed its
                // own choice. This thread has also claimed the choice of the other slot.
                unsafe { (*slot).put(self.slot.take()) }
            });
        }
        if state.left_over.is_empty() {
            return state.senders.meet(me, |slot| {
                // SAFETY: only this thread accesses both slots. Its own slot has no queued waiter, or this thread has claimed its own
                // choice. This thread has also claimed the choice of the other slot.
                unsafe { self.slot.put((*slot).take()) }
            });
        }
        if let Some(me) = me {
            if !me.claim() {
                return Met::Decided;
            }
            me.decide(Choice::BY_ITSELF);
        }
        // SAFETY: only this thread accesses its own slot, because no waiter for the slot is queued, or this thread has claimed its
        // own choice.
        unsafe { self.slot.put(state.left_over.pop_front()) };
        Met::Partner(None)
    }

    /// Takes the waiter out of its queue, if it is still queued. Before the call, the choice must have been closed, or decided for
    /// another branch.
    fn leave(&self) {
        self.waiter.stage.set(Stage::Idle);
        let mut state = self.channel.state.lock();
        if self.waiter.is_queued() {
            let state = &mut *state;
            let queue = if SENDS {
                &mut state.senders
            } else {
                &mut state.receivers
            };
            // SAFETY: the waiter is in this queue, and this thread has the lock that protects the queue.
            unsafe { queue.remove(&self.waiter) };
        }
    }
}

impl<T, const SENDS: bool> Sealed for Party<T, SENDS> {}

impl<T, const SENDS: bool> Event for Party<T, SENDS> {
    /// The message that a receiver has received, or `None` for a sender.
    type Output = Option<T>;

    fn attempt(self: Pin<&mut Self>, _: Turn, _: &mut Context<'_>) -> bool {
        // SAFETY: this function moves neither the waiter nor the slot, the only pinned fields.
        let this = unsafe { self.get_unchecked_mut() };
        let mut state = this.channel.state.lock();
        let met = this.meet(&mut state, None);
        drop(state);
        let Met::Partner(waker) = met else {
            return false;
        };
        this.met = true;
        waker.into_iter().for_each(ring);
        true
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, _: &mut Context<'_>) -> bool {
        // SAFETY: this function moves neither the waiter nor the slot, the only pinned fields.
        let this = unsafe { self.get_unchecked_mut() };
        let slot: *const Slot<T> = &raw const this.slot;
        let mut state = this.channel.state.lock();
        match this.meet(&mut state, Some(choice)) {
            Met::Partner(waker) => {
                drop(state);
                this.met = true;
                waker.into_iter().for_each(ring);
                true
            }
            Met::Decided => true,
            Met::Alone => {
                let queue = if SENDS {
                    &mut state.senders
                } else {
                    &mut state.receivers
                };
                // SAFETY: the waiter is part of the pinned event. The event's drop takes the waiter out of the queue, under the
                // lock, unless the choice was decided for it. `Syncing` drops the choice after the event.
                unsafe { queue.push_for(Pin::new_unchecked(&mut this.waiter), choice, slot) };
                this.waiter.stage.set(Stage::Queued);
                false
            }
        }
    }

    fn withdraw(self: Pin<&mut Self>, _: Inside) {
        if self.waiter.stage.get() == Stage::Queued {
            self.leave();
        }
    }

    fn settle(self: Pin<&mut Self>, _: Inside) -> bool {
        // SAFETY: this function moves neither the waiter nor the slot, the only pinned fields.
        let this = unsafe { self.get_unchecked_mut() };
        if this.waiter.stage.get() == Stage::Queued {
            if this.waiter.is_chosen() {
                this.waiter.stage.set(Stage::Over);
                this.met = true;
            } else {
                this.leave();
            }
        }
        this.met
    }

    fn output(self: Pin<&mut Self>, _: Inside) -> Option<T> {
        // SAFETY: the choice has been decided for this party, so no other thread accesses the slot any more.
        unsafe { self.slot.take() }
    }

    fn subject(&self) -> Option<Subject> {
        Some(Subject {
            construct: if SENDS {
                &"Rendezvous (to send)"
            } else {
                &"Rendezvous (to receive)"
            },
            made: self.channel.made,
        })
    }
}

impl<T, const SENDS: bool> Drop for Party<T, SENDS> {
    fn drop(&mut self) {
        if self.waiter.stage.get() == Stage::Queued && !self.waiter.is_chosen() {
            self.leave();
        }
        if !SENDS && !cfg!(heist_mutant = "sync_rendezvous_left_over") {
            // SAFETY: the slot's waiter is in no queue any more, so no other thread accesses the slot. If the slot has a message, a sender
            // has sent it, and this receiver has not returned it.
            if let Some(message) = unsafe { self.slot.take() } {
                self.channel.pass_on(message);
            }
        }
    }
}

/// The event that [`Rendezvous::send_event`](super::Rendezvous::send_event) returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct RendezvousSend<T>(pub(super) Party<T, true>);

impl<T> RendezvousSend<T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Party<T, true>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!([T] RendezvousSend<T>, (), |inner, inside| drop(inner.output(inside)));

/// The event that [`Rendezvous::recv_event`](super::Rendezvous::recv_event) returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct RendezvousReceive<T>(pub(super) Party<T, false>);

impl<T> RendezvousReceive<T> {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Party<T, false>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!([T] RendezvousReceive<T>, T, |inner, inside| {
    inner
        .output(inside)
        .unwrap_or_else(|| unreachable!("its sender has put it there"))
});
