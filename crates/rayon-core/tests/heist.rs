//! Tests that use Heist's own constructs in the jobs of a rayon-core pool. While a job waits for one of these
//! constructs, its worker runs any job of its pool, and its own ready tasks.

use rayon_core::{ThreadPool, ThreadPoolBuilder, join, scope, yield_local, yield_now};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Runs a test on a new thread, and fails if it hangs.
fn within_a_minute(work: impl FnOnce() + Send + 'static) {
    let (done, is_done) = channel();
    let runner = std::thread::spawn(move || {
        work();
        done.send(()).unwrap();
    });
    if is_done.recv_timeout(Duration::from_secs(60))
        == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
    {
        panic!("it hangs");
    }
    if let Err(payload) = runner.join() {
        std::panic::resume_unwind(payload);
    }
}

fn pools() -> impl Iterator<Item = ThreadPool> {
    [1, 2, 8].into_iter().map(|threads| {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    })
}

/// Returns a value through nested async tasks. Each of these tasks is suspended.
fn deep(depth: u32) -> u32 {
    if depth == 0 {
        return 0;
    }
    let task = heist::spawn_async(async move {
        let inner = heist::spawn_async(async move {
            let (promise, value) = heist::sync::promise();
            heist::spawn_async(async move { promise.set(depth) });
            *(&value).await
        });
        *(&inner).await
    });
    *task.get() + deep(depth - 1)
}

#[test]
fn async_tasks_are_awaited_by_every_worker_at_once() {
    within_a_minute(|| {
        for pool in pools() {
            for _ in 0..50 {
                let sums = pool.broadcast(|_| deep(4));
                assert_eq!(sums, vec![10; pool.current_num_threads()]);
            }
        }
    });
}

#[test]
fn async_tasks_are_awaited_in_joins_and_scopes() {
    within_a_minute(|| {
        for pool in pools() {
            for _ in 0..50 {
                let sum = pool.install(|| {
                    let sum = AtomicUsize::new(0);
                    scope(|s| {
                        for _ in 0..8 {
                            s.spawn(|_| {
                                let (a, b) = join(|| deep(2), || deep(3));
                                sum.fetch_add((a + b) as usize, Ordering::Relaxed);
                            });
                        }
                    });
                    sum.into_inner()
                });
                assert_eq!(sum, 72);
            }
        }
    });
}

#[test]
fn other_waits_end_too() {
    within_a_minute(|| {
        for pool in pools() {
            for _ in 0..20 {
                let values = pool.broadcast(|_| {
                    let (sender, receiver) = heist::sync::channel(1);
                    heist::spawn_detached(move || sender.send(1).unwrap());
                    let mut sum = receiver.recv().unwrap();
                    sum += heist::spawn(|| 2).join().unwrap();
                    let three = heist::sync::future(|| 3);
                    sum += *heist::sync::spawn_when(&three, |three| *three).get();
                    let ran = AtomicUsize::new(0);
                    heist::finish(|f| {
                        f.spawn_async(async {
                            let four = heist::spawn_async(async { 4 });
                            ran.fetch_add(*(&four).await, Ordering::Relaxed);
                        });
                    });
                    sum += ran.into_inner();
                    sum += heist::block_on(async { *(&heist::spawn_async(async { 5 })).await });
                    sum
                });
                assert_eq!(values, vec![15; pool.current_num_threads()]);
            }
        }
    });
}

#[test]
fn yielding_runs_async_tasks_that_are_ready() {
    within_a_minute(|| {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for yields in [|| _ = yield_now(), || _ = yield_local()] {
            pool.broadcast(|_| {
                let task = heist::spawn_async(async { *(&heist::spawn_async(async { 1 })).await });
                while !task.is_ready() {
                    yields();
                }
                assert_eq!(*task.get(), 1);
            });
        }
    });
}

/// Checks that a waiting worker runs the jobs of other workers, even while two tasks wake each other
/// forever.
#[test]
fn tasks_that_never_rest_do_not_keep_a_waiter_from_the_pools_queue() {
    within_a_minute(|| {
        let pool = Arc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap());
        let inner = Arc::clone(&pool);
        pool.install(|| {
            let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let restless = Arc::clone(&over);
            let task = heist::spawn_async(async move {
                while !restless.load(Ordering::Relaxed) {
                    std::future::poll_fn({
                        let mut polled = false;
                        move |context: &mut std::task::Context<'_>| {
                            if std::mem::replace(&mut polled, true) {
                                return std::task::Poll::Ready(());
                            }
                            context.waker().wake_by_ref();
                            std::task::Poll::Pending
                        }
                    })
                    .await;
                }
            });
            let (promise, value) = heist::sync::promise();
            std::thread::spawn(move || inner.spawn(move || promise.set(1)));
            assert_eq!(*value.get(), 1);
            over.store(true, Ordering::Relaxed);
            task.get();
        });
    });
}

/// Checks a thread of the program that is the only worker of its pool. Such a thread has no main loop of a worker, so
/// it must run its async tasks while it waits.
#[test]
fn an_adopted_thread_runs_its_async_tasks_where_it_waits() {
    within_a_minute(|| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(1)
            .use_current_thread()
            .build()
            .unwrap();
        assert_eq!(pool.install(|| deep(3)), 6);
        assert_eq!(deep(3), 6);
    });
}
