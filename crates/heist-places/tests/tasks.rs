//! Tests of tasks at other places, and of their results.

mod common;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::{PLACES, repeat};
use heist_places::{Arrival, GlobalRef, Local, PlaceError, Task, World, register};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Add(u64, u64);
impl Task for Add {
    type Output = (usize, u64);
    async fn run(self, world: World) -> (usize, u64) {
        (world.here(), self.0 + self.1)
    }
}

#[derive(Serialize, Deserialize)]
struct Now(u64);
impl Task for Now {
    type Output = u64;
    const ARRIVAL: Arrival = Arrival::Immediate;
    async fn run(self, _: World) -> u64 {
        self.0 + 1
    }
}

#[derive(Serialize, Deserialize)]
struct Fail(String);
impl Task for Fail {
    type Output = ();
    async fn run(self, _: World) {
        panic!("{}", self.0)
    }
}

/// A node of a tree of tasks that spreads over all places. Each task adds one to a counter, at the counter's home.
#[derive(Serialize, Deserialize)]
struct Spread {
    depth: u32,
    sum: GlobalRef<AtomicU64>,
}
impl Task for Spread {
    type Output = ();
    async fn run(self, world: World) {
        if self.depth > 0 {
            for step in 1..=3 {
                let to = (world.here() + step) % world.places();
                world.async_at(
                    to,
                    Spread {
                        depth: self.depth - 1,
                        sum: self.sum,
                    },
                );
            }
        }
        world.async_at(self.sum.home(), Count(self.sum));
    }
}

#[derive(Serialize, Deserialize)]
struct Count(GlobalRef<AtomicU64>);
impl Task for Count {
    type Output = ();
    async fn run(self, world: World) {
        self.0.get(&world).unwrap().fetch_add(1, Ordering::Relaxed);
    }
}

/// A task that spawns a task and then calls itself at the next place, for a number of hops.
#[derive(Serialize, Deserialize)]
struct Relay {
    hops: u32,
    sum: GlobalRef<AtomicU64>,
}
impl Task for Relay {
    type Output = u32;
    async fn run(self, world: World) -> u32 {
        let next = (world.here() + 1) % world.places();
        world.async_at(
            next,
            Spread {
                depth: 1,
                sum: self.sum,
            },
        );
        world.async_at(
            world.here(),
            Spread {
                depth: 0,
                sum: self.sum,
            },
        );
        if self.hops == 0 {
            return 0;
        }
        let further = Relay {
            hops: self.hops - 1,
            sum: self.sum,
        };
        world.at(next, further).await.unwrap() + 1
    }
}

/// A task that computes for 20 us on the thread that receives the task.
#[derive(Serialize, Deserialize)]
struct Busy;
impl Task for Busy {
    type Output = ();
    const ARRIVAL: Arrival = Arrival::Immediate;
    async fn run(self, _: World) {
        let began = Instant::now();
        while began.elapsed() < Duration::from_micros(20) {}
    }
}

#[derive(Serialize, Deserialize)]
struct Nothing;
impl Task for Nothing {
    type Output = ();
    async fn run(self, _: World) {}
}

/// A task that forks on the thread that receives the task.
#[derive(Serialize, Deserialize)]
struct Fork;
impl Task for Fork {
    type Output = u64;
    const ARRIVAL: Arrival = Arrival::Immediate;
    async fn run(self, _: World) -> u64 {
        let (left, right) = heist::join(|| 1, || 2);
        left + right
    }
}

/// A task that lets place 0 run a `Fork`, and returns the result.
#[derive(Serialize, Deserialize)]
struct ForkAtFirst;
impl Task for ForkAtFirst {
    type Output = Result<u64, String>;
    async fn run(self, world: World) -> Self::Output {
        let result = world.at(0, Fork).await;
        result.map_err(|error| error.to_string())
    }
}

/// A task that adds its number to a list.
#[derive(Serialize, Deserialize)]
struct Note(u64, GlobalRef<Mutex<Vec<u64>>>);
impl Task for Note {
    type Output = ();
    async fn run(self, world: World) {
        self.1.get(&world).unwrap().lock().unwrap().push(self.0);
    }
}

register!(
    Add,
    Now,
    Fail,
    Spread,
    Count,
    Relay,
    Busy,
    Nothing,
    Fork,
    ForkAtFirst,
    Note
);

#[test]
fn results_come_back() {
    for places in PLACES {
        repeat(20, || {
            let outcomes = Local::new(places).run(|world| {
                (0..world.places())
                    .map(|place| world.at(place, Add(place as u64, 10)).wait().unwrap())
                    .collect::<Vec<_>>()
            });
            for outcome in outcomes {
                let expected: Vec<_> = (0..places)
                    .map(|place| (place, place as u64 + 10))
                    .collect();
                assert_eq!(outcome.unwrap(), expected);
            }
        });
    }
}

