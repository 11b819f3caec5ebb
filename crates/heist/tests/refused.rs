//! Checks thread starts that fail. Work that needs a refused thread runs as soon as a thread can be started.

use heist::sync::{channel, promise};
use heist::{Pool, ThreadStart};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The error number `EAGAIN`: too many threads or processes exist.
const TOO_MANY: i32 = 11;

/// The ways in which a spawn handler refuses to start a thread.
#[derive(Clone, Copy, Debug)]
enum Way {
    Error,
    Drop,
    Panic,
    /// Another thread later drops the start object.
    DropElsewhere,
}

const WAYS: [Way; 4] = [Way::Error, Way::Drop, Way::Panic, Way::DropElsewhere];

impl Way {
    fn refuse(self, start: ThreadStart) -> io::Result<()> {
        match self {
            Way::Error => Err(io::Error::from_raw_os_error(TOO_MANY)),
            Way::Drop => Ok(()),
            Way::Panic => panic!("refused (this is part of the test)"),
            Way::DropElsewhere => {
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(1));
                    drop(start);
                });
                Ok(())
            }
        }
    }
}

/// A pool whose spare threads are refused while `refuse` is set.
struct Refusing {
    pool: Pool,
    refuse: Arc<AtomicBool>,
    attempts: Arc<AtomicUsize>,
}

fn refusing(threads: usize, way: Way) -> Refusing {
    let refuse = Arc::new(AtomicBool::new(true));
    let attempts = Arc::new(AtomicUsize::new(0));
    let (refuses, attempt) = (refuse.clone(), attempts.clone());
    let pool = Pool::builder()
        .threads(threads)
        .spawn_handler(move |start| {
            if start.index() >= threads {
                attempt.fetch_add(1, Ordering::SeqCst);
                if refuses.load(Ordering::SeqCst) {
                    return way.refuse(start);
                }
            }
            thread::Builder::new().spawn(|| start.run()).map(drop)
        });
    Refusing {
        pool: pool.build().unwrap(),
        refuse,
        attempts,
    }
}

impl Refusing {
    fn attempts(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }

