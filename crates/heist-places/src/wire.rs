//! Messages between places, and their encoding.

use serde::{Deserialize, Serialize};

use crate::PlaceError;
use crate::finish::{FinishId, Report};

/// All messages between places. Arguments and results follow the message as separately encoded
/// bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A task, whose arguments follow.
    Task {
        kind: u32,
        finish: FinishId,
        position: Vec<u64>,
        /// The number with which the result answers the sender.
        ticket: Option<u64>,
    },
    /// The result of a task follows, if there is no error.
    Reply {
        ticket: u64,
        error: Option<PlaceError>,
    },
    /// A report to the home of a finish, which acknowledges it if it has a number.
    Report {
        finish: FinishId,
        report: Report,
        acknowledge: Option<u64>,
    },
    Acknowledged(u64),
    /// A home asks for a report that knows of these deaths.
    Probe {
        finish: FinishId,
        dead: Vec<usize>,
    },
    /// A value for a collective operation follows.
    Contribute {
        operation: u64,
    },
    /// The result of a collective operation follows, if there is no error.
    Outcome {
        operation: u64,
        error: Option<PlaceError>,
    },
    /// The sender has ended its part of the program, and serves the others until all have ended
    /// theirs.
    Leaving,
}

/// The maximum number of bytes of a message, without errors, reports and positions.
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
