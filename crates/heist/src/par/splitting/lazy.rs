//! Lazy splitting of outermost loops first: the default.

use super::cut::cut;
use super::meter::Meter;
use super::{Drive, Short, Site, Splitting, sealed::Sealed};
use crate::join::{RightSlot, join_erased};
use crate::par::job::Job;
use crate::par::source::{Chunk, Source};
use crate::platform::Locked;
use crate::pool::with_worker;
use crate::worker::{answer_steal_request, local_now};

/// Lazy splitting: a loop is split only when a thief takes items. The thief takes half of the remaining items of the outermost loop that
/// has items left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lazy;

impl Sealed for Lazy {}

impl Splitting for Lazy {
    #[inline]
    fn takes_whole(self, len: usize, site: Site) -> Short {
        site.is_short(len)
    }

    fn run<S, J>(self, source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        if source.len() <= 1 {
            return drive.sequential(source, at, state);
        }
        if local_now().worker().is_none() {
            return with_worker(None, |_| part(source, at, state, drive));
        }
        part(source, at, state, drive)
    }
}

/// The remaining positions of a part: state that the part's owner and a thief share.
struct Rest<S> {
    /// The source, or `None` if no items are left.
    source: Option<S>,
    /// The position of the first remaining item.
    at: usize,
    /// Whether a thief has taken half of the remaining positions. If so, this thief has stolen the frame of the part, so no second thief
    /// can find the remaining positions.
    halved: bool,
}

/// Number of chunks that an owner takes at a time if single chunks are too short. One access to the lock for several chunks pays off for
/// ropes, because their leaves are short, and the lock costs as much as adding up a hundred numbers.
const BATCH: usize = 8;

/// The chunks that an owner has taken and not yet processed. All further entries of the array are `None`.
type Taken<S> = [Option<<S as Source>::Chunk>; BATCH];

/// The next step of an owner.
enum Next<S> {
    /// The owner has chunks to process. The field is the number of positions that are left after these chunks.
    Chunks(usize),
    Rest(S),
    Nothing,
}

impl<S: Source> Rest<S> {
    /// Takes the owner's next chunks: at most [`BATCH`] chunks, which together have at most `at_most` positions. If `hungry` is true, which
    /// means that a thief requests work, and if another thief has stolen the part's frame, takes all remaining positions instead. The owner
    /// then forks another frame for these positions.
    #[inline]
    fn next(&mut self, at_most: usize, hungry: bool, taken: &mut Taken<S>) -> Next<S> {
        let Some(source) = &mut self.source else {
            return Next::Nothing;
        };
        if source.len() == 0 {
            return Next::Nothing;
        }
        if hungry && self.halved {
            return self.source.take().map_or(Next::Nothing, Next::Rest);
        }
        let mut left = at_most;
        for chunk in taken {
            let count = source.reach(left);
            *chunk = Some(source.take_front(count));
            self.at += count;
            left -= count;
            if left == 0 || source.len() == 0 {
                break;
            }
        }
        Next::Chunks(source.len())
    }

    /// Takes the right half of the remaining positions for a thief. Returns this half and its first position. The right half is never
    /// smaller than the left half. Returns `None` if no items are left.
    fn steal_half(&mut self, grain: usize) -> Option<(S, usize)> {
        self.halved = true;
        let source = self.source.as_mut().filter(|source| source.len() > 0)?;
        let len = source.len();
        if len == 1 {
            return self.source.take().map(|source| (source, self.at));
        }
        let keep = cut(self.at, len, len / 2, grain);
        Some((source.split_off(keep), self.at + keep))
    }
}

/// Runs a part of the loop, and leaves a frame in the deque. A thief that steals this frame can take half of the remaining items at any
/// time.
#[inline(never)]
fn part<S, J>(source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
where
    S: Source,
    J: Job<S::Item>,
{
    let rest = Locked::new(Rest {
        source: Some(source),
        at,
        halved: false,
    });
    let rest = &rest;
    let (mut left, mut right) = (Some(state), RightSlot::new(None));
    let mut own_part = || {
        if let Some(state) = left.take() {
            left = Some(own(rest, at, state, drive));
        }
    };
    join_erased(&mut own_part, &mut || right.set(steal_half(rest, drive)));
    let Some(mut left) = left else {
        unreachable!("a join that returns has run its left side")
    };
    if let Some(right) = right.take() {
        drive.merge(&mut left, at, right);
    }
    left
}

/// Processes chunk after chunk as the owner, until no items are left.
fn own<S, J>(
    rest: &Locked<Rest<S>>,
    mut at: usize,
    mut state: J::State,
    drive: &Drive<'_, J>,
) -> J::State
where
    S: Source,
    J: Job<S::Item>,
{
    let len = rest.lock().source.as_ref().map_or(0, Source::len);
    let mut meter = Meter::start(drive.site, len);
    let grain = drive.job.grain();
    // `left` is the number of positions to process before the next reading of the clock, and `done` is the number of positions processed
    // since the last reading. The positions between two readings are one chunk, or several chunks if the leaves of a rope are shorter.
    let (mut left, mut done) = (meter.length(at, grain, len), 0);
    let mut hungry = false;
    let mut taken: Taken<S> = [const { None }; BATCH];
    while !drive.limit.is_reached(at) {
        let next = rest.lock().next(left, hungry, &mut taken);
        match next {
            Next::Chunks(rest) => {
                for chunk in taken.iter_mut().map_while(Option::take) {
                    if drive.limit.is_reached(at) {
                        break;
                    }
                    let count = chunk.len();
                    drive.chunk(&mut state, at, chunk);
                    at += count;
                    left -= count;
                    done += count;
                }
                if left == 0 {
                    meter.note(done);
                    (left, done) = (meter.length(at, grain, rest), 0);
                    // The thief gets the oldest frame, which belongs to the outermost loop.
                    hungry = answer_steal_request();
                }
            }
            Next::Rest(source) => {
                meter.end();
                return part(source, at, state, drive);
            }
            Next::Nothing => {
                meter.note(done);
                meter.end();
                return state;
            }
        }
    }
    // The rest is taken out of the shared record and dropped. Otherwise a thief might still take items from the rest.
    let unwanted = rest.lock().source.take();
    drop(unwanted);
    // The chunks are dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
    // returned.
    drop(taken);
    state
}

/// Runs the thief's side of a loop: takes half of the owner's remaining items, processes this half, and repeats both steps until no items
/// are left. If no thief steals the frame, the owner calls this function itself when no items are left.
fn steal_half<S, J>(rest: &Locked<Rest<S>>, drive: &Drive<'_, J>) -> Option<J::State>
where
    S: Source,
    J: Job<S::Item>,
{
    let mut done: Option<J::State> = None;
    loop {
        let taken = rest.lock().steal_half(drive.job.grain());
        let Some((source, at)) = taken else {
            return done;
        };
        if drive.limit.is_reached(at) {
            drop(source);
            return done;
        }
        let mut state = part(source, at, drive.job.begin(at), drive);
        if let Some(right) = done.take() {
            drive.merge(&mut state, at, right);
        }
        done = Some(state);
    }
}