#[test]
fn immediate_tasks_run() {
    let outcomes = Local::new(4).run(|world| {
        world
            .at((world.here() + 1) % 4, Now(world.here() as u64))
            .wait()
    });
    assert_eq!(outcomes[3], Ok(Ok(4)));
}

#[test]
fn a_panic_names_its_place() {
    for there in [0, 1] {
        let outcomes = Local::new(2).run(|world| world.at(there, Fail("no".to_owned())).wait());
        let expected = PlaceError::Panicked {
            place: there,
            message: "no".to_owned(),
        };
        assert_eq!(outcomes[0], Ok(Err(expected)));
    }
}

#[test]
fn the_leftmost_failure_wins() {
    repeat(20, || {
        let outcomes = Local::new(3).run(|world| {
            world
                .finish(|f| {
                    f.async_at(2, Add(0, 0));
                    f.async_at(1, Fail("first".to_owned()));
                    f.async_at(0, Fail("second".to_owned()));
                    f.async_at(2, Fail("third".to_owned()));
                })
                .wait()
        });
        let first = PlaceError::Panicked {
            place: 1,
            message: "first".to_owned(),
        };
        for outcome in outcomes {
            assert_eq!(outcome, Ok(Err(first.clone())));
        }
    });
}

#[test]
fn a_failure_outside_of_finishes_is_the_places_own() {
    let outcomes = Local::new(2).run(|world| {
        if world.here() == 0 {
            world.async_at(1, Fail("stray".to_owned()));
        }
    });
    assert_eq!(outcomes[0].clone().unwrap_err().place(), 1);
    assert_eq!(outcomes[1], Ok(()));
}

#[test]
fn finishes_wait_for_all_below() {
    for places in PLACES {
        repeat(30, || {
            let outcomes = Local::new(places).workers(2).run(|world| {
                let sum = world.global_ref(AtomicU64::new(0));
                let ended = world
                    .finish(|f| f.async_at((f.here() + 1) % f.places(), Spread { depth: 3, sum }));
                ended.wait().unwrap();
                sum.get(&world).unwrap().load(Ordering::Relaxed)
            });
            assert!(
                outcomes
                    .iter()
                    .all(|outcome| *outcome == Ok(1 + 3 + 9 + 27)),
                "{outcomes:?}"
            );
        });
    }
}

#[test]
fn finishes_wait_for_tasks_that_calls_spawn() {
    for places in PLACES {
        repeat(30, || {
            let outcomes = Local::new(places).run(|world| {
                let sum = world.global_ref(AtomicU64::new(0));
                // The handle of the call is dropped, but the finish waits for the task.
                let ended = world
                    .finish(|f| drop(f.at((f.here() + 1) % f.places(), Relay { hops: 5, sum })));
                ended.wait().unwrap();
                sum.get(&world).unwrap().load(Ordering::Relaxed)
            });
            assert!(
                outcomes.iter().all(|outcome| *outcome == Ok(6 * 5)),
                "{outcomes:?}"
            );
        });
    }
}

#[test]
fn collectives_agree() {
    for places in PLACES {
        repeat(20, || {
            let outcomes = Local::new(places).run(|world| {
                for round in 0..10 {
                    let all = world.reduce(vec![world.here()], |mut left, right| {
                        left.extend(right);
                        left
                    });
                    assert_eq!(all.wait().unwrap(), (0..world.places()).collect::<Vec<_>>());
                    world.barrier().wait().unwrap();
                    let from = round % world.places();
                    let given = world.broadcast(from, (world.here() == from).then_some(round));
                    assert_eq!(given.wait(), Ok(round));
                }
            });
            assert!(outcomes.iter().all(Result::is_ok));
        });
    }
}

#[test]
fn only_its_home_looks_into_a_reference() {
    let outcomes = Local::new(2).run(|world| {
        let own = (world.here() == 0).then(|| world.global_ref(7_u32));
        let shared = world.broadcast(0, own).wait().unwrap();
        let seen = shared
            .get(&world)
            .map(|value| *value)
            .map_err(|error| error.to_string());
        world.barrier().wait().unwrap();
        seen
    });
    assert_eq!(outcomes[0], Ok(Ok(7)));
    assert_eq!(
        outcomes[1],
        Ok(Err(
            "only place 0 can look at this value, not place 1".to_owned()
        ))
    );
}

/// A value that cannot be encoded.
#[derive(Serialize, Deserialize)]
struct Strange(#[serde(serialize_with = "refuse")] u32);
fn refuse<S: serde::Serializer>(_: &u32, _: S) -> Result<S::Ok, S::Error> {
    Err(serde::ser::Error::custom("no"))
}
impl Task for Strange {
    type Output = ();
    async fn run(self, _: World) {}
}
register!(Strange);

#[test]
fn a_value_that_cannot_be_encoded_is_a_panic_of_the_sender() {
    let outcomes = Local::new(2).run(|world| {
        if world.here() > 0 {
            return Ok(());
        }
        world.finish(|f| f.async_at(1, Strange(1))).wait()
    });
    let error = outcomes[0].clone().unwrap().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a task panicked at place 0: heist-places: cannot encode"),
        "{error}"
    );
}

