//! Bounded channels.

mod awaits;
mod events;
mod timeouts;

pub use awaits::{Receiving, Sending};
pub use events::{ReceiveEvent, SendEvent};
pub use timeouts::{RecvTimeoutError, SendTimeoutError};

use super::monitor::{Condition, Guard, Locked, Looks, Queue, Wait, serve_more};
use std::collections::VecDeque;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::task::Waker;

/// Creates a channel that can store up to `capacity` values. Any number of tasks may send and receive.
///
/// Values leave in the order in which they entered, and waiters are served in the order of arrival. A sender waits while the
/// channel is full. So no stage of a pipeline gets far ahead of the next stage.
///
/// ```
/// let (sender, receiver) = heist::sync::channel(2);
/// let sum = heist::spawn_async(async move {
///     let mut sum = 0;
///     while let Ok(value) = receiver.recv_async().await {
///         sum += value;
///     }
///     sum
/// });
/// for i in 1..=10 {
///     sender.send(i).unwrap();
/// }
/// drop(sender); // nothing more will come
/// assert_eq!(*sum.get(), 55);
/// ```
///
/// # Panics
/// Panics if the capacity is 0.
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        capacity > 0,
        "heist: a channel must have room for a value at least"
    );
    let channel = Arc::new(Channel {
        made: Location::caller(),
        state: Locked::new(State {
            // If the capacity is large, this function does not reserve all of it, because few programs fill a large channel.
            values: VecDeque::with_capacity(capacity.min(64)),
            room: capacity,
            promised: 0,
            senders: 1,
            receivers: 1,
            sending: Queue::new(),
            receiving: Queue::new(),
        }),
    });
    let sender = Sender {
        channel: Arc::clone(&channel),
    };
    (sender, Receiver { channel })
}

#[derive(Debug)]
struct Channel<T> {
    state: Locked<State<T>>,
    made: &'static Location<'static>,
}

#[derive(Debug)]
struct State<T> {
    values: VecDeque<T>,
    /// The number of values for which the channel has space, without the space that is promised to senders that have been served.
    room: usize,
    /// Number of values that are promised to receivers that have been served.
    promised: usize,
    senders: usize,
    receivers: usize,
    /// The waiting senders. While a sender waits, there is no room.
    sending: Queue,
    /// The waiting receivers. While a receiver waits, every value is promised.
    receiving: Queue,
}

impl<T> State<T> {
    /// Returns true if all senders or all receivers are gone. When one side is gone, every waiter on the opposite side is served, so that
    /// it notices the end. When one side is gone, promises do not count any more: each value goes to the first task that requests a value.
    fn is_over(&self) -> bool {
        self.senders == 0 || self.receivers == 0
    }

    /// Promises a value to a waiting receiver, or gives room to a waiting sender. Returns the waker of the served waiter.
    fn serve(&mut self) -> Option<Waker> {
        let over = self.is_over();
        if over || self.values.len() > self.promised {
            if let Some(waker) = self.receiving.serve() {
                self.promised += 1;
                return Some(waker);
            }
        }
        if over || self.room > 0 {
            if let Some(waker) = self.sending.serve() {
                self.room = self.room.saturating_sub(1);
                return Some(waker);
            }
        }
        None
    }

    fn take(&mut self) -> Option<T> {
        let value = self.values.pop_front()?;
        self.room += 1;
        Some(value)
    }
}

impl<T> Channel<T> {
    /// Serves the waiters whose condition has become true by a change of the state.
    fn serve(&self, state: Guard<'_, State<T>>) {
        if state.receiving.is_empty() && state.sending.is_empty() {
            return;
        }
        serve_more(&self.state, state, State::serve);
    }
}

/// The error of a receiver: all senders are gone, and no value is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecvError;

impl fmt::Display for RecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all senders of the channel are gone, and what they sent has been received")
    }
}

impl std::error::Error for RecvError {}

/// The reason why `try_recv` returned no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TryRecvError {
    /// The channel has no value that is not promised to a waiter.
    Empty,
    /// All senders are gone, and no value is left.
    Closed,
}

