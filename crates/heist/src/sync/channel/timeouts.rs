//! Sends and receives with a time limit.

use super::{Receiver, RecvError, SendError, Sender};
use std::fmt;
use std::time::Duration;

/// The reason why no value was received within the time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecvTimeoutError {
    /// No value arrived before the time was over.
    Timeout,
    /// All senders are gone, and no value is left.
    Closed,
}

impl fmt::Display for RecvTimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecvTimeoutError::Timeout => f.write_str("nothing came before the time was over"),
            RecvTimeoutError::Closed => RecvError.fmt(f),
        }
    }
}

impl std::error::Error for RecvTimeoutError {}

/// The reason why a value was not sent within the time limit. The error contains the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// The channel was full until the time was over.
    Timeout(T),
    /// All receivers are gone.
    Closed(T),
}

impl<T> fmt::Debug for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendTimeoutError::Timeout(_) => "Timeout(..)",
            SendTimeoutError::Closed(_) => "Closed(..)",
        })
    }
}

impl<T> fmt::Display for SendTimeoutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendTimeoutError::Timeout(_) => "there was no room before the time was over",
            SendTimeoutError::Closed(_) => "all receivers of the channel are gone",
        })
    }
}

impl<T> std::error::Error for SendTimeoutError<T> {}

impl<T> Sender<T> {
    /// Sends a value. Waits while the channel is full, but at most for `limit`.
    ///
    /// ```
    /// use heist::sync::{SendTimeoutError, channel};
    /// use std::time::Duration;
    /// let (send, recv) = channel(1);
    /// send.send(1).unwrap();
    /// let late = send.send_timeout(2, Duration::from_millis(1));
    /// assert_eq!(late, Err(SendTimeoutError::Timeout(2)));
    /// assert_eq!(recv.recv(), Ok(1));
    /// ```
    ///
    /// # Errors
    /// Returns the value if the limit passes before the channel has room, or if all receivers are gone.
    #[track_caller]
    pub fn send_timeout(&self, value: T, limit: Duration) -> Result<(), SendTimeoutError<T>> {
        match self
            .wait(value)
            .block_for(limit, |condition| condition.value.take())
        {
            Ok(Ok(())) => Ok(()),
            Ok(Err(SendError(value))) => Err(SendTimeoutError::Closed(value)),
            Err(Some(value)) => Err(SendTimeoutError::Timeout(value)),
            Err(None) => unreachable!("a sender that was not served has its value"),
        }
    }
}

impl<T> Receiver<T> {
    /// Receives a value. Waits while the channel is empty, but at most for `limit`.
    ///
    /// ```
    /// use heist::sync::{RecvTimeoutError, channel};
    /// use std::time::Duration;
    /// let (send, recv) = channel(1);
    /// let late = recv.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(late, Err(RecvTimeoutError::Timeout));
    /// send.send(1).unwrap();
    /// assert_eq!(recv.recv_timeout(Duration::from_secs(60)), Ok(1));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the limit passes before a value arrives, or if all senders are gone and all their values have been
    /// received.
    #[track_caller]
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        match self.wait().block_for(limit, |_| ()) {
            Ok(received) => received.map_err(|RecvError| RecvTimeoutError::Closed),
            Err(()) => Err(RecvTimeoutError::Timeout),
        }
    }
}
