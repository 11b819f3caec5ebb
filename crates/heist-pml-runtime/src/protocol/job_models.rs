//! Model tests of published forks: owners and thieves, cancellations, scopes.

use std::sync::Arc;

use loom::thread;

use super::job::{Ending, Found, Job, State, Waiter};
use super::mask::{Mask, cancellations};
use super::models::model;
use super::part::Around;
use super::shim::Cell;

/// A published fork, and the stack content of its owner's strand.
struct Fork {
    job: Job,
    frame: Cell<usize>,
}

// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Send for Fork {}
// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Sync for Fork {}

fn fork() -> Arc<Fork> {
    Arc::new(Fork {
        job: Job::new(0, vec![3], None),
        frame: Cell::new(0),
    })
}

impl Fork {
    /// Runs as the thief, and continues the owner's strand if the strand waits.
    fn steal(&self, ending: Ending) {
        if !self.job.take() {
            return;
        }
        // SAFETY: the thief has taken the job.
        let waiter = unsafe {
            assert_eq!(self.job.args(), [3]);
            self.job.finish(&[7], ending)
        };
        if let Some(waiter) = waiter {
            assert_eq!(waiter, self.strand());
            self.goes_on();
        }
    }

    fn strand(&self) -> *mut Waiter {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Continues the owner's strand with the results of a thief.
    fn goes_on(&self) {
        // SAFETY: only one thread, the owner or the thief, continues the strand, and only after the thief has stored the results.
        unsafe {
            assert_eq!(self.job.results(), [7]);
            assert_eq!(*self.frame.read(), 5);
            *self.frame.write() = 6;
        }
    }
}

#[test]
fn the_second_of_owner_and_thief_goes_on() {
    model(None, || {
        let fork = fork();
        let other = fork.clone();
        let thief = thread::spawn(move || other.steal(Ending::Returned));
        // SAFETY: the strand is the owner's until it waits.
        unsafe { *fork.frame.write() = 5 };
        match fork.job.retract() {
            // SAFETY: the owner has taken the job back.
            Found::Here => unsafe { *fork.frame.write() = 6 },
            Found::Done { raised } => {
                assert!(!raised);
                fork.goes_on();
            }
            Found::Left => unreachable!("it returned"),
            Found::Taken => {
                // SAFETY: after this call, the owner touches its strand's frame only if the call returns false, which means that the thief
                // has stored the results.
                if !unsafe { fork.job.wait(fork.strand()) } {
                    fork.goes_on();
                }
            }
        }
        thief.join().unwrap();
        // SAFETY: both threads have ended.
        assert_eq!(unsafe { *fork.frame.read() }, 6);
    });
}

#[test]
fn a_cancelled_fork_ends_by_itself() {
    model(None, || {
        let fork = fork();
        let other = fork.clone();
        let thief = thread::spawn(move || other.steal(Ending::Returned));
        let before = fork.job.cancel();
        if before == State::Published {
            assert!(!fork.job.take());
        }
        thief.join().unwrap();
        let state = fork.job.state();
        match before {
            State::Published => assert_eq!(state, State::Retracted),
            State::Taken | State::Done => assert_eq!(state, State::Done),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn an_owner_that_waits_may_be_dropped() {
    model(None, || {
        let fork = fork();
        assert!(fork.job.take());
        let other = fork.clone();
        let thief = thread::spawn(move || {
            // SAFETY: the thief has taken the job.
            let waiter = unsafe { other.job.finish(&[7], Ending::Returned) };
            if waiter.is_some() {
                other.goes_on();
            }
            waiter.is_some()
        });
        // SAFETY: the strand is the owner's until it waits.
        unsafe { *fork.frame.write() = 5 };
        // SAFETY: after this call, the owner touches its strand's frame only if no thief continues the strand.
        let waits = unsafe { fork.job.wait(fork.strand()) };
        let mut dropped = false;
        if waits {
            match fork.job.cancel() {
                // SAFETY: the cancelled job does not refer to the strand any more, so the thief does not continue the strand.
                State::Waiting => unsafe {
                    *fork.frame.write() = 8;
                    dropped = true;
                },
                State::Done => {}
                other => panic!("{other:?}"),
            }
        } else {
            fork.goes_on();
        }
        let continued = thief.join().unwrap();
        assert_eq!(waits, dropped != continued);
    });
}

#[test]
fn a_thief_that_sees_the_count_sees_the_cancellation() {
    model(None, || {
        let fork = fork();
        assert!(fork.job.take());
        let before = cancellations();
        let other = fork.clone();
        let owner = thread::spawn(move || assert_eq!(other.job.cancel(), State::Taken));
        if cancellations() != before {
            assert!(fork.job.is_cancelled());
        }
        owner.join().unwrap();
        assert!(cancellations() != before);
    });
}

#[test]
fn a_thief_that_sees_both_counts_sees_a_cancellation_above_a_lifted_mask() {
    model(None, || {
        let scope = Arc::new(Job::scope(1, None));
        let mask = Arc::new(Mask::default());
        let around = Around::part_of(scope.clone());
        let job = Job::new(0, vec![], Some(around)).below(Some(mask.clone()));
        assert!(job.take());
        let before = cancellations();
        let canceller = thread::spawn(move || assert_eq!(scope.cancel(), State::Taken));
        let owner = thread::spawn(move || mask.lift());
        let seen = cancellations() - before;
        assert!(seen < 2 || job.is_cancelled());
        canceller.join().unwrap();
        owner.join().unwrap();
        assert_eq!(cancellations() - before, 2);
        assert!(job.is_cancelled());
    });
}

/// The effects of the two strands of a scope.
struct Effects([Cell<u32>; 2]);

// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Send for Effects {}
// SAFETY: the models check that accesses to the cells from several threads are ordered.
unsafe impl Sync for Effects {}

impl Effects {
    /// Performs the effect of a strand, and then calls `leave`, by which the strand leaves the scope. Returns the number of scopes that the
    /// strand has found empty.
    fn leave(&self, own: usize, leave: impl FnOnce(&mut dyn FnMut(&Arc<Job>))) -> usize {
        // SAFETY: only this strand writes to the cell, and no strand reads it before the scope is empty. The models check that.
        unsafe { *self.0[own].write() = 1 };
        let mut empty = 0;
        leave(&mut |_| {
            // SAFETY: the scope is empty, so all strands have ended. The models check that.
            let seen = self.0.each_ref().map(|cell| unsafe { *cell.read() });
            assert_eq!(seen, [1, 1]);
            empty += 1;
        });
        empty
    }
}

/// Makes the owner's strand and a thief's strand leave a scope. Checks that exactly one of the strands finds this scope and then the
/// enclosing scope empty, and that this strand sees the effects of both strands.
#[test]
fn the_last_strand_of_a_scope_sees_the_effects_of_all() {
    model(None, || {
        let outer = Arc::new(Job::scope(1, None));
        let scope = Arc::new(Job::scope(2, Some(Around::part_of(outer.clone()))));
        Job::leave_scope(&outer, |_| panic!("the inner scope is a part of it"));
        let job = Job::new(0, vec![], Some(Around::part_of(scope.clone())));
        assert!(job.enter());
        let effects = Arc::new(Effects([Cell::new(0), Cell::new(0)]));
        let of_thief = effects.clone();
        let thief = thread::spawn(move || of_thief.leave(0, |empty| job.leave(empty)));
        let by_owner = effects.leave(1, |empty| Job::leave_scope(&scope, empty));
        let by_thief = thief.join().unwrap();
        assert!(matches!((by_owner, by_thief), (2, 0) | (0, 2)));
        // Nothing enters an empty scope.
        assert!(!Job::new(0, vec![], Some(Around::part_of(scope))).enter());
    });
}
