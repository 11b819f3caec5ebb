//! Runs programs in which exactly one strand can continue at any time, and looks for deadlocks continuously.

use super::{look::look_among, pools};
use crate::platform::has_threads;
use crate::sync::{Future, Semaphore, promise};
use crate::{Fibers, Pool};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The environment variable that a test sets in the process that it starts.
const ALONE: &str = "HEIST_TEST_ALONE";
const TIME: Duration = Duration::from_secs(2);

/// Runs a test in a separate process, where all threads are known.
#[test]
fn looks_find_nothing_where_something_moves() {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["--exact", "deadlock::tests::alone", "--ignored"])
        .args(["--test-threads", "1", "--nocapture"])
        .env(ALONE, "")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("looked") && said.contains("found"), "{said}");
}

/// Passes a token in a circle: to a thread outside of pools, an async task, a closure of another pool, and a thread
/// that begins and ends. All threads except the thread that has the token wait for it through Heist.
fn round(pools: [&'static Pool; 2], stop: Arc<AtomicBool>) -> JoinHandle<u64> {
    let gates: Arc<[Semaphore; 3]> = Arc::new([(); 3].map(|()| Semaphore::new(0)));
    let over = Arc::new(AtomicBool::new(false));
    let task = pools[0].spawn_async({
        let (gates, over) = (gates.clone(), over.clone());
        async move {
            while !over.load(Ordering::Relaxed) {
                gates[0].acquire_async(1).await.keep();
                gates[1].release(1);
            }
        }
    });
    let closure = pools[1].future({
        let (gates, over) = (gates.clone(), over.clone());
        move || {
            while !over.load(Ordering::Relaxed) {
                gates[1].acquire(1).keep();
                gates[2].release(1);
            }
        }
    });
    thread::spawn(move || {
        let mut rounds = 0;
        while !stop.load(Ordering::Relaxed) {
            gates[0].release(1);
            gates[2].acquire(1).keep();
            // A thread begins, sets a value, and ends.
            let (kept, future): (_, Future<u64>) = promise();
            thread::spawn(move || kept.set(1));
            rounds += future.get();
            // A worker of a pool forks while this thread waits for the worker.
            let pair = pools[rounds as usize % 2].install(|| crate::join(|| 1, || 2));
            assert_eq!(pair, (1, 2));
            // A closure waits for a closure that is queued behind it in a pool of one worker, so the pool must start
            // another thread.
            let [_, narrow] = pools;
            narrow.future(|| *narrow.future(|| 1).get()).get();
            // A task waits for a task of the other pool.
            let inner = pools[0].spawn_async(async { 1 });
            pools[1].future(move || *inner.get()).get();
        }
        over.store(true, Ordering::Relaxed);
        gates[0].release(1);
        task.get();
        gates[1].release(1);
        closure.get();
        rounds
    })
}

/// Runs two threads that alternately wait for each other. The process has no third thread.
fn exchange(stop: Arc<AtomicBool>) -> JoinHandle<u64> {
    let gates: Arc<[Semaphore; 2]> = Arc::new([(); 2].map(|()| Semaphore::new(0)));
    let (there, over) = (gates.clone(), Arc::new(AtomicBool::new(false)));
    let other = thread::spawn({
        let over = over.clone();
        move || {
            while !over.load(Ordering::Relaxed) {
                there[0].acquire(1).keep();
                there[1].release(1);
            }
        }
    });
    thread::spawn(move || {
        let mut rounds = 0;
        while !stop.load(Ordering::Relaxed) {
            gates[0].release(1);
            gates[1].acquire(1).keep();
            rounds += 1;
        }
        over.store(true, Ordering::Relaxed);
        gates[0].release(1);
        other.join().unwrap();
        rounds
    })
}

/// Passes a token in a circle of four: a thread outside of pools, a waiting closure, a fiber that is bound to the
/// closure's thread, and a fiber that is bound to a sleeping thread.
fn round_of_bound(pools: [&'static Pool; 2], stop: Arc<AtomicBool>) -> JoinHandle<u64> {
    let gates: Arc<[Semaphore; 4]> = Arc::new([(); 4].map(|()| Semaphore::new(0)));
    let over = Arc::new(AtomicBool::new(false));
    let pass = |from: usize| {
        let (gates, over) = (gates.clone(), over.clone());
        move || {
            while !over.load(Ordering::Relaxed) {
                gates[from].acquire(1).keep();
                // Meanwhile all other threads come to rest, so a look finds that only the thread with the token is active.
                thread::sleep(Duration::from_micros(200));
                gates[from + 1].release(1);
            }
        }
    };
    let on_top = pools[0].spawn_fiber(pass(0));
    let asleep = pools[1].spawn_fiber(pass(2));
    let below = pools[0].future(pass(1));
    thread::spawn(move || {
        let mut rounds = 0;
        while !stop.load(Ordering::Relaxed) {
            gates[0].release(1);
            gates[3].acquire(1).keep();
            rounds += 1;
        }
        over.store(true, Ordering::Relaxed);
        gates[0].release(1);
        for strand in [on_top, below, asleep] {
            strand.get();
        }
        rounds
    })
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn alone() {
    if std::env::var_os(ALONE).is_none() {
        return;
    }
    let foreign = (1..9).find(|&count| has_threads(count)).unwrap();
    let pool = |threads, spares| {
        let pool = Pool::builder().threads(threads).spare_threads(spares);
        &*Box::leak(Box::new(pool.build().unwrap()))
    };
    let look = || look_among(pools(), |count| has_threads(count + foreign));
    let look_during = |work: &dyn Fn(Arc<AtomicBool>) -> JoinHandle<u64>| {
        let stop = Arc::new(AtomicBool::new(false));
        let rounds = work(stop.clone());
        let since = Instant::now();
        let mut looks = 0_u64;
        while since.elapsed() < TIME {
            assert!(look().is_none(), "after {looks} looks");
            looks += 1;
        }
        stop.store(true, Ordering::Relaxed);
        let rounds = rounds.join().unwrap();
        println!("looked {looks} times in {rounds} rounds");
    };
    look_during(&exchange);
    let pools = [pool(2, 8), pool(1, 2)];
    look_during(&|stop| round(pools, stop));
    let pool = |spares| {
        let pool = Pool::builder().threads(1).spare_threads(spares);
        // SAFETY: no code of this test enters a scope of a thread across a wait.
        let pool = unsafe { pool.fibers(Fibers::new().pinned()) };
        &*Box::leak(Box::new(pool.build().unwrap()))
    };
    let bound = [pool(1), pool(0)];
    look_during(&|stop| round_of_bound(bound, stop));
    // A look also finds the deadlock that exists at the end.
    let since = Instant::now();
    let (kept, future) = promise::<u32>();
    let waiter = thread::spawn(move || *future.get());
    while look().is_none() {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "nothing was found"
        );
        thread::yield_now();
    }
    println!("found");
    kept.set(1);
    waiter.join().unwrap();
}

/// Checks a look at a pool in which only one of two workers has ended. The words of the ended worker do not exist any more.
#[test]
fn a_look_leaves_the_words_of_ended_workers_alone() {
    for detaches in [false, true] {
        let (ended, has_ended) = channel();
        let (go_on, may_go_on) = channel();
        let may_go_on = std::sync::Mutex::new(may_go_on);
        let mut pool = Pool::builder().threads(2).exit_handler(move |index| {
            if index == 1 {
                may_go_on.lock().unwrap().recv().unwrap();
            }
        });
        if detaches {
            // These stacks are larger than the C library's cache, so they are unmapped when their threads end.
            pool = pool.spawn_handler(move |start| {
                let ended = ended.clone();
                let thread = thread::Builder::new().stack_size(64 << 20);
                let worker = thread.spawn(move || start.run())?;
                thread::spawn(move || {
                    worker.join().unwrap();
                    // The second worker ends after the receiver is gone.
                    let _ = ended.send(());
                });
                Ok(())
            });
        }
        let pool = pool.build().unwrap();
        pool.install(|| ());
        let inner = Arc::clone(pool.inner());
        let closer = thread::spawn(move || drop(pool));
        if detaches {
            has_ended.recv().unwrap();
        } else {
            thread::sleep(Duration::from_millis(100));
        }
        for _ in 0..100 {
            assert!(look_among(vec![Arc::clone(&inner)], |_| true).is_none());
        }
        go_on.send(()).unwrap();
        closer.join().unwrap();
    }
}
