//! Messages between places, and their encoding.

use serde::{Deserialize, Serialize};

use crate::PlaceError;
use crate::finish::{FinishId, Report};

/// A message between places. Arguments and results follow the message as separately encoded bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A task. The encoded arguments follow.
    Task {
        kind: u32,
        finish: FinishId,
        position: Vec<u64>,
        /// The number by which the reply refers to the call, or `None` if the sender needs no
        /// reply.
        ticket: Option<u64>,
    },
    /// The reply to a call. The encoded result follows, if `error` is `None`.
    Reply {
        ticket: u64,
        error: Option<PlaceError>,
    },
    /// A report to the home of a finish. The home acknowledges the report if `acknowledge` has a
    /// number.
    Report {
        finish: FinishId,
        report: Report,
        acknowledge: Option<u64>,
    },
    Acknowledged(u64),
    /// A home asks the receiver for a report that names these deaths.
    Probe {
        finish: FinishId,
        dead: Vec<usize>,
    },
    /// A contribution to a collective operation. The encoded value follows.
    Contribute {
        operation: u64,
    },
    /// The outcome of a collective operation. The encoded result follows, if `error` is `None`.
    Outcome {
        operation: u64,
        error: Option<PlaceError>,
    },
    /// The sender has ended its part of the program, and serves the other places until all places have ended their parts.
    Leaving,
}

impl Message {
    /// Returns true if the encoded message is a [`Task`](Message::Task), so that code of the user runs when a place handles it.
    pub(crate) fn is_task(bytes: &[u8]) -> bool {
        // An encoded message begins with the index of its variant.
        bytes.first() == Some(&0)
    }
}

/// The maximum size in bytes of a message that contains no error, report or position.
pub(crate) const HEAD: usize = 64;

/// Appends an encoded value to the bytes.
pub(crate) fn append<T: Serialize>(value: &T, bytes: Vec<u8>) -> Vec<u8> {
    match postcard::to_extend(value, bytes) {
        Ok(bytes) => bytes,
        Err(error) => panic!(
            "heist-places: cannot encode a {}: {error}",
            std::any::type_name::<T>()
        ),
    }
}

/// Encodes a message.
pub(crate) fn encode(message: &Message) -> Vec<u8> {
    append(message, Vec::with_capacity(64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_told_from_other_messages() {
        let task = Message::Task {
            kind: 3,
            finish: FinishId { home: 1, number: 2 },
            position: vec![4],
            ticket: None,
        };
        assert!(Message::is_task(&encode(&task)));
        assert!(!Message::is_task(&encode(&Message::Leaving)));
        assert!(!Message::is_task(&encode(&Message::Acknowledged(0))));
    }
}