#[test]
fn a_place_that_panics_leaves_the_others() {
    let seen = std::sync::Mutex::new(None);
    let outcome = std::panic::catch_unwind(|| {
        Local::new(2).run(|world| {
            assert!(world.here() == 0, "place 1 gives up");
            *seen.lock().unwrap() = Some(world.barrier().wait());
        })
    });
    assert!(outcome.is_err());
    assert_eq!(
        seen.into_inner().unwrap(),
        Some(Err(PlaceError::Left { place: 1 }))
    );
}

#[test]
fn a_world_does_not_outlive_its_task() {
    let outcomes = Local::new(1).run(|world| {
        let mut kept = None;
        world.finish(|f| kept = Some(f.clone())).wait().unwrap();
        let kept = kept.unwrap();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| kept.async_at(0, Add(1, 2))))
            .is_err()
    });
    assert_eq!(outcomes[0], Ok(true));
}

/// Tests that a place reports the end of a finish's tasks even if further events always arrive.
#[test]
fn a_busy_place_reports_the_end_of_tasks() {
    const UNDER_WAY: usize = 1000;
    let limit = Duration::from_secs(30);
    let done = AtomicBool::new(false);
    let outcomes = Local::new(3).run(|world| match world.here() {
        0 => {
            std::thread::sleep(Duration::from_millis(200));
            let began = Instant::now();
            let ended = world.finish(|f| f.async_at(1, Nothing)).wait();
            done.store(true, Ordering::Relaxed);
            ended.unwrap();
            assert!(began.elapsed() < limit / 2, "{:?}", began.elapsed());
        }
        2 => {
            let began = Instant::now();
            let mut calls = VecDeque::new();
            while !done.load(Ordering::Relaxed) && began.elapsed() < limit {
                while calls.len() < UNDER_WAY {
                    calls.push_back(world.at(1, Busy));
                }
                let oldest = calls.pop_front();
                oldest.into_iter().for_each(|call| call.wait().unwrap());
            }
            calls.into_iter().for_each(|call| call.wait().unwrap());
        }
        _ => {}
    });
    assert!(outcomes.iter().all(Result::is_ok));
}

/// Tests that a task that arrives does not run inside of the code that waits: a cancellation of that code would cancel the task, too.
#[test]
fn a_cancelled_wait_does_not_cancel_tasks_that_arrive() {
    let outcomes = Local::new(2).run(|world| {
        let mut results = Vec::new();
        for _ in 0..if world.here() == 0 { 200 } else { 0 } {
            let call = world.at(1, ForkAtFirst);
            // The wait itself may be cancelled, or may get the result first.
            let _ = heist::cancellable(|token| {
                token.cancel();
                results.extend(call.wait());
            });
        }
        world.barrier().wait().unwrap();
        results
    });
    for result in outcomes[0].as_ref().unwrap() {
        assert_eq!(*result, Ok(3));
    }
}

/// Tests that old tasks do not wait for new tasks. (The order is not exact: a worker that has begun a task may be overtaken.)
#[test]
fn tasks_begin_about_in_the_order_of_their_arrival() {
    let outcomes = Local::new(2).run(|world| {
        let list = (world.here() == 1).then(|| world.global_ref(Mutex::new(Vec::new())));
        let list = world.broadcast(1, list).wait().unwrap();
        for _ in 0..50 {
            if world.here() == 0 {
                let sent = world.finish(|f| (0..64).for_each(|at| f.async_at(1, Note(at, list))));
                sent.wait().unwrap();
            }
            world.barrier().wait().unwrap();
        }
        list.get(&world)
            .map(|list| list.lock().unwrap().clone())
            .ok()
    });
    let noted = outcomes[1].clone().unwrap().unwrap();
    assert_eq!(noted.len(), 50 * 64);
    let rounds = noted.chunks(64);
    let pairs = rounds.flat_map(|round| round.windows(2));
    let overtaken = pairs.filter(|pair| pair[0] > pair[1]).count();
    assert!(overtaken < 50 * 64 / 10, "{overtaken}: {noted:?}");
}

/// Tests that the thread that waits for a task of its own place lets the only worker run this task at once.
#[test]
fn a_local_wait_does_not_keep_the_worker() {
    let outcomes = Local::new(2).run(|world| {
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let began = Instant::now();
                world.at(world.here(), Nothing).wait().unwrap();
                began.elapsed()
            })
            .collect();
        times.sort();
        times[0]
    });
    for outcome in outcomes {
        // A thread would look for messages for 50 us.
        let least = outcome.unwrap();
        assert!(least < Duration::from_micros(45), "{least:?}");
    }
}
