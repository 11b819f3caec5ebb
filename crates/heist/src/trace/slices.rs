//! Turns the events of a thread into slices of time. Any two slices are nested or disjoint.

use super::collected::Thread;
use super::event::{EventKind, Name, PollEnd};
use std::panic::Location;

/// The use of a thread's time in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Work {
        slot: u32,
    },
    Frame {
        victim: u16,
    },
    Batch {
        victim: u16,
        count: u32,
    },
    Job,
    Poll {
        task: u64,
        spawned: &'static Location<'static>,
        fiber: bool,
        end: Option<PollEnd>,
    },
    Wait {
        what: Name,
        at: Option<&'static Location<'static>>,
    },
    /// A part of the work of another front end.
    Part {
        what: Name,
        number: u64,
        amount: Option<u64>,
    },
    Blocked,
    Parked,
    Aside,
    /// A slice whose beginning has been overwritten, or came before the trace.
    Unknown(What),
}

/// The kinds of slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Work,
    Frame,
    Batch,
    Job,
    Poll,
    Wait,
    Part,
    Blocked,
    Parked,
    Aside,
}

impl Doing {
    pub(super) fn what(self) -> What {
        match self {
            Doing::Work { .. } => What::Work,
            Doing::Frame { .. } => What::Frame,
            Doing::Batch { .. } => What::Batch,
            Doing::Job => What::Job,
            Doing::Poll { .. } => What::Poll,
            Doing::Wait { .. } => What::Wait,
            Doing::Part { .. } => What::Part,
            Doing::Blocked => What::Blocked,
            Doing::Parked => What::Parked,
            Doing::Aside => What::Aside,
            Doing::Unknown(what) => what,
        }
    }
}

impl What {
    /// Returns true if the thread runs the program's code during a slice of this kind.
    pub(super) fn runs(self) -> bool {
        !matches!(
            self,
            What::Wait | What::Blocked | What::Parked | What::Aside
        )
    }
}

/// A slice of a thread's time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slice {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) doing: Doing,
}

/// A period in which one slice of a thread was the innermost slice. The stretches of a thread follow each other without overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) what: What,
}

/// A change that an event makes to the open slices.
enum Step {
    Open(Doing),
    Close(What),
    /// The thread has run the batch of tasks that it took in one steal.
    CloseBatch,
    Nothing,
}

fn step(kind: EventKind) -> Step {
    use EventKind as K;
    match kind {
        K::WorkBegins { slot } => Step::Open(Doing::Work { slot }),
        K::FrameBegins { victim } => Step::Open(Doing::Frame { victim }),
        K::StoleTasks { victim, count } => Step::Open(Doing::Batch { victim, count }),
        K::JobBegins => Step::Open(Doing::Job),
        K::PollBegins {
            task,
            spawned,
            fiber,
        } => Step::Open(Doing::Poll {
            task,
            spawned,
            fiber,
            end: None,
        }),
        K::WaitBegins { what, at } => Step::Open(Doing::Wait { what, at }),
        K::PartBegins { what, number } => Step::Open(Doing::Part {
            what,
            number,
            amount: None,
        }),
        K::SlotGiven => Step::Open(Doing::Blocked),
        K::ParkBegins => Step::Open(Doing::Parked),
        K::AsideBegins => Step::Open(Doing::Aside),
        K::WorkEnds => Step::Close(What::Work),
        K::FrameEnds => Step::Close(What::Frame),
        K::JobEnds => Step::Close(What::Job),
        K::PollEnds { .. } => Step::Close(What::Poll),
        K::WaitEnds => Step::Close(What::Wait),
        K::PartEnds { .. } => Step::Close(What::Part),
        K::SlotTaken => Step::Close(What::Blocked),
        K::ParkEnds => Step::Close(What::Parked),
        K::AsideEnds => Step::Close(What::Aside),
        K::Drained => Step::CloseBatch,
        K::StoleFrame { .. }
        | K::Queued { .. }
        | K::Exposed { .. }
        | K::Forced { .. }
        | K::Woke { .. }
        | K::MovedTo { .. }
        | K::Noted { .. } => Step::Nothing,
    }
}

/// Returns a thread's slices in the order of their beginnings, outer slices first. If a slice's
/// beginning is missing, the slice begins with the first recorded event, or with the trace if no
/// events are lost. If a slice's end is missing, the slice ends at `end`.
pub(super) fn slices(thread: &Thread, end: u64) -> Vec<Slice> {
    let first = match thread.events.first() {
        Some(&(at, _)) if thread.dropped > 0 => at,
        _ => 0,
    };
    // Each slice, with its depth, which orders slices with the same beginning.
    let mut all: Vec<(Slice, i64)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    // If the beginning of a slice is lost, the slice encloses all slices that began before its end.
    let mut around = 0;
    for &(at, kind) in &thread.events {
        match step(kind) {
            Step::Open(doing) => {
                if matches!(doing, Doing::Batch { .. } | Doing::Frame { .. }) {
                    close_batch(&mut all, &mut open, at);
                }
                all.push((
                    Slice {
                        begin: at,
                        end,
                        doing,
                    },
                    open.len() as i64,
                ));
                open.push(all.len() - 1);
            }
            Step::Close(what) => {
                let found = open
                    .iter()
                    .rposition(|&slice| all[slice].0.doing.what() == what);
                // All slices inside this slice have ended, too, even if their end events are missing. If no slice of this kind is open, all
                // open slices have ended.
                for slice in open.drain(found.unwrap_or(0)..) {
                    all[slice].0.end = at;
                    match (&mut all[slice].0.doing, kind) {
                        (Doing::Poll { end, .. }, EventKind::PollEnds { how }) => *end = Some(how),
                        (Doing::Part { amount, .. }, EventKind::PartEnds { amount: of_end }) => {
                            *amount = Some(of_end);
                        }
                        _ => {}
                    }
                }
                if found.is_none() {
                    around -= 1;
                    all.push((
                        Slice {
                            begin: first,
                            end: at,
                            doing: Doing::Unknown(what),
                        },
                        around,
                    ));
                }
            }
            Step::CloseBatch => close_batch(&mut all, &mut open, at),
            Step::Nothing => {}
        }
    }
    all.sort_by_key(|&(slice, depth)| (slice.begin, depth));
    all.into_iter().map(|(slice, _)| slice).collect()
}

/// Ends the innermost slice if it is a batch.
fn close_batch(all: &mut [(Slice, i64)], open: &mut Vec<usize>, at: u64) {
    let Some(&last) = open.last() else {
        return;
    };
    if all[last].0.doing.what() == What::Batch {
        all[last].0.end = at;
        open.pop();
    }
}

/// Returns the stretches of time, each with its innermost slice. `slices` must be in the order of
/// [`slices`].
pub(super) fn stretches(slices: &[Slice]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut open: Vec<Slice> = Vec::new();
    let mut now = 0;
    let mut go = |slice: Option<&Slice>, now: &mut u64, to: u64| {
        if let Some(slice) = slice.filter(|_| *now < to) {
            stretches.push(Stretch {
                begin: *now,
                end: to,
                what: slice.doing.what(),
            });
        }
        *now = to.max(*now);
    };
    for slice in slices {
        while let Some(last) = open.last().filter(|last| last.end <= slice.begin) {
            go(Some(last), &mut now, last.end);
            open.pop();
        }
        go(open.last(), &mut now, slice.begin);
        open.push(*slice);
    }
    while let Some(last) = open.pop() {
        go(Some(&last), &mut now, last.end);
    }
    stretches
}
