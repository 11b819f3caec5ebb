//! Channels without a buffer. A sender and a receiver meet at a rendezvous.

mod party;

use super::event::{Event, Syncing};
use super::monitor::{Locked, Met, Queue, ring};
use party::{Party, Slot};
pub use party::{RendezvousReceive, RendezvousSend};
use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A channel without a buffer. A message passes from a sender to a receiver when both have arrived. All clones are the same
/// channel.
///
/// Any number of tasks may send and receive. Waiters are served in the order of arrival. A channel does not close. If no partner
/// comes, another branch of a [choice](super::event) can end the wait.
///
/// This type is the channel of Concurrent ML. When a send has ended, a receiver has taken the message. A channel with a
/// [buffer](super::channel) does not guarantee that the message has been taken.
///
/// ```
/// use heist::sync::Rendezvous;
/// let there = Rendezvous::new();
/// let back = Rendezvous::new();
/// let task = heist::spawn_async({
///     let (there, back) = (there.clone(), back.clone());
///     async move {
///         let number = there.recv_async().await;
///         back.send_async(number * 2).await;
///     }
/// });
/// there.send(21); // ends when the task has it
/// assert_eq!(back.recv(), 42);
/// task.get();
/// ```
///
/// # Complexity
/// A send or receive takes one lock if a partner already waits. A send or receive that has to wait takes a second lock. A waiter
/// that gives up leaves the queue in constant time.
pub struct Rendezvous<T>(Arc<Channel<T>>);

#[derive(Debug)]
struct Channel<T> {
    state: Locked<State<T>>,
    made: &'static Location<'static>,
}

/// The queues of a channel. While the lock is free, the queues never contain both an undecided sender and an undecided receiver of
/// different choices. If `left_over` has a message, the queues contain no undecided receiver.
#[derive(Debug)]
struct State<T> {
    senders: Queue<*const Slot<T>>,
    receivers: Queue<*const Slot<T>>,
    /// Messages whose receivers gave up their waits after the messages had been passed to them. While this queue has messages, no undecided
    /// receiver waits.
    left_over: VecDeque<T>,
}

impl<T> Channel<T> {
    /// Passes on the message of a receiver that gives up. The next receiver gets the message. If there is no other receiver, the
    /// channel keeps the message until a receiver comes.
    fn pass_on(&self, message: T) {
        let mut message = Some(message);
        let mut state = self.state.lock();
        let met = state.receivers.meet(None, |slot| {
            // SAFETY: the slot belongs to a waiter that `meet` has found in the queue and whose choice this thread has claimed
            // under the lock. So the slot is live, and only this thread accesses it until that choice is decided.
            unsafe { (*slot).put(message.take()) };
        });
        state.left_over.extend(message);
        drop(state);
        if let Met::Partner(Some(waker)) = met {
            ring(waker);
        }
    }
}

impl<T> Clone for Rendezvous<T> {
    fn clone(&self) -> Self {
        Rendezvous(Arc::clone(&self.0))
    }
}

impl<T> Default for Rendezvous<T> {
    #[track_caller]
    fn default() -> Self {
        Rendezvous::new()
    }
}

impl<T> fmt::Debug for Rendezvous<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendezvous")
            .field("made", &self.0.made)
            .finish_non_exhaustive()
    }
}

impl<T> Rendezvous<T> {
    /// Creates a channel.
    ///
    /// ```
    /// let channel = heist::sync::Rendezvous::<u32>::new();
    /// # drop(channel);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Rendezvous(Arc::new(Channel {
            state: Locked::new(State {
                senders: Queue::new(),
                receivers: Queue::new(),
                left_over: VecDeque::new(),
            }),
            made: Location::caller(),
        }))
    }

    /// Sends a message. Waits until a receiver has taken the message.
    ///
    /// ```
    /// let channel = heist::sync::Rendezvous::new();
    /// let other = channel.clone();
    /// let thread = std::thread::spawn(move || other.recv());
    /// channel.send(7);
    /// assert_eq!(thread.join().unwrap(), 7);
    /// ```
    #[track_caller]
    pub fn send(&self, message: T) {
        self.send_event(message).sync();
    }

    /// Returns a future that sends a message, for async code.
    #[track_caller]
    pub fn send_async(&self, message: T) -> Syncing<RendezvousSend<T>> {
        self.send_event(message).sync_async()
    }

    /// Returns an event that happens when a receiver takes `message`. If the event is not chosen, the message is dropped together
    /// with the event.
    ///
    /// ```
    /// use heist::sync::Rendezvous;
    /// use heist::sync::event::Event;
    /// // Two threads that swap values: each sends or receives first, whichever can happen.
    /// fn swap(channel: &Rendezvous<(u32, Rendezvous<u32>)>, mine: u32) -> u32 {
    ///     let back = Rendezvous::new();
    ///     let send = channel.send_event((mine, back.clone())).wrap(move |()| back.recv());
    ///     let receive = channel.recv_event().wrap(move |(theirs, back)| {
    ///         back.send(mine);
    ///         theirs
    ///     });
    ///     send.or(receive).sync()
    /// }
    /// let channel = Rendezvous::new();
    /// let other = channel.clone();
    /// let thread = std::thread::spawn(move || swap(&other, 1));
    /// assert_eq!(swap(&channel, 2), 1);
    /// assert_eq!(thread.join().unwrap(), 2);
    /// ```
    pub fn send_event(&self, message: T) -> RendezvousSend<T> {
        RendezvousSend(Party::new(Arc::clone(&self.0), Some(message)))
    }

    /// Receives a message. Waits until a sender sends a message.
    #[track_caller]
    pub fn recv(&self) -> T {
        self.recv_event().sync()
    }

    /// Returns a future that receives a message, for async code.
    #[track_caller]
    pub fn recv_async(&self) -> Syncing<RendezvousReceive<T>> {
        self.recv_event().sync_async()
    }

    /// Returns an event that happens when a sender sends a message.
    ///
    /// ```
    /// use heist::sync::Rendezvous;
    /// use heist::sync::event::{Event, always};
    /// let channel = Rendezvous::new();
    /// let heard = channel.recv_event().or(always("nothing"));
    /// assert_eq!(heard.sync(), "nothing");
    /// ```
    pub fn recv_event(&self) -> RendezvousReceive<T> {
        RendezvousReceive(Party::new(Arc::clone(&self.0), None))
    }
}
