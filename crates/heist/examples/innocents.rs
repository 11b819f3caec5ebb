//! A thousand programs that only wait for a timer or for a thread outside of pools. Heist must report none of these programs as a deadlock.
//! `cargo run -p heist --example innocents` runs all programs.
//!
//! Many programs run at the same time. The main thread waits through Heist for one program after
//! the other, because it looks for deadlocks only while it waits.

use heist::sync::{Barrier, Mode, Phaser, Promise, Semaphore, channel, promise};
use heist::{Fibers, JoinHandle, Pool};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const PROGRAMS: u64 = 1000;
/// The number of programs that run at the same time.
const WINDOW: usize = 250;

/// Starts a thread outside of pools. The thread sleeps for `wait`, calls `act`, and ends.
fn later(wait: Duration, act: impl FnOnce() + Send + 'static) {
    thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(move || {
            thread::sleep(wait);
            act();
        })
        .unwrap();
}

/// Returns a future; a thread outside of pools sets it after the time `wait`.
fn kept(wait: Duration) -> heist::sync::Future<u64> {
    let (promise, future) = promise();
    later(wait, move || promise.set(1));
    future
}

/// Begins program number `kind` on `pool`, and returns a future of the program's end. The program
/// takes about as long as `wait`.
fn program(kind: u64, pool: &Pool, wait: Duration) -> heist::sync::Future<u64> {
    match kind % 8 {
        // An async task that waits for a promise.
        0 => {
            let future = kept(wait);
            pool.spawn_async(async move { *(&future).await })
        }
        // A closure that occupies a thread while it waits.
        1 => {
            let future = kept(wait);
            pool.future(move || *future.get())
        }
        // A fiber at a barrier, whose other party comes from outside.
        2 => {
            let barrier = Arc::new(Barrier::new(2));
            let other = barrier.clone();
            later(wait, move || {
                other.wait();
            });
            pool.spawn_fiber(move || u64::from(barrier.wait()).min(1))
        }
        // A data-driven task with an input that is ready immediately and an input that is set
        // later.
        3 => {
            let (now, then) = (pool.future(|| 0), kept(wait));
            pool.spawn_when((&now, &then), |(now, then): (&u64, &u64)| now + then)
        }
        // A semaphore that a thread outside of pools releases in two steps.
        4 => {
            let semaphore = Arc::new(Semaphore::new(0));
            for part in [2, 1] {
                let semaphore = semaphore.clone();
                later(wait / part, move || semaphore.release(1));
            }
            pool.spawn_async(async move {
                semaphore.acquire_async(2).await.keep();
                1
            })
        }
        // A channel to which a thread outside of pools sends, and which this thread then closes.
        5 => {
            let (sender, receiver) = channel(1);
            later(wait, move || {
                for _ in 0..3 {
                    sender.send(1_u64).unwrap();
                }
            });
            pool.spawn_async(async move {
                let mut sum = 0;
                while let Ok(one) = receiver.recv_async().await {
                    sum += one;
                }
                sum
            })
        }
        // A worker that sleeps in the operating system, and a task that waits for this worker.
        6 => {
            let sleeper = pool.future(move || {
                thread::sleep(wait / 20);
                1
            });
            pool.spawn_when(&sleeper, |one: &u64| *one)
        }
        // A phaser with a party outside of pools, for which a chain of tasks waits.
        _ => {
            let phaser = Phaser::new();
            let mut inside = phaser.register(Mode::Wait);
            let mut outside = phaser.register(Mode::Signal);
            later(wait, move || outside.signal());
            let first = pool.spawn_async(async move { inside.wait_async().await });
            pool.spawn_async(async move { *(&first).await })
        }
    }
}

/// Starts a chain of threads outside of pools: each waits, wakes the next thread and ends. While a
/// thread of the chain sleeps, all other threads wait through Heist.
fn relay(length: u32, next: Promise<u64>) -> JoinHandle<()> {
    heist::spawn(move || {
        let mut next = next;
        for _ in 0..length {
            let (promise, future) = promise();
            thread::spawn(move || promise.set(*future_after(Duration::from_millis(1)).get()));
            future.get();
        }
        let last = std::mem::replace(&mut next, promise().0);
        last.set(1);
    })
}

fn future_after(wait: Duration) -> heist::sync::Future<u64> {
    kept(wait)
}

fn main() {
    let pools: Vec<Pool> = (0..4)
        .map(|nth| {
            let pool = Pool::builder().threads(1 + nth % 2);
            // SAFETY: the fibers keep no value that belongs to a thread across their waits.
            unsafe { pool.fibers(Fibers::new()) }.build().unwrap()
        })
        .collect();
    let (promise, relayed) = promise();
    let relay = relay(500, promise);
    let mut running = std::collections::VecDeque::new();
    let mut sum = 0;
    for nth in 0..PROGRAMS {
        if running.len() == WINDOW {
            sum += running.pop_front().map_or(0, finish);
        }
        // The times go from 1 ms to 1.5 s, in mixed order.
        let wait = Duration::from_millis(1 + nth * 7919 % 1500);
        let pool = &pools[nth as usize % pools.len()];
        running.push_back(program(nth, pool, wait));
    }
    sum += running.into_iter().map(finish).sum::<u64>();
    relayed.get();
    relay.join().unwrap();
    // No task of a pool runs, and the main thread waits for a thread outside of pools.
    kept(Duration::from_millis(1200)).get();
    drop(pools);
    println!("{PROGRAMS} programs have ended, with {sum}");
}

fn finish(program: heist::sync::Future<u64>) -> u64 {
    *program.get()
}
