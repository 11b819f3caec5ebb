//! Signals that an event was not chosen.

use super::{Awaiting, Choice, Event, Inside, Sealed, Subject, Turn, awaitable, newtype};
use crate::sync::monitor::{Condition, Locked, Queue, serve_more};
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;

/// A signal that an event was not chosen. The function that is passed to [`with_nack`] receives this signal. All clones are the
/// same signal.
#[derive(Clone)]
pub struct Nack(Arc<Signal>);

struct Signal {
    state: Locked<State>,
    made: &'static Location<'static>,
}

struct State {
    given: bool,
    /// The waiters for the nack. After the nack has been given, the queue stays empty.
    waiting: Queue,
}

impl fmt::Debug for Nack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Nack").field(&self.is_given()).finish()
    }
}

impl Nack {
    /// Returns true if the signal has been given. After the signal, the synchronisation will never take the event's result.
    ///
    /// ```
    /// use heist::sync::event::{Event, never, with_nack};
    /// let event = with_nack(|nack| {
    ///     assert!(!nack.is_given());
    ///     never::<()>()
    /// });
    /// # drop(event);
    /// ```
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.0.state.lock().given
    }

    /// Returns an event that happens when the nack is given. If the result of the nack's own event is taken, the returned event
    /// never happens.
    ///
    /// ```
    /// use heist::sync::event::{Event, always, never, with_nack};
    /// let (tell, told) = heist::sync::channel(1);
    /// let loses = with_nack(move |nack| {
    ///     tell.send(nack).unwrap();
    ///     never()
    /// });
    /// loses.or(always(())).sync();
    /// told.recv().unwrap().event().sync();
    /// ```
    pub fn event(&self) -> NackEvent {
        NackEvent(Awaiting::new(Given(Arc::clone(&self.0))))
    }
}

impl Signal {
    fn give(&self) {
        let mut state = self.state.lock();
        state.given = true;
        serve_more(&self.state, state, |state| state.waiting.serve());
    }
}

struct Given(Arc<Signal>);

impl Condition for Given {
    type State = State;
    type Output = ();

    fn state(&self) -> &Locked<State> {
        &self.0.state
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"Nack", self.0.made)
    }

    fn attempt(&mut self, state: &mut State) -> Result<(), u64> {
        if state.given { Ok(()) } else { Err(0) }
    }

    fn queue<'s>(&self, state: &'s mut State) -> &'s mut Queue {
        &mut state.waiting
    }

    fn served(&mut self) {}

    fn forfeit(&mut self) {}
}

/// The event that [`Nack::event`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct NackEvent(Awaiting<Given>);

impl NackEvent {
    fn inner(self: Pin<&mut Self>) -> Pin<&mut Awaiting<Given>> {
        // SAFETY: the field belongs to the pinned `self`, and is not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.0) }
    }
}

newtype!([] NackEvent, (), |inner, inside| inner.output(inside));

/// A guard whose drop gives a nack, unless the guard has been disarmed.
struct Trigger(Option<Arc<Signal>>);

impl Trigger {
    /// Gives the nack.
    fn fire(&mut self) {
        if let Some(signal) = self.0.take() {
            signal.give();
        }
    }

    /// Disarms the trigger, because the event was chosen.
    fn disarm(&mut self) {
        if !cfg!(heist_mutant = "sync_nack_chosen") {
            self.0 = None;
        }
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        self.fire();
    }
}

/// The event that [`with_nack`] returns.
#[must_use = "an event does nothing before it is synchronised"]
pub struct WithNack<F, E> {
    make: Option<F>,
    event: Option<E>,
    nack: Trigger,
    made: &'static Location<'static>,
}

