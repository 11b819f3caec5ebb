//! Programs in which something fails, or nobody waits: all of them end, and say why.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use common::repeat;
use heist_places::transport::{Event, Transport};
use heist_places::{Bag, Local, PlaceError, Task, World, register, register_bag, run_on};
use serde::{Deserialize, Serialize};

/// The longest that a program of this file may take. It is far beyond what one takes, since the machine may be busy.
const LIMIT: Duration = Duration::from_secs(40);
/// In this time a place whose body has ended, and that no living place needs, stops its pool.
const LATER: Duration = Duration::from_millis(400);

/// Runs a test on another thread, and fails if it hangs.
fn ends<R: Send + 'static>(test: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    let tested = thread::spawn(move || drop(sender.send(test())));
    match receiver.recv_timeout(LIMIT) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(tested.join().unwrap_err())
        }
    }
}

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

/// Cannot be decoded: that panics.
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

/// Calls a place when its own place has ended its part, and puts the outcome where the test finds it.
#[derive(Serialize, Deserialize)]
struct LateCall {
    to: usize,
    test: usize,
}
static BEGUN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
static OUTCOMES: Mutex<Vec<(usize, Result<usize, PlaceError>)>> = Mutex::new(Vec::new());
impl Task for LateCall {
    type Output = ();
    async fn run(self, world: World) {
        BEGUN[self.test].store(1, Ordering::Release);
        heist::sleep(LATER).await;
        let outcome = world.at(self.to, Here).await;
        OUTCOMES.lock().unwrap().push((self.test, outcome));
    }
}

/// Takes so many bytes along, and returns as many as its number says.
#[derive(Serialize, Deserialize)]
struct Long(Vec<u8>, usize);
impl Task for Long {
    type Output = Vec<u8>;
    async fn run(self, _: World) -> Vec<u8> {
        vec![0; self.1]
    }
}

register!(Here, Picky, LateCall, Long);