    fn await_attempts(&self, count: usize) {
        let since = Instant::now();
        while self.attempts() < count {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "{} attempts",
                self.attempts()
            );
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn allow(&self) {
        self.refuse.store(false, Ordering::SeqCst);
    }
}

/// Checks that a queued task runs although all workers wait for its messages: as soon as threads can be started again, the pool starts a
/// spare thread for the task. No other event makes the pool start a thread. `send` and `receive` are the ends of a channel.
fn runs_the_sender<S, R>(way: Way, threads: usize, send: S, receive: R)
where
    S: Fn(usize) + Send + 'static,
    R: Fn() -> usize + Clone + Send + 'static,
{
    let all = refusing(threads, way);
    let waiters: Vec<_> = (0..threads)
        .map(|_| all.pool.spawn(receive.clone()))
        .collect();
    let sender = all.pool.spawn(move || (0..threads).for_each(send));
    all.await_attempts(3);
    assert!(!sender.is_finished(), "{way:?}");
    all.allow();
    let mut got: Vec<_> = waiters
        .into_iter()
        .map(|task| task.join().unwrap())
        .collect();
    got.sort_unstable();
    assert_eq!(got, (0..threads).collect::<Vec<_>>(), "{way:?}");
    sender.join().unwrap();
    // After that, the pool works as before.
    assert_eq!(all.pool.install(|| heist::join(|| 1, || 2)), (1, 2));
}

#[test]
fn a_task_runs_when_a_thread_can_be_had() {
    for way in WAYS {
        for threads in [1, 2, 8] {
            let (sender, receiver) = channel(1);
            let send = move |i| sender.send(i).unwrap();
            runs_the_sender(way, threads, send, move || receiver.recv().unwrap());
        }
    }
}

/// All workers wait for the operating system, so no worker can retry the start of a thread.
#[test]
fn a_task_runs_although_all_workers_are_in_system_calls() {
    for way in WAYS {
        for threads in [1, 2, 8] {
            let (sender, receiver) = mpsc::channel();
            let send = move |i| sender.send(i).unwrap();
            let receiver = Arc::new(Mutex::new(receiver));
            let receive = move || heist::blocking(|| receiver.lock().unwrap().recv().unwrap());
            runs_the_sender(way, threads, send, receive);
        }
    }
}

/// The pool retries the start of a thread after pauses of 1 to 64 ms, and after that every 100 ms. New work makes the pool retry
/// immediately.
#[test]
fn attempts_are_rare_until_work_comes() {
    let all = refusing(1, Way::Error);
    let (kept, comes) = promise();
    let waiter = all.pool.spawn(move || *comes.get());
    let queued = all.pool.spawn(|| 1);
    all.await_attempts(8);
    let (before, since) = (all.attempts(), Instant::now());
    thread::sleep(Duration::from_millis(500));
    let most = 2 + since.elapsed().as_millis() as usize / 50;
    let during = all.attempts() - before;
    assert!(
        (1..=most).contains(&during),
        "{during} attempts, not up to {most}"
    );
    // With a steady stream of work, the pool tries more often than every 100 ms.
    let mut tasks = Vec::new();
    let mut twenty = || {
        let (before, since) = (all.attempts(), Instant::now());
        while all.attempts() < before + 20 {
            tasks.push(all.pool.spawn(|| 2));
            thread::sleep(Duration::from_millis(2));
            assert!(since.elapsed() < Duration::from_secs(20));
        }
        since.elapsed()
    };
    // Without new work, twenty attempts would take two seconds. On a busy machine some rounds are slow, so the test needs only one
    // fast round.
    let mut times = vec![twenty()];
    while times.last() >= Some(&Duration::from_millis(1900)) {
        assert!(times.len() < 5, "{times:?}");
        times.push(twenty());
    }
    all.allow();
    assert_eq!(queued.join().unwrap(), 1);
    assert_eq!(
        tasks.iter().map(|_| 2).sum::<usize>(),
        tasks.into_iter().map(|task| task.join().unwrap()).sum()
    );
    kept.set(3);
    assert_eq!(waiter.join().unwrap(), 3);
}

/// The waiter that retries the start of a thread on behalf of the pool comes to the end of its wait, and keeps its thread busy. Another
/// waiter must take over the retries.
#[test]
fn the_duty_to_try_again_is_handed_on() {
    for threads in [2, 8] {
        let all = refusing(threads, Way::Error);
        let mut promises = Vec::new();
        let (mut waiters, mut holds) = (Vec::new(), Vec::new());
        let (goes_on, gone_on) = mpsc::channel();
        for i in 0..threads {
            let (kept, comes) = promise::<usize>();
            let (hold, held) = mpsc::channel::<()>();
            let goes_on = goes_on.clone();
            promises.push(kept);
            holds.push(hold);
            waiters.push(all.pool.spawn(move || {
                // The waiter forks, so that its deque has a frame.
                let both = heist::join(|| *comes.get(), || i);
                goes_on.send(()).unwrap();
                held.recv().unwrap();
                both
            }));
        }
        let queued = all.pool.spawn(|| 7);
        all.await_attempts(2);
        let last = promises.pop().unwrap();
        for (i, kept) in promises.into_iter().enumerate() {
            kept.set(10 * i);
            gone_on.recv().unwrap();
        }
        // One waiter still waits, and all other waiters have continued and are busy.
        all.await_attempts(all.attempts() + 2);
        assert!(!queued.is_finished());
        all.allow();
        assert_eq!(queued.join().unwrap(), 7);
        last.set(10 * (threads - 1));
        gone_on.recv().unwrap();
        for hold in holds {
            hold.send(()).unwrap();
        }
        for (i, waiter) in waiters.into_iter().enumerate() {
            assert_eq!(waiter.join().unwrap(), (10 * i, i));
        }
    }
}

/// A broadcast also runs on slots whose threads could not be started yet. The broadcast's part for such a slot is in the mailbox of the
/// slot, not in the injector.
#[test]
fn a_broadcast_comes_to_slots_whose_threads_were_refused() {
    let all = refusing(2, Way::Error);
    let (kept, comes) = promise::<usize>();
    let (waits, comes_too) = (comes.clone(), comes);
    let waiters = [
        all.pool.spawn(move || *waits.get()),
        all.pool.spawn(move || *comes_too.get()),
    ];
    let queued = all.pool.spawn(|| 5);
    all.await_attempts(2);
    thread::scope(|scope| {
        let parts = scope.spawn(|| all.pool.broadcast(|index| index));
        thread::sleep(Duration::from_millis(20));
        assert!(!parts.is_finished());
        all.allow();
        assert_eq!(parts.join().unwrap(), [0, 1]);
    });
    assert_eq!(queued.join().unwrap(), 5);
    kept.set(6);
    for waiter in waiters {
        assert_eq!(waiter.join().unwrap(), 6);
    }
}

/// A pool that is dropped while its threads are refused runs its queued jobs before it ends.
#[test]
fn a_closing_pool_waits_for_the_thread() {
    let all = refusing(1, Way::Error);
    let (kept, comes) = promise();
    let waiter = all.pool.spawn(move || *comes.get());
    let sender = all.pool.spawn(move || kept.set(4));
    all.await_attempts(2);
    let refuse = all.refuse.clone();
    let allows = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        refuse.store(false, Ordering::SeqCst);
    });
    drop(all.pool);
    allows.join().unwrap();
    assert_eq!(waiter.join().unwrap(), 4);
    sender.join().unwrap();
}
