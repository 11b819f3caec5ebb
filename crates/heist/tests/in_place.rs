//! Checks that a worker that waits for a task runs the task itself if no thread has begun it.

use heist::sync::{Future, future, promise, spawn_when};
use heist::{Pool, block_on, spawn, spawn_async};
use std::collections::VecDeque;
use std::future::{Future as _, IntoFuture, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Returns a pool, and a counter of the threads that it has started.
fn counted(threads: usize, stack: usize) -> (Pool, Arc<AtomicUsize>) {
    let started = Arc::new(AtomicUsize::new(0));
    let count = started.clone();
    let pool = Pool::builder()
        .threads(threads)
        .stack_size(stack)
        .start_handler(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
        });
    (pool.build().unwrap(), started)
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().unwrap(),
    }
}

/// A function that computes both branches of a recursion. The first branch is a task, for which the function waits.
type Fork = fn(u32) -> u64;

fn by_get(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = future(move || by_get(n - 1));
    let right = by_get(n - 2);
    *left.get() + right
}

fn by_async(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = spawn_async(async move { by_async(n - 1) });
    let right = by_async(n - 2);
    *left.get() + right
}

fn by_block_on_value(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = future(move || by_block_on_value(n - 1));
    let right = by_block_on_value(n - 2);
    block_on(left.into_future()) + right
}

fn by_block_on_reference(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = future(move || by_block_on_reference(n - 1));
    let right = by_block_on_reference(n - 2);
    block_on(async { *(&left).await }) + right
}

/// Computes the recursion, and passes the value through a data-driven task.
fn by_map(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = future(move || by_map(n - 1)).map(|left| *left);
    let right = by_map(n - 2);
    *left.get() + right
}

fn by_when(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = future(move || by_when(n - 1));
    let right = future(move || by_when(n - 2));
    *spawn_when((&left, &right), |(left, right)| left + right).get()
}

fn by_when_of_many(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let both = [n - 1, n - 2].map(|n| future(move || by_when_of_many(n)).map(|one| *one));
    *spawn_when(&both[..], |both| both.into_iter().sum::<u64>()).get()
}

/// Awaits a task that itself spawns and awaits a task.
fn by_awaiting(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = spawn_async(async move {
        let inner = spawn_async(async move { by_awaiting(n - 1) });
        *(&inner).await
    });
    let right = by_awaiting(n - 2);
    *left.get() + right
}

/// Awaits a task that awaits several tasks one after the other. The awaited tasks were spawned before the task that awaits them.
fn by_awaiting_earlier(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let [left, right] = [n - 1, n - 2].map(|n| spawn_async(async move { by_awaiting_earlier(n) }));
    let sum = spawn_async(async move { left.await + right.await });
    block_on(sum.into_future())
}

fn by_handle(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = spawn(move || by_handle(n - 1));
    let right = by_handle(n - 2);
    left.join().unwrap() + right
}

fn by_block_on_handle(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let left = spawn(move || by_block_on_handle(n - 1));
    let right = by_block_on_handle(n - 2);
    block_on(left).unwrap() + right
}

#[test]
fn a_recursion_takes_few_threads() {
    let forks: [(&str, Fork); 11] = [
        ("map", by_map),
        ("spawn_when", by_when),
        ("spawn_when of a slice", by_when_of_many),
        ("await", by_awaiting),
        ("await of earlier ones", by_awaiting_earlier),
        ("get", by_get),
        ("async", by_async),
        ("block_on of a future", by_block_on_value),
        ("block_on of a reference", by_block_on_reference),
        ("join", by_handle),
        ("block_on of a handle", by_block_on_handle),
    ];
    let n = if cfg!(miri) { 8 } else { 20 };
    let expected = if cfg!(miri) { 21 } else { 6765 };
    for (name, fork) in forks {
        for threads in [1, 2, 4] {
            let (pool, started) = counted(threads, 8 << 20);
            assert_eq!(pool.install(|| fork(n)), expected, "{name}");
            drop(pool);
            let started = started.load(Ordering::SeqCst);
            // If another worker has begun the task of a waiter, the pool needs one more thread. If tasks did not run in place, the
            // pool would need hundreds.
            assert!(started <= 8 * threads, "{name}: {started} threads");
            if threads == 1 {
                assert_eq!(started, 1, "{name}: nobody else can have begun a task");
            }
        }
    }
}

