//! Tests the contents of a trace, and checks its JSON against the Trace Event Format.

use heist::trace::{EventKind, PollEnd, Trace};
use heist::{Fibers, Pool};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heist::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        thread::yield_now();
    }
}

/// Runs a join whose right side takes longer than its left side. With two workers, a thief always steals the right side.
fn theft() {
    let stolen = AtomicBool::new(false);
    heist::join(
        || wait_for(&stolen),
        || {
            stolen.store(true, Ordering::Release);
            thread::sleep(Duration::from_millis(1));
        },
    );
}

/// A slice of the JSON, in nanoseconds.
#[derive(Clone, Debug)]
struct Slice {
    name: String,
    begin: u64,
    end: u64,
    args: Value,
}

/// A thread and a time.
type Point = (u64, u64);

/// The contents of the JSON, after all checks of its form.
#[derive(Debug, Default)]
struct Checked {
    threads: HashMap<u64, String>,
    slices: HashMap<u64, Vec<Slice>>,
    /// For each arrow, its name, and the thread and time of its start and of its end.
    arrows: Vec<(String, Point, Point)>,
    counts: Vec<(u64, u64)>,
}

/// Converts microseconds to nanoseconds. Checks that the microseconds have at most three decimal places.
fn nanos(value: &Value) -> u64 {
    let micros = value.as_f64().unwrap();
    let nanos = (micros * 1000.0).round();
    assert!(
        (nanos - micros * 1000.0).abs() < 0.01 && nanos >= 0.0,
        "{value}"
    );
    nanos as u64
}

fn check(trace: &Trace) -> Checked {
    let mut json = Vec::new();
    trace.write_chrome(&mut json).unwrap();
    let whole: Value = serde_json::from_slice(&json).unwrap();
    let mut checked = Checked::default();
    let mut last = 0;
    let mut open: HashMap<u64, (String, Point)> = HashMap::new();
    // For each thread, the slices that are open at the current event, as indices into `slices`. A viewer reads the events in this
    // order.
    let mut stacks: HashMap<u64, Vec<usize>> = HashMap::new();
    for event in whole["traceEvents"].as_array().unwrap() {
        assert_eq!(event["pid"], 1);
        // Viewers do not show a thread 0.
        let thread = event["tid"].as_u64().unwrap();
        assert!(thread >= 100, "{event}");
        let thread = thread - 100;
        let name = event["name"].as_str().unwrap_or_default().to_owned();
        if event["ph"] == "M" {
            if name == "thread_name" {
                let name = event["args"]["name"].as_str().unwrap();
                checked.threads.insert(thread, name.to_owned());
            }
            continue;
        }
        assert!(
            checked.threads.contains_key(&thread),
            "{event} is of no thread"
        );
        let at = nanos(&event["ts"]);
        assert!(at >= last, "{event} is out of order");
        last = at;
        assert!(at <= trace.duration().as_nanos() as u64);
        let stack = stacks.entry(thread).or_default();
        match event["ph"].as_str().unwrap() {
            "B" => {
                let slices = checked.slices.entry(thread).or_default();
                stack.push(slices.len());
                slices.push(Slice {
                    name,
                    begin: at,
                    end: u64::MAX,
                    args: event["args"].clone(),
                });
            }
            "E" => {
                let place = stack.pop().expect("the end of something");
                checked.slices.get_mut(&thread).unwrap()[place].end = at;
            }
            "s" => {
                assert!(!stack.is_empty(), "{event} begins in no slice");
                let id = event["id"].as_u64().unwrap();
                assert!(
                    open.insert(id, (name, (thread, at))).is_none(),
                    "{event}: twice"
                );
            }
            "f" => {
                assert_eq!(event["bp"], "e");
                assert!(!stack.is_empty(), "{event} ends in no slice");
                let (begun, from) = open
                    .remove(&event["id"].as_u64().unwrap())
                    .expect("an arrow's beginning");
                assert_eq!(begun, name);
                checked.arrows.push((name, from, (thread, at)));
            }
            "C" => checked
                .counts
                .push((at, event["args"]["threads"].as_u64().unwrap())),
            "i" => assert_eq!(event["s"], "t"),
            other => panic!("{other}?"),
        }
    }
    assert!(open.is_empty(), "arrows without an end: {open:?}");
    assert!(stacks.values().all(Vec::is_empty), "slices without an end");
    let most = checked.threads.len() as u64;
    assert!(checked.counts.iter().all(|&(_, count)| count <= most));
    assert_eq!(checked.counts.first().unwrap().0, 0);
    assert_eq!(
        checked.counts.last(),
        Some(&(trace.duration().as_nanos() as u64, 0))
    );
    assert!(checked.counts.windows(2).all(|pair| pair[0].0 < pair[1].0));
    checked
}

