//! The parts of a program that may be cancelled: forks, races and scopes.

use std::sync::Arc;

use super::job::{Job, State};
use super::mask::CANCELLED;
use super::shim::{AtomicU8, AtomicUsize, Ordering};
use super::steps;

/// The innermost job that encloses some code that may be cancelled.
#[derive(Clone)]
pub struct Around {
    /// The innermost job: the job that the code's strand computes, a scope, or a published fork.
    pub job: Arc<Job>,
    /// Whether the code belongs to the left side of the fork `job`. If the fork is a race, its left side is not needed once its right side
    /// has won.
    pub left: bool,
}

impl Around {
    /// Returns the `Around` of code that is part of a job.
    #[must_use]
    pub fn part_of(job: Arc<Job>) -> Around {
        Around { job, left: false }
    }

    /// Returns an [`Around`] for code that belongs to the left side of the race `job`.
    #[must_use]
    pub fn left_of(job: Arc<Job>) -> Around {
        Around { job, left: true }
    }

    /// Returns true if the result of this code is not needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.job.is_over(self.left)
    }
}

impl Job {
    /// Makes a scope of the cancelable with number `id`. The number must not be 0. The forks of the code in the scope are parts of the
    /// scope. When the scope begins, only the calling strand is in it. Until the new scope is empty, it counts as a part of the scope that
    /// encloses it.
    #[must_use]
    pub fn scope(id: usize, around: Option<Around>) -> Job {
        let mut job = Job::new(u32::MAX, Vec::new(), around);
        let entered = job.enter();
        debug_assert!(entered, "the strand is in the scope around it");
        job.state = AtomicU8::new(State::Taken as u8);
        job.live = AtomicUsize::new(1);
        job.id = id;
        job
    }

    /// Returns the scopes around the code of this job, the innermost first. If the job itself is a scope, it comes first.
    pub fn scopes(&self) -> impl Iterator<Item = &Job> {
        let first = match self.id {
            0 => self.scope.as_deref(),
            _ => Some(self),
        };
        std::iter::successors(first, |scope| scope.scope.as_deref())
    }

    /// Returns the number of the cancelable whose scope this job is.
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// Counts the job in its scope, because a strand is about to compute the job. Returns false if the scope is already empty.
    #[must_use]
    pub fn enter(&self) -> bool {
        let Some(scope) = &self.scope else {
            return true;
        };
        let mut live = scope.live.load(Ordering::Relaxed);
        loop {
            if live == 0 {
                return false;
            }
            // Relaxed: no other data depends on the count. The owner of the job is in the scope until it has taken the job back.
            match scope
                .live
                .compare_exchange(live, live + 1, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(other) => live = other,
            }
        }
    }

    /// Removes the job from the count of its scope, because the strand that has computed the job has ended. Calls `empty` with each scope
    /// that becomes empty.
    pub fn leave(&self, empty: impl FnMut(&Arc<Job>)) {
        if let Some(scope) = &self.scope {
            Job::leave_scope(scope, empty);
        }
    }

    /// Subtracts 1 from the count of `scope`, because a strand or an inner scope that this count includes has ended. If the count is then
    /// 0, calls `empty` with the scope, and leaves the enclosing scope in the same way.
    pub fn leave_scope(scope: &Arc<Job>, mut empty: impl FnMut(&Arc<Job>)) {
        let mut scope = Some(scope);
        while let Some(left) = scope {
            // AcqRel: all actions of the last strand come after all actions of the other strands.
            if left.live.fetch_sub(1, steps::LEAVE) != 1 {
                break;
            }
            empty(left);
            scope = left.scope.as_ref();
        }
    }

    /// Notes that the right side has won the race. The left side is not needed after this call.
    pub fn win(&self) {
        // Relaxed: the release of the count publishes this store.
        self.won.store(1, Ordering::Relaxed);
        // Release: pairs with the acquire in `cancellations`.
        CANCELLED.fetch_add(1, steps::COUNT);
    }

    /// Returns true if the right side of this fork has won its race.
    #[must_use]
    pub fn has_won(&self) -> bool {
        // Relaxed: a hint. A strand that needs the right side's value waits for it separately.
        self.won.load(Ordering::Relaxed) != 0
    }

    /// Returns true if the results of the job, or of a job that encloses it, are not needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_over(false)
    }

    /// Returns true if code that belongs to the job is not needed. If `left` is true, the code belongs to the left side of the job's fork.
    fn is_over(&self, mut left: bool) -> bool {
        let mut job = self;
        loop {
            // Relaxed: a hint; the thief's swap decides.
            let over = if left {
                job.has_won()
            } else {
                job.state.load(Ordering::Relaxed) == State::Cancelled as u8
            };
            if over {
                return true;
            }
            if job.mask.as_ref().is_some_and(|mask| !mask.is_lifted()) {
                return false;
            }
            match &job.parent {
                Some(parent) => (job, left) = (parent, job.left),
                None => return false,
            }
        }
    }

    /// Returns true if the job, or a job that encloses it, was published below a mask that has not been lifted.
    #[must_use]
    pub fn is_masked(&self) -> bool {
        let mut jobs = std::iter::successors(Some(self), |job| job.parent.as_deref());
        jobs.any(|job| job.mask.as_ref().is_some_and(|mask| !mask.is_lifted()))
    }
}