/// In a chain of tasks, each task waits for the previous task, and the last task begins first.
#[test]
fn a_chain_that_is_deeper_than_a_stack_goes_on_on_another_one() {
    let length = if cfg!(miri) { 20 } else { 4000 };
    for by_handles in [false, true] {
        let (pool, started) = counted(1, 1 << 20);
        let sum = pool.install(|| {
            if by_handles {
                let mut last = spawn(|| 0);
                for _ in 0..length {
                    last = spawn(move || last.join().unwrap() + 1);
                }
                return last.join().unwrap();
            }
            let mut last = future(|| 0);
            for _ in 0..length {
                let before = last;
                last = future(move || *before.get() + 1);
            }
            *last.get()
        });
        assert_eq!(sum, length);
        drop(pool);
        let started = started.load(Ordering::SeqCst);
        // Each thread runs as many levels as half of its stack of 1 MiB has room for, at less than 4 KiB for each level.
        assert!(started <= 32, "{started} threads");
    }
}

#[test]
fn a_task_runs_once_however_many_ask_for_its_value() {
    let rounds = if cfg!(miri) { 5 } else { 500 };
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        for round in 0..rounds {
            let run = runs.clone();
            let task = pool.future(move || run.fetch_add(1, Ordering::SeqCst) + 1);
            let got = pool.broadcast(|_| *task.get());
            assert_eq!(got, vec![round + 1; threads]);
            assert_eq!(*task.get(), round + 1);
        }
        assert_eq!(runs.load(Ordering::SeqCst), rounds);
    }
}

#[test]
fn a_panic_goes_to_every_waiter() {
    let pool = Pool::new(1).unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let run = runs.clone();
    pool.install(|| {
        let task: Future<u32> = future(move || {
            run.fetch_add(1, Ordering::SeqCst);
            panic!("in the task");
        });
        let other = task.clone();
        for task in [&task, &other] {
            let caught = catch_unwind(AssertUnwindSafe(|| *task.get()));
            assert_eq!(text(&*caught.unwrap_err()), "in the task");
        }
        // The waiter still works: it forks, and waits again.
        assert_eq!(heist::join(|| 1, || *future(|| 2).get()), (1, 2));
    });
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(pool.install(|| by_get(10)), 55);
}

#[test]
fn a_task_that_waits_goes_on_elsewhere() {
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        let (kept, comes) = promise();
        let task = pool.spawn_async(async move { *(&comes).await + 1 });
        let got = pool.spawn({
            let task = task.clone();
            move || *task.get()
        });
        thread::sleep(Duration::from_millis(5));
        kept.set(41);
        assert_eq!(got.join().unwrap(), 42);
        assert_eq!(*task.get(), 42);
    }
}

/// Threads that are not workers of the task's pool leave the task to that pool.
#[test]
fn a_task_runs_in_its_own_pool() {
    let named = |name: &str| Pool::builder().threads(1).name(name).build().unwrap();
    let (one, two) = (named("one"), named("two"));
    let here = || thread::current().name().map(str::to_owned);
    let task = one.future(here);
    assert_eq!(task.get().as_deref(), Some("one-0"));
    let task = one.future(here);
    assert_eq!(two.install(|| task.get().clone()).as_deref(), Some("one-0"));
    assert_eq!(
        two.install(|| block_on(one.spawn(here)).unwrap())
            .as_deref(),
        Some("one-0")
    );
    // A worker of the task's pool runs the task itself.
    let worker = one.install(|| (here(), future(here).get().clone()));
    assert_eq!(worker.0, worker.1);
}

/// A worker waits for a promise or for a task, whichever is ready first. The task waits for a message that the worker sends only after this
/// wait. So the worker must not run the task in place.
#[test]
fn a_task_that_is_one_of_several_ends_of_a_wait_is_not_run_in_it() {
    let pool = Pool::new(1).unwrap();
    let sum = pool.install(|| {
        let (send, receive) = mpsc::channel::<u32>();
        let task = future(move || receive.recv().unwrap());
        let (kept, first) = promise();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            kept.set(1);
        });
        let won = {
            let (mut first, mut task) = (pin!((&first).into_future()), pin!((&task).into_future()));
            block_on(poll_fn(|context| {
                let ready = first.as_mut().poll(context).map(|value| *value);
                if ready.is_ready() {
                    return ready;
                }
                task.as_mut().poll(context).map(|value| *value)
            }))
        };
        send.send(41).unwrap();
        won + *task.get()
    });
    assert_eq!(sum, 42);
}

