//! Models of permits and choices, by which threads of the program wait.

use std::sync::Arc;

use loom::thread;

use super::choice::{Choice, Claim};
use super::models::model;
use super::permit::Permit;
use super::shim::Cell;

/// A thread of the program, and the data that the giver of its permit writes.
struct Sleeper {
    permit: Permit,
    /// The frames of the thread's strand.
    frames: Cell<u32>,
    /// The message for which the thread waits.
    news: Cell<u32>,
}

fn sleeper() -> Arc<Sleeper> {
    Arc::new(Sleeper {
        permit: Permit::default(),
        frames: Cell::new(0),
        news: Cell::new(0),
    })
}

impl Sleeper {
    /// Waits for the strand's permit. Returns true if the strand continues on this thread.
    fn wait(&self) -> bool {
        if self.permit.take() {
            return true;
        }
        // SAFETY: the frames are the strand's own until it is parked.
        unsafe { *self.frames.write() = 1 };
        !self.permit.park()
    }

    /// Continues the strand, on the strand's own thread or on the giver's thread.
    fn goes_on(&self, frames: u32) {
        // SAFETY: only this thread has the strand, and the giver wrote `news` before it gave the permit.
        unsafe {
            assert_eq!(*self.news.read(), 7);
            assert!(*self.frames.read() <= frames);
            *self.frames.write() = 2;
        }
    }

    fn give(&self) -> bool {
        // SAFETY: the strand reads `news` only when it has the permit.
        unsafe { *self.news.write() = 7 };
        let taken = self.permit.give();
        if taken {
            self.goes_on(1);
        }
        taken
    }
}

#[test]
fn a_strand_that_parks_goes_on_once() {
    model(None, || {
        let sleeper = sleeper();
        let other = sleeper.clone();
        let giver = thread::spawn(move || other.give());
        let here = sleeper.wait();
        if here {
            sleeper.goes_on(1);
        }
        assert_eq!(giver.join().unwrap(), !here);
        // SAFETY: both threads have ended.
        assert_eq!(unsafe { *sleeper.frames.read() }, 2);
    });
}

#[test]
fn of_two_givers_one_gets_the_strand() {
    model(Some(3), || {
        let sleeper = sleeper();
        // SAFETY: no other thread exists yet.
        unsafe { *sleeper.news.write() = 7 };
        let givers: Vec<_> = (0..2)
            .map(|_| {
                let other = sleeper.clone();
                thread::spawn(move || {
                    let taken = other.permit.give();
                    if taken {
                        other.goes_on(1);
                    }
                    taken
                })
            })
            .collect();
        let here = sleeper.wait();
        if here {
            sleeper.goes_on(1);
        }
        let taken = givers.into_iter().map(|it| it.join().unwrap());
        assert_eq!(taken.filter(|it| *it).count(), usize::from(!here));
    });
}

/// A thread that waits in a choice, and the value that another thread has given it.
struct Chooser {
    choice: Choice,
    number: usize,
    given: Cell<u32>,
}

fn chooser() -> Arc<Chooser> {
    let choice = Choice::default();
    let number = choice.begin();
    Arc::new(Chooser {
        choice,
        number,
        given: Cell::new(0),
    })
}

impl Chooser {
    /// Decides the choice for a part and gives a value, if the choice is open. Waits while another thread has claimed the choice.
    fn offer(&self, part: usize) -> bool {
        loop {
            match self.choice.claim(self.number) {
                Claim::Mine => break,
                Claim::Busy => thread::yield_now(),
                Claim::Over => return false,
            }
        }
        // SAFETY: the value belongs to the claimer.
        unsafe { *self.given.write() = part as u32 + 10 };
        self.choice.decide(part);
        true
    }
}

#[test]
fn a_choice_is_decided_once() {
    model(Some(3), || {
        let chooser = chooser();
        let others: Vec<_> = (0..2)
            .map(|part| {
                let chooser = chooser.clone();
                thread::spawn(move || chooser.offer(part))
            })
            .collect();
        if let Some(part) = chooser.choice.decision() {
            // SAFETY: the choice is decided, so the claimer does not use the value any more.
            assert_eq!(unsafe { *chooser.given.read() }, part as u32 + 10);
        }
        let won: Vec<bool> = others.into_iter().map(|it| it.join().unwrap()).collect();
        assert!(won[0] != won[1]);
        assert_eq!(chooser.choice.decision(), Some(usize::from(won[1])));
        // Claims of the old choice fail after the next choice has begun.
        let next = chooser.choice.begin();
        assert_eq!(chooser.choice.claim(chooser.number), Claim::Over);
        assert_eq!(chooser.choice.claim(next), Claim::Mine);
    });
}

/// Checks that a claimer sees the writes that the previous claimer made before it gave the choice back.
#[test]
fn a_claim_comes_after_the_former_one() {
    model(None, || {
        let chooser = chooser();
        let other = chooser.clone();
        let former = thread::spawn(move || {
            if other.choice.claim(other.number) == Claim::Mine {
                // SAFETY: the value belongs to the claimer.
                unsafe { *other.given.write() = 1 };
                other.choice.unclaim();
            }
        });
        if chooser.choice.claim(chooser.number) == Claim::Mine {
            // SAFETY: the value belongs to the claimer.
            unsafe { *chooser.given.write() = 2 };
            chooser.choice.unclaim();
        }
        former.join().unwrap();
        assert_eq!(chooser.choice.claim(chooser.number), Claim::Mine);
    });
}

/// Runs two threads that find each other's offers. Each thread claims its own choice first, and gives this choice back if the other
/// thread's choice is already claimed.
#[test]
fn two_choosers_that_find_each_other_agree() {
    model(Some(3), || {
        let pair = [chooser(), chooser()];
        let meet = |own: Arc<Chooser>, other: Arc<Chooser>| {
            loop {
                match own.choice.claim(own.number) {
                    Claim::Over => return false,
                    Claim::Busy => thread::yield_now(),
                    Claim::Mine => match other.choice.claim(other.number) {
                        Claim::Mine => {
                            other.choice.decide(1);
                            own.choice.decide(0);
                            return true;
                        }
                        Claim::Busy => {
                            own.choice.unclaim();
                            thread::yield_now();
                        }
                        Claim::Over => unreachable!("the other's is decided with this one"),
                    },
                }
            }
        };
        let [a, b] = pair.clone();
        let other = thread::spawn(move || meet(b, a));
        let [a, b] = pair.clone();
        let here = meet(a, b);
        let there = other.join().unwrap();
        assert!(here != there);
        let decisions = pair.map(|it| it.choice.decision());
        assert_eq!(
            decisions,
            [Some(usize::from(there)), Some(usize::from(here))]
        );
    });
}

#[test]
fn a_choice_that_is_revoked_is_void_or_was_decided() {
    for gives_back in [false, true] {
        model(None, move || {
            let chooser = chooser();
            let other = chooser.clone();
            let claimer = thread::spawn(move || {
                if other.choice.claim(other.number) != Claim::Mine {
                    return false;
                }
                if gives_back {
                    other.choice.unclaim();
                    return false;
                }
                other.choice.decide(3);
                true
            });
            chooser.choice.revoke();
            let decided = claimer.join().unwrap();
            let part = if decided { 3 } else { Choice::VOID };
            assert_eq!(chooser.choice.decision(), Some(part));
            assert_eq!(chooser.choice.claim(chooser.number), Claim::Over);
        });
    }
}
