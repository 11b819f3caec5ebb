//! Policies that determine all splits beforehand. Papers on lazy splitting use these policies for comparison.

use super::cut::cut;
use super::{Drive, Short, Site, Splitting, sealed::Sealed};
use crate::par::job::Job;
use crate::par::source::Source;

/// Eager binary splitting: splits a sequence into halves until each piece has at most this number of positions (the *stop-splitting
/// threshold* of Rainey's thesis, section 4.0.2). If the operation is a fold, cuts near the end of a leaf move to this end. A threshold of
/// 0 counts as 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Eager(pub usize);

impl Sealed for Eager {}

impl Splitting for Eager {
    #[inline]
    fn takes_whole(self, len: usize, _site: Site) -> Short {
        if len <= self.0.max(1) {
            Short::Yes
        } else {
            Short::No
        }
    }

    fn run<S, J>(self, mut source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        let len = source.len();
        if len <= self.0.max(1) {
            return drive.sequential(source, at, state);
        }
        let half = cut(at, len, len / 2, drive.job.grain());
        let rest = source.split_off(half);
        drive.both(
            at,
            || self.run(source, at, state, drive),
            at + half,
            |state| self.run(rest, at + half, state, drive),
        )
    }
}

/// T-ary decomposition: splits a sequence into this number of equal pieces for each worker (Rainey's thesis, section 4.0.1). A number of 0
/// counts as 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tary(pub usize);

impl Sealed for Tary {}

impl Splitting for Tary {
    fn run<S, J>(self, source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        let workers = crate::current_threads().max(1);
        let pieces = source.len().min(self.0.max(1).saturating_mul(workers));
        into_pieces(pieces, source, at, state, drive)
    }
}

/// Splits into `pieces` pieces of about equal length.
fn into_pieces<S, J>(
    pieces: usize,
    mut source: S,
    at: usize,
    state: J::State,
    drive: &Drive<'_, J>,
) -> J::State
where
    S: Source,
    J: Job<S::Item>,
{
    if pieces <= 1 {
        return drive.sequential(source, at, state);
    }
    let left = pieces / 2;
    let len = source.len();
    let keep = (len as u128 * left as u128 / pieces as u128) as usize;
    let keep = cut(at, len, keep, drive.job.grain());
    let rest = source.split_off(keep);
    drive.both(
        at,
        || into_pieces(left, source, at, state, drive),
        at + keep,
        |state| into_pieces(pieces - left, rest, at + keep, state, drive),
    )
}

/// Structural decomposition: the two subtrees of an inner node of a rope may run in parallel, and each leaf is one piece (Rainey's thesis,
/// section 4.0.1). Slices and ranges count as balanced trees with leaves of 1,024 items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Structural;

impl Sealed for Structural {}

impl Splitting for Structural {
    fn run<S, J>(self, mut source: S, at: usize, state: J::State, drive: &Drive<'_, J>) -> J::State
    where
        S: Source,
        J: Job<S::Item>,
    {
        let Some(split_point) = source.split_point() else {
            return drive.sequential(source, at, state);
        };
        let rest = source.split_off(split_point);
        drive.both(
            at,
            || self.run(source, at, state, drive),
            at + split_point,
            |state| self.run(rest, at + split_point, state, drive),
        )
    }
}
