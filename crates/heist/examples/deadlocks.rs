//! Programs that deadlock, to show the reports. The argument names the program: `cargo run -p heist --example deadlocks
//! -- barrier`. Without a name, this example lists the names.
//!
//! Each program prints to stdout the texts that its report must contain, and prints `stuck` just before it deadlocks.

use heist::sync::event::Event;
use heist::sync::{
    Barrier, Future, Mode, Mutex, Phaser, Rendezvous, Semaphore, channel, promise, spawn_when,
};
use heist::{Fibers, Pool, spawn_async};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Evaluates an expression, and prints that the report must contain the place of this macro call.
macro_rules! told {
    ($text:literal, $value:expr) => {{
        println!("expect {} {}:{}:", $text, file!(), line!());
        $value
    }};
}

/// Prints `stuck`: from now on, or within a few instructions, no thread of the program can continue.
fn stuck() {
    println!("stuck");
}

const ALL: &[(&str, fn())] = &[
    ("futures", futures),
    ("barrier", barrier),
    ("thread", thread),
    ("phaser", phaser),
    ("semaphore", semaphore),
    ("mutex", mutex),
    ("send", send),
    ("receive", receive),
    ("choice", choice),
    ("data-driven", data_driven),
    ("fibers", || fibers(Fibers::new())),
    ("pinned", || fibers(Fibers::new().pinned())),
    ("fiber-scope", fiber_scope),
    ("fiber-handle", fiber_handle),
    ("fiber-installs", fiber_installs),
    ("closures", closures),
    ("capped", capped),
    ("handles", handles),
    ("foreign", foreign),
    ("installs", installs),
    ("closing", closing),
    ("handler", handler),
    ("twice", twice),
    ("crowd", crowd),
    ("exhausted", exhausted),
    ("refused", refused),
    #[cfg(unix)]
    ("late", late),
    ("adopted", adopted),
];

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    match ALL.iter().find(|(other, _)| *other == name) {
        Some((_, program)) => program(),
        None => {
            for (name, _) in ALL {
                println!("{name}");
            }
        }
    }
}

/// Starts two tasks that wait for each other's value.
fn futures() {
    static OTHER: OnceLock<Future<u32>> = OnceLock::new();
    let (start, started) = promise();
    let work = async move {
        (&started).await;
        let other = OTHER.get().unwrap();
        *told!("waiting at", other.into_future()).await
    };
    let one = told!("Future made at", spawn_async(work));
    let first = one.clone();
    let work = async move { *told!("waiting at", (&first).into_future()).await };
    let two = told!("Future made at", spawn_async(work));
    assert!(OTHER.set(two).is_ok());
    start.set(());
    stuck();
    one.get();
}

/// Makes two parties arrive at a barrier for three.
fn barrier() {
    let barrier = Arc::new(told!("Barrier made at", Barrier::new(3)));
    let party = |barrier: Arc<Barrier>| async move {
        barrier.wait_async().await;
    };
    let one = told!("async task spawned at", spawn_async(party(barrier.clone())));
    let _two = spawn_async(party(barrier));
    stuck();
    one.get();
}

/// Makes only this thread arrive at a barrier for two. No other thread can end the wait.
fn thread() {
    let barrier = told!("Barrier made at", Barrier::new(2));
    spawn_async(async {}).get(); // a pool, so that a thread looks
    stuck();
    told!("waiting at", barrier.wait());
}

/// Makes a phase wait for a party, and this party wait for the task of another party.
fn phaser() {
    let phaser = told!("Phaser made at", Phaser::new());
    let mut consumer = phaser.register(Mode::SignalWait);
    let mut producer = phaser.register(Mode::Signal);
    let work = async move {
        told!("waiting at", consumer.next_async()).await;
    };
    let one = told!("Future made at", spawn_async(work));
    let first = one.clone();
    let two = spawn_async(async move {
        told!("waiting at", (&first).into_future()).await;
        producer.signal();
    });
    stuck();
    two.get();
}

/// Waits for a permit of a semaphore; no task ever gives a permit back.
fn semaphore() {
    let semaphore = told!("Semaphore made at", Semaphore::new(1));
    let task = spawn_async(async move {
        semaphore.acquire_async(1).await.keep();
        stuck();
        told!("waiting at", semaphore.acquire_async(1)).await.keep();
    });
    task.get();
}