fn traced(pool: &Pool, capacity: usize, work: impl FnOnce() + Send) -> Trace {
    pool.start_trace(capacity);
    pool.install(work);
    pool.stop_trace().unwrap()
}

fn count(trace: &Trace, is: impl Fn(&EventKind) -> bool) -> usize {
    trace.events().filter(|event| is(&event.kind)).count()
}

#[test]
fn a_theft_has_its_slice_its_arrow_and_its_wait() {
    let pool = Pool::builder()
        .threads(2)
        .name("of \"thieves\"")
        .build()
        .unwrap();
    // If the system stops the forker until the thief has ended, the forker does not wait. In this case the test tries again.
    let mut tries = 0;
    let (trace, spent) = loop {
        let before = pool.counters();
        let trace = traced(&pool, 1000, theft);
        if !trace.waits().is_empty() {
            break (trace, pool.counters() - before);
        }
        tries += 1;
        assert!(tries < 20, "no forker waits for its thief");
    };
    assert_eq!(trace.dropped(), 0);
    assert_eq!(count(&trace, |kind| *kind == EventKind::JobEnds), 1);
    let stolen = count(&trace, |kind| matches!(kind, EventKind::StoleFrame { .. }));
    assert_eq!(stolen as u64, spent.steals);
    let checked = check(&trace);
    let (name, from, to) = &checked.arrows[0];
    assert_eq!((checked.arrows.len(), name.as_str()), (1, "steal"));
    assert_ne!(from.0, to.0);
    assert!(from.1 <= to.1);
    let frame = checked.slices[&to.0]
        .iter()
        .find(|slice| slice.name == "stolen frame")
        .unwrap();
    assert_eq!(frame.begin, to.1);
    assert_eq!(frame.args["from"], from.0);
    assert!(frame.end - frame.begin >= 1_000_000, "{frame:?}");
    // The start of the arrow is in the forker's job, which waits for the thief.
    let job = checked.slices[&from.0]
        .iter()
        .find(|slice| slice.name == "job from outside")
        .unwrap();
    assert!(job.begin <= from.1 && from.1 < job.end);
    let wait = checked.slices[&from.0]
        .iter()
        .find(|slice| slice.name == "wait for the other side of a join")
        .unwrap();
    assert!(job.begin <= wait.begin && wait.end <= job.end && wait.end >= frame.end);
    assert!(checked.counts.iter().any(|&(_, count)| count == 2));
    let waits = trace.waits();
    assert_eq!(waits.len(), 1);
    assert_eq!(waits[0].what.as_deref(), Some("the other side of a join"));
    let usage = trace.usage();
    assert_eq!(usage.iter().map(|used| used.thefts).sum::<u64>(), 1);
    let thief = usage
        .iter()
        .find(|used| used.thread as u64 == to.0)
        .unwrap();
    assert!(thief.running >= Duration::from_millis(1), "{thief:?}");
}

#[test]
fn unstolen_forks_leave_nothing() {
    let pool = Pool::new(1).unwrap();
    let trace = traced(&pool, 1000, || assert_eq!(fib(15), 610));
    assert_eq!(
        count(&trace, |kind| matches!(kind, EventKind::JobBegins)),
        1
    );
    assert!(
        trace.events().count() < 10,
        "{:?}",
        trace.events().collect::<Vec<_>>()
    );
    check(&trace);
}

#[test]
fn a_ring_that_is_full_keeps_the_newest_and_stays_balanced() {
    let pool = Pool::new(3).unwrap();
    for capacity in [0, 1, 2, 3, 5, 8, 13, 21] {
        let trace = traced(&pool, capacity, || {
            for _ in 0..10 {
                theft();
                fib(12);
            }
        });
        assert!(trace.dropped() > 0);
        for used in trace.usage() {
            assert!(
                trace
                    .events()
                    .filter(|event| event.thread == used.thread)
                    .count()
                    <= capacity
            );
        }
        check(&trace);
    }
}

