//! Prefix sums.

use super::filled::{Filled, Room};
use crate::par::adapters::Blocks;
use crate::par::ask::Origin;
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::prelude::*;
use crate::par::source::{Chunk, Source};
use crate::par::splitting::{Site, complete};

/// The minimum number of blocks into which a scan cuts a sequence, if the sequence has at least that number of items.
const BLOCKS: usize = 256;
const LONGEST: usize = 4096;

/// Returns the prefix of each item: the combination of `first`, if it is given, with all items up to and including this item. If `first` is
/// given, the result begins with `first` itself.
pub(crate) fn scan<P, F>(mut sequence: P, first: Option<P::Item>, op: &F) -> Vec<P::Item>
where
    P: Indexed,
    P::Item: Sync,
    F: Fn(&P::Item, &P::Item) -> P::Item + Sync,
{
    let (len, policy) = (sequence.len(), sequence.policy());
    let mut prefixes = Vec::with_capacity(len + usize::from(first.is_some()));
    prefixes.extend(first);
    // SAFETY: `prefixes` is only read until the job has ended and its last `Filled` is gone.
    let room = unsafe { Room::of(&mut prefixes, len) };
    let size = block_size(len);
    let scan = Scan {
        // SAFETY: the vector is not empty, so its first item exists. The vector is not changed before the job has ended, and the
        // job writes only behind the item.
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
    // SAFETY: the job has initialised `len` items behind the old ones.
    unsafe { prefixes.set_len(prefixes.len() + len) };
    // The sequence is dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
    // returned.
    drop(sequence);
    prefixes
}

/// Computes prefixes in blocks of equal length. For each block, the job first computes the prefixes of the block alone, from left to right.
/// The job then combines each of these prefixes with the fold of all items before the block. So the grouping of the items in each prefix
/// depends only on the length.
///
/// The part that begins with the first block knows the fold of all items before each of its blocks, and computes final prefixes in one
/// pass. A part that begins with a later block does not know this fold, and stores prefixes of single blocks. When such a part is merged
/// with a left neighbour that has final prefixes, a second pass makes the part's prefixes final, in parallel.
struct Scan<'f, T, F> {
    first: Option<&'f T>,
    room: Room<T>,
    size: usize,
    op: &'f F,
}

/// A part's state: the prefixes that it has written.
struct Scanned<T> {
    filled: Filled<T>,
    /// True if the prefixes in `filled` are prefixes of the whole sequence, and false if they are prefixes of single blocks.
    is_final: bool,
}

impl<T, F> Scan<'_, T, F>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    /// Returns the prefix before place `at`. All prefixes before `at` must be final.
    ///
    /// # Safety
    /// The caller must keep the contract of [`Room::before`].
    unsafe fn left_of(&self, at: usize) -> Option<&T> {
        // SAFETY: by this function's contract, the caller keeps the contract of `before`.
        unsafe { self.room.before(at) }.or(self.first)
    }

    /// Writes the prefixes of the next block of a part.
    fn block<S: Source<Item = T>>(&self, state: &mut Scanned<T>, mut items: S) {
        let at = state.filled.end();
        let left = if state.is_final {
            // SAFETY: a final part begins at the first place, so this thread, or threads whose parts were merged into it, wrote all
            // prefixes before `at`. Final prefixes are not written again.
            unsafe { self.left_of(at) }
        } else {
            // Another part owns the item to the left, so this part must not even form a reference to it.
            None
        };
        // SAFETY: a job gets each position once, so no other part has or will have these places.
        let mut writing = unsafe { self.room.write(&mut state.filled, at, items.len()) };
        let mut local = None;
        while items.len() > 0 {
            let count = items.reach(usize::MAX);
            items.take_front(count).into_iter().for_each(|item| {
                let prefix = prefix(self.op, left, &mut local, || writing.last(), item);
                // SAFETY: a source yields exactly one item for each position, and `items.len()` places were reserved.
                unsafe { writing.push(prefix) };
            });
        }
    }
}

/// Returns the prefix for `item`. The argument `left` is the fold of all items before the block, if this fold is known. If `left` is
/// `None`, the function combines the previous prefix, which `before` returns, with `item`. Otherwise `local` is the previous prefix of the
/// block alone: the function combines `local` with `item`, stores the result in `local`, and combines `left` with this result. In this case
/// the function does not call `before`. (A loop that reads the previous prefix without need takes longer.)
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
            // The item is dropped explicitly: if a destructor panics at the end of the function, compilers leak the value to be
            // returned.
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

/// Returns the length of the blocks of a sequence.
pub(super) fn block_size(len: usize) -> usize {
    (len / BLOCKS).clamp(1, LONGEST)
}

/// Makes the prefixes of single blocks final: combines `left`, the fold of all items before the first of these blocks, with the prefixes.
/// The prefixes lie in consecutive pieces of any length.
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
    // The last prefix of each block is made final first, one block after another, because this prefix is the fold to the left of the next
    // block.
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
    /// The number of written prefixes, counted from the first place.
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
        // If the left part is empty, the right part also begins with the first place, so its prefixes are final already.
        if left.is_final && !right.is_final && right.filled.starts_at(at) {
            // SAFETY: a final left part begins at the first place, so this thread, or threads that it has joined, wrote all
            // prefixes before `at`. The right part begins at `at`, so `finalise` does not write the item behind the reference.
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
