//! Tests of programs in which a part fails, or in which no task waits for an operation. All these programs must end, and report the
//! reason.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use common::{ends, repeat};
use heist_places::{Bag, Local, PlaceError, Task, World, register, register_bag};
use serde::{Deserialize, Serialize};

/// Waiting times in milliseconds, one for each attempt. During the wait, a place stops its pool, because its body has ended and no
/// living place needs it.
const LATER: [u64; 3] = [400, 2_000, 10_000];

fn panicked(place: usize, message: &str) -> PlaceError {
    PlaceError::Panicked {
        place,
        message: message.to_owned(),
    }
}

#[derive(Serialize, Deserialize)]
struct Here;
impl Task for Here {
    type Output = usize;
    async fn run(self, world: World) -> usize {
        world.here()
    }
}

/// A value whose decoding panics.
#[derive(Serialize, Deserialize)]
#[serde(from = "u32")]
struct Picky(u32);
impl From<u32> for Picky {
    fn from(value: u32) -> Self {
        assert!(value == 0, "too picky for {value}");
        Picky(value)
    }
}
impl Task for Picky {
    type Output = u32;
    async fn run(self, _: World) -> u32 {
        self.0
    }
}

/// A task that calls a place after the body of its own place has ended, and stores the outcome for the test.
#[derive(Serialize, Deserialize)]
struct LateCall {
    millis: u64,
    to: usize,
    test: usize,
}
static BEGUN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static OUTCOMES: Mutex<Vec<(usize, Result<usize, PlaceError>)>> = Mutex::new(Vec::new());
impl Task for LateCall {
    type Output = ();
    async fn run(self, world: World) {
        BEGUN[self.test].store(1, Ordering::Release);
        heist::sleep(Duration::from_millis(self.millis)).await;
        let outcome = world.at(self.to, Here).await;
        OUTCOMES.lock().unwrap().push((self.test, outcome));
    }
}

register!(Here, Picky, LateCall);

/// A bag of numbers that panics at one of its steps.
#[derive(Serialize, Deserialize)]
struct Fuse<const STEP: u8> {
    items: u64,
    #[serde(
        serialize_with = "write_done::<STEP, _>",
        deserialize_with = "read_done::<STEP, _>"
    )]
    done: u64,
}
const NEVER: u8 = 0;
const MERGE: u8 = 1;
const READ: u8 = 2;
const WRITE: u8 = 3;

fn write_done<const STEP: u8, S: serde::Serializer>(done: &u64, to: S) -> Result<S::Ok, S::Error> {
    assert!(STEP != WRITE || *done == 0, "no results are written");
    to.serialize_u64(*done)
}

fn read_done<'de, const STEP: u8, D: serde::Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let done = u64::deserialize(from)?;
    assert!(STEP != READ || done == 0, "no results are read");
    Ok(done)
}

impl<const STEP: u8> Bag for Fuse<STEP> {
    fn process(&mut self, _: usize) -> bool {
        if self.items > 0 {
            thread::sleep(Duration::from_micros(200));
            self.items -= 1;
            self.done += 1;
        }
        self.items > 0
    }
    fn split(&mut self) -> Option<Self> {
        let half = self.items / 2;
        self.items -= half;
        (half > 0).then_some(Fuse {
            items: half,
            done: 0,
        })
    }
    fn merge(&mut self, other: Self) {
        assert!(STEP != MERGE, "nothing is merged");
        self.items += other.items;
        self.done += other.done;
    }
}
register_bag!(Fuse<NEVER>, Fuse<MERGE>, Fuse<READ>, Fuse<WRITE>);

#[test]
fn a_finish_that_is_opened_after_a_death_ends() {
    for places in [3, 4] {
        let outcomes = ends(move || {
            Local::new(places).run_with(|world, kill| {
                if world.here() == 1 {
                    kill.kill();
                    return Ok(0);
                }
                // Once this call fails, place 0 knows of the death.
                assert_eq!(world.barrier().wait().unwrap_err().place(), 1);
                if world.here() == 0 {
                    world.finish(|_| ()).wait()?;
                    // A finish with a task at a living place returns a result.
                    return world.finish(|f| f.at(2, Here)).wait()?.wait();
                }
                Ok(0)
            })
        });
        assert_eq!(outcomes[0], Ok(Ok(2)));
    }
}

#[test]
fn a_finish_after_a_death_still_counts_tasks_of_the_dead_place() {
    let outcomes = ends(|| {
        Local::new(3).run_with(|world, kill| {
            if world.here() == 1 {
                kill.kill();
                return Ok(());
            }
            assert_eq!(world.barrier().wait().unwrap_err().place(), 1);
            if world.here() == 2 {
                return Ok(());
            }
            world.finish(|f| f.async_at(1, Picky(0))).wait()
        })
    });
    assert_eq!(
        outcomes[0],
        Ok(Err(PlaceError::Lost { place: 1, tasks: 1 }))
    );
}

#[test]
fn collectives_go_on_when_nobody_waits() {
    let outcomes = ends(|| {
        Local::new(3).run(|world| {
            if world.here() == 0 {
                drop(world.reduce(1, |a, b| a + b));
            } else {
                assert_eq!(world.reduce(1, |a, b| a + b).wait(), Ok(3));
            }
            world.reduce(2, |a, b| a + b).wait()
        })
    });
    assert_eq!(outcomes, [Ok(Ok(6)), Ok(Ok(6)), Ok(Ok(6))]);
}

