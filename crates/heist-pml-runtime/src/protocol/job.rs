//! A published fork, whose right side any worker may take. The README of this folder explains the states of a job.
//!
//! A thief abandons its strand at the strand's next poll if the thief's job, or an enclosing job, is CANCELLED. If a program is
//! interrupted, each of its strands is abandoned at the strand's next poll. The job of an abandoned strand has no results
//! ([`Ending::Left`]), so a strand that waits for this job is also abandoned.

use std::sync::Arc;

use super::mask::{CANCELLED, Mask};
use super::part::Around;
use super::shim::{AtomicU8, AtomicUsize, Cell, Ordering};
use super::steps;

/// The state of a published fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// No thread has taken the fork.
    Published = 0,
    /// The owner computes the fork in place.
    Retracted = 1,
    /// A thief computes the fork.
    Taken = 2,
    /// A thief computes the fork, and the owner waits.
    Waiting = 3,
    /// A thief computes the fork, and its results are not needed.
    Cancelled = 4,
    /// The results are ready.
    Done = 5,
}

impl State {
    fn of(number: u8) -> State {
        match number {
            0 => State::Published,
            1 => State::Retracted,
            2 => State::Taken,
            3 => State::Waiting,
            4 => State::Cancelled,
            _ => State::Done,
        }
    }
}

/// The way in which a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The job has results.
    Returned,
    /// The job raised an exception, which is its result.
    Raised,
    /// The job's strand was abandoned, so the job has no result.
    Left,
}

/// The arguments or results of a job, which the collector updates while all workers are stopped.
#[derive(Debug)]
pub struct Words(Cell<Vec<usize>>);

/// The strand that waits for a job. The protocol uses only its address; the owner of the job casts this address from and to a strand.
#[derive(Debug)]
pub enum Waiter {}

/// A published fork.
pub struct Job {
    pub(super) state: AtomicU8,
    /// The number of the fork in the program.
    pub fork: u32,
    /// The job whose strand published this job, or the enclosing part of that strand (see [`Around`]). The field is `None` if the program's
    /// own strand published this job.
    pub(super) parent: Option<Arc<Job>>,
    /// Whether the job belongs to the left side of its parent job.
    pub(super) left: bool,
    /// The mask around the job, if there is one. Until the mask is lifted, cancellations of enclosing jobs do not reach this job.
    pub(super) mask: Option<Arc<Mask>>,
    /// 1 if the job is the right side of a race and has won the race.
    pub(super) won: AtomicU8,
    /// The nearest scope around the job.
    pub(super) scope: Option<Arc<Job>>,
    /// The number of the scope's cancelable if the job is a scope; 0 if the job is a fork.
    pub(super) id: usize,
    /// For a scope: the number of strands and scopes inside of the scope, plus 1 for the scope itself.
    pub(super) live: AtomicUsize,
    /// The number of the program whose strand has published the job, in the format of `Strand::program`.
    pub program: u32,
    /// The number of transactions that enclose the code that has published the job.
    pub depth: u32,
    /// The arguments of the job, until a thread takes them.
    args: Words,
    /// The results, or the exception if the job raised.
    results: Words,
    ending: Cell<Ending>,
    /// The origin of the exception if the job raised (see `trail`).
    origin: Cell<usize>,
    waiter: Cell<*mut Waiter>,
}

// SAFETY: the job's state gives each cell to one side (owner or thief). Only that side, or a worker that has stopped all other workers,
// reads and writes the cell.
unsafe impl Send for Job {}
// SAFETY: the job's state gives each cell to one side (owner or thief) at a time. A change of the state acquires the writes that the other
// side has released.
unsafe impl Sync for Job {}

/// The state in which a join found its fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The owner has taken the fork back.
    Here,
    /// The fork is done: its results are ready, or its exception if it raised.
    Done {
        /// Whether the fork raised.
        raised: bool,
    },
    /// The thief has abandoned the strand that computed the fork, so the owner must also abandon its own strand.
    Left,
    /// A thief computes the fork.
    Taken,
}

