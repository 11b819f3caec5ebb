#![doc = include_str!("README.md")]

mod always;
mod awaiting;
mod boxed;
mod cancelled;
mod choose;
mod foreign;
mod guard;
#[cfg(all(test, heist_model))]
mod models;
mod nack;
mod newtype;
mod syncing;
mod time;
mod wrap;

pub use always::{Always, Never, always, never};
pub use boxed::BoxEvent;
pub use cancelled::CancelledEvent;
pub use choose::{Choose, Or, choose};
pub use foreign::{FromFuture, from_future};
pub use guard::{Guard, guard};
pub use nack::{Nack, NackEvent, WithNack, with_nack};
pub use syncing::Syncing;
pub use time::{Timer, after, at};
pub use wrap::Wrap;

pub(super) use super::monitor::{Choice, Looks, Turn};
pub(super) use awaiting::Awaiting;
pub(super) use newtype::{awaitable, newtype};

use crate::suspend::block_on;
use std::future::poll_fn;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::task::Context;

/// Traits and types that other crates cannot name. So only this crate implements events.
pub(crate) mod sealed {
    /// A supertrait of [`Event`](super::Event), which seals it.
    pub trait Sealed {}

    /// An argument that the steps of a synchronisation take. Only this crate can create the argument, so other code cannot call the methods
    /// that are steps of a synchronisation.
    #[derive(Clone, Copy, Debug)]
    pub struct Inside(pub(in crate::sync) ());
}
pub(super) use sealed::{Inside, Sealed};

/// The construct for which an event waits, in the form that reports show.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub(crate) construct: &'static &'static str,
    pub(crate) made: &'static Location<'static>,
}

/// An occurrence for which a task can wait: for example, a message arrives or is taken, a permit or a value becomes available, or a
/// time comes. Only one waiter takes each occurrence. An event *describes* a synchronisation. Nothing happens before
/// [`sync`](Event::sync) or [`sync_async`](Event::sync_async) synchronises the event.
///
/// Events come from methods of constructs, such as [`Rendezvous::recv_event`](super::Rendezvous::recv_event), and from functions of this
/// [module](self). Methods of this trait, and [`choose`], combine events. Events are the first-class events of Concurrent ML (Reppy,
/// *Concurrent Programming in ML*, 1999). In contrast to Concurrent ML, an event can be synchronised only once, because the value that it
/// sends moves. To synchronise repeatedly, write a function that returns `impl Event<Output = T>`.
///
/// ```
/// use heist::sync::event::{Event, after};
/// use heist::sync::{Rendezvous, channel};
/// use std::time::Duration;
///
/// let (send, numbers) = channel(1);
/// let words = Rendezvous::<&str>::new();
/// send.send(7).unwrap();
/// let next = (numbers.recv_event()).wrap(|number| format!("number {}", number.unwrap()))
///     .or(words.recv_event().wrap(|word| format!("word {word}")))
///     .or(after(Duration::from_secs(60)).wrap(|()| "nothing".to_owned()));
/// assert_eq!(next.sync(), "number 7");
/// ```
///
/// The trait is sealed. Use [`from_future`] to make an event from any future.
#[must_use = "an event does nothing before it is synchronised"]
pub trait Event: Sealed {
    /// Result of the synchronisation.
    type Output;

    /// Waits until the event happens, and returns its result. The wait suspends a fiber. Other code on a worker gives up the worker's slot
    /// while it waits. A thread that is not a worker parks.
    ///
    /// ```
    /// use heist::sync::event::{Event, always};
    /// assert_eq!(always(7).sync(), 7);
    /// ```
    ///
    /// # Panics
    /// Panics if a function of the event panics, or if the event is the value of a task that has panicked. If the call has to wait,
    /// it also panics in a [deadlock](crate#deadlocks) that has been reported, and in an [isolated](super::isolated) section.
    ///
    /// # Complexity
    /// The call takes time proportional to the number of branches. Each branch that is tried takes a lock. If a branch can happen
    /// immediately, the synchronisation allocates nothing. If no branch can happen immediately, each branch takes two more locks.
    #[track_caller]
    fn sync(mut self) -> Self::Output
    where
        Self: Sized,
    {
        let is_plain = self.plain() > 0;
        if is_plain {
            let mut looks = Looks::new();
            loop {
                if let Some(output) = self.now(Turn::draw()) {
                    return output;
                }
                if !looks.pause() {
                    break;
                }
            }
        }
        let mut syncing = pin!(Syncing::at(self, Location::caller()));
        if is_plain || !syncing.as_mut().begin() {
            block_on(poll_fn(|context| syncing.as_mut().decide(context)));
        }
        syncing.finish()
    }