/// Locks a mutex that this code already holds.
fn mutex() {
    let mutex = told!("Mutex made at", Mutex::new(7));
    let task = spawn_async(async move {
        let first = mutex.lock_async().await;
        stuck();
        let second = told!("waiting at", mutex.lock_async()).await;
        *first + *second
    });
    task.get();
}

/// Sends to a full channel. The channel's receiver exists, but never receives.
fn send() {
    let (sender, receiver) = told!("channel (to send) made at", channel(1));
    let task = spawn_async(async move {
        sender.send_async(1).await.unwrap();
        stuck();
        told!("waiting at", sender.send_async(2)).await.unwrap();
    });
    task.get();
    drop(receiver);
}

/// Makes a receiver wait for a message that only the receiver could send.
fn receive() {
    let (sender, receiver) = told!("channel (to receive) made at", channel::<u32>(1));
    let task = spawn_async(async move {
        stuck();
        let received = told!("waiting at", receiver.recv_async()).await;
        drop(sender);
        received.ok()
    });
    task.get();
}

/// Waits for one of two channels to which no task sends.
fn choice() {
    let (left, right) = (
        told!("one of several events made at", Rendezvous::<u32>::new()),
        Rendezvous::<u32>::new(),
    );
    let task = spawn_async(async move {
        stuck();
        let either = left.recv_event().or(right.recv_event());
        told!("waiting at", either.sync_async()).await
    });
    task.get();
}

/// Starts two data-driven tasks. Each task needs a promise that only the other task would set.
fn data_driven() {
    let (one, first) = told!("Future made at", promise());
    let (two, second) = told!("Future made at", promise());
    let work = move |n: &u32| two.set(*n);
    let a = told!("task spawned at", spawn_when(&first, work));
    let _b = spawn_when(&second, move |n: &u32| one.set(*n));
    stuck();
    a.get();
}

/// Starts a ring of fibers. Each fiber waits for the fiber before it.
fn fibers(kind: Fibers) {
    // SAFETY: the fibers keep no value that belongs to a thread across their waits, and enter no scope of a thread.
    let pool = unsafe { Pool::builder().threads(2).fibers(kind) };
    let pool = pool.build().unwrap();
    let (mut keep, mut futures) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let (kept, future) = promise::<u32>();
        keep.push(kept);
        futures.push(future);
    }
    futures.rotate_right(1);
    let ring: Vec<_> = keep
        .into_iter()
        .zip(futures)
        .enumerate()
        .map(|(nth, (kept, before))| {
            pool.spawn_named_fiber(&format!("ring-{nth}"), move || {
                kept.set(*before.get() + 1);
            })
        })
        .collect();
    println!("expect 5 fibers \"ring-");
    stuck();
    ring[0].get();
}

/// Makes a fiber wait at the end of a scope for a task. The task waits for an action that the fiber would do after the
/// scope.
fn fiber_scope() {
    // SAFETY: the fiber keeps no value that belongs to a thread across its waits.
    let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) };
    let pool = pool.build().unwrap();
    let (kept, future) = told!("Future made at", promise::<u32>());
    let fiber = pool.spawn_named_fiber("opener", move || {
        heist::finish(|scope| {
            scope.spawn_async(async {
                told!("waiting at", (&future).into_future()).await;
            });
        });
        kept.set(1);
    });
    println!("expect the tasks of a finish");
    println!("expect 1 fiber \"opener\"");
    stuck();
    fiber.get();
}

/// Makes a fiber and a task wait for each other. After the report has ended the task's wait, the task waits for the
/// fiber again.
fn fiber_handle() {
    // SAFETY: the fiber keeps no value that belongs to a thread across its waits.
    let pool = unsafe { Pool::builder().threads(2).fibers(Fibers::new()) };
    let pool = pool.build().unwrap();
    let (_never, first) = promise::<()>();
    let (kept, second) = promise::<()>();
    let fiber = pool.spawn_named_fiber("joiner", move || {
        let task = heist::spawn(move || {
            assert!(catch_unwind(|| *first.get()).is_err());
            second.get();
        });
        let payload = catch_unwind(AssertUnwindSafe(|| task.join())).unwrap_err();
        println!("told {}", payload.downcast::<String>().unwrap());
        kept.set(());
    });
    println!("expect the task of a JoinHandle");
    println!("expect 1 fiber \"joiner\"");
    stuck();
    // The report may have ended the wait of this thread before the fiber's wait.
    let _ = catch_unwind(|| *fiber.get());
    fiber.get();
}