impl Job {
    /// Makes a job that no thread has taken.
    #[must_use]
    pub fn new(fork: u32, args: Vec<usize>, around: Option<Around>) -> Job {
        let (parent, left) = match around {
            Some(Around { job, left }) => (Some(job), left),
            None => (None, false),
        };
        let scope = parent.as_ref().and_then(|parent| match parent.id {
            0 => parent.scope.clone(),
            _ => Some(parent.clone()),
        });
        Job {
            state: AtomicU8::new(State::Published as u8),
            fork,
            program: parent.as_ref().map_or(0, |parent| parent.program),
            parent,
            left,
            mask: None,
            won: AtomicU8::new(0),
            depth: 0,
            scope,
            id: 0,
            live: AtomicUsize::new(0),
            args: Words(Cell::new(args)),
            results: Words(Cell::new(Vec::new())),
            ending: Cell::new(Ending::Returned),
            origin: Cell::new(0),
            waiter: Cell::new(std::ptr::null_mut()),
        }
    }

    /// Marks the job as published by a strand of the program with this number.
    #[must_use]
    pub fn of_program(mut self, program: u32) -> Job {
        self.program = program;
        self
    }

    /// Marks the job as published by code inside of `depth` transactions.
    #[must_use]
    pub fn in_transactions(mut self, depth: u32) -> Job {
        self.depth = depth;
        self
    }

    /// Marks the job as published below a mask. Until the mask is lifted, cancellations of enclosing jobs do not reach this job.
    #[must_use]
    pub fn below(mut self, mask: Option<Arc<Mask>>) -> Job {
        self.mask = mask;
        self
    }

    fn change(&self, from: State, to: State) -> Result<(), State> {
        // AcqRel: Release shows the writes of this side (owner or thief) to the other side. Acquire shows the writes that the other side
        // made before its change of the state.
        self.state
            .compare_exchange(from as u8, to as u8, steps::CHANGE, steps::CHANGE_FAILS)
            .map(|_| ())
            .map_err(State::of)
    }

    /// Takes the job for a thief. Returns false if another thread has taken the job.
    #[must_use]
    pub fn take(&self) -> bool {
        self.change(State::Published, State::Taken).is_ok()
    }

    /// Takes the job back if no thief has taken it. Only the owner may call this function, at its join. Returns the state of the fork.
    #[must_use]
    pub fn retract(&self) -> Found {
        match self.change(State::Published, State::Retracted) {
            Ok(()) => Found::Here,
            // SAFETY: the thief wrote the ending before it set DONE, which `change` has acquired. The thief does not touch the ending any
            // more.
            Err(State::Done) => match unsafe { *self.ending.read() } {
                Ending::Left => Found::Left,
                ending => Found::Done {
                    raised: ending == Ending::Raised,
                },
            },
            Err(_) => Found::Taken,
        }
    }

    /// Makes the owner's strand wait. Returns false if the results are ready.
    ///
    /// # Safety
    /// The strand must be saved, because the thread that finishes the job may continue the strand immediately.
    #[must_use]
    pub unsafe fn wait(&self, strand: *mut Waiter) -> bool {
        // SAFETY: only the owner writes `waiter`. The thief reads `waiter` only after it has seen WAITING.
        unsafe { *self.waiter.write() = strand };
        self.change(State::Taken, State::Waiting).is_ok()
    }

    /// Marks the results as not needed. Returns the previous state. If the previous state is `Taken` or `Waiting`, a thief computes the
    /// job, and must abandon it.
    ///
    /// The previous state can be `Waiting` only if the program has ended while a strand waits for the job. After this call the job does not
    /// refer to the waiting strand.
    pub fn cancel(&self) -> State {
        if self.change(State::Published, State::Retracted).is_ok() {
            return State::Published;
        }
        let before = match self.change(State::Taken, State::Cancelled) {
            Ok(()) => State::Taken,
            Err(State::Waiting) => match self.change(State::Waiting, State::Cancelled) {
                Ok(()) => State::Waiting,
                Err(found) => return found,
            },
            Err(found) => return found,
        };
        // Release: pairs with the acquire in `cancellations`.
        CANCELLED.fetch_add(1, steps::COUNT);
        before
    }