    /// Returns a future that synchronises the event, for async code. The future works in every executor. Dropping the future gives up the
    /// wait. After the drop, the event has either happened or not, and no message is lost.
    ///
    /// For all event types of this crate, `event.await` has the same effect.
    ///
    /// ```
    /// use heist::sync::Rendezvous;
    /// use heist::sync::event::Event;
    /// let ask = Rendezvous::new();
    /// let there = ask.clone();
    /// let task = heist::spawn_async(async move { there.recv_event().wrap(|n| n + 1).sync_async().await });
    /// ask.send(6);
    /// assert_eq!(*task.get(), 7);
    /// ```
    #[track_caller]
    fn sync_async(self) -> Syncing<Self>
    where
        Self: Sized,
    {
        Syncing::at(self, Location::caller())
    }

    /// Applies a function to the result, after this event has been chosen and all other events have been dropped. The function may
    /// wait, and may synchronise other events. If the function panics, the event has still happened.
    ///
    /// With [`sync`](Self::sync), the function runs like the code around the call. For example, in a fiber its waits suspend the
    /// fiber. With `.await`, the function runs in the poll of the future. So its waits block, like waits of blocking code in an
    /// async task.
    ///
    /// ```
    /// use heist::sync::event::{Event, always};
    /// assert_eq!(always(6).wrap(|six| six * 7).sync(), 42);
    /// ```
    #[doc(alias = "map")]
    fn wrap<F, R>(self, function: F) -> Wrap<Self, F>
    where
        F: FnOnce(Self::Output) -> R,
        Self: Sized,
    {
        Wrap::new(self, function)
    }

    /// Returns the choice between this event and `other`: the first event that happens wins. If both events can happen, the choice takes
    /// one of the two events at random. Among n branches, each branch that can happen is chosen with a probability of at least 1/n.
    ///
    /// ```
    /// use heist::sync::event::{Event, always, never};
    /// assert_eq!(never().or(always(1)).sync(), 1);
    /// ```
    fn or<E>(self, other: E) -> Or<Self, E>
    where
        E: Event<Output = Self::Output>,
        Self: Sized,
    {
        Or::new(self, other)
    }

    /// Moves the event to the heap. Boxed events of different types have the same type.
    ///
    /// ```
    /// use heist::sync::event::{BoxEvent, Event, always, choose, never};
    /// let events: Vec<BoxEvent<'_, u32>> = vec![never().boxed(), always(1).boxed()];
    /// assert_eq!(choose(events).sync(), 1);
    /// ```
    fn boxed<'a>(self) -> BoxEvent<'a, Self::Output>
    where
        Self: Sized + Send + 'a,
    {
        BoxEvent::new(self)
    }

    // `sync` calls `plain` and `now` before all other methods. Only `Syncing` calls the other methods, in this order: `force`,
    // `attempt`, `enlist`, `look` until the choice is decided, `settle`, `output`. The essay describes the steps. The drop of the
    // event takes all its waiters out of their queues.

    /// Returns the number of branches if the event is plain, and 0 otherwise. A plain event has no guard (S1), no foreign future and no
    /// function of `wrap` (S6). If the event is plain, the caller may call [`now`](Self::now) before all other methods; otherwise it must
    /// not call `now`.
    #[doc(hidden)]
    fn plain(&self) -> u32 {
        0
    }

    /// Synchronises a [plain](Self::plain) event in one call (S1, S2, S5 and S6), if one of its branches can happen. The call makes no
    /// waiter.
    #[doc(hidden)]
    fn now(&mut self, turn: Turn) -> Option<Self::Output> {
        let _ = turn;
        None
    }

    /// Returns the number of branches. The number is the event's weight in a random choice.
    #[doc(hidden)]
    fn weight(&self) -> u32 {
        1
    }

    /// S1: runs guards.
    #[doc(hidden)]
    fn force(self: Pin<&mut Self>, _: Inside) {}

    /// Returns true if a branch polls foreign code.
    #[doc(hidden)]
    fn is_foreign(&self) -> bool {
        false
    }

    /// S2: tries all branches, while no other thread knows the choice. Returns true if a branch has happened.
    #[doc(hidden)]
    fn attempt(self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool;

    /// S3: queues a waiter for each branch. Returns true if another thread has decided the choice during this step.
    #[doc(hidden)]
    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let _ = (choice, context);
        false
    }

    /// S4: checks whether a branch can happen that no other thread serves, such as a time or a cancellation. Returns true if the
    /// choice has been decided.
    #[doc(hidden)]
    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let _ = (choice, context);
        false
    }

    /// Takes all waiters out of their queues. The choice must have been closed.
    #[doc(hidden)]
    fn withdraw(self: Pin<&mut Self>, _: Inside) {}

    /// S5: the chosen branch keeps its result. The other branches leave their queues, give their nacks, and are dropped. Returns
    /// true if the chosen branch is in this event.
    #[doc(hidden)]
    fn settle(self: Pin<&mut Self>, inside: Inside) -> bool;

    /// S6: returns the result of the chosen branch. The chosen branch must be in this event.
    #[doc(hidden)]
    fn output(self: Pin<&mut Self>, inside: Inside) -> Self::Output;

    /// Returns the construct for which the event waits, to show in reports.
    #[doc(hidden)]
    fn subject(&self) -> Option<Subject> {
        None
    }
}