/// Deadlocks like [`installs`], but one waiter is a fiber at the end of a scope. The report cannot end the fiber's wait.
fn fiber_installs() {
    let pool = || Pool::builder().threads(1).spare_threads(0);
    // SAFETY: the fiber keeps no value that belongs to a thread across its waits.
    let a = unsafe { pool().fibers(Fibers::new()) }.build().unwrap();
    let b = pool().build().unwrap();
    println!("expect 1 fiber spawned at");
    println!("expect none of these waits can be ended");
    let (a, b) = (&a, &b);
    a.finish_in_place(|scope| {
        scope.spawn_fiber(move || {
            a.finish(|scope| {
                scope.spawn(move |_| {
                    b.install(|| {
                        stuck();
                        a.install(|| ());
                    });
                });
            });
        });
    });
}

/// Starts closures that wait for each other. Each closure occupies a thread, and the main thread waits for
/// the end of their scope.
fn closures() {
    let (one, first) = told!("Future made at", promise::<u32>());
    let (two, second) = told!("Future made at", promise::<u32>());
    println!("expect 1 closure on a worker");
    println!("expect a closure given to a pool");
    heist::finish(|scope| {
        scope.spawn(move |_| two.set(*told!("waiting at", first.get())));
        scope.spawn(move |_| one.set(*told!("waiting at", second.get())));
        stuck();
    });
}

/// Makes a task wait for the task behind it in the queue, on a pool that may not start another
/// thread.
fn capped() {
    let pool = Pool::builder().threads(1).spare_threads(0).build().unwrap();
    let task = pool.future(|| {
        let (inner, value) = told!("Future made at", promise());
        heist::spawn_detached(move || inner.set(1));
        stuck();
        *told!("waiting at", value.get())
    });
    task.get();
}

/// Starts two detached tasks that join each other.
fn handles() {
    let (send_one, receive_one) = std::sync::mpsc::channel();
    let (send_two, receive_two) = std::sync::mpsc::channel();
    let pool = Pool::new(2).unwrap();
    let wait = |handles: std::sync::mpsc::Receiver<heist::JoinHandle<()>>| {
        move || {
            let other = handles.recv().unwrap();
            other.join().unwrap();
        }
    };
    let one = pool.spawn(wait(receive_one));
    let two = pool.spawn(wait(receive_two));
    send_one.send(two).unwrap();
    send_two.send(one).unwrap();
    println!("expect the task of a JoinHandle");
    println!("expect the end of a pool");
    stuck();
}

/// Makes a task wait for a future that does not belong to Heist.
fn foreign() {
    let task = spawn_async(async {
        stuck();
        std::future::pending::<()>().await;
    });
    println!("expect a future from outside of Heist");
    task.get();
}

/// Makes two pools of one thread wait for each other. The report cannot end any of these waits.
fn installs() {
    let pool = || Pool::builder().threads(1).spare_threads(0).build().unwrap();
    let (a, b) = (pool(), pool());
    println!("expect 2 closures on workers");
    println!("expect none of these waits can be ended");
    a.install(|| {
        b.install(|| {
            stuck();
            a.install(|| ());
        });
    });
}

/// Drops a pool while one of its tasks still waits.
fn closing() {
    let (kept, never) = told!("Future made at", promise::<u32>());
    let pool = Pool::new(2).unwrap();
    let task = pool.spawn_async(async move { *(&never).await });
    println!("expect the end of a pool");
    stuck();
    drop(pool);
    drop(kept);
    task.get();
}

/// Passes the report to a handler; the program continues.
fn handler() {
    let pool = Pool::builder().threads(2).deadlock_handler(|report| {
        let what: Vec<_> = report.stuck().iter().map(|stuck| stuck.what()).collect();
        println!("handled {} {what:?}", report.waiting());
    });
    let pool = pool.build().unwrap();
    let barrier = Arc::new(Barrier::new(2));
    let task = pool.spawn_async({
        let barrier = barrier.clone();
        async move { barrier.wait_async().await }
    });
    stuck();
    let outcome = catch_unwind(|| *task.get());
    println!("went on {}", outcome.is_err());
}

/// Deadlocks twice.
fn twice() {
    let first = catch_unwind(barrier);
    println!("went on {}", first.is_err());
    semaphore();
}

