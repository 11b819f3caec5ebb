//! Prefix sums.

use super::filled::{Filled, Room};
use crate::par::adapters::Blocks;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::prelude::*;
use crate::par::source::{Chunk, Source};
use crate::par::splitting::{Site, complete};

/// The least number of blocks into which a sequence is cut, if they are not too short then, and their greatest length.
const BLOCKS: usize = 256;
const LONGEST: usize = 4096;

/// Yields after each item the combination of all items up to it, beginning with `first` if there is one, which then comes before
/// all of them.
pub(crate) fn scan<P, F>(mut sequence: P, first: Option<P::Item>, op: &F) -> Vec<P::Item>
where
    P: Indexed,
    P::Item: Sync,
    F: Fn(&P::Item, &P::Item) -> P::Item + Sync,
{
    let (len, policy) = (sequence.len(), sequence.policy());
    let mut prefixes = Vec::with_capacity(len + usize::from(first.is_some()));
    prefixes.extend(first);
    // SAFETY: nothing is done to the vector before the job has ended.
    let room = unsafe { Room::of(&mut prefixes, len) };
    let size = block_size(len);
    let scan = Scan {
        // SAFETY: it is there, and nothing is done to it before the job has ended.
        first: (!prefixes.is_empty()).then(|| unsafe { &*prefixes.as_ptr() }),
        room,
        size,
        op,
    };
    let function = self::scan::<P, F> as fn(_, _, &F) -> _;
    let origin = Origin {
        site: Site::of(function as *const ()),
        outer: None,
    };
    let blocks = Blocks::new(sequence.source(), size);
    let written = complete(policy, blocks, &scan, origin);
    assert_eq!(written, len, "heist: a sequence of another length");
    // SAFETY: so many items have been written after those that were there.
    unsafe { prefixes.set_len(prefixes.len() + len) };
    // Before the end: if a destructor panics there, compilers forget what is about to be given back.
    drop(sequence);
    prefixes
}

/// Prefixes, in blocks of one length. Within a block, prefixes of the block are made from left to right; the
/// fold of everything left of the block is combined with each. So the shape of all prefixes depends only on the
/// length.
///
/// The part that begins with the first block knows the fold to its left, and does all in one pass. A part that
/// has been split off does not know it, and leaves the prefixes of blocks. When it is merged with a final
/// part, a second pass goes through all of it, in parallel. Blelloch's algorithm, on which Rainey's `scanLTS`
/// is based (the thesis, section 4.1.2), takes two passes over everything.
struct Scan<'f, T, F> {
    first: Option<&'f T>,
    room: Room<T>,
    size: usize,
    op: &'f F,
}

/// A part's state: the prefixes that it has written.
struct Scanned<T> {
    filled: Filled<T>,
    /// These are the prefixes of everything, and not of blocks.
    is_final: bool,
}

impl<T, F> Scan<'_, T, F>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    /// The item to the left of place `at`, all up to which is final.
    ///
    /// # Safety
    /// The contract of [`Room::before`] applies.
    unsafe fn left_of(&self, at: usize) -> Option<&T> {
        // SAFETY: by this function's contract.
        unsafe { self.room.before(at) }.or(self.first)
    }

    /// Writes the prefixes of the block that comes next in a part.
    fn block<S: Source<Item = T>>(&self, state: &mut Scanned<T>, mut items: S) {
        let at = state.filled.end();
        let left = if state.is_final {
            // SAFETY: a final part begins at the first place, and this thread, or those whose parts were merged to it, wrote
            // all up to here. Final prefixes are not written again.
            unsafe { self.left_of(at) }
        } else {
            // Another part's: not even a reference to it may be made.
            None
        };
        // SAFETY: positions are given out once.
        let mut writing = unsafe { self.room.write(&mut state.filled, at, items.len()) };
        let mut local = None;
        while items.len() > 0 {
            let count = items.reach(usize::MAX);
            items.take_front(count).into_iter().for_each(|item| {
                let prefix = prefix(self.op, left, &mut local, || writing.last(), item);
                // SAFETY: a source yields an item for each position.
                unsafe { writing.push(prefix) };
            });
        }
    }
}

