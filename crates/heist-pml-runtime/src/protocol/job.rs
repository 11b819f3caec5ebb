//! A published fork: its right side, which some worker may take. The essay of this folder has its states.
//!
//! A thief abandons its strand at its next poll if its own job, or a job that contains it, is CANCELLED. This also holds for every
//! strand of a program that was interrupted. Their jobs have no results ([`Ending::Left`]), and a strand that waits for one is
//! also abandoned.

use std::sync::Arc;

use super::shim::{AtomicBool, AtomicU8, AtomicUsize, Cell, Ordering};
use super::steps;
use crate::strand::Strand;

/// The state of a published fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// No thread has taken it.
    Published = 0,
    /// Its owner computes it in place.
    Retracted = 1,
    /// A thief computes it.
    Taken = 2,
    /// A thief computes it, and the owner waits.
    Waiting = 3,
    /// A thief computes it, and its results are not needed.
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

/// End of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has results.
    Returned,
    /// It raised the exception that is its result.
    Raised,
    /// Its strand was abandoned: it has no result.
    Left,
}

/// Number of jobs that were cancelled while a thief computed them, and of masks that were lifted, in all worlds. A change of it means that
/// [`Job::is_cancelled`] must be asked.
#[cfg(not(heist_model))]
static CANCELLED: AtomicUsize = AtomicUsize::new(0);
#[cfg(heist_model)]
loom::lazy_static! {
    static ref CANCELLED: AtomicUsize = AtomicUsize::new(0);
}

/// The number of jobs cancelled so far.
#[must_use]
pub fn cancellations() -> usize {
    // Acquire: pairs with the release in `cancel`, so the state of the job that was counted is seen.
    CANCELLED.load(steps::COUNTED)
}

/// Words that the collector updates while all workers are stopped.
#[derive(Debug)]
pub struct Words(Cell<Vec<usize>>);

/// A published fork.
pub struct Job {
    state: AtomicU8,
    /// The number of the fork in the program.
    pub fork: u32,
    /// The job whose strand published it, or its enclosing part there (see [`Around`]); none for a program's own strand.
    parent: Option<Arc<Job>>,
    /// It belongs to the left side of its parent.
    left: bool,
    /// Until this goes, a cancellation of what is around the job does not reach it.
    mask: Option<Arc<Mask>>,
    /// Its result decides a race against the left side.
    won: AtomicU8,
    /// The nearest scope around it.
    scope: Option<Arc<Job>>,
    /// The number of the cancelable whose scope it is; 0 if it is a fork.
    id: usize,
    /// For a scope: the strands and scopes in it, counting itself once.
    live: AtomicUsize,
    /// The number of the program whose strand has published it, as the strand has it.
    pub program: u32,
    /// The number of transactions around the code that has published it.
    pub depth: u32,
    /// The arguments, until they are taken.
    args: Words,
    /// The results, or the exception if it raised.
    results: Words,
    ending: Cell<Ending>,
    /// The origin of the exception if it raised (see `trail`).
    origin: Cell<usize>,
    waiter: Cell<*mut Strand>,
}

// SAFETY: the cells are written and read by the sides that the states of the module's doc give them to, or by a worker that has
// stopped all others.
unsafe impl Send for Job {}
// SAFETY: each cell has one side at a time that may use it, as the state says, whose changes acquire what the other side has released.
unsafe impl Sync for Job {}

/// The innermost of the things around a piece of a program that may be cancelled.
#[derive(Clone)]
pub struct Around {
    /// A job that the strand computes, a scope, or a published fork.
    pub job: Arc<Job>,
    /// It is that fork's left side, which is not needed once the right side has won.
    pub left: bool,
}

/// Code that must not be ended by cancellations of what is around it, and has published forks.
#[derive(Debug, Default)]
pub struct Mask {
    lifted: AtomicBool,
}

impl Mask {
    /// The code has ended: cancellations reach its forks again, also the earlier ones. The caller rings all workers.
    pub fn lift(&self) {
        // Relaxed: the count hands it on.
        self.lifted.store(true, Ordering::Relaxed);
        if steps::LIFT_COUNTS {
            // Release: pairs with the acquire in `cancellations`. A thief that has asked before asks again.
            CANCELLED.fetch_add(1, steps::COUNT);
        }
    }

    /// Whether cancellations reach what is inside.
    fn is_lifted(&self) -> bool {
        // Relaxed: as in `is_over`.
        self.lifted.load(Ordering::Relaxed)
    }
}

impl Around {
    /// The surroundings of a part of a job.
    #[must_use]
    pub fn part_of(job: Arc<Job>) -> Around {
        Around { job, left: false }
    }

    /// The surroundings of a part of the left side of a race.
    #[must_use]
    pub fn left_of(job: Arc<Job>) -> Around {
        Around { job, left: true }
    }

    /// Whether its result is not needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.job.is_over(self.left)
    }
}

/// State in which a join found its fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is the owner's again.
    Here,
    /// The results are ready, or an exception if it raised.
    Done {
        /// Whether it raised.
        raised: bool,
    },
    /// The thief has abandoned the fork's strand, so the owner must abandon its own strand too.
    Left,
    /// A thief computes it.
    Taken,
}

