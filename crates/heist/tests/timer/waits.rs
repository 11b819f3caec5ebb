//! Checks waits of `heist::sync` that end at a time limit.

use heist::sync::{Mutex, RecvTimeoutError, Semaphore, SendTimeoutError, channel, future, promise};
use heist::{Elapsed, Pool};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const MILLI: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(60);

/// Calls all kinds of waits with a time limit.
fn give_up() {
    let (set, answer) = promise::<u32>();
    assert_eq!(answer.get_timeout(MILLI), Err(Elapsed));
    set.set(1);
    assert_eq!(answer.get_timeout(Duration::ZERO), Ok(&1));
    let mutex = Mutex::new(1);
    let guard = mutex.lock();
    assert!(mutex.lock_timeout(MILLI).is_err());
    drop(guard);
    assert_eq!(*mutex.lock_timeout(MILLI).unwrap(), 1);
    let (send, recv) = channel::<Box<u32>>(1);
    assert_eq!(recv.recv_timeout(MILLI), Err(RecvTimeoutError::Timeout));
    assert_eq!(send.send_timeout(Box::new(1), MILLI), Ok(()));
    let late = send.send_timeout(Box::new(2), MILLI);
    assert_eq!(late, Err(SendTimeoutError::Timeout(Box::new(2))));
    assert_eq!(recv.recv_timeout(MILLI), Ok(Box::new(1)));
    drop(send);
    assert_eq!(recv.recv_timeout(LONG), Err(RecvTimeoutError::Closed));
    let (send, recv) = channel(1);
    drop(recv);
    assert_eq!(send.send_timeout(3, LONG), Err(SendTimeoutError::Closed(3)));
}

#[test]
fn workers_and_other_threads_give_up() {
    give_up();
    let pool = Pool::new(1).unwrap();
    pool.install(give_up);
}

#[test]
fn a_fiber_gives_up() {
    // SAFETY: the fiber keeps no reference to a thread-local value across its waits.
    let builder = unsafe { Pool::builder().threads(1).fibers(heist::Fibers::new()) };
    builder.build().unwrap().spawn_fiber(give_up).get();
}

#[test]
fn a_result_that_comes_in_time_ends_the_wait() {
    let (set, answer) = promise();
    let (send, recv) = channel(1);
    let seats = Semaphore::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(5 * MILLI);
            set.set(1);
            send.send(2).unwrap();
            seats.release(3);
        });
        assert_eq!(answer.get_timeout(LONG), Ok(&1));
        assert_eq!(recv.recv_timeout(LONG), Ok(2));
        assert_eq!(seats.acquire_timeout(3, LONG).unwrap().count(), 3);
    });
}

#[test]
fn a_waiter_that_gives_up_leaves_the_queue_to_others() {
    let seats = Semaphore::new(1);
    thread::scope(|scope| {
        // This waiter requests more permits than exist. It is in the queue before a waiter that requests fewer.
        let greedy = scope.spawn(|| seats.acquire_timeout(2, 50 * MILLI).is_err());
        thread::sleep(10 * MILLI);
        assert!(seats.acquire_timeout(1, LONG).is_ok());
        assert!(greedy.join().unwrap());
    });
    assert_eq!(seats.available(), 1);
}

#[test]
fn tasks_that_run_on() {
    let pool = Pool::new(1).unwrap();
    pool.install(|| {
        let (set, go) = promise::<u32>();
        let task = future(move || *go.get() + 1);
        assert_eq!(task.get_timeout(MILLI), Err(Elapsed));
        set.set(1);
        assert_eq!(task.get_timeout(LONG), Ok(&2));
    });
}

/// No permit or value is lost if it arrives when its waiter gives up.
#[test]
fn nothing_is_lost_at_the_last_moment() {
    let seats = Semaphore::new(2);
    let (send, recv) = channel::<usize>(2);
    let (sent, got) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for id in 0..3_u32 {
            let (seats, sent, got, send, recv) = (&seats, &sent, &got, send.clone(), recv.clone());
            scope.spawn(move || {
                for round in 0..2000_u32 {
                    let limit = Duration::from_micros(u64::from(round * (id + 7) % 120));
                    if seats.acquire_timeout(1 + round as usize % 2, limit).is_ok() {
                        thread::yield_now();
                    }
                    if id == 0 {
                        if recv.recv_timeout(limit).is_ok() {
                            got.fetch_add(1, Ordering::Relaxed);
                        }
                    } else if send.send_timeout(1, limit).is_ok() {
                        sent.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    drop(send);
    let left = recv.iter().count();
    assert_eq!(sent.into_inner(), got.into_inner() + left);
    assert_eq!(seats.available(), 2);
}

/// No permit or value is lost if waits are dropped as soon as they are queued, while another thread sends and receives.
#[test]
fn nothing_is_lost_between_the_queue_and_the_way_out() {
    let seats = Semaphore::new(1);
    let (send, recv) = channel::<usize>(1);
    let over = AtomicUsize::new(0);
    let (sent, got) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while over.load(Ordering::Relaxed) == 0 {
                drop(seats.try_acquire(1));
                sent.fetch_add(usize::from(send.try_send(1).is_ok()), Ordering::Relaxed);
            }
        });
        for _ in 0..100_000 {
            drop(seats.acquire_timeout(1, Duration::ZERO));
            got.fetch_add(
                usize::from(recv.recv_timeout(Duration::ZERO).is_ok()),
                Ordering::Relaxed,
            );
        }
        over.store(1, Ordering::Relaxed);
    });
    got.fetch_add(usize::from(recv.try_recv().is_ok()), Ordering::Relaxed);
    assert_eq!(seats.available(), 1);
    assert_eq!(sent.into_inner(), got.into_inner());
}