impl fmt::Display for TryRecvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryRecvError::Empty => f.write_str("the channel is empty"),
            TryRecvError::Closed => RecvError.fmt(f),
        }
    }
}

impl std::error::Error for TryRecvError {}

/// The error of a sender: all receivers are gone. The error contains the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// The reason why `try_send` did not send the value. The error contains the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// The channel is full, or other senders wait for room.
    Full(T),
    /// All receivers are gone.
    Closed(T),
}

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(..)")
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("all receivers of the channel are gone")
    }
}

impl<T> std::error::Error for SendError<T> {}

impl<T> fmt::Debug for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "Full(..)",
            TrySendError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for TrySendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TrySendError::Full(_) => "the channel is full",
            TrySendError::Closed(_) => "all receivers of the channel are gone",
        })
    }
}

impl<T> std::error::Error for TrySendError<T> {}

/// The sending end of a [`channel`].
#[derive(Debug)]
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.channel.state.lock().senders += 1;
        Sender {
            channel: Arc::clone(&self.channel),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut state = self.channel.state.lock();
        state.senders -= 1;
        if state.senders == 0 {
            self.channel.serve(state);
        }
    }
}

impl<T> Sender<T> {
    /// Sends a value. Waits while the channel is full.
    ///
    /// # Errors
    /// Returns the value if all receivers are gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        // Most values find room, so no wait is prepared for them.
        let mut value = value;
        let mut looks = Looks::new();
        loop {
            value = match self.try_send(value) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(value)) => return Err(SendError(value)),
                Err(TrySendError::Full(value)) => value,
            };
            if !looks.pause() {
                return self.wait(value).block();
            }
        }
    }

    /// Returns a future that sends a value, for async code.
    #[track_caller]
    pub fn send_async(&self, value: T) -> Sending<'_, T> {
        Sending(self.wait(value))
    }

    /// Sends a value if the channel has room.
    ///
    /// # Errors
    /// Returns the value if the channel has no room, or if all receivers are gone.
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let mut state = self.channel.state.lock();
        if state.receivers == 0 {
            return Err(TrySendError::Closed(value));
        }
        if state.room == 0 {
            return Err(TrySendError::Full(value));
        }
        state.room -= 1;
        state.values.push_back(value);
        self.channel.serve(state);
        Ok(())
    }

    #[track_caller]
    fn wait(&self, value: T) -> Wait<Send<'_, T>> {
        Wait::new(Send {
            channel: &self.channel,
            value: Some(value),
        })
    }
}

/// The receiving end of a [`channel`].
#[derive(Debug)]
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.channel.state.lock().receivers += 1;
        Receiver {
            channel: Arc::clone(&self.channel),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.channel.state.lock();
        state.receivers -= 1;
        if state.receivers == 0 {
            // No receiver will get these values. Their destructors are user code, so they run while the lock is free.
            let values = std::mem::take(&mut state.values);
            self.channel.serve(state);
            drop(values);
        }
    }
}

impl<T> Receiver<T> {
    /// Receives a value. Waits while the channel is empty.
    ///
    /// # Errors
    /// Returns an error if all senders are gone, and all their values have been received.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        // In most calls a value is ready, so no wait is prepared.
        let mut looks = Looks::new();
        loop {
            match self.try_recv() {
                Ok(value) => return Ok(value),
                Err(TryRecvError::Closed) => return Err(RecvError),
                Err(TryRecvError::Empty) => {}
            }
            if !looks.pause() {
                return self.wait().block();
            }
        }
    }

    /// Returns a future that receives a value, for async code.
    #[track_caller]
    pub fn recv_async(&self) -> Receiving<'_, T> {
        Receiving(self.wait())
    }

    /// Receives a value if the channel has a value that is not promised to a waiter.
    ///
    /// # Errors
    /// Returns an error if the channel has no such value.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.channel.state.lock();
        match take(&mut state) {
            Ok(Ok(value)) => {
                self.channel.serve(state);
                Ok(value)
            }
            Ok(Err(RecvError)) => Err(TryRecvError::Closed),
            Err(()) => Err(TryRecvError::Empty),
        }
    }

    /// Returns an iterator over the values. The iterator waits for each value, and ends when all senders are gone.
    #[track_caller]
    pub fn iter(&self) -> impl Iterator<Item = T> {
        let at = Location::caller();
        std::iter::from_fn(move || Wait::at(self.question(), at).block().ok())
    }

    #[track_caller]
    fn wait(&self) -> Wait<Receive<'_, T>> {
        Wait::new(self.question())
    }

    fn question(&self) -> Receive<'_, T> {
        Receive {
            channel: &self.channel,
        }
    }
}

