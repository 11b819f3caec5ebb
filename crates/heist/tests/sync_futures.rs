//! Tests of futures, promises, data-driven tasks, and async tasks.

use heist::Pool;
use heist::sync::{Future, future, promise, spawn_async, spawn_when};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The numbers of workers of the pools.
const WORKERS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 3, 8] };
/// Divisor of the amount of work, for builds in which each step takes long.
const LESS: usize = if cfg!(miri) { 10 } else { 1 };

fn yield_now() -> impl std::future::Future<Output = ()> {
    let mut yielded = false;
    std::future::poll_fn(move |context| {
        if yielded {
            return std::task::Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
}

#[test]
fn a_value_is_there_for_all_readers() {
    let slow = future(|| {
        std::thread::sleep(Duration::from_millis(10));
        String::from("slow")
    });
    let readers: Vec<Future<usize>> = (0..100)
        .map(|_| {
            let slow = slow.clone();
            spawn_async(async move { (&slow).await.len() })
        })
        .collect();
    assert!(readers.iter().all(|reader| *reader.get() == 4));
    assert_eq!(slow.try_get().unwrap(), "slow");
}

#[test]
fn tasks_yield_and_move() {
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let done = Arc::new(AtomicU32::new(0));
        let tasks: Vec<_> = (0..1000 / LESS)
            .map(|_| {
                let done = Arc::clone(&done);
                pool.spawn_async(async move {
                    for _ in 0..100 / LESS {
                        yield_now().await;
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        for task in &tasks {
            task.get();
        }
        assert_eq!(done.load(Ordering::Relaxed) as usize, 1000 / LESS);
        drop(pool);
    }
}

#[test]
fn dropping_a_pool_waits_for_its_tasks() {
    let pool = Pool::new(2).unwrap();
    let (keep, kept) = promise();
    let task = pool.spawn_async(async move { *(&kept).await + 1 });
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        keep.set(41);
    });
    drop(pool);
    assert_eq!(task.try_get(), Some(&42));
}

#[test]
fn data_driven_tasks_start_when_all_is_there() {
    let (p, a) = promise();
    let (q, b) = promise();
    let started = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&started);
    let sum = spawn_when((&a, &b, &a), move |(a, b, c)| {
        seen.fetch_add(1, Ordering::Relaxed);
        a + b + c
    });
    p.set(1);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(started.load(Ordering::Relaxed), 0);
    q.set(10);
    assert_eq!(*sum.get(), 12);
    let mapped = sum.map(|sum| sum * 2);
    assert_eq!(*mapped.get(), 24);
    // In this call, all inputs are ready before the task is spawned.
    assert_eq!(*spawn_when((&sum, &mapped), |(a, b)| a + b).get(), 36);
}

#[test]
fn any_number_of_inputs() {
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        for count in [0, 1, 2, 50] {
            let (promises, inputs): (Vec<_>, Vec<_>) = (0..count).map(|_| promise()).unzip();
            let started = Arc::new(AtomicU32::new(0));
            let seen = Arc::clone(&started);
            let all = pool.spawn_when(&inputs[..], move |values| {
                seen.fetch_add(1, Ordering::Relaxed);
                values.into_iter().copied().collect::<Vec<u32>>()
            });
            for (value, promise) in promises.into_iter().enumerate().rev() {
                std::thread::yield_now();
                assert_eq!(started.load(Ordering::Relaxed), 0);
                promise.set(value as u32);
            }
            assert_eq!(*all.get(), (0..count).collect::<Vec<u32>>());
        }
        // After all inputs have ended, the task ends with the panic of the leftmost input that has panicked.
        let inputs: Vec<_> = (0..5)
            .map(|i| future(move || assert!(i != 2 && i != 4, "input {i}")))
            .collect();
        let all = pool.spawn_when(&inputs[..], |values| values.len());
        let panic = std::panic::catch_unwind(|| *all.get()).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), "input 2");
    }
}

#[test]
fn a_wavefront_of_futures() {
    const N: usize = if cfg!(miri) { 8 } else { 100 };
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let last = pool.install(|| {
            let mut above: Vec<Future<u64>> = (0..N).map(|_| Future::ready(1)).collect();
            for _ in 1..N {
                let mut row = vec![Future::ready(1)];
                for j in 1..N {
                    let cell = spawn_when((&above[j], &row[j - 1]), |(a, b)| a.wrapping_add(*b));
                    row.push(cell);
                }
                above = row;
            }
            above.pop().unwrap()
        });
        let mut row = vec![1_u64; N];
        for _ in 1..N {
            for j in 1..N {
                row[j] = row[j].wrapping_add(row[j - 1]);
            }
        }
        assert_eq!(last.get(), row.last().unwrap());
    }
}