#[test]
fn tasks_that_are_stolen_come_in_batches() {
    let pool = Pool::new(2).unwrap();
    // Tasks are spawned until both workers have run some of them.
    let seen = [const { AtomicBool::new(false) }; 2];
    let trace = traced(&pool, 10_000, || {
        heist::finish(|f| {
            for _ in 0..100 {
                f.spawn(|_| {
                    seen[heist::current_worker_index().unwrap()].store(true, Ordering::Release);
                    thread::sleep(Duration::from_micros(50));
                    seen.iter().for_each(wait_for);
                });
            }
        });
    });
    let checked = check(&trace);
    let batch = checked
        .slices
        .values()
        .flatten()
        .find(|slice| slice.name == "stolen tasks")
        .unwrap();
    // A batch ends when its tasks have run. It does not last until the thread takes other work or runs out of work.
    assert!(count(&trace, |kind| *kind == EventKind::Drained) >= 1);
    assert!(batch.args["tasks"].as_u64().unwrap() >= 1);
    assert!(batch.end - batch.begin >= 50_000, "{batch:?}");
    assert!(checked.arrows.iter().any(|(name, ..)| name == "steal"));
}

#[test]
fn tasks_that_wait_have_a_slice_a_poll_and_arrows_between() {
    // SAFETY: the fibers keep no value that belongs to a thread across their waits.
    let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) }
        .build()
        .unwrap();
    let barrier = Arc::new(heist::sync::Barrier::new(20));
    let trace = traced(&pool, 10_000, || {
        let all: Vec<_> = (0..10)
            .flat_map(|_| {
                let (one, other) = (barrier.clone(), barrier.clone());
                [
                    heist::spawn_fiber(move || {
                        one.wait();
                    }),
                    heist::spawn_async(async move {
                        other.wait_async().await;
                    }),
                ]
            })
            .collect();
        for task in all {
            task.get();
        }
    });
    let ended = |how| count(&trace, |kind| *kind == EventKind::PollEnds { how });
    assert_eq!(ended(PollEnd::Done), 20);
    assert!(ended(PollEnd::Suspended) + ended(PollEnd::Yielded) >= 19);
    let checked = check(&trace);
    let polls: Vec<_> = checked
        .slices
        .values()
        .flatten()
        .filter(|slice| slice.name == "fiber" || slice.name == "async task")
        .collect();
    for name in ["fiber", "async task"] {
        let of = polls.iter().filter(|slice| slice.name == name);
        assert_eq!(of.filter(|slice| slice.args["end"] == "done").count(), 10);
    }
    assert!(
        polls[0].args["spawned"]
            .as_str()
            .unwrap()
            .contains("trace.rs:")
    );
    // Each task was spawned, and each task except the last to arrive was woken.
    let arrows = checked.arrows.iter().filter(|(name, ..)| name == "go on");
    assert!(arrows.count() >= 30);
}

#[test]
fn a_thread_that_waits_gives_its_place_to_a_spare_one() {
    let pool = Pool::new(1).unwrap();
    let (promise, future) = heist::sync::promise::<u32>();
    let trace = traced(&pool, 1000, move || {
        let answer = heist::spawn(move || {
            promise.set(42);
        });
        assert_eq!(*future.get(), 42);
        answer.join().unwrap();
    });
    let checked = check(&trace);
    assert_eq!(checked.threads.get(&1).map(String::as_str), Some("spare 1"));
    let waits: Vec<_> = checked.slices[&0]
        .iter()
        .map(|slice| slice.name.as_str())
        .collect();
    assert!(waits.contains(&"place given away"), "{waits:?}");
    assert_eq!(trace.waits()[0].what.as_deref(), Some("Future"));
}

#[test]
fn traces_follow_each_other() {
    let pool = Pool::new(2).unwrap();
    assert!(pool.stop_trace().is_none());
    for _ in 0..3 {
        let trace = traced(&pool, 1000, theft);
        assert_eq!(
            count(&trace, |kind| matches!(kind, EventKind::JobBegins)),
            1
        );
        assert!(pool.stop_trace().is_none());
        check(&trace);
    }
    // A new trace replaces the current one.
    pool.start_trace(10);
    pool.install(theft);
    let trace = traced(&pool, 1000, || ());
    assert_eq!(
        count(&trace, |kind| matches!(kind, EventKind::StoleFrame { .. })),
        0
    );
}

#[test]
fn it_may_stop_while_workers_run() {
    let pool = Pool::new(3).unwrap();
    /// A guard that stops the workers even if a check fails. Without the guard, the test would never end.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let stop = AtomicBool::new(false);
    let rounds = if cfg!(miri) { 3 } else { 100 };
    thread::scope(|scope| {
        scope.spawn(|| {
            pool.install(|| {
                while !stop.load(Ordering::Acquire) {
                    theft();
                }
            });
        });
        let _stop = Stop(&stop);
        let mut seen = 0;
        for round in 0..rounds {
            pool.start_trace(1 << (round % 8));
            thread::sleep(Duration::from_millis(2));
            let trace = pool.stop_trace().unwrap();
            seen += trace.events().count();
            check(&trace);
        }
        assert!(seen > 0);
    });
}