/// Numbers that panic at one of the steps of a bag.
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
                // Place 0 knows of the death when this fails.
                assert_eq!(world.barrier().wait().unwrap_err().place(), 1);
                if world.here() == 0 {
                    world.finish(|_| ()).wait()?;
                    // With a task at a place that lives, and a result.
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
            // Until here, place 0 has not left.
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
        // The place depends on who has given work to whom.
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

/// A task of the finish of place 0, which dies, calls `to` from place 1 after the bodies of all others have ended.
fn late_call(test: usize, to: usize) -> Result<usize, PlaceError> {
    ends(move || {
        Local::new(3).run_with(|world, kill| {
            if world.here() == 0 {
                world.async_at(1, LateCall { to, test });
                while BEGUN[test].load(Ordering::Acquire) == 0 {
                    thread::sleep(Duration::from_millis(1));
                }
                kill.kill();
            }
        })
    });
    let outcomes = OUTCOMES.lock().unwrap();
    let found = outcomes.iter().find(|(other, _)| *other == test);
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

/// Carries short frames between places.
struct Narrow {
    here: usize,
    inbox: Mutex<mpsc::Receiver<Event>>,
    inboxes: Vec<mpsc::Sender<Event>>,
}
const LONGEST: usize = 1_000;
impl Transport for Narrow {
    fn here(&self) -> usize {
        self.here
    }
    fn places(&self) -> usize {
        self.inboxes.len()
    }
    fn longest(&self) -> usize {
        LONGEST
    }
    fn send(&self, to: usize, bytes: Vec<u8>) {
        assert!(bytes.len() <= LONGEST, "the frame does not fit");
        let from = self.here;
        let _ = self.inboxes[to].send(Event::Frame { from, bytes });
    }
    fn next(&self, wait: bool) -> Option<Event> {
        let inbox = self.inbox.lock().unwrap();
        if wait {
            inbox.recv().ok()
        } else {
            inbox.try_recv().ok()
        }
    }
    fn close(&self) {
        let _ = self.inboxes[self.here].send(Event::Closed);
    }
}

#[test]
fn what_is_too_long_is_a_panic_of_its_sender() {
    fn body(world: &World) -> Vec<Result<usize, PlaceError>> {
        let long = || Long(vec![0; LONGEST - 60], 0);
        let mut outcomes = Vec::new();
        if world.here() == 0 {
            outcomes.push(world.finish(|f| f.async_at(1, long())).wait().map(|()| 0));
            let called = world.finish(|f| drop(f.at(1, long())));
            outcomes.push(called.wait().map(|()| 0));
            let results = |length| world.at(1, Long(Vec::new(), length)).wait();
            outcomes.push(results(LONGEST).map(|result| result.len()));
            outcomes.push(results(LONGEST / 2).map(|result| result.len()));
        }
        let all = world.reduce(vec![0_u8; LONGEST / 2], |a, b| [a, b].concat());
        outcomes.push(all.wait().map(|all| all.len()));
        outcomes.push(world.barrier().wait().map(|()| 0));
        outcomes
    }
    let outcomes = ends(|| {
        let (inboxes, ends): (Vec<_>, Vec<_>) = (0..2).map(|_| mpsc::channel()).unzip();
        let places = ends.into_iter().enumerate().map(|(here, inbox)| {
            let transport = Arc::new(Narrow {
                here,
                inbox: Mutex::new(inbox),
                inboxes: inboxes.clone(),
            });
            thread::spawn(move || run_on(transport, 1, |world| body(&world)).unwrap())
        });
        let places: Vec<_> = places.collect();
        places
            .into_iter()
            .map(|place| place.join().unwrap())
            .collect::<Vec<_>>()
    });
    let too_long = |place, bytes| {
        let message = format!("heist-places: a message of {bytes} bytes is too long");
        Err(PlaceError::Panicked { place, message })
    };
    let expected = [
        too_long(0, LONGEST - 60 + 3),
        too_long(0, LONGEST - 60 + 3),
        too_long(1, LONGEST + 2),
        Ok(LONGEST / 2),
        too_long(0, LONGEST + 2),
        Ok(0),
    ];
    assert_eq!(outcomes[0], expected);
    assert_eq!(outcomes[1], expected[4..]);
}

/// A place whose network fails after some frames.
struct Failing {
    frames: AtomicU64,
    /// Something arrives that no place has sent, before that.
    garbage: bool,
}
impl Transport for Failing {
    fn here(&self) -> usize {
        0
    }
    fn places(&self) -> usize {
        2
    }
    fn send(&self, _: usize, _: Vec<u8>) {
        self.frames.fetch_add(1, Ordering::AcqRel);
    }
    fn next(&self, wait: bool) -> Option<Event> {
        while wait && self.frames.load(Ordering::Acquire) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        if wait && self.garbage {
            return Some(Event::Frame {
                from: 1,
                bytes: vec![0xff; 3],
            });
        }
        assert!(!wait, "the network is gone");
        None
    }
    fn close(&self) {}
}

/// The panic that ends a program over that network.
fn panic_over(garbage: bool) -> String {
    let payload = ends(move || {
        let seen = Mutex::new(None);
        let transport = Arc::new(Failing {
            frames: AtomicU64::new(0),
            garbage,
        });
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run_on(transport, 1, |world| {
                *seen.lock().unwrap() = Some(world.at(1, Here).wait());
            })
        }));
        let error = seen.into_inner().unwrap().unwrap().unwrap_err();
        assert_eq!(error.place(), 1);
        outcome.unwrap_err()
    });
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref().cloned()).unwrap()
}

#[test]
fn a_panic_of_the_transport_ends_the_program() {
    assert_eq!(panic_over(false), "the network is gone");
}

#[test]
fn a_frame_that_cannot_be_read_ends_the_program() {
    let text = panic_over(true);
    let expected = "heist-places: place 0 cannot read a message of place 1: ";
    assert!(text.starts_with(expected), "{text}");
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