/// Takes a value that is promised to no waiter. If there is no such value, and no value will come any more, returns `Ok(Err(RecvError))`.
/// If there is no such value, but a value may still come, returns `Err(())`.
fn take<T>(state: &mut State<T>) -> Result<Result<T, RecvError>, ()> {
    if state.values.len() > state.promised || state.senders == 0 {
        return Ok(state.take().ok_or(RecvError));
    }
    Err(())
}

struct Send<'a, T> {
    channel: &'a Channel<T>,
    /// The value to send. The field is `None` after the value has been put into the channel.
    value: Option<T>,
}

impl<T> Send<'_, T> {
    /// Puts the value into the channel, which must have room for it.
    fn put(&mut self, state: &mut State<T>) {
        state.values.extend(self.value.take());
    }

    fn refused(&mut self) -> Result<(), SendError<T>> {
        match self.value.take() {
            Some(value) => Err(SendError(value)),
            None => Ok(()),
        }
    }
}

impl<T> Condition for Send<'_, T> {
    type State = State<T>;
    type Output = Result<(), SendError<T>>;

    fn state(&self) -> &Locked<State<T>> {
        &self.channel.state
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"channel (to send)", self.channel.made)
    }

    fn attempt(&mut self, state: &mut State<T>) -> Result<Self::Output, u64> {
        if state.receivers == 0 {
            return Ok(self.refused());
        }
        if state.room == 0 {
            return Err(0);
        }
        state.room -= 1;
        self.put(state);
        Ok(Ok(()))
    }

    fn pass_on(&mut self, state: Guard<'_, State<T>>) {
        self.channel.serve(state);
    }

    fn queue<'s>(&self, state: &'s mut State<T>) -> &'s mut Queue {
        &mut state.sending
    }

    fn served(&mut self) -> Self::Output {
        let mut state = self.channel.state.lock();
        if state.receivers == 0 {
            drop(state);
            return self.refused();
        }
        self.put(&mut state);
        self.channel.serve(state);
        Ok(())
    }

    fn forfeit(&mut self) {
        let mut state = self.channel.state.lock();
        state.room += 1;
        self.channel.serve(state);
    }
}

struct Receive<'a, T> {
    channel: &'a Channel<T>,
}

impl<T> Condition for Receive<'_, T> {
    type State = State<T>;
    type Output = Result<T, RecvError>;

    fn state(&self) -> &Locked<State<T>> {
        &self.channel.state
    }

    fn construct(&self) -> (&'static &'static str, &'static Location<'static>) {
        (&"channel (to receive)", self.channel.made)
    }

    fn attempt(&mut self, state: &mut State<T>) -> Result<Self::Output, u64> {
        take(state).map_err(|()| 0)
    }

    fn pass_on(&mut self, state: Guard<'_, State<T>>) {
        self.channel.serve(state);
    }

    fn queue<'s>(&self, state: &'s mut State<T>) -> &'s mut Queue {
        &mut state.receiving
    }

    fn served(&mut self) -> Self::Output {
        let mut state = self.channel.state.lock();
        state.promised -= 1;
        let value = state.take().ok_or(RecvError);
        self.channel.serve(state);
        value
    }

    fn forfeit(&mut self) {
        let mut state = self.channel.state.lock();
        state.promised -= 1;
        self.channel.serve(state);
    }
}