/// A getter waits for a task, which waits for one of two events. The getter runs the awaited task itself. The getter must not run the task
/// `slow`, because the value of `slow` is only one of the two events.
#[test]
fn a_task_with_two_ends_is_not_kept_by_one() {
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        let sum = pool.install(|| {
            let (last, comes) = promise::<u32>();
            let slow = future(move || *comes.get());
            let other = slow.clone();
            let (kept, first) = promise();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                kept.set(1);
            });
            let race = spawn_async(async move {
                let (mut first, mut slow) =
                    (pin!((&first).into_future()), pin!((&slow).into_future()));
                poll_fn(|context| {
                    let ready = first.as_mut().poll(context).map(|value| *value);
                    if ready.is_ready() {
                        return ready;
                    }
                    slow.as_mut().poll(context).map(|value| *value)
                })
                .await
            });
            let won = *race.get();
            last.set(41);
            won + *other.get()
        });
        assert_eq!(sum, 42);
    }
}

/// Checks data-driven tasks with an input that another thread sets, and with an input that panics.
#[test]
fn inputs_may_come_from_anywhere() {
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        pool.install(|| {
            let (kept, outside) = promise();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                kept.set(40);
            });
            let two = future(|| 2);
            let sum = spawn_when((&two, &outside), |(two, outside)| two + outside);
            assert_eq!(*sum.get(), 42);
            let fails: Future<i32> = future(|| panic!("an input"));
            let sum = spawn_when((&two, &fails), |(two, fails)| two + fails);
            let caught = catch_unwind(AssertUnwindSafe(|| *sum.get()));
            assert_eq!(text(&*caught.unwrap_err()), "an input");
        });
    }
}

#[test]
fn an_isolated_section_runs_nothing_else() {
    let pool = Pool::new(1).unwrap();
    pool.install(|| {
        let task = future(|| 1);
        let waits = || heist::sync::isolated(|| *task.get());
        let caught = catch_unwind(AssertUnwindSafe(waits));
        let said = caught.unwrap_err();
        assert!(
            text(&*said).starts_with("heist: nothing may wait in an isolated section"),
            "{}",
            text(&*said)
        );
        assert_eq!(*task.get(), 1);
    });
}

/// A value that counts its drops.
struct Told(Arc<AtomicUsize>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Each task runs once, and its captures and its result are dropped once. The order in which the handles are used or dropped does
/// not matter, nor does the queue that has the entries of the tasks.
#[test]
fn nothing_is_dropped_twice_or_kept() {
    let count = if cfg!(miri) { 12 } else { 3000 };
    for threads in [1, 2, 8] {
        let pool = Pool::new(threads).unwrap();
        let (runs, drops) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        let step = |order: usize| {
            let mut tasks = VecDeque::new();
            for _ in 0..count {
                let (run, kept, given) = (
                    runs.clone(),
                    Told(Arc::clone(&drops)),
                    Told(Arc::clone(&drops)),
                );
                tasks.push_back(future(move || {
                    run.fetch_add(1, Ordering::SeqCst);
                    drop(kept);
                    given
                }));
            }
            while let Some(task) = match order {
                0 => tasks.pop_front(),
                1 => tasks.pop_back(),
                _ => tasks.swap_remove_back(tasks.len() / 2),
            } {
                // Every third task is dropped without a wait.
                if tasks.len() % 3 != 0 {
                    task.get();
                }
            }
        };
        for order in 0..3 {
            pool.install(|| step(order));
            // These tasks are spawned from outside, so they are in the injector.
            let tasks: Vec<_> = (0..count)
                .map(|_| {
                    let (run, given) = (runs.clone(), Told(Arc::clone(&drops)));
                    let kept = Told(Arc::clone(&drops));
                    pool.future(move || {
                        run.fetch_add(1, Ordering::SeqCst);
                        drop(kept);
                        given
                    })
                })
                .collect();
            let tasks = Mutex::new(tasks);
            pool.broadcast(|_| {
                while let Some(task) = { tasks.lock().unwrap().pop() } {
                    task.get();
                }
            });
        }
        drop(pool);
        assert_eq!(runs.load(Ordering::SeqCst), 6 * count);
        assert_eq!(drops.load(Ordering::SeqCst), 2 * 6 * count);
    }
}
