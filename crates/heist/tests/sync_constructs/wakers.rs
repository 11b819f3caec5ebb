//! Checks foreign wakers. The clone, wake and drop functions of these wakers use the very construct at which their tasks wait.

use heist::sync::{Barrier, Mode, Phaser, Semaphore, channel, i_structure, promise};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::time::Duration;

/// A waker that runs a function at each clone, call and drop.
struct Hook {
    calls: AtomicUsize,
    function: Box<dyn Fn() + Send + Sync>,
}

static TABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_hook);

unsafe fn clone(hook: *const ()) -> RawWaker {
    // SAFETY: the waker that is cloned owns a reference, so the count is at least 1.
    unsafe {
        Arc::increment_strong_count(hook.cast::<Hook>());
        wake_by_ref(hook);
    }
    RawWaker::new(hook, &TABLE)
}

unsafe fn wake(hook: *const ()) {
    // SAFETY: the waker owns a reference, which this call consumes after the last use.
    unsafe {
        wake_by_ref(hook);
        drop_hook(hook);
    }
}

unsafe fn wake_by_ref(hook: *const ()) {
    // SAFETY: the waker owns a reference, so the hook exists during this call.
    let hook = unsafe { &*hook.cast::<Hook>() };
    hook.calls.fetch_add(1, Ordering::Relaxed);
    (hook.function)();
}

unsafe fn drop_hook(hook: *const ()) {
    // SAFETY: a waker is dropped once, and this call takes over the reference that the waker owns.
    let hook = unsafe { Arc::from_raw(hook.cast::<Hook>()) };
    (hook.function)();
}

fn hooked(function: impl Fn() + Send + Sync + 'static) -> (Waker, Arc<Hook>) {
    let hook = Arc::new(Hook {
        calls: AtomicUsize::new(0),
        function: Box::new(function),
    });
    let raw = RawWaker::new(Arc::into_raw(Arc::clone(&hook)).cast(), &TABLE);
    // SAFETY: the functions of the table count references as the contract of a waker requires, and any thread may call them.
    (unsafe { Waker::from_raw(raw) }, hook)
}

fn poll_by<F: Future>(waker: &Waker, future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

/// Runs a test on a new thread, and fails if it hangs.
fn in_time(test: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        test();
        done.send(()).unwrap();
    });
    ended
        .recv_timeout(Duration::from_secs(60))
        .expect("the wait hangs or has failed");
}

#[test]
fn a_clone_may_look_at_the_channel() {
    in_time(|| {
        let (sender, receiver) = channel::<u32>(1);
        let (waker, hook) = hooked({
            let (sender, receiver) = (sender.clone(), receiver.clone());
            move || {
                let _ = receiver.try_recv();
                drop(sender.clone());
            }
        });
        let mut wait = pin!(receiver.recv_async());
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        assert!(hook.calls.load(Ordering::Relaxed) > 0);
        // In the second step, the wait is polled with the waker of another task, which replaces the first waker.
        let (other, _hook) = hooked({
            let receiver = receiver.clone();
            move || {
                let _ = receiver.try_recv();
            }
        });
        assert!(poll_by(&other, wait.as_mut()).is_pending());
        sender.try_send(7).unwrap();
        assert_eq!(poll_by(&other, wait.as_mut()), Poll::Ready(Ok(7)));
        // In the third step, a sender waits for room.
        sender.try_send(1).unwrap();
        let (waker, _hook) = hooked({
            let sender = sender.clone();
            move || drop(sender.clone())
        });
        let mut wait = pin!(sender.send_async(2));
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!(poll_by(&waker, wait.as_mut()), Poll::Ready(Ok(())));
        assert_eq!(receiver.try_recv(), Ok(2));
    });
}

