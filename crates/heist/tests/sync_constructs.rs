//! Tests of semaphores, mutexes, channels, barriers, and isolated sections.

#[path = "sync_constructs/wakers.rs"]
mod wakers;

use heist::sync::{
    Barrier, Isolated, Mutex, RecvError, Semaphore, TryRecvError, TrySendError, channel, isolated,
    isolated_async, isolated_on, isolated_on_async,
};
use heist::{Pool, block_on};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

/// The numbers of workers of the pools.
const WORKERS: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 3, 8] };
/// Divisor of the amount of work, for builds in which each step takes long.
const LESS: usize = if cfg!(miri) { 10 } else { 1 };

/// Polls a future once, with a waker that does nothing.
fn poll<F: std::future::Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn text(result: std::thread::Result<()>) -> String {
    let payload = result.unwrap_err();
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn permits_go_to_the_first_waiter() {
    let gate = Semaphore::new(3);
    let two = gate.acquire(2);
    let mut large = pin!(gate.acquire_async(3));
    assert!(poll(large.as_mut()).is_pending());
    // `try_acquire` does not overtake the waiter.
    assert!(gate.try_acquire(1).is_none());
    let mut small = pin!(gate.acquire_async(1));
    assert!(poll(small.as_mut()).is_pending());
    drop(two);
    let Poll::Ready(large) = poll(large) else {
        panic!("there were enough")
    };
    assert_eq!(large.count(), 3);
    assert!(poll(small.as_mut()).is_pending());
    drop(large);
    assert!(poll(small).is_ready());
    assert_eq!(gate.available(), 3);
}

#[test]
fn a_waiter_that_gives_up_lets_the_next_pass() {
    let gate = Semaphore::new(1);
    let mut large = Box::pin(gate.acquire_async(2));
    assert!(poll(large.as_mut()).is_pending());
    let mut small = pin!(gate.acquire_async(1));
    assert!(poll(small.as_mut()).is_pending());
    // The large request is dropped in the queue, before it is served.
    drop(large);
    let Poll::Ready(one) = poll(small) else {
        panic!("nobody is before it")
    };
    // The next waiter is dropped after it was served.
    let mut next = Box::pin(gate.acquire_async(1));
    assert!(poll(next.as_mut()).is_pending());
    drop(one);
    assert_eq!(gate.available(), 0);
    drop(next);
    assert_eq!(gate.available(), 1);
}

#[test]
fn a_mutex_excludes() {
    for &threads in WORKERS {
        let pool = Pool::new(threads).unwrap();
        let total = Arc::new(Mutex::new(0_u64));
        let tasks: Vec<_> = (0..64 / LESS)
            .map(|i| {
                let total = Arc::clone(&total);
                pool.spawn_async(async move {
                    for _ in 0..100 {
                        let mut held = total.lock_async().await;
                        let before = *held;
                        if i % 8 == 0 {
                            std::thread::yield_now();
                        }
                        *held = before + 1;
                    }
                })
            })
            .collect();
        pool.finish(|f| {
            for _ in 0..16 / LESS {
                let total = &total;
                f.spawn(move |_| {
                    for _ in 0..100 {
                        *total.lock() += 1;
                    }
                });
            }
        });
        tasks.iter().for_each(|task| {
            task.get();
        });
        let sum = (64 / LESS + 16 / LESS) as u64 * 100;
        assert_eq!(*total.lock(), sum);
        assert!(format!("{total:?}").contains(&sum.to_string()));
        let held = total.lock();
        assert!(total.try_lock().is_none() && format!("{total:?}").contains("locked"));
        drop(held);
    }
}

#[test]
fn a_guard_moves_between_threads() {
    let mutex = Mutex::new(1);
    let mut guard = mutex.lock();
    std::thread::scope(|s| {
        s.spawn(move || *guard += 1);
    });
    assert_eq!(*mutex.lock(), 2);
}

#[test]
fn values_come_out_in_order_each_once() {
    for (threads, capacity) in [(1, 1), (2, 1), (2, 3), (8, 100)] {
        let pool = Pool::new(threads).unwrap();
        let (sender, receiver) = channel(capacity);
        let senders: Vec<_> = (0..4_u32)
            .map(|s| {
                let sender = sender.clone();
                pool.spawn_async(async move {
                    for i in 0..(500 / LESS) as u32 {
                        sender.send_async((s, i)).await.unwrap();
                    }
                })
            })
            .collect();
        drop(sender);
        let receivers: Vec<_> = (0..3)
            .map(|_| {
                let receiver = receiver.clone();
                pool.spawn_async(async move {
                    let mut got = Vec::new();
                    while let Ok(value) = receiver.recv_async().await {
                        got.push(value);
                    }
                    got
                })
            })
            .collect();
        drop(receiver);
        senders.iter().for_each(|sender| {
            sender.get();
        });
        let mut all = Vec::new();
        for receiver in &receivers {
            let got = receiver.get();
            for s in 0..4 {
                let of: Vec<_> = got.iter().filter(|v| v.0 == s).map(|v| v.1).collect();
                assert!(of.is_sorted(), "one receiver sees one sender's in order");
            }
            all.extend_from_slice(got);
        }
        all.sort_unstable();
        assert_eq!(all.len(), 4 * (500 / LESS));
        all.dedup();
        assert_eq!(all.len(), 4 * (500 / LESS));
    }
}

#[test]
fn a_full_channel_and_a_closed_one() {
    let (sender, receiver) = channel(1);
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    sender.try_send(1).unwrap();
    assert!(matches!(sender.try_send(2), Err(TrySendError::Full(2))));
    let mut sending = Box::pin(sender.send_async(3));
    assert!(poll(sending.as_mut()).is_pending());
    assert_eq!(receiver.recv(), Ok(1));
    // The free place is promised to the waiting sender.
    assert!(matches!(sender.try_send(4), Err(TrySendError::Full(4))));
    // A sender that is dropped after it was served gives its place back.
    drop(sending);
    sender.try_send(5).unwrap();
    drop(sender);
    assert_eq!(receiver.recv(), Ok(5));
    assert_eq!(receiver.recv(), Err(RecvError));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed));

    let (sender, receiver) = channel(1);
    sender.send(1).unwrap();
    let mut sending = pin!(sender.send_async(2));
    assert!(poll(sending.as_mut()).is_pending());
    drop(receiver);
    let Poll::Ready(Err(refused)) = poll(sending) else {
        panic!("nobody receives any more")
    };
    assert_eq!(refused.0, 2);
    assert_eq!(sender.send(3).unwrap_err().0, 3);
}

