//! Checks waits inside of a cancelled scope.

use crate::{Census, until};
use heist::sync::{Mutex, promise};
use heist::{CancelToken, Cancelled, Pool};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Calls `wait` in a scope whose token another thread cancels. Only this cancellation can end the wait.
fn ends(wait: impl Fn() + Sync) {
    for threads in [1, 2] {
        let pool = Pool::new(threads).unwrap();
        for round in 0..if cfg!(miri) { 2 } else { 20 } {
            let census = Census::default();
            let begun = AtomicBool::new(false);
            let token = CancelToken::new();
            thread::scope(|scope| {
                scope.spawn(|| {
                    until("the beginning", || begun.load(Ordering::Acquire));
                    if round % 2 == 0 {
                        thread::sleep(Duration::from_millis(1));
                    }
                    token.cancel_and_wait();
                    assert_eq!(census.alive(), 0);
                });
                let result = pool.install(|| {
                    token.run(|| {
                        let _value = census.counted();
                        begun.store(true, Ordering::Release);
                        wait();
                    })
                });
                assert_eq!(result, Err(Cancelled));
            });
        }
    }
}

#[test]
fn a_value_that_never_comes() {
    let (never, value) = promise::<u32>();
    ends(|| {
        value.get();
    });
    ends(|| {
        heist::join(|| value.get(), || value.get());
    });
    never.set(1);
    assert_eq!(*value.get(), 1);
}

#[test]
fn a_lock_that_is_held() {
    let lock = Mutex::new(0);
    let guard = lock.lock();
    ends(|| *lock.lock() += 1);
    drop(guard);
    // A waiter that was stopped does not have the lock.
    assert_eq!(*lock.lock(), 0);
}

#[test]
fn a_channel_without_values() {
    let (sender, receiver) = heist::sync::channel::<u32>(1);
    ends(|| {
        let _ = receiver.recv();
    });
    sender.send(5).unwrap();
    assert_eq!(receiver.recv(), Ok(5));
}

#[test]
fn a_future_of_the_users() {
    ends(|| heist::block_on(std::future::pending()));
}

/// A wait that ends when the scope is cancelled either returns its value or leaves the value where it is.
#[test]
fn a_value_is_not_lost() {
    let pool = Pool::new(2).unwrap();
    for _ in 0..if cfg!(miri) { 2 } else { 300 } {
        let (sender, receiver) = heist::sync::channel::<u32>(1);
        let token = CancelToken::new();
        let got = thread::scope(|scope| {
            scope.spawn(|| sender.send(1).unwrap());
            scope.spawn(|| token.cancel());
            pool.install(|| token.run(|| receiver.recv()))
        });
        let left = match got {
            Ok(value) => value,
            Err(Cancelled) => receiver.recv(),
        };
        assert_eq!(left, Ok(1));
    }
}
