//! Checks join handles as futures, in tokio and in other executors.
#![cfg(not(any(miri, heist_model)))]

#[path = "../examples/tokio.rs"]
#[allow(dead_code, unreachable_pub, reason = "a program")]
mod example;

use heist::{JoinHandle, Pool, block_on};
use std::cell::Cell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(30);

#[test]
fn the_example_runs() {
    example::main().unwrap();
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
}

#[test]
fn a_timeout_around_a_task_gives_its_value() {
    let pool = Pool::new(2).unwrap();
    tokio().block_on(async {
        // The results of these tasks are `Send`, but not `Sync`.
        let value = timeout(LONG, pool.spawn(|| Cell::new(6))).await;
        assert_eq!(value.unwrap().unwrap().get(), 6);
        let closure = pool.spawn(|| Box::new(|| 7) as Box<dyn FnOnce() -> i32 + Send>);
        assert_eq!(timeout(LONG, closure).await.unwrap().unwrap()(), 7);
    });
}

#[test]
fn a_panic_is_the_error_of_the_outcome() {
    let pool = Pool::new(1).unwrap();
    tokio().block_on(async {
        let outcome = timeout(LONG, pool.spawn(|| -> u32 { panic!("the task's own") })).await;
        let payload = outcome.unwrap().unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"the task's own"));
        // The awaiting task continues, and the pool still works.
        assert_eq!(pool.spawn(|| 1).await.unwrap(), 1);
    });
}

#[test]
fn a_wait_that_is_given_up_can_be_begun_again() {
    let pool = Pool::new(1).unwrap();
    let (go, wait) = mpsc::channel::<u32>();
    tokio().block_on(async {
        let mut task = pool.spawn(move || wait.recv().unwrap());
        for _ in 0..3 {
            assert!(timeout(Duration::from_millis(5), &mut task).await.is_err());
            assert!(!task.is_finished());
        }
        go.send(5).unwrap();
        assert_eq!(timeout(LONG, &mut task).await.unwrap().unwrap(), 5);
    });
}

#[test]
fn thousands_of_handles_are_awaited_at_a_time() {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    for threads in [1, 2, 8] {
        let pool = Arc::new(Pool::new(threads).unwrap());
        let all: Vec<_> = (0..2000_u64)
            .map(|i| {
                let pool = Arc::clone(&pool);
                tokio.spawn(async move {
                    let twice = pool.spawn(move || 2 * i).await.unwrap();
                    twice + pool.spawn(move || heist::join(|| i, || 1).1).await.unwrap()
                })
            })
            .collect();
        let sum = tokio.block_on(async {
            let mut sum = 0;
            for one in all {
                sum += timeout(LONG, one).await.unwrap().unwrap();
            }
            sum
        });
        assert_eq!(sum, 2000 * 1999 + 2000);
    }
}

#[test]
fn async_tasks_and_closures_of_the_same_pool_await_them() {
    for threads in [1, 2] {
        let pool = Arc::new(Pool::new(threads).unwrap());
        let tasks: Vec<_> = (0..100_u64)
            .map(|i| {
                let inner = Arc::clone(&pool);
                pool.spawn_async(async move { inner.spawn(move || i).await.unwrap() })
            })
            .collect();
        assert_eq!(tasks.iter().map(|task| *task.get()).sum::<u64>(), 4950);
        let inner = Arc::clone(&pool);
        let value = pool.install(move || block_on(inner.spawn(|| 3)).unwrap());
        assert_eq!(value, 3);
    }
}

/// A waker that counts its calls.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll<T>(task: &mut JoinHandle<T>, bell: &Arc<Bell>) -> Poll<std::thread::Result<T>> {
    let waker = Waker::from(Arc::clone(bell));
    Pin::new(task).poll(&mut Context::from_waker(&waker))
}