#[test]
fn a_value_promised_to_a_receiver_that_gives_up_goes_to_the_next() {
    let (sender, receiver) = channel(4);
    let mut first = Box::pin(receiver.recv_async());
    let mut second = pin!(receiver.recv_async());
    assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
    sender.send(7).unwrap();
    assert!(poll(second.as_mut()).is_pending());
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    drop(first);
    assert_eq!(poll(second), Poll::Ready(Ok(7)));
}

#[test]
fn values_left_in_a_channel_are_dropped() {
    let value = Arc::new(());
    let (sender, receiver) = channel(4);
    sender.send(Arc::clone(&value)).unwrap();
    drop(receiver);
    assert_eq!(Arc::strong_count(&value), 1);
    assert!(sender.send(Arc::clone(&value)).is_err());
    let (sender, receiver) = channel(4);
    sender.send(Arc::clone(&value)).unwrap();
    drop((sender, receiver));
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn all_meet_at_a_barrier_again_and_again() {
    const ROUNDS: u32 = (20 / LESS) as u32;
    for (threads, parties) in [(1, 10), (2, 100 / LESS), (8, 65 / LESS)] {
        let pool = Pool::new(threads).unwrap();
        let barrier = Arc::new(Barrier::new(parties));
        let arrived = Arc::new(AtomicU32::new(0));
        let last = Arc::new(AtomicU32::new(0));
        let tasks: Vec<_> = (0..parties)
            .map(|_| {
                let (barrier, arrived) = (Arc::clone(&barrier), Arc::clone(&arrived));
                let last = Arc::clone(&last);
                pool.spawn_async(async move {
                    for round in 1..=ROUNDS {
                        arrived.fetch_add(1, Ordering::Relaxed);
                        if barrier.wait_async().await {
                            last.fetch_add(1, Ordering::Relaxed);
                        }
                        let seen = arrived.load(Ordering::Relaxed);
                        assert!(seen >= round * parties as u32, "{seen} in round {round}");
                    }
                })
            })
            .collect();
        tasks.iter().for_each(|task| {
            task.get();
        });
        assert_eq!(last.load(Ordering::Relaxed), ROUNDS);
    }
}

#[test]
fn blocking_tasks_meet_at_a_barrier() {
    let pool = Pool::new(2).unwrap();
    let barrier = Barrier::new(50 / LESS);
    pool.finish(|f| {
        for _ in 0..50 / LESS {
            f.spawn(|_| {
                for _ in 0..3 {
                    barrier.wait();
                }
            });
        }
    });
}

#[test]
fn an_arrival_can_be_taken_back() {
    let barrier = Barrier::new(2);
    let mut early = Box::pin(barrier.wait_async());
    assert!(poll(early.as_mut()).is_pending());
    drop(early);
    let mut one = pin!(barrier.wait_async());
    assert!(poll(one.as_mut()).is_pending());
    let mut two = pin!(barrier.wait_async());
    assert_eq!(poll(two.as_mut()), Poll::Ready(true));
    assert_eq!(poll(one.as_mut()), Poll::Ready(false));
    // A waiter that has been served may still be dropped.
    let mut three = Box::pin(barrier.wait_async());
    assert!(poll(three.as_mut()).is_pending());
    assert!(barrier.wait());
    drop(three);
    let mut four = pin!(barrier.wait_async());
    assert!(poll(four.as_mut()).is_pending());
}

struct Plain(Cell<u64>);
// SAFETY: the tests access the value only in isolated sections, which exclude each other.
unsafe impl Sync for Plain {}

#[test]
fn isolated_sections_exclude_each_other() {
    let pool = Pool::new(8).unwrap();
    let plain = Plain(Cell::new(0));
    let plain = &plain;
    pool.finish(|f| {
        for _ in 0..200 / LESS {
            f.spawn(move |_| isolated(|| isolated(|| plain.0.set(plain.0.get() + 1))));
            f.spawn(move |_| block_on(isolated_async(|| plain.0.set(plain.0.get() + 1))));
        }
    });
    assert_eq!(plain.0.get(), 2 * (200 / LESS) as u64);
}

#[test]
fn sections_on_objects_keep_the_sum_and_do_not_deadlock() {
    const N: usize = 7;
    let pool = Pool::new(8).unwrap();
    let accounts: Vec<_> = (0..N).map(|_| Isolated::new(100_i64)).collect();
    let accounts = &accounts;
    pool.finish(|f| {
        for i in 0..400 / LESS {
            let (a, b) = (&accounts[i % N], &accounts[(i * 3 + 1 + i % N) % N]);
            if std::ptr::eq(a, b) {
                continue;
            }
            f.spawn(move |_| {
                isolated_on((a, b), |(a, b)| {
                    *a -= i as i64;
                    std::thread::yield_now();
                    *b += i as i64;
                });
            });
            f.spawn(move |_| {
                let sum = block_on(isolated_on_async(
                    accounts.iter().collect::<Vec<_>>(),
                    |all| all.into_iter().map(|value| *value).sum::<i64>(),
                ));
                assert_eq!(sum, 100 * N as i64);
            });
        }
    });
}

#[test]
fn sections_refuse_calls_that_could_deadlock() {
    let (a, b) = (Isolated::new(1), Isolated::new(2));
    let refuse = |work: &dyn Fn()| text(catch_unwind(AssertUnwindSafe(work)));
    let twice = refuse(&|| isolated_on((&a, &b, &a), |_| ()));
    assert!(twice.contains("same object twice"), "{twice}");
    let nested = refuse(&|| isolated_on(&a, |_| isolated_on(&b, |_| ())));
    assert!(nested.contains("name all objects at once"), "{nested}");
    let world = refuse(&|| isolated_on(&a, |_| isolated(|| ())));
    assert!(world.contains("cannot begin inside"), "{world}");
    let gate = Semaphore::new(0);
    let waits = refuse(&|| {
        isolated(|| drop(gate.acquire(1)));
    });
    assert!(
        waits.contains("nothing may wait") && waits.contains("Semaphore made at"),
        "{waits}"
    );
    let (open, held) = std::sync::mpsc::channel::<()>();
    let task = std::cell::Cell::new(Some(heist::spawn(move || held.recv())));
    let waits = refuse(&|| {
        isolated(|| drop(task.take().map(heist::JoinHandle::join)));
    });
    assert!(
        waits.contains("nothing may wait") && waits.contains("the task of a JoinHandle"),
        "{waits}"
    );
    open.send(()).unwrap();
    // Isolated sections still work.
    isolated_on((&b, &a), |(b, a)| assert_eq!((*b, *a), (2, 1)));
    isolated(|| ());
}

struct Bang;

impl std::task::Wake for Bang {
    fn wake(self: Arc<Self>) {
        panic!("planted in a waker");
    }
}

#[test]
fn a_waker_that_panics_wakes_the_others() {
    let gate = Semaphore::new(0);
    let pool = Pool::new(1).unwrap();
    let gate = Arc::new(gate);
    let bang = Waker::from(Arc::new(Bang));
    let mut first = Box::pin(gate.acquire_async(1));
    assert!(
        first
            .as_mut()
            .poll(&mut Context::from_waker(&bang))
            .is_pending()
    );
    let others: Vec<_> = (0..100)
        .map(|_| {
            let gate = Arc::clone(&gate);
            pool.spawn_async(async move { gate.acquire_async(1).await.keep() })
        })
        .collect();
    while pool.counters().suspensions < 100 {
        std::thread::yield_now();
    }
    gate.release(101);
    others.iter().for_each(|other| {
        other.get();
    });
    // A task still ends after one of its waiters was dropped.
    let task = pool.spawn_async(async move { 5 });
    let wait = Box::pin(std::future::IntoFuture::into_future(&task));
    drop(wait);
    assert_eq!(*task.get(), 5);
}

#[test]
fn permits_do_not_overflow() {
    let gate = Semaphore::new(usize::MAX);
    let refused = text(catch_unwind(AssertUnwindSafe(|| gate.release(1))));
    assert!(refused.contains("usize::MAX"), "{refused}");
    assert_eq!(gate.available(), usize::MAX);
}

/// One party repeatedly arrives and drops its wait. Another party waits each time.
#[test]
fn arrivals_that_are_taken_back_leave_the_barrier_whole() {
    const MEETINGS: u32 = if cfg!(miri) { 5 } else { 2000 };
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            for _ in 0..MEETINGS {
                barrier.wait();
            }
        });
        while !other.is_finished() {
            let mut early = pin!(barrier.wait_async());
            let _ = poll(early.as_mut()).is_ready() || poll(early.as_mut()).is_ready();
        }
    });
    // No other party waits any more.
    let mut one = pin!(barrier.wait_async());
    assert!(poll(one.as_mut()).is_pending());
    assert!(barrier.wait());
    assert!(poll(one.as_mut()).is_ready());
}

#[test]
fn a_lock_in_a_destructor_of_a_thread() {
    struct Late;
    static LOCK: Mutex<u32> = Mutex::new(0);
    impl Drop for Late {
        fn drop(&mut self) {
            *LOCK.lock() += 1;
        }
    }
    thread_local! {
        static LATE: Late = const { Late };
    }
    let thread = std::thread::spawn(|| {
        LATE.with(|_| ());
        *LOCK.lock() += 1;
    });
    thread.join().unwrap();
    assert_eq!(*LOCK.lock(), 2);
}