#[test]
fn a_clone_may_end_the_wait_that_it_is_for() {
    in_time(|| {
        let (sender, receiver) = channel::<u32>(1);
        let (waker, hook) = hooked(move || {
            let _ = sender.try_send(7);
        });
        let mut wait = pin!(receiver.recv_async());
        assert_eq!(poll_by(&waker, wait.as_mut()), Poll::Ready(Ok(7)));
        assert_eq!(hook.calls.load(Ordering::Relaxed), 1);
    });
    in_time(|| {
        let seats = Arc::new(Semaphore::new(0));
        let (waker, _hook) = hooked({
            let seats = Arc::clone(&seats);
            move || seats.release(1)
        });
        let mut wait = pin!(seats.acquire_async(1));
        let Poll::Ready(permits) = poll_by(&waker, wait.as_mut()) else {
            panic!("the permit was there when the poll ended");
        };
        permits.keep();
        drop(waker);
        // The drop of each of the two wakers has released a permit.
        assert_eq!(seats.available(), 2);
    });
    in_time(|| {
        // The clone of the waker makes the other party arrive.
        let barrier = Arc::new(Barrier::new(2));
        let (waker, hook) = hooked({
            let barrier = Arc::clone(&barrier);
            let arrived = AtomicUsize::new(0);
            move || {
                if arrived.fetch_add(1, Ordering::Relaxed) == 0 {
                    let mut wait = pin!(barrier.wait_async());
                    let first = poll_by(Waker::noop(), wait.as_mut());
                    assert_eq!(first, Poll::Ready(true));
                }
            }
        });
        let mut wait = pin!(barrier.wait_async());
        assert_eq!(poll_by(&waker, wait.as_mut()), Poll::Ready(false));
        assert!(hook.calls.load(Ordering::Relaxed) > 0);
    });
}

#[test]
fn a_clone_may_come_back_to_every_construct() {
    in_time(|| {
        let seats = Arc::new(Semaphore::new(1));
        let (waker, _hook) = hooked({
            let seats = Arc::clone(&seats);
            move || drop(seats.try_acquire(1))
        });
        let mut wait = pin!(seats.acquire_async(2));
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        seats.release(1);
        assert!(poll_by(&waker, wait.as_mut()).is_ready());
    });
    in_time(|| {
        let (promise, future) = promise::<u32>();
        let (waker, _hook) = hooked({
            let future = future.clone();
            move || {
                // The hook queues another waiter.
                assert!(
                    future.is_ready()
                        || poll_by(Waker::noop(), pin!((&future).into_future())).is_pending()
                );
            }
        });
        let mut wait = pin!((&future).into_future());
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        promise.set(7);
        assert_eq!(poll_by(&waker, wait.as_mut()), Poll::Ready(&7));
    });
    in_time(|| {
        let (mut writer, cells) = i_structure::<u32>(2);
        let cells = Arc::new(cells);
        let (waker, _hook) = hooked({
            let cells = Arc::clone(&cells);
            move || {
                let mut wait = pin!(cells.get_async(1));
                assert!(poll_by(Waker::noop(), wait.as_mut()).is_pending());
            }
        });
        let mut wait = pin!(cells.get_async(0));
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        writer.put(0, 7);
        assert_eq!(poll_by(&waker, wait.as_mut()), Poll::Ready(&7));
    });
    in_time(|| {
        let phaser = Phaser::new();
        let mut first = phaser.register(Mode::SignalWait);
        let mut second = phaser.register(Mode::SignalWait);
        let (waker, _hook) = hooked({
            let phaser = phaser.clone();
            move || drop(phaser.register(Mode::Wait))
        });
        let mut wait = pin!(first.next_async());
        assert!(poll_by(&waker, wait.as_mut()).is_pending());
        second.signal();
        assert!(poll_by(&waker, wait.as_mut()).is_ready());
    });
}

#[test]
fn a_clone_that_panics_takes_the_wait_back() {
    in_time(|| {
        let (sender, receiver) = channel::<u32>(1);
        let (waker, _hook) = hooked(|| {
            if !std::thread::panicking() {
                panic!("planted in a clone");
            }
        });
        let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut wait = pin!(receiver.recv_async());
            poll_by(&waker, wait.as_mut()).is_pending()
        }));
        assert!(polled.is_err());
        std::mem::forget(waker);
        // No waiter that would take the value is left.
        sender.try_send(7).unwrap();
        assert_eq!(receiver.try_recv(), Ok(7));
    });
}

#[test]
fn servers_race_with_clones_that_come_back() {
    in_time(|| {
        let rounds = if cfg!(miri) { 20 } else { 20_000 };
        let (sender, receiver) = channel::<u32>(1);
        let server = std::thread::spawn(move || {
            for round in 0..rounds {
                while sender.try_send(round).is_err() {
                    std::thread::yield_now();
                }
            }
        });
        for round in 0..rounds {
            let mut wait = pin!(receiver.recv_async());
            loop {
                let (waker, _hook) = hooked({
                    let receiver = receiver.clone();
                    move || drop(receiver.clone())
                });
                if let Poll::Ready(value) = poll_by(&waker, wait.as_mut()) {
                    assert_eq!(value, Ok(round));
                    break;
                }
                std::thread::yield_now();
            }
        }
        server.join().unwrap();
    });
}