    /// Stores the thief's results and marks the job as done. Returns the owner's strand if that strand waits for this job.
    ///
    /// # Safety
    /// The caller must have taken the job, and may call this function only once.
    #[must_use]
    pub unsafe fn finish(&self, results: &[usize], ending: Ending) -> Option<*mut Waiter> {
        // SAFETY: the caller is the thief. Only the thief uses the results and the ending until the state is DONE, which this function
        // stores below.
        unsafe {
            (*self.results.0.write()).extend_from_slice(results);
            *self.ending.write() = ending;
        }
        // AcqRel: Release shows the results to the owner; Acquire shows the owner's strand to this thief.
        let before = State::of(self.state.swap(State::Done as u8, steps::FINISH));
        // SAFETY: the owner wrote its strand before it set WAITING, which the swap has acquired.
        (before == State::Waiting).then(|| unsafe { *self.waiter.read() })
    }

    /// Notes the origin of the exception that will be the job's result.
    ///
    /// # Safety
    /// The caller must have taken the job and not have finished it.
    pub unsafe fn raised_at(&self, origin: usize) {
        // SAFETY: the origin belongs to the thief until the state is DONE, and the caller is the thief.
        unsafe { *self.origin.write() = origin };
    }

    /// Returns the origin of the exception, if the job raised.
    ///
    /// # Safety
    /// The caller must be the owner and have seen that the job is done.
    #[must_use]
    pub unsafe fn origin(&self) -> usize {
        // SAFETY: the thief wrote the origin before it set DONE, which the caller has acquired. The thief does not touch the origin any
        // more.
        unsafe { *self.origin.read() }
    }