/// Starts a task that ends when the returned sender is dropped.
fn held(pool: &Pool) -> (mpsc::Sender<()>, JoinHandle<()>) {
    let (guard, wait) = mpsc::channel::<()>();
    (
        guard,
        pool.spawn(move || assert!(wait.recv().is_err(), "nothing is sent")),
    )
}

fn wait_until(is: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !is() {
        assert!(began.elapsed() < LONG, "it does not come about");
        std::thread::yield_now();
    }
}

#[test]
fn the_last_poller_is_woken_once() {
    let pool = Pool::new(1).unwrap();
    let (guard, mut task) = held(&pool);
    let (first, second) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    assert!(poll(&mut task, &first).is_pending());
    assert!(poll(&mut task, &second).is_pending());
    assert!(poll(&mut task, &second).is_pending());
    drop(guard);
    wait_until(|| second.0.load(Ordering::SeqCst) > 0);
    assert!(task.is_finished());
    assert!(matches!(poll(&mut task, &second), Poll::Ready(Ok(()))));
    assert_eq!(first.0.load(Ordering::SeqCst), 0);
    assert_eq!(second.0.load(Ordering::SeqCst), 1);
}

#[test]
fn a_handle_that_is_dropped_lets_go_of_its_waiter() {
    let pool = Pool::new(1).unwrap();
    let (guard, mut task) = held(&pool);
    let bell = Arc::new(Bell::default());
    assert!(poll(&mut task, &bell).is_pending());
    assert_eq!(Arc::strong_count(&bell), 2);
    drop(task);
    assert_eq!(Arc::strong_count(&bell), 1);
    drop(guard);
    drop(pool);
    assert_eq!(bell.0.load(Ordering::SeqCst), 0);
}

#[test]
fn an_outcome_is_given_once() {
    let pool = Pool::new(1).unwrap();
    let bell = Arc::new(Bell::default());
    for join in [false, true] {
        let mut task = pool.spawn(|| 1);
        wait_until(|| task.is_finished());
        assert!(matches!(poll(&mut task, &bell), Poll::Ready(Ok(1))));
        let again = std::panic::AssertUnwindSafe(|| {
            if join {
                drop(task.join());
            } else {
                let _ = poll(&mut task, &bell);
            }
        });
        let payload = std::panic::catch_unwind(again).unwrap_err();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        assert!(text.unwrap().contains("asked again"), "{text:?}");
    }
}

#[test]
fn a_handle_that_was_polled_can_be_joined() {
    let pool = Pool::new(1).unwrap();
    let (guard, mut task) = held(&pool);
    let bell = Arc::new(Bell::default());
    assert!(poll(&mut task, &bell).is_pending());
    drop(guard);
    task.join().unwrap();
}

#[test]
fn a_waker_that_panics_harms_nobody() {
    struct Bomb;
    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {
            panic!("a waker's own");
        }
    }
    let pool = Pool::new(1).unwrap();
    let (guard, mut task) = held(&pool);
    let waker = Waker::from(Arc::new(Bomb));
    let pending = Pin::new(&mut task).poll(&mut Context::from_waker(&waker));
    assert!(pending.is_pending());
    drop(guard);
    assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
    task.join().unwrap();
}

#[test]
fn the_first_of_several_is_taken() {
    let pool = Pool::new(2).unwrap();
    let log = Arc::new(Mutex::new(Vec::new()));
    let (guard, slow) = held(&pool);
    let quick = pool.spawn({
        let log = Arc::clone(&log);
        move || log.lock().unwrap().push("quick")
    });
    tokio().block_on(async {
        let (mut slow, mut quick) = (pin!(slow), pin!(quick));
        let first = std::future::poll_fn(|context| {
            if slow.as_mut().poll(context).is_ready() {
                return Poll::Ready("slow");
            }
            quick.as_mut().poll(context).map(|_| "quick")
        });
        assert_eq!(timeout(LONG, first).await.unwrap(), "quick");
        drop(guard);
        timeout(LONG, slow).await.unwrap().unwrap();
    });
    assert_eq!(*log.lock().unwrap(), ["quick"]);
}
