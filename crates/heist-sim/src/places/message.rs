//! Messages between places, and their lengths on the wire.

use super::bag::Bag;

/// A kind of message between places.
///
/// ```
/// use heist_sim::Kind;
///
/// assert_eq!(Kind::ALL.len(), 9);
/// assert_eq!(Kind::Lifeline.name(), "lifeline");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The home asks a place to take part in the work.
    Serve,
    /// A place asks the home to report the end of all work.
    Until,
    /// A thief asks a random victim for a bag.
    Steal,
    /// A thief asks a victim on one of its lifelines for a bag, now or later.
    Lifeline,
    /// A bag for a thief.
    Gift,
    /// The answer to a thief's request. The answer says whether the victim has sent a bag.
    Answer,
    /// The results of a bag, for its giver.
    Results,
    /// The home tells a place that all work has ended.
    Over,
    /// A place tells the home that its workers have ended.
    Served,
}

impl Kind {
    /// All kinds, in the order of [`PlacesOutcome::messages`](crate::PlacesOutcome::messages).
    ///
    /// # Examples
    ///
    /// See [`Kind`].
    pub const ALL: [Kind; 9] = [
        Kind::Serve,
        Kind::Until,
        Kind::Steal,
        Kind::Lifeline,
        Kind::Gift,
        Kind::Answer,
        Kind::Results,
        Kind::Over,
        Kind::Served,
    ];

    /// Returns the name.
    ///
    /// # Examples
    ///
    /// See [`Kind`].
    pub fn name(self) -> &'static str {
        match self {
            Kind::Serve => "serve",
            Kind::Until => "until",
            Kind::Steal => "steal",
            Kind::Lifeline => "lifeline",
            Kind::Gift => "gift",
            Kind::Answer => "answer",
            Kind::Results => "results",
            Kind::Over => "over",
            Kind::Served => "served",
        }
    }
}

/// A message.
#[derive(Debug)]
pub(super) enum Message {
    Serve,
    Until,
    Steal { thief: usize, lifeline: bool },
    Gift { giver: usize, job: u32, bag: Bag },
    Answer,
    Results { job: u32 },
    Over,
    Served,
}

/// The size in bytes of the head of a task: the kinds of message and task, and the task's finish,
/// position and ticket.
const TASK: u64 = 11;
/// The size in bytes of the head of a reply without an error: the kind of message and the ticket.
const REPLY: u64 = 4;
/// The size in bytes of a family: five words of a hash, of mostly five bytes each, the height, and
/// the range.
const FAMILY: u64 = 28;

impl Message {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Message::Serve => Kind::Serve,
            Message::Until => Kind::Until,
            Message::Steal {
                lifeline: false, ..
            } => Kind::Steal,
            Message::Steal { lifeline: true, .. } => Kind::Lifeline,
            Message::Gift { .. } => Kind::Gift,
            Message::Answer => Kind::Answer,
            Message::Results { .. } => Kind::Results,
            Message::Over => Kind::Over,
            Message::Served => Kind::Served,
        }
    }

    /// Returns the size in bytes of the message on the wire.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Message::Serve | Message::Until => TASK + 2,
            Message::Steal { .. } => TASK + 4,
            Message::Gift { bag, .. } => TASK + 8 + FAMILY * bag.families(),
            Message::Answer => REPLY + 1,
            // The results are an empty bag with a number of nodes.
            Message::Results { .. } => REPLY + 8,
            Message::Over | Message::Served => REPLY,
        }
    }

    /// Returns the number of families that the receiver reads.
    pub(super) fn families(&self) -> u64 {
        match self {
            Message::Gift { bag, .. } => bag.families(),
            _ => 0,
        }
    }
}