#[test]
fn collectives_may_be_awaited_in_another_order() {
    let outcomes = ends(|| {
        Local::new(2).run(|world| {
            let first = world.reduce(1, |a, b| a + b);
            if world.here() == 1 {
                let first = first.wait();
                return (first, world.reduce(10, |a, b| a + b).wait());
            }
            let second = world.reduce(10, |a, b| a + b).wait();
            (first.wait(), second)
        })
    });
    assert_eq!(outcomes, [Ok((Ok(2), Ok(20))), Ok((Ok(2), Ok(20)))]);
}

#[test]
fn a_panic_of_combine_is_an_error_of_all_places() {
    let outcomes = ends(|| {
        Local::new(2).run(|world| {
            let combined = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                world.reduce(1, |_, _| panic!("no sum")).wait()
            }));
            // Place 0 does not leave before this point.
            let after = world.barrier().wait();
            (combined.unwrap_or(Ok(0)), after)
        })
    });
    let expected = Ok((Err(panicked(0, "no sum")), Ok(())));
    assert_eq!(outcomes, [expected.clone(), expected]);
}

#[test]
fn a_balance_goes_on_when_nobody_waits() {
    let outcomes = ends(|| {
        Local::new(2).run(|world| {
            let bag = Fuse::<NEVER> {
                items: 100,
                done: 0,
            };
            drop(world.balance(bag));
            world.here()
        })
    });
    assert_eq!(outcomes, [Ok(0), Ok(1)]);
}

fn burn<const STEP: u8>() -> Result<u64, PlaceError> {
    let outcomes = ends(|| {
        Local::new(2).run(|world| {
            if world.here() == 1 {
                return Ok(0);
            }
            let bag = Fuse::<STEP> {
                items: 2_000,
                done: 0,
            };
            world.balance(bag).wait().map(|bag| bag.done)
        })
    });
    outcomes[0].clone().unwrap()
}

#[test]
fn a_panic_on_results_that_come_back_is_an_error() {
    assert_eq!(burn::<NEVER>(), Ok(2_000));
    let cases = [
        (burn::<MERGE>(), "nothing is merged"),
        (burn::<READ>(), "no results are read"),
        (burn::<WRITE>(), "no results are written"),
    ];
    for (outcome, expected) in cases {
        // The place in the error depends on the steals.
        assert!(
            matches!(&outcome, Err(PlaceError::Panicked { message, .. }) if message == expected),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_panic_while_arguments_are_read_names_the_place() {
    let outcomes = ends(|| {
        Local::new(2).run(|world| {
            if world.here() == 1 {
                return (Ok(0), Ok(()), Ok(0));
            }
            let called = world.at(1, Picky(7)).wait();
            let spawned = world.finish(|f| f.async_at(1, Picky(8))).wait();
            (called, spawned, world.at(1, Here).wait())
        })
    });
    let (called, spawned, after) = outcomes[0].clone().unwrap();
    assert_eq!(called, Err(panicked(1, "too picky for 7")));
    assert_eq!(spawned, Err(panicked(1, "too picky for 8")));
    assert_eq!(after, Ok(1));
}

/// Runs a program in which place 0 opens a finish and dies. A task of that finish calls the place `to` from place 1 after the bodies of
/// all other places have ended. On a slow machine `to` may still answer; then the next attempt waits longer.
fn late_call(test: usize, to: usize) -> Result<usize, PlaceError> {
    let mut outcome = Ok(0);
    for millis in LATER {
        outcome = call_after(millis, test, to);
        if outcome.is_err() {
            break;
        }
    }
    outcome
}

fn call_after(millis: u64, test: usize, to: usize) -> Result<usize, PlaceError> {
    BEGUN[test].store(0, Ordering::Release);
    ends(move || {
        Local::new(3).run_with(|world, kill| {
            if world.here() == 0 {
                world.async_at(1, LateCall { to, test, millis });
                while BEGUN[test].load(Ordering::Acquire) == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
                kill.kill();
            }
        })
    });
    let outcomes = OUTCOMES.lock().unwrap();
    let found = outcomes.iter().rfind(|(other, _)| *other == test);
    found.unwrap().1.clone()
}

#[test]
fn a_task_may_call_its_own_place_when_that_has_left() {
    assert_eq!(late_call(0, 1), Err(PlaceError::Left { place: 1 }));
}

#[test]
fn a_task_may_call_a_place_that_has_closed() {
    let error = late_call(1, 2).unwrap_err();
    assert!(
        matches!(
            error,
            PlaceError::Lost { place: 2, .. } | PlaceError::Left { place: 2 }
        ),
        "{error}"
    );
}

#[test]
fn places_die_between_finishes() {
    let round = std::cell::Cell::new(0_u64);
    repeat(20, || {
        let moment = round.replace(round.get() + 1);
        let outcomes = ends(move || {
            Local::new(3).run_with(|world, kill| {
                if world.here() == 2 {
                    thread::sleep(Duration::from_micros(moment * moment * 331 % 5_000));
                    kill.kill();
                }
                let mut ended = 0;
                while world.here() == 0 && ended < 200 {
                    let outcome = world.finish(|f| {
                        f.async_at(1, Picky(0));
                        drop(f.at(1, Here));
                    });
                    outcome.wait().unwrap();
                    ended += 1;
                }
                ended
            })
        });
        assert_eq!(outcomes[0], Ok(200));
    });
}
