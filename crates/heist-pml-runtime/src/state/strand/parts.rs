//! The parts of a strand that may be cancelled, and the masks that protect them.

use std::sync::Arc;

use crate::protocol::job::State;
use crate::protocol::mask::{self, Mask};
use crate::protocol::part::Around;
use crate::state::interrupt;
use crate::state::strand::{Cancelled, Entry, Masked, Purpose, Strand};

impl Strand {
    /// Returns the part of the strand that is not needed any more.
    pub(crate) fn cancelled(&mut self) -> Cancelled {
        let masked = self.is_masked();
        if (!masked || self.is_void()) && self.is_left_behind() {
            return Cancelled::Whole;
        }
        let cancellations = mask::cancellations();
        if cancellations == self.cancellations {
            return Cancelled::No;
        }
        if !masked && self.job.as_ref().is_some_and(|job| job.is_cancelled()) {
            return Cancelled::Whole;
        }
        if let Some(frame) = self.cancelled_above() {
            return Cancelled::Above(frame);
        }
        // While the strand has a mask, it keeps the old count of cancellations. So it checks the parts around the mask after the mask is
        // removed.
        if !masked {
            self.cancellations = cancellations;
        }
        Cancelled::No
    }

    /// Returns true if anything was cancelled since the strand's last check.
    pub(crate) fn may_be_cancelled(&self) -> bool {
        mask::cancellations() != self.cancellations
    }

    /// Returns true if a mask keeps the strand from yielding to other strands at polls. The mask of a transaction does not keep the strand
    /// from yielding, because a strand that waits for the end of the transaction may need this worker.
    pub(crate) fn keeps_worker(&self) -> bool {
        let mut masks = self.masks.iter();
        masks.any(|masked| !matches!(masked.purpose, Purpose::Transaction { .. }))
    }

    /// Returns the number of transactions around a fork. The arguments of `is_inside` are the mask of a transaction and the number of forks
    /// that had begun but not ended when the transaction began. The closure must return true if the fork is inside of the transaction.
    pub(crate) fn depth(&self, is_inside: impl Fn(&Masked, usize) -> bool) -> u32 {
        let masks = self.masks.iter();
        let own = masks.filter(|masked| match masked.purpose {
            Purpose::Transaction { forks } => is_inside(masked, forks),
            _ => false,
        });
        self.job.as_ref().map_or(0, |job| job.depth) + own.count() as u32
    }

    /// Returns true if the strand has a mask.
    pub(crate) fn is_masked(&self) -> bool {
        !self.masks.is_empty()
    }

    /// Returns true if a mask is newer than the part that this frame calls, so that the part cannot end before the mask is removed. A mask
    /// of this frame itself encloses the part, so it does not count.
    fn is_masked_in(&self, part: usize) -> bool {
        self.masks.last().is_some_and(|masked| masked.frame < part)
    }

    /// Returns the oldest frame of a scope or race whose part is not needed, unless a mask protects the frames of that part.
    pub(crate) fn cancelled_above(&self) -> Option<usize> {
        let scopes = self.scopes.iter();
        let scope = scopes
            .filter(|scope| scope.job.state() == State::Cancelled)
            .map(|scope| scope.frame);
        let race = self
            .races()
            .filter(|entry| entry.job().has_won())
            .map(|entry| entry.frame);
        // Stacks grow downwards.
        scope
            .chain(race)
            .filter(|&frame| !self.is_masked_in(frame))
            .max()
    }

    /// Returns the published forks that race, the newest first. The iterator goes from race to race and does not visit other forks, whose
    /// number may be as large as the number of frames.
    fn races(&self) -> impl Iterator<Item = &Entry> {
        let newest = |count: usize| count.checked_sub(1).map_or(0, |at| self.entries[at].race);
        let mut race = newest(self.entries.len());
        std::iter::from_fn(move || {
            let entry = &self.entries[race.checked_sub(1)?];
            race = newest(race - 1);
            Some(entry)
        })
        .filter(|entry| entry.races)
    }

    /// Returns the innermost part around the code of a frame, or around the newest frame if `frame` is 0, with the frame of that part.
    fn part(&self, frame: usize) -> Option<(usize, Around)> {
        let mut scopes = self.scopes.iter().rev();
        let scope = scopes.find(|scope| scope.frame > frame);
        let race = self.races().find(|entry| entry.frame > frame);
        match (scope, race) {
            (Some(scope), race) if race.is_none_or(|race| race.frame >= scope.frame) => {
                Some((scope.frame, Around::part_of(scope.job.clone())))
            }
            (_, Some(race)) => Some((race.frame, Around::left_of(race.job().clone()))),
            _ => Some((usize::MAX, Around::part_of(self.job.clone()?))),
        }
    }

    /// Returns true if no part is around the newest frame: the strand computes no fork, and has no scope and no published fork.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.job.is_none() && self.scopes.is_empty() && self.entries.is_empty()
    }

    /// Returns the job around the code of a frame, or around the newest frame if `frame` is 0.
    pub(crate) fn around(&self, frame: usize) -> Option<Around> {
        self.part(frame).map(|(_, around)| around)
    }

    /// Returns the mask for forks that the code of a frame publishes, or that the newest frame publishes if `frame` is 0: the oldest mask
    /// in the innermost part around that code.
    ///
    /// The returned mask need not enclose this code. A cancellation reaches the fork when the oldest mask of the part is lifted, which
    /// happens before this strand waits at the join.
    pub(crate) fn mask(&mut self, frame: usize) -> Option<Arc<Mask>> {
        let part = self.part(frame).map_or(usize::MAX, |(frame, _)| frame);
        // The oldest mask is removed last.
        let mut masks = self.masks.iter_mut();
        let masked = masks.find(|masked| masked.frame < part)?;
        Some(masked.mask.get_or_insert_default().clone())
    }

    /// Returns the innermost part around the newest frame, unless a mask in that part prevents the end of the part. Masks for locks and
    /// waits do not count, because such masks last only for a short time.
    pub(crate) fn exposed(&self) -> Option<Around> {
        let (part, around) = self.part(0)?;
        let mut masks = self.masks.iter().rev();
        let is_masked = masks
            .find(|masked| !matches!(masked.purpose, Purpose::Lock | Purpose::Wait))
            .is_some_and(|masked| masked.frame < part);
        (!is_masked).then_some(around)
    }

    /// Returns true if the strand may end at its current place. If the program was interrupted or has ended, only a lock of the Basis
    /// prevents the end of the strand.
    pub(crate) fn may_end(&self) -> bool {
        self.masks.is_empty() || interrupt::asked() && !self.holds_lock() || self.is_void()
    }

    /// Returns true if the strand computes a fork of masked code, and masks still protect the strand.
    pub(crate) fn is_in_masked_job(&self) -> bool {
        !self.is_void() && self.job.as_ref().is_some_and(|job| job.is_masked())
    }

    /// Returns true if the strand holds a lock of the Basis.
    pub(crate) fn holds_lock(&self) -> bool {
        let mut masks = self.masks.iter();
        masks.any(|masked| masked.purpose == Purpose::Lock)
    }

    /// Removes the newest mask and returns true, if no fork of the masked code refers to this mask. Otherwise, returns false.
    #[inline]
    pub(crate) fn unmask_last(&mut self) -> bool {
        let Some(Masked { mask: None, .. }) = self.masks.last() else {
            return false;
        };
        self.masks.truncate(self.masks.len() - 1);
        true
    }
}