impl Job {
    /// A job that no thread has taken.
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

    /// Marks the job as published by code inside of so many transactions.
    #[must_use]
    pub fn in_transactions(mut self, depth: u32) -> Job {
        self.depth = depth;
        self
    }

    /// Marks the job as published below a mask: until that is lifted, a cancellation of what is around the job does not reach it.
    #[must_use]
    pub fn below(mut self, mask: Option<Arc<Mask>>) -> Job {
        self.mask = mask;
        self
    }

    /// The scope of the cancelable of this number, which is not 0: forks of the code in it are its parts. Nothing but its own
    /// strand is in it. It counts in the scope around it until it is empty.
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

    /// The number of the cancelable whose scope it is.
    #[must_use]
    pub fn id(&self) -> usize {
        self.id
    }

    /// A strand is about to compute it: counts it in its scope. Returns false if nothing is left in it, and the job belongs to
    /// another.
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
            // Relaxed: the count only has to be right. The owner of the job is in the scope until it has taken the job back.
            match scope
                .live
                .compare_exchange(live, live + 1, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(other) => live = other,
            }
        }
    }

    /// The strand that has computed it has ended: removes it from its scope. Each scope that is empty then is passed to `empty`.
    pub fn leave(&self, empty: impl FnMut(&Arc<Job>)) {
        if let Some(scope) = &self.scope {
            Job::leave_scope(scope, empty);
        }
    }

    /// The same for parts that were counted in a scope itself.
    pub fn leave_scope(scope: &Arc<Job>, mut empty: impl FnMut(&Arc<Job>)) {
        let mut scope = Some(scope);
        while let Some(left) = scope {
            // AcqRel: what the last strand does comes after all that the others have done.
            if left.live.fetch_sub(1, steps::LEAVE) != 1 {
                break;
            }
            empty(left);
            scope = left.scope.as_ref();
        }
    }

    /// The result of the right side is there, and decides: the left side is not needed.
    pub fn win(&self) {
        // Relaxed: the count hands it on.
        self.won.store(1, Ordering::Relaxed);
        // Release: pairs with the acquire in `cancellations`.
        CANCELLED.fetch_add(1, steps::COUNT);
    }

    /// Whether it has won.
    #[must_use]
    pub fn has_won(&self) -> bool {
        // Relaxed: as in `is_cancelled`; what it has computed is waited for.
        self.won.load(Ordering::Relaxed) != 0
    }

    fn change(&self, from: State, to: State) -> Result<(), State> {
        // AcqRel: Release hands on what this side wrote; Acquire gets what the other side wrote before its change.
        self.state
            .compare_exchange(from as u8, to as u8, steps::CHANGE, steps::CHANGE_FAILS)
            .map(|_| ())
            .map_err(State::of)
    }

    /// A thief takes it. False if another thread has taken it.
    #[must_use]
    pub fn take(&self) -> bool {
        self.change(State::Published, State::Taken).is_ok()
    }

    /// The owner is at its join.
    #[must_use]
    pub fn retract(&self) -> Found {
        match self.change(State::Published, State::Retracted) {
            Ok(()) => Found::Here,
            // SAFETY: the thief wrote the ending before DONE, which `change` has acquired, and does not touch it any more.
            Err(State::Done) => match unsafe { *self.ending.read() } {
                Ending::Left => Found::Left,
                ending => Found::Done {
                    raised: ending == Ending::Raised,
                },
            },
            Err(_) => Found::Taken,
        }
    }

    /// The owner waits from now on, unless the results are ready: then false.
    ///
    /// # Safety
    /// The strand must be saved: the thread that finishes the job may continue it at once.
    #[must_use]
    pub unsafe fn wait(&self, strand: *mut Strand) -> bool {
        // SAFETY: only the owner writes it, and the thief reads it after WAITING only.
        unsafe { *self.waiter.write() = strand };
        self.change(State::Taken, State::Waiting).is_ok()
    }

    /// Marks the results as not needed. Returns the previous state: if that is `Taken` or `Waiting`, a thief computes them, and must end.
    ///
    /// It is `Waiting` only at the end of a program, for a strand that waits for the job. From then on the job does not name that strand.
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

    /// Returns true if its results, or those of the job of which it is a part, are not needed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_over(false)
    }

    /// The same for a part of the job, or of its left side.
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

    /// Whether it, or a job of which it is a part, was published below a mask that has not been lifted.
    #[must_use]
    pub fn is_masked(&self) -> bool {
        let mut jobs = std::iter::successors(Some(self), |job| job.parent.as_deref());
        jobs.any(|job| job.mask.as_ref().is_some_and(|mask| !mask.is_lifted()))
    }

    /// The thief is done. Returns the owner, if it waits.
    ///
    /// # Safety
    /// The caller took it, and this is the only call.
    #[must_use]
    pub unsafe fn finish(&self, results: &[usize], ending: Ending) -> Option<*mut Strand> {
        // SAFETY: until DONE, which is stored below, only the thief uses the results and the ending, and the caller is the thief.
        unsafe {
            (*self.results.0.write()).extend_from_slice(results);
            *self.ending.write() = ending;
        }
        // AcqRel: as in `change`.
        let before = State::of(self.state.swap(State::Done as u8, steps::FINISH));
        // SAFETY: the owner wrote its strand before WAITING, which the swap has acquired.
        (before == State::Waiting).then(|| unsafe { *self.waiter.read() })
    }

    /// Says where the exception that will be the result was raised.
    ///
    /// # Safety
    /// The caller took it, and has not finished it.
    pub unsafe fn raised_at(&self, origin: usize) {
        // SAFETY: it is the thief's until DONE.
        unsafe { *self.origin.write() = origin };
    }

    /// The origin of the exception, if it raised.
    ///
    /// # Safety
    /// The caller has seen that it is done, and is the owner.
    #[must_use]
    pub unsafe fn origin(&self) -> usize {
        // SAFETY: written before DONE, which the caller has acquired.
        unsafe { *self.origin.read() }
    }

    /// The arguments.
    ///
    /// # Safety
    /// The caller took the job and has not begun, or has stopped all workers.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn args(&self) -> &mut [usize] {
        // SAFETY: the caller took the job and has not begun, or has stopped all workers, so no other side uses the arguments.
        unsafe { &mut *self.args.0.write() }
    }

    /// The results.
    ///
    /// # Safety
    /// The caller has seen that they are there and is the owner, or has stopped all workers.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn results(&self) -> &mut [usize] {
        // SAFETY: the job is done and the caller is its owner, so the thief does not touch the results any more; or all workers are
        // stopped.
        unsafe { &mut *self.results.0.write() }
    }

    /// Returns true if it raised.
    ///
    /// # Safety
    /// As for [`Job::results`]: the caller must be the owner and have seen that the job is done, or have stopped all workers.
    pub unsafe fn raised(&self) -> bool {
        // SAFETY: the job is done, which the owner has seen, or all workers are stopped: no thief writes the ending any more.
        unsafe { self.ending() == Ending::Raised }
    }

    /// Its end.
    ///
    /// # Safety
    /// As for [`Job::results`]: the caller must be the owner and have seen that the job is done, or have stopped all workers.
    pub unsafe fn ending(&self) -> Ending {
        // SAFETY: the job is done and the caller is its owner, so the thief does not touch the ending any more; or all workers are stopped.
        unsafe { *self.ending.read() }
    }

    /// State of the job.
    pub fn state(&self) -> State {
        State::of(self.state.load(Ordering::Acquire))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // One after the other: there may be as many as strands, and each would take some stack. A scope is among them, too.
        self.scope = None;
        let mut parent = self.parent.take();
        while let Some(mut job) = parent.and_then(Arc::into_inner) {
            parent = job.parent.take();
        }
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::*;

    #[test]
    fn the_second_goes_on() {
        let mut strand = 0_u8;
        let waiter = (&raw mut strand).cast::<Strand>();
        let job = Job::new(0, vec![], None);
        assert_eq!(job.retract(), Found::Here);
        assert!(!job.take());

        let job = Job::new(0, vec![], None);
        assert!(job.take());
        assert_eq!(job.retract(), Found::Taken);
        // SAFETY: no worker continues it.
        unsafe {
            assert!(job.wait(waiter));
            assert_eq!(job.finish(&[7], Ending::Returned), Some(waiter));
            assert_eq!(job.results(), [7]);
        }

        let job = Job::new(0, vec![], None);
        assert!(job.take());
        // SAFETY: no worker continues it.
        unsafe {
            assert_eq!(job.finish(&[7], Ending::Raised), None);
            assert!(!job.wait(waiter));
        }
        assert_eq!(job.retract(), Found::Done { raised: true });
    }

    #[test]
    fn parts_of_a_cancelled_job_are_cancelled() {
        let mut jobs = vec![Arc::new(Job::new(0, vec![], None))];
        // More than a recursion on a thread of a test has room for.
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
        // SAFETY: taken above.
        assert_eq!(unsafe { job.finish(&[], Ending::Left) }, None);
        assert_eq!(job.retract(), Found::Left);
    }

    #[test]
    fn parts_below_a_mask_are_not_cancelled_with_what_is_around_it() {
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
        // SAFETY: no worker continues it.
        assert!(unsafe { job.wait((&raw mut strand).cast()) });
        let before = cancellations();
        assert_eq!(job.cancel(), State::Waiting);
        assert!(job.is_cancelled() && cancellations() > before);
        // SAFETY: taken above.
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
                    // SAFETY: taken above.
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
                    // SAFETY: no worker continues it.
                    waits = unsafe { job.wait((&raw mut strand).cast()) };
                    done = !waits;
                }
            }
            if done {
                // SAFETY: seen above.
                assert_eq!(unsafe { job.results() }, [round]);
            }
            let (took, continues) = thief.join().unwrap();
            assert_eq!(took, waits || done);
            assert_eq!(continues, waits);
        }
    }
}