/// The next prefix in a block, after the prefix `before`. If the fold to the `left` of the block is known, it
/// is combined with each prefix; then `local` is the last prefix without it. (Loops that look at the previous
/// prefix unnecessarily are longer.)
#[inline]
pub(super) fn prefix<'p, T: 'p>(
    op: &impl Fn(&T, &T) -> T,
    left: Option<&T>,
    local: &mut Option<T>,
    before: impl FnOnce() -> Option<&'p T>,
    item: T,
) -> T {
    let behind = |before: Option<&T>| match before {
        None => item,
        Some(before) => {
            let prefix = op(before, &item);
            // Before the end: if a destructor panics there, compilers forget what is about to be given back.
            drop(item);
            prefix
        }
    };
    match left {
        None => behind(before()),
        Some(left) => {
            let own = behind(local.as_ref());
            op(left, local.insert(own))
        }
    }
}

/// Length of the blocks of a sequence.
pub(super) fn block_size(len: usize) -> usize {
    (len / BLOCKS).clamp(1, LONGEST)
}

/// Combines the fold to the left with the prefixes of blocks, which are in consecutive pieces of any lengths.
pub(super) fn finalise<T, F>(op: &F, size: usize, left: &T, pieces: Vec<&mut [T]>)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    let len: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut lasts: Vec<&mut T> = Vec::new();
    let mut inner: Vec<(usize, &mut [T])> = Vec::with_capacity(len / size + pieces.len());
    let mut at = 0;
    for mut piece in pieces {
        while !piece.is_empty() {
            let block = at / size;
            let missing = ((block + 1) * size).min(len) - at;
            let ends = piece.len() >= missing;
            let (part, rest) = piece.split_at_mut(missing.min(piece.len()));
            (at, piece) = (at + part.len(), rest);
            if !ends {
                inner.push((block, part));
            } else if let Some((last, others)) = part.split_last_mut() {
                inner.push((block, others));
                lasts.push(last);
            }
        }
    }
    // The last of each block first, one after another, as each stands to the left of the next block.
    let mut lefts: Vec<&T> = vec![left];
    for last in lasts {
        *last = op(lefts[lefts.len() - 1], last);
        lefts.push(last);
    }
    inner.into_par().for_each(|(block, part)| {
        let left = lefts[block];
        for prefix in part {
            *prefix = op(left, prefix);
        }
    });
}

impl<S, F> Job<S> for Scan<'_, S::Item, F>
where
    S: Source,
    S::Item: Send + Sync,
    F: Fn(&S::Item, &S::Item) -> S::Item + Sync,
{
    type State = Scanned<S::Item>;
    /// Number of prefixes from the first place on.
    type Output = usize;

    fn begin(&self, at: usize) -> Self::State {
        Scanned {
            filled: self.room.part(at * self.size),
            is_final: at == 0,
        }
    }

    fn chunk<C: Chunk<Item = S>>(
        &self,
        state: &mut Self::State,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        chunk.into_iter().for_each(|items| self.block(state, items));
    }

    fn merge(&self, left: &mut Self::State, mut right: Self::State) {
        let at = left.filled.end();
        // The right part has begun with the first place, too, if the left one has come to nothing.
        if left.is_final && !right.is_final && right.filled.starts_at(at) {
            // SAFETY: as in `block`; the part on the right is another one.
            if let Some(left) = unsafe { self.left_of(at) } {
                finalise(self.op, self.size, left, vec![right.filled.items()]);
            }
        }
        left.filled.append(right.filled);
    }

    fn finish(&self, state: Self::State) -> usize {
        state.filled.into_len()
    }
}