#[test]
fn closures_that_wait_block_and_complete() {
    let pool = Pool::new(2).unwrap();
    let (p, f) = promise::<u32>();
    let tasks: Vec<_> = (0..100)
        .map(|i| {
            let f = f.clone();
            pool.future(move || f.get() + i)
        })
        .collect();
    let last = tasks.last().unwrap().clone();
    std::thread::sleep(Duration::from_millis(5));
    assert!(!last.is_ready());
    p.set(1);
    assert_eq!(tasks.iter().map(|t| *t.get()).sum::<u32>(), 100 + 4950);
}

fn message(result: std::thread::Result<()>) -> String {
    *result.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn panics_reach_every_getter() {
    let bad = future(|| -> u32 { panic!("no value {}", 7) });
    let after = bad.map(|v| v + 1);
    let third = spawn_async({
        let bad = bad.clone();
        async move { *(&bad).await }
    });
    for f in [&bad, &after, &third] {
        let f = f.clone();
        let text = message(std::panic::catch_unwind(move || {
            f.get();
        }));
        assert_eq!(text, "no value 7");
    }
    let (p, f) = promise::<u32>();
    drop(p);
    let text = message(std::panic::catch_unwind(move || {
        f.get();
    }));
    assert!(
        text.contains("was dropped without a value") && text.contains("sync_futures.rs"),
        "{text}"
    );
}

#[test]
fn the_last_handle_takes_the_value() {
    let f = future(|| vec![1, 2, 3]);
    f.get();
    let g = f.clone();
    let f = f.try_unwrap().unwrap_err();
    drop(g);
    let mut f = f;
    let value = loop {
        // The task itself may keep the value for a moment after it is ready.
        match f.try_unwrap() {
            Ok(value) => break value.unwrap(),
            Err(again) => f = again,
        }
    };
    assert_eq!(value, [1, 2, 3]);
}

#[test]
fn values_are_dropped_once() {
    struct Counted(Arc<AtomicU32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicU32::new(0));
    {
        let pool = Pool::new(2).unwrap();
        for _ in 0..100 {
            let inside = Counted(Arc::clone(&drops));
            let f = pool.future(move || inside);
            let g = f.map(|_| ());
            drop(f);
            g.get();
        }
        let (p, f) = promise();
        let last = f.map(|_: &Counted| ());
        drop(f);
        p.set(Counted(Arc::clone(&drops)));
        // The task drops its input before it ends.
        last.get();
    }
    assert_eq!(drops.load(Ordering::Relaxed), 101);
}

/// Two tasks of a scope wake each other forever. The only worker waits for the scope. All other tasks of the worker still run.
#[test]
fn tasks_that_wake_each_other_keep_nobody_out() {
    use heist::sync::Semaphore;
    use std::sync::atomic::AtomicBool;
    let pool = Pool::new(1).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let (ping, pong) = (Semaphore::new(0), Semaphore::new(0));
    pool.finish(|f| {
        let over_later = Arc::clone(&over);
        // This task is detached, so the scope need not wait for it.
        drop(spawn_async(async move {
            over_later.store(true, Ordering::Relaxed);
        }));
        for (own, other) in [(&ping, &pong), (&pong, &ping)] {
            let over = Arc::clone(&over);
            f.spawn_async(async move {
                while !over.load(Ordering::Relaxed) {
                    other.release(1);
                    own.acquire_async(1).await.keep();
                }
                other.release(1);
            });
        }
    });
}

/// Returns a value, and a weak reference that shows whether the value still exists.
fn traced() -> (std::sync::Weak<()>, Arc<()>) {
    let value = Arc::new(());
    (Arc::downgrade(&value), value)
}

/// Stores a waker of the task that polls this future, like a timer that is never cancelled.
async fn leave_waker(with: &std::sync::Mutex<Vec<std::task::Waker>>) {
    std::future::poll_fn(|context| {
        with.lock().unwrap().push(context.waker().clone());
        std::task::Poll::Ready(())
    })
    .await;
}

/// Waits until the task has dropped its value. The drop happens a moment after the result is ready. Returns false if the task does not drop
/// the value within 10 s.
fn wait_until_gone(value: &std::sync::Weak<()>) -> bool {
    let began = std::time::Instant::now();
    while value.strong_count() > 0 && began.elapsed() < Duration::from_secs(10) {
        std::thread::yield_now();
    }
    value.strong_count() == 0
}

#[test]
fn a_waker_that_outlives_its_task_does_not_keep_the_result() {
    let pool = Pool::new(2).unwrap();
    let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (weak, value) = traced();
    let task = pool.spawn_async({
        let wakers = Arc::clone(&wakers);
        async move {
            leave_waker(&wakers).await;
            value
        }
    });
    task.get();
    assert_eq!(weak.strong_count(), 1, "the handle keeps the result");
    drop(task);
    assert!(wait_until_gone(&weak));
    // The wakers still work, and the task's memory is freed when they are dropped.
    for waker in wakers.lock().unwrap().drain(..) {
        let other = waker.clone();
        other.wake_by_ref();
        drop(other);
        waker.wake_by_ref();
    }
}

#[test]
fn the_last_handle_gets_the_result_out_though_wakers_are_left() {
    let pool = Pool::new(2).unwrap();
    let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
    let task = pool.spawn_async({
        let wakers = Arc::clone(&wakers);
        async move {
            leave_waker(&wakers).await;
            String::from("mine")
        }
    });
    task.get();
    assert_eq!(task.try_unwrap().unwrap().unwrap(), "mine");
    assert_eq!(wakers.lock().unwrap().len(), 1);
}

#[test]
fn no_waker_keeps_the_result_or_payload_of_a_task() {
    let pool = Pool::new(2).unwrap();
    let wakers = Arc::new(std::sync::Mutex::new(Vec::new()));
    // First case: the payload of a task that panics.
    let (panicked, payload) = traced();
    let task = pool.spawn_async({
        let wakers = Arc::clone(&wakers);
        async move {
            leave_waker(&wakers).await;
            std::panic::resume_unwind(Box::new(payload));
        }
    });
    while !task.is_ready() {
        std::thread::yield_now();
    }
    drop::<Future<()>>(task);
    assert!(wait_until_gone(&panicked));
    // Second case: a task whose handle is dropped before the task ends.
    let (detached, value) = traced();
    let (promise, wanted) = promise();
    drop(pool.spawn_async({
        let wakers = Arc::clone(&wakers);
        async move {
            leave_waker(&wakers).await;
            wanted.await;
            value
        }
    }));
    assert_eq!(detached.strong_count(), 1);
    promise.set(());
    assert!(wait_until_gone(&detached));
    // Third case: a result that a handle still keeps when the waker is dropped.
    let (kept, value) = traced();
    let task = pool.spawn_async({
        let wakers = Arc::clone(&wakers);
        async move {
            leave_waker(&wakers).await;
            value
        }
    });
    task.get();
    wakers.lock().unwrap().clear();
    assert_eq!(Arc::strong_count(task.get()), 1);
    drop(task);
    assert!(wait_until_gone(&kept));
}
