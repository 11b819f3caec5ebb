//! The events that a worker records, and their words.

use crate::platform::Ticks;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::ptr::with_exposed_provenance;
use std::time::Duration;

/// The number of words of an event.
pub(super) const WORDS: usize = 4;

/// An event on a worker's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The thread's number. Workers have numbers below the pool's number of threads. Spare threads have higher numbers.
    pub thread: usize,
    /// Time since the start of the trace.
    pub at: Duration,
    /// The kind of the event.
    pub kind: EventKind,
}

/// The name of a subject of waits, like "a phaser".
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name(&'static &'static str);

impl Name {
    pub(crate) const fn new(name: &'static &'static str) -> Self {
        Name(name)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// The end of the poll of a suspending task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollEnd {
    /// The task waits, and occupies no thread during the wait.
    Suspended,
    /// The task has yielded, and continues after the other ready tasks.
    Yielded,
    /// The task has ended.
    Done,
}

/// The kinds of events on a worker's thread. Begin and end events are nested on each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// The thread has found work, and runs it as the worker `slot`.
    WorkBegins {
        /// The worker's index.
        slot: u32,
    },
    /// The thread has no work any more, and searches.
    WorkEnds,
    /// The thread has taken a frame: the right side of a `join` of another thread.
    StoleFrame {
        /// The number of the thread that forked the frame.
        victim: u16,
    },
    /// The thread has taken tasks from another thread.
    StoleTasks {
        /// The number of the thread from which the tasks were taken.
        victim: u16,
        /// Number of tasks.
        count: u32,
    },
    /// The thread has run the tasks that it had stolen, and all tasks that these tasks have spawned.
    Drained,
    /// A stolen frame begins to run.
    FrameBegins {
        /// The number of the thread that forked the frame.
        victim: u16,
    },
    /// The stolen frame has ended.
    FrameEnds,
    /// A closure begins. Another thread has submitted the closure by [`Pool::install`](crate::Pool::install) or by a broadcast.
    JobBegins,
    /// The closure has ended.
    JobEnds,
    /// An async task or a fiber begins, or continues.
    PollBegins {
        /// The number of the task, which does not change between its polls.
        task: u64,
        /// The place where the task was spawned.
        spawned: &'static Location<'static>,
        /// True if the task is a fiber.
        fiber: bool,
    },
    /// The task waits, or has ended.
    PollEnds {
        /// The end of the poll.
        how: PollEnd,
    },
    /// This thread has made a suspending task ready: it has spawned the task, or ended the task's wait.
    Queued {
        /// The number of the task, as in [`PollBegins`](Self::PollBegins).
        task: u64,
    },
    /// Code on this thread begins to wait.
    WaitBegins {
        /// The subject of the wait.
        what: Name,
        /// The place in the program where the subject was made, if the subject is a construct of [`sync`](crate::sync).
        at: Option<&'static Location<'static>>,
    },
    /// The event for which the code waited has occurred.
    WaitEnds,
    /// The thread gives away its slot, because the wait takes long.
    SlotGiven,
    /// The thread has a slot again.
    SlotTaken,
    /// The thread goes to sleep because there is no work.
    ParkBegins,
    /// The thread has been woken.
    ParkEnds,
    /// The thread gives up its slot, because more threads run than the pool has slots.
    AsideBegins,
    /// The thread has a slot again.
    AsideEnds,
    /// The thread has made frames or tasks stealable for a thief.
    Exposed {
        /// Number of frames and tasks.
        count: u32,
    },
    /// The thread has made another thread's frames stealable, because that thread did not answer.
    Forced {
        /// The number of the thread that did not answer.
        victim: u16,
    },
    /// The thread has woken another thread.
    Woke {
        /// The number of the thread that was woken.
        thread: u16,
    },
    /// From now on the thread is the worker `slot`.
    MovedTo {
        /// The worker's index.
        slot: u32,
    },
    /// A part of the work of another front end begins: see [`embed`](crate::embed).
    PartBegins {
        /// The name of this kind of part.
        what: Name,
        /// The number of this part, as the front end counts its parts.
        number: u64,
    },
    /// The part ends.
    PartEnds {
        /// The amount of work done, as the front end measures it.
        amount: u64,
    },
    /// An event of another front end.
    Noted {
        /// The name of this kind of event.
        what: Name,
        /// The amount, as the front end measures it.
        amount: u64,
    },
}

fn word(of: Name) -> u64 {
    std::ptr::from_ref(of.0).expose_provenance() as u64
}

fn address(of: &'static Location<'static>) -> u64 {
    std::ptr::from_ref(of).expose_provenance() as u64
}