    /// Returns the arguments.
    ///
    /// # Safety
    /// The caller must have taken the job and not have begun it, or have stopped all workers.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn args(&self) -> &mut [usize] {
        // SAFETY: the caller took the job and has not begun, or has stopped all workers, so no other side uses the arguments.
        unsafe { &mut *self.args.0.write() }
    }

    /// Returns the results.
    ///
    /// # Safety
    /// The caller must be the owner and have seen that the job is done, or have stopped all workers.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn results(&self) -> &mut [usize] {
        // SAFETY: the job is done and the caller is its owner, so the thief does not touch the results any more; or all workers are
        // stopped.
        unsafe { &mut *self.results.0.write() }
    }

    /// Returns true if the job raised an exception.
    ///
    /// # Safety
    /// The caller must be the owner and have seen that the job is done, or have stopped all workers.
    pub unsafe fn raised(&self) -> bool {
        // SAFETY: the job is done, which the owner has seen, or all workers are stopped: no thief writes the ending any more.
        unsafe { self.ending() == Ending::Raised }
    }

    /// Returns the way in which the job ended.
    ///
    /// # Safety
    /// The caller must be the owner and have seen that the job is done, or have stopped all workers.
    pub unsafe fn ending(&self) -> Ending {
        // SAFETY: the job is done and the caller is its owner, so the thief does not touch the ending any more; or all workers are stopped.
        unsafe { *self.ending.read() }
    }

    /// Returns the state of the job.
    pub fn state(&self) -> State {
        State::of(self.state.load(Ordering::Acquire))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // Drops the enclosing jobs one after the other. A recursive drop would take some stack for each enclosing job, and there may be as
        // many enclosing jobs as strands. The scope is one of the enclosing jobs.
        self.scope = None;
        let mut parent = self.parent.take();
        while let Some(mut job) = parent.and_then(Arc::into_inner) {
            parent = job.parent.take();
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::super::mask::cancellations;
    use super::*;

    #[test]
    fn the_second_goes_on() {
        let mut strand = 0_u8;
        let waiter = (&raw mut strand).cast::<Waiter>();
        let job = Job::new(0, vec![], None);
        assert_eq!(job.retract(), Found::Here);
        assert!(!job.take());

        let job = Job::new(0, vec![], None);
        assert!(job.take());
        assert_eq!(job.retract(), Found::Taken);
        // SAFETY: no worker continues the waiting strand.
        unsafe {
            assert!(job.wait(waiter));
            assert_eq!(job.finish(&[7], Ending::Returned), Some(waiter));
            assert_eq!(job.results(), [7]);
        }

        let job = Job::new(0, vec![], None);
        assert!(job.take());
        // SAFETY: no worker continues the waiting strand.
        unsafe {
            assert_eq!(job.finish(&[7], Ending::Raised), None);
            assert!(!job.wait(waiter));
        }
        assert_eq!(job.retract(), Found::Done { raised: true });
    }

    #[test]
    fn parts_of_a_cancelled_job_are_cancelled() {
        let mut jobs = vec![Arc::new(Job::new(0, vec![], None))];
        // A recursive drop of this many enclosing jobs would overflow the stack of a test's thread.
        for depth in 0..100_000 {
            assert!(jobs[depth].take());
            jobs.push(Arc::new(Job::new(
                0,
                vec![],
                Some(Around::part_of(jobs[depth].clone())),
            )));
        }
        let before = cancellations();
        assert_eq!(jobs[50_000].cancel(), State::Taken);
        assert!(cancellations() > before);
        assert!(jobs[100_000].is_cancelled() && jobs[50_000].is_cancelled());
        assert!(!jobs[49_999].is_cancelled());
        let last = jobs.pop();
        drop(jobs);
        drop(last);
        let job = Job::new(0, vec![], None);
        assert!(job.take());
        // SAFETY: this thread has taken the job, and finishes it once.
        assert_eq!(unsafe { job.finish(&[], Ending::Left) }, None);
        assert_eq!(job.retract(), Found::Left);
    }

    #[test]
    fn parts_below_a_mask_are_not_cancelled_with_the_outer_scope() {
        let outer = Arc::new(Job::scope(1, None));
        let mask = Arc::new(Mask::default());
        let around = Around::part_of(outer.clone());
        let fork = Job::new(0, vec![], Some(around)).below(Some(mask.clone()));
        let fork = Arc::new(fork);
        let inner = Arc::new(Job::scope(2, Some(Around::part_of(fork.clone()))));
        let part = Job::new(0, vec![], Some(Around::part_of(inner.clone())));
        assert_eq!(outer.cancel(), State::Taken);
        assert!(outer.is_cancelled() && Around::part_of(outer.clone()).is_cancelled());
        assert!(!fork.is_cancelled() && !part.is_cancelled());
        assert_eq!(inner.cancel(), State::Taken);
        assert!(part.is_cancelled() && !fork.is_cancelled());
        assert!(part.is_masked() && fork.is_masked() && !outer.is_masked());
        let before = cancellations();
        mask.lift();
        assert!(cancellations() > before && fork.is_cancelled());
        assert!(!part.is_masked());
    }

    #[test]
    fn an_owner_that_is_dropped_is_not_named() {
        let mut strand = 0_u8;
        let job = Job::new(0, vec![], None);
        assert!(job.take());
        // SAFETY: no worker continues the waiting strand.
        assert!(unsafe { job.wait((&raw mut strand).cast()) });
        let before = cancellations();
        assert_eq!(job.cancel(), State::Waiting);
        assert!(job.is_cancelled() && cancellations() > before);
        // SAFETY: this thread has taken the job, and finishes it once.
        assert_eq!(unsafe { job.finish(&[], Ending::Left) }, None);
    }

    #[test]
    fn owner_and_thief_agree() {
        for round in 0..2000_usize {
            let job = Arc::new(Job::new(0, vec![], None));
            let thief = {
                let job = job.clone();
                std::thread::spawn(move || {
                    if !job.take() {
                        return (false, false);
                    }
                    // SAFETY: this thread has taken the job, and finishes it once.
                    (
                        true,
                        unsafe { job.finish(&[round], Ending::Returned) }.is_some(),
                    )
                })
            };
            let mut strand = 0_u8;
            let (mut waits, mut done) = (false, false);
            match job.retract() {
                Found::Here => {}
                Found::Done { .. } => done = true,
                Found::Left => unreachable!("it returned"),
                Found::Taken => {
                    // SAFETY: no worker continues the waiting strand.
                    waits = unsafe { job.wait((&raw mut strand).cast()) };
                    done = !waits;
                }
            }
            if done {
                // SAFETY: the owner has seen that the job is done.
                assert_eq!(unsafe { job.results() }, [round]);
            }
            let (took, continues) = thief.join().unwrap();
            assert_eq!(took, waits || done);
            assert_eq!(continues, waits);
        }
    }
}