impl<F, E> fmt::Debug for WithNack<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithNack")
            .field("made", &self.event.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns an event that `make` creates at each synchronisation, like [`guard`](super::guard()). In addition, the event sends a
/// signal if it is not chosen. The signal is the [`Nack`] that `make` receives. The nack is given at most once. The nack is given
/// in three cases: another branch is chosen, the wait is given up or ends by a panic, or `make` panics. The nack is never given if
/// the result of the event is taken. The function is Concurrent ML's `withNack`, for servers that must take back an offer after a
/// client has given up the offer.
///
/// A task may give up a wait after another thread has chosen its event, but before the task has continued. So a server's `send` may
/// succeed although the nack is given. A server that needs certainty must request an answer.
///
/// ```
/// use heist::sync::event::{Event, Nack, after, with_nack};
/// use heist::sync::Rendezvous;
/// use std::time::Duration;
///
/// // A server that lends its one book to those that still wait for it.
/// let requests = Rendezvous::<(Rendezvous<&str>, Nack)>::new();
/// let desk = requests.clone();
/// let server = std::thread::spawn(move || {
///     let mut lent = 0;
///     for _ in 0..2 {
///         let (reply, nack) = desk.recv();
///         std::thread::sleep(Duration::from_millis(200));
///         let got = reply.send_event("a book").wrap(|()| 1).or(nack.event().wrap(|()| 0));
///         lent += got.sync();
///     }
///     lent
/// });
///
/// let book = || with_nack(|nack| {
///     let reply = Rendezvous::new();
///     requests.send((reply.clone(), nack));
///     reply.recv_event()
/// });
/// let too_late = book().or(after(Duration::from_millis(1)).wrap(|()| "nothing"));
/// assert_eq!(too_late.sync(), "nothing");
/// assert_eq!(book().sync(), "a book");
/// assert_eq!(server.join().unwrap(), 1);
/// ```
#[track_caller]
pub fn with_nack<F: FnOnce(Nack) -> E, E: Event>(make: F) -> WithNack<F, E> {
    WithNack {
        make: Some(make),
        event: None,
        nack: Trigger(None),
        made: Location::caller(),
    }
}

impl<F, E> WithNack<F, E> {
    fn event(self: Pin<&mut Self>) -> Pin<&mut E> {
        // SAFETY: the event is a field of the pinned `self`, and is not moved after it has been created.
        let event = unsafe { self.map_unchecked_mut(|this| &mut this.event) };
        event
            .as_pin_mut()
            .unwrap_or_else(|| unreachable!("forced first"))
    }
}

impl<F, E> Sealed for WithNack<F, E> {}

impl<F: FnOnce(Nack) -> E, E: Event> Event for WithNack<F, E> {
    type Output = E::Output;

    fn weight(&self) -> u32 {
        self.event.as_ref().map_or(1, E::weight)
    }

    fn force(mut self: Pin<&mut Self>, inside: Inside) {
        // SAFETY: `make` and the trigger are not structurally pinned, and the event does not exist yet, so nothing pinned is moved.
        let this = unsafe { self.as_mut().get_unchecked_mut() };
        if let Some(make) = this.make.take() {
            let signal = Arc::new(Signal {
                state: Locked::new(State {
                    given: false,
                    waiting: Queue::new(),
                }),
                made: this.made,
            });
            // The trigger is stored before `make` is called, so the nack is given if `make` panics.
            this.nack = Trigger(Some(Arc::clone(&signal)));
            this.event = Some(make(Nack(signal)));
        }
        self.event().force(inside);
    }

    fn is_foreign(&self) -> bool {
        self.event.as_ref().is_some_and(E::is_foreign)
    }

    fn attempt(self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        self.event().attempt(turn, context)
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.event().enlist(choice, context)
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.event().look(choice, context)
    }

    fn withdraw(self: Pin<&mut Self>, inside: Inside) {
        self.event().withdraw(inside);
    }

    fn settle(mut self: Pin<&mut Self>, inside: Inside) -> bool {
        let chosen = self.as_mut().event().settle(inside);
        // SAFETY: the trigger is not structurally pinned, and no other field is moved.
        let nack = unsafe { &mut self.get_unchecked_mut().nack };
        if chosen {
            nack.disarm();
        } else {
            nack.fire();
        }
        chosen
    }

    fn output(self: Pin<&mut Self>, inside: Inside) -> E::Output {
        self.event().output(inside)
    }

    fn subject(&self) -> Option<Subject> {
        self.event.as_ref().and_then(E::subject)
    }
}

awaitable!([F, E] WithNack<F, E>);