/// Encodes an event in four words: the event's time, its kind with a number, and two addresses.
pub(super) fn encode(at: Ticks, kind: EventKind) -> [u64; WORDS] {
    use EventKind as K;
    let (code, number, a, b): (u64, u32, u64, u64) = match kind {
        K::WorkBegins { slot } => (0, slot, 0, 0),
        K::WorkEnds => (1, 0, 0, 0),
        K::StoleFrame { victim } => (2, victim.into(), 0, 0),
        K::StoleTasks { victim, count } => (3, victim.into(), count.into(), 0),
        K::Drained => (4, 0, 0, 0),
        K::FrameBegins { victim } => (5, victim.into(), 0, 0),
        K::FrameEnds => (6, 0, 0, 0),
        K::JobBegins => (7, 0, 0, 0),
        K::JobEnds => (8, 0, 0, 0),
        K::PollBegins {
            task,
            spawned,
            fiber,
        } => (9, fiber.into(), task, address(spawned)),
        K::PollEnds { how } => (10, how as u32, 0, 0),
        K::Queued { task } => (11, 0, task, 0),
        K::WaitBegins { what, at } => (12, 0, word(what), at.map_or(0, address)),
        K::WaitEnds => (13, 0, 0, 0),
        K::SlotGiven => (14, 0, 0, 0),
        K::SlotTaken => (15, 0, 0, 0),
        K::ParkBegins => (16, 0, 0, 0),
        K::ParkEnds => (17, 0, 0, 0),
        K::AsideBegins => (18, 0, 0, 0),
        K::AsideEnds => (19, 0, 0, 0),
        K::Exposed { count } => (20, count, 0, 0),
        K::Forced { victim } => (21, victim.into(), 0, 0),
        K::Woke { thread } => (22, thread.into(), 0, 0),
        K::MovedTo { slot } => (23, slot, 0, 0),
        K::PartBegins { what, number } => (24, 0, word(what), number),
        K::PartEnds { amount } => (25, 0, 0, amount),
        K::Noted { what, amount } => (26, 0, word(what), amount),
    };
    [at, code | u64::from(number) << 8, a, b]
}

/// Decodes an event.
///
/// # Safety
/// The words must come from [`encode`], in this process.
pub(super) unsafe fn decode([at, what, a, b]: [u64; WORDS]) -> (Ticks, EventKind) {
    use EventKind as K;
    let number = (what >> 8) as u32;
    let thread = number as u16;
    let location = |word: u64| {
        // SAFETY: by contract, `encode` made the word from a `'static` reference of this type.
        unsafe { &*with_exposed_provenance::<Location<'static>>(word as usize) }
    };
    let name = |word: u64| {
        // SAFETY: by contract, `encode` made the word from a `'static` reference of this type.
        Name(unsafe { &*with_exposed_provenance::<&'static str>(word as usize) })
    };
    let kind = match what as u8 {
        0 => K::WorkBegins { slot: number },
        1 => K::WorkEnds,
        2 => K::StoleFrame { victim: thread },
        3 => K::StoleTasks {
            victim: thread,
            count: a as u32,
        },
        4 => K::Drained,
        5 => K::FrameBegins { victim: thread },
        6 => K::FrameEnds,
        7 => K::JobBegins,
        8 => K::JobEnds,
        9 => K::PollBegins {
            task: a,
            spawned: location(b),
            fiber: number != 0,
        },
        10 => K::PollEnds {
            how: [PollEnd::Suspended, PollEnd::Yielded, PollEnd::Done][number as usize],
        },
        11 => K::Queued { task: a },
        12 => K::WaitBegins {
            what: name(a),
            at: (b != 0).then(|| location(b)),
        },
        13 => K::WaitEnds,
        14 => K::SlotGiven,
        15 => K::SlotTaken,
        16 => K::ParkBegins,
        17 => K::ParkEnds,
        18 => K::AsideBegins,
        19 => K::AsideEnds,
        20 => K::Exposed { count: number },
        21 => K::Forced { victim: thread },
        22 => K::Woke { thread },
        23 => K::MovedTo { slot: number },
        24 => K::PartBegins {
            what: name(a),
            number: b,
        },
        25 => K::PartEnds { amount: b },
        26 => K::Noted {
            what: name(a),
            amount: b,
        },
        code => unreachable!("no event has the code {code}"),
    };
    (at, kind)
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_back() {
        use EventKind as K;
        let spawned = Location::caller();
        let what = Name::new(&"a phaser");
        let all = [
            K::WorkBegins { slot: u32::MAX },
            K::WorkEnds,
            K::StoleFrame { victim: 7 },
            K::StoleTasks {
                victim: u16::MAX,
                count: 32,
            },
            K::Drained,
            K::FrameBegins { victim: 9 },
            K::FrameEnds,
            K::JobBegins,
            K::JobEnds,
            K::PollBegins {
                task: u64::MAX,
                spawned,
                fiber: true,
            },
            K::PollBegins {
                task: 1,
                spawned,
                fiber: false,
            },
            K::PollEnds {
                how: PollEnd::Suspended,
            },
            K::PollEnds {
                how: PollEnd::Yielded,
            },
            K::PollEnds { how: PollEnd::Done },
            K::Queued { task: 3 },
            K::WaitBegins { what, at: None },
            K::WaitBegins {
                what,
                at: Some(spawned),
            },
            K::WaitEnds,
            K::SlotGiven,
            K::SlotTaken,
            K::ParkBegins,
            K::ParkEnds,
            K::AsideBegins,
            K::AsideEnds,
            K::Exposed { count: 5 },
            K::Forced { victim: 6 },
            K::Woke { thread: 8 },
            K::MovedTo { slot: 2 },
            K::PartBegins {
                what,
                number: u64::MAX,
            },
            K::PartEnds { amount: 1 << 40 },
            K::Noted { what, amount: 3 },
        ];
        for (at, kind) in (0..).zip(all) {
            // SAFETY: `encode` has just made the words.
            assert_eq!(unsafe { decode(encode(at, kind)) }, (at, kind));
        }
    }
}
