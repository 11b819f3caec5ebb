//! Checks that spans of `tracing` follow stolen, spawned and suspended work (`--features tracing`).

use heist::{Fibers, Pool};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::thread::{self, ThreadId};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, info_span};
use tracing_core::span::Current;

/// A subscriber. The subscriber records, by number and name, the spans that each thread has entered.
struct Stacks(AtomicU64);

thread_local! {
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The metadata of each span. The index is the span's number minus one.
static MADE: std::sync::Mutex<Vec<&'static Metadata<'static>>> = std::sync::Mutex::new(Vec::new());

impl Subscriber for Stacks {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut made = MADE.lock().unwrap();
        made.push(attributes.metadata());
        self.0.fetch_add(1, Ordering::Relaxed);
        Id::from_u64(made.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            assert_eq!(
                entered.pop(),
                Some(span.into_u64()),
                "not the last one entered"
            );
        });
    }

    fn current_span(&self) -> Current {
        match ENTERED.with_borrow(|entered| entered.last().copied()) {
            None => Current::none(),
            Some(number) => {
                let made = MADE.lock().unwrap()[number as usize - 1];
                Current::new(Id::from_u64(number), made)
            }
        }
    }
}

/// Returns the names of the spans that this thread is in. The innermost span comes last.
fn names() -> Vec<&'static str> {
    let made = MADE.lock().unwrap();
    ENTERED.with_borrow(|entered| {
        entered
            .iter()
            .map(|&number| made[number as usize - 1].name())
            .collect()
    })
}

fn innermost() -> Option<&'static str> {
    names().last().copied()
}

fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Stacks(AtomicU64::new(0))).unwrap();
    });
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        thread::yield_now();
    }
}

struct Shown(ThreadId);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Checks that no worker is in a span when no work runs.
fn assert_all_left(pool: &Pool) {
    // The caller's thread is in no span either.
    assert_eq!(innermost(), None);
    for of in pool.broadcast(|_| names()) {
        assert!(of.is_empty(), "still in {of:?}");
    }
}

#[test]
fn a_stolen_right_side_is_in_the_span_of_its_fork() {
    watch();
    let pool = Pool::new(2).unwrap();
    pool.install(|| {
        let _outer = info_span!("outer").entered();
        let stolen = AtomicBool::new(false);
        let here = thread::current().id();
        let ((), (there, inside, deeper)) = heist::join(
            || {
                let _left = info_span!("left").entered();
                wait_for(&stolen);
            },
            || {
                stolen.store(true, Ordering::Release);
                let deeper = info_span!("deeper").in_scope(|| heist::join(names, innermost).1);
                (Shown(thread::current().id()), names(), deeper)
            },
        );
        assert_ne!(there.0, here, "nobody stole it");
        assert_eq!(inside, ["outer"]);
        assert_eq!(deeper, Some("deeper"));
        assert_eq!(names(), ["outer"]);
    });
    assert_all_left(&pool);
}

#[test]
fn an_unstolen_right_side_enters_nothing() {
    watch();
    let pool = Pool::new(1).unwrap();
    pool.install(|| {
        let _outer = info_span!("outer").entered();
        let (left, right) = heist::join(|| info_span!("left").in_scope(names), names);
        assert_eq!(left, ["outer", "left"]);
        assert_eq!(right, ["outer"]);
    });
    assert_all_left(&pool);
}

#[test]
fn a_panic_leaves_the_span() {
    watch();
    let pool = Pool::new(2).unwrap();
    let _outer = info_span!("outer").entered();
    for stolen_panics in [true, false] {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                let stolen = AtomicBool::new(false);
                heist::join(
                    || {
                        wait_for(&stolen);
                        assert!(stolen_panics, "the left side");
                    },
                    || {
                        stolen.store(true, Ordering::Release);
                        assert!(!stolen_panics, "the right side");
                    },
                )
            })
        }));
        assert!(caught.is_err());
    }
    assert_eq!(names(), ["outer"]);
    drop(_outer);
    assert_all_left(&pool);
}

#[test]
fn jobs_and_tasks_are_in_the_span_of_their_spawn() {
    watch();
    let pool = Pool::new(2).unwrap();
    let outer = info_span!("outer");
    outer.in_scope(|| {
        assert_eq!(pool.install(names), ["outer"]);
        // This thread is not a worker.
        let (left, right) = heist::join(names, names);
        assert_eq!((left, right), (vec!["outer"], vec!["outer"]));
        assert_eq!(pool.broadcast(|_| innermost()), [Some("outer"); 2]);
        assert_eq!(pool.spawn(innermost).join().unwrap(), Some("outer"));
        pool.install(|| {
            heist::finish(|f| {
                for _ in 0..100 {
                    info_span!("inner").in_scope(|| {
                        f.spawn(|f| {
                            assert_eq!(innermost(), Some("inner"));
                            f.spawn(|_| assert_eq!(innermost(), Some("inner")));
                        });
                    });
                }
            });
        });
    });
    assert_all_left(&pool);
}

#[test]
fn every_poll_of_a_task_is_in_its_span() {
    watch();
    // SAFETY: the fibers keep no value that belongs to a thread across their waits.
    let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) }
        .build()
        .unwrap();
    let outer = info_span!("outer");
    let (go, gone) = (
        Arc::new(heist::sync::Barrier::new(41)),
        Arc::new(heist::sync::Barrier::new(41)),
    );
    let all: Vec<_> = outer.in_scope(|| {
        let fibers = (0..20).map(|_| {
            let (go, gone) = (go.clone(), gone.clone());
            pool.spawn_fiber(move || {
                // The names are checked later, because a fiber that panics at this point would not arrive at the barrier.
                let first = names();
                go.wait();
                let second = names();
                gone.wait();
                [first, second, names()]
            })
        });
        let tasks = (0..20).map(|_| {
            let (go, gone) = (go.clone(), gone.clone());
            pool.spawn_async(async move {
                let first = names();
                go.wait_async().await;
                let second = names();
                gone.wait_async().await;
                [first, second, names()]
            })
        });
        fibers.chain(tasks).collect()
    });
    go.wait();
    gone.wait();
    for task in all {
        assert_eq!(*task.get(), [["outer"]; 3]);
    }
    assert_all_left(&pool);
}