/// Makes a million tasks wait at one barrier.
fn crowd() {
    let parties = 1_000_000;
    let barrier = Arc::new(told!("Barrier made at", Barrier::new(parties + 1)));
    let tasks: Vec<_> = (0..parties)
        .map(|_| {
            let barrier = barrier.clone();
            spawn_async(async move { barrier.wait_async().await })
        })
        .collect();
    println!("expect 1000000 async tasks");
    stuck();
    tasks[0].get();
}

/// Uses up a pool's spare threads. The pool prints why these threads wait; later a thread outside of the
/// pool ends the waits.
fn exhausted() {
    let pool = Pool::builder().threads(1).spare_threads(3).name("x");
    let pool = Arc::new(pool.build().unwrap());
    let (kept, future) = promise::<()>();
    let barrier = Arc::new(Barrier::new(2));
    println!("expect all 3 spare threads of the pool \"x\" wait (3 for Future made at");
    println!("expect 1 for Barrier made at");
    let helper = std::thread::spawn({
        let (pool, barrier) = (pool.clone(), barrier.clone());
        move || {
            std::thread::sleep(Duration::from_secs(1));
            // The pool has no thread for this task any more.
            pool.spawn_detached(|| ());
            std::thread::sleep(Duration::from_secs(1));
            kept.set(());
            barrier.wait();
        }
    });
    pool.finish(|scope| {
        for _ in 0..3 {
            scope.spawn(|_| *future.get());
        }
        scope.spawn(|_| {
            barrier.wait();
        });
    });
    helper.join().unwrap();
}

/// Makes both workers wait for a queued task. For a second, no thread can be started to run the task. This program is
/// not deadlocked.
fn refused() {
    let attempts = std::sync::atomic::AtomicU32::new(0);
    let pool = Pool::builder()
        .threads(2)
        .name("refused")
        .spawn_handler(move |start| {
            // The pool pauses for 1 to 64 ms between the first attempts, and then for 100 ms.
            if start.index() >= 2
                && attempts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 20
            {
                return Err(std::io::Error::from_raw_os_error(11)); // EAGAIN
            }
            std::thread::Builder::new().spawn(|| start.run()).map(drop)
        });
    let pool = pool.build().unwrap();
    println!("expect heist: the pool \"refused\" could not start a spare thread (");
    let (sender, receiver) = channel::<u32>(1);
    let waiters = [(); 2].map(|()| {
        let receiver = receiver.clone();
        pool.spawn(move || receiver.recv().unwrap())
    });
    std::thread::sleep(Duration::from_millis(20));
    pool.spawn_detached(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    let sum: u32 = waiters.into_iter().map(|task| task.join().unwrap()).sum();
    println!("got {sum}");
}

/// Drops a pool while a signal handler stops its workers. The handler returns long after the first look for a deadlock.
#[cfg(unix)]
fn late() {
    extern "C" fn keep(_: libc::c_int) {
        // SAFETY: `sleep` is async-signal-safe.
        unsafe { libc::sleep(1) };
    }
    let (send, receive) = std::sync::mpsc::sync_channel(2);
    let pool = Pool::builder().threads(2).start_handler(move |_| {
        // SAFETY: the call has no preconditions.
        send.send(unsafe { libc::pthread_self() }).unwrap();
    });
    let pool = pool.build().unwrap();
    let threads: Vec<_> = receive.iter().take(2).collect();
    std::thread::sleep(Duration::from_millis(50));
    let handler: extern "C" fn(libc::c_int) = keep;
    // SAFETY: the handler calls only async-signal-safe functions, and the threads exist until the pool is dropped.
    unsafe {
        libc::signal(libc::SIGUSR1, handler as libc::sighandler_t);
        for thread in threads {
            libc::pthread_kill(thread, libc::SIGUSR1);
        }
    }
    std::thread::sleep(Duration::from_millis(50));
    drop(pool);
    println!("dropped");
}

/// Makes a thread of the program a worker. The worker sleeps, and then sets the promise for which the main thread waits.
fn adopted() {
    let (kept, comes) = promise();
    let thread = std::thread::spawn(move || {
        let work = |_: &Pool| {
            std::thread::sleep(Duration::from_secs(1));
            kept.set(5);
        };
        Pool::builder().threads(2).use_current_thread(work).unwrap();
    });
    println!("got {}", comes.get());
    thread.join().unwrap();
}
