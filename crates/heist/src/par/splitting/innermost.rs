//! Lazy splitting of innermost loops first, as in the papers on lazy splitting.

use super::cut::cut;
use super::meter::Meter;
use super::{Drive, Short, Site, Splitting, sealed::Sealed};
use crate::join::join_shared;
use crate::par::job::Job;
use crate::par::source::{Chunk, Source};
use crate::pool::with_worker;
use crate::worker::{is_bare_and_wanted, local_now};

/// Lazy splitting, as Tzannes and others define it for loops, and as Rainey defines it for trees. Between two chunks, the owner checks
/// whether a thief has requested work from this worker. If so, and if the worker's deques contain nothing to steal, the owner splits the
/// remaining items of its current loop (Rainey's thesis, sections 4.0.3 and 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Innermost;

impl Sealed for Innermost {}

impl Splitting for Innermost {
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

#[inline(never)]
fn part<S, J>(mut source: S, mut at: usize, mut state: J::State, drive: &Drive<'_, J>) -> J::State
where
    S: Source,
    J: Job<S::Item>,
{
    let mut meter = Meter::start(drive.site, source.len());
    let grain = drive.job.grain();
    let (mut left, mut done) = (0, 0);
    while source.len() > 0 && !drive.limit.is_reached(at) {
        if left == 0 {
            meter.note(done);
            (left, done) = (meter.length(at, grain, source.len()), 0);
        }
        if done == 0 && source.len() > 1 && is_bare_and_wanted() {
            meter.end();
            let keep = cut(at, source.len(), source.len() / 2, grain);
            let rest = source.split_off(keep);
            let right_at = at + keep;
            let (mut left, right) = join_shared(
                || part(source, at, state, drive),
                || {
                    (!drive.limit.is_reached(right_at))
                        .then(|| part(rest, right_at, drive.job.begin(right_at), drive))
                },
            );
            if let Some(right) = right {
                drive.merge(&mut left, at, right);
            }
            return left;
        }
        let chunk = source.take_front(source.reach(left));
        let count = chunk.len();
        drive.chunk(&mut state, at, chunk);
        at += count;
        left -= count;
        done += count;
    }
    meter.note(done);
    meter.end();
    drop(source);
    state
}
