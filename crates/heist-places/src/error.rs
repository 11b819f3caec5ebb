//! Errors that name a place.

use std::any::Any;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The failure of work at some place.
///
/// ```
/// use heist_places::PlaceError;
/// let error = PlaceError::Panicked { place: 3, message: "no such file".into() };
/// assert_eq!(error.to_string(), "a task panicked at place 3: no such file");
/// assert_eq!(error.place(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PlaceError {
    /// A task panicked.
    Panicked {
        /// The place that ran the task.
        place: usize,
        /// The text of the panic.
        message: String,
    },
    /// A place died, so work was lost.
    Lost {
        /// The place that died.
        place: usize,
        /// The number of tasks of the `finish` that the dead place received or sent, without the tasks that have certainly ended. If the
        /// failed work is a single task whose caller awaited its result, the number is 1. The number does not include tasks that these
        /// tasks have started at their own place. If several places have died, the number is the sum over these places.
        tasks: u64,
    },
    /// A place has ended its part of the program, so it no longer takes part in collective
    /// operations.
    Left {
        /// The place that has ended.
        place: usize,
    },
    /// A place could not decode a message. The usual reason is that serde cannot decode the type from a format that is not self-describing:
    /// see [`Task`](crate::Task).
    Unreadable {
        /// The place that could not decode the message.
        place: usize,
        /// The type of the value, and the reason.
        message: String,
    },
}

impl PlaceError {
    /// Returns the place that the error names.
    #[must_use]
    pub fn place(&self) -> usize {
        match *self {
            PlaceError::Panicked { place, .. }
            | PlaceError::Lost { place, .. }
            | PlaceError::Left { place }
            | PlaceError::Unreadable { place, .. } => place,
        }
    }

    pub(crate) fn of_panic(place: usize, payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&'static str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        PlaceError::Panicked {
            place,
            message: text.unwrap_or("(no text)").to_owned(),
        }
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Panicked { place, message } => {
                write!(f, "a task panicked at place {place}: {message}")
            }
            PlaceError::Lost { place, tasks: 1 } => {
                write!(
                    f,
                    "place {place} died, and 1 task there is not known to have ended"
                )
            }
            PlaceError::Lost { place, tasks } => {
                write!(
                    f,
                    "place {place} died, and {tasks} tasks there are not known to have ended"
                )
            }
            PlaceError::Left { place } => {
                write!(f, "place {place} has ended its part of the program")
            }
            PlaceError::Unreadable { place, message } => {
                write!(f, "place {place} cannot read a message: {message}")
            }
        }
    }
}

impl std::error::Error for PlaceError {}
