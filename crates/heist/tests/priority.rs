//! Checks jobs of different priorities: their order, their forks, and that no class starves.

use heist::sync::Semaphore;
use heist::{Pool, Priority, with_priority};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Occupies the only worker of a pool until the sender is dropped. While the worker is occupied, jobs are queued.
fn hold(pool: &Pool) -> mpsc::Sender<()> {
    let (begun, has_begun) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    pool.spawn_detached(move || {
        begun.send(()).unwrap();
        let _ = released.recv();
    });
    has_begun.recv().unwrap();
    release
}

fn spin(time: Duration) {
    let since = Instant::now();
    while since.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[test]
fn higher_classes_begin_first_and_each_in_order() {
    let pool = Pool::new(1).unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let held = hold(&pool);
    let mut handles = Vec::new();
    for i in 0..30 {
        let priority = [Priority::Background, Priority::Normal, Priority::Latency][i % 3];
        let order = Arc::clone(&order);
        let job = move || order.lock().unwrap().push((priority, i));
        handles.push(match priority {
            Priority::Normal => pool.spawn(job),
            _ => pool.with_priority(priority).spawn(job),
        });
    }
    drop(held);
    // The test does not call `join`, which would run a job that no worker has begun.
    while handles.iter().any(|handle| !handle.is_finished()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let order = order.lock().unwrap().clone();
    let mut sorted = order.clone();
    sorted.sort_by_key(|&(priority, i)| (std::cmp::Reverse(priority), i));
    assert_eq!(order, sorted);
}

/// A worker that has tasks in its own deque runs a latency job before the next of these tasks.
#[test]
fn a_latency_job_goes_before_tasks_of_the_own_deque() {
    let pool = Pool::new(1).unwrap();
    let (done, at) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let held = hold(&pool);
    // Async tasks that a job makes ready are in the worker's own deque.
    let (many, urgent) = (Arc::clone(&done), (Arc::clone(&done), Arc::clone(&at)));
    pool.spawn_detached(move || {
        for _ in 0..1000 {
            let many = Arc::clone(&many);
            drop(heist::spawn_async(async move {
                many.fetch_add(1, Ordering::Relaxed);
                spin(Duration::from_micros(20));
            }));
        }
        with_priority(Priority::Latency).spawn_detached(move || {
            urgent
                .1
                .store(urgent.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        });
    });
    drop(held);
    while done.load(Ordering::Relaxed) < 1000 || at.load(Ordering::Relaxed) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(at.load(Ordering::Relaxed) <= 2, "after {at:?} tasks");
}

#[test]
fn nothing_starves() {
    for below in [Priority::Normal, Priority::Background] {
        let pool = Arc::new(Pool::new(1).unwrap());
        let held = hold(&pool);
        let stop = Arc::new(AtomicBool::new(false));
        let ran = Arc::new(AtomicUsize::new(0));
        // Each latency job submits the next one, so that the queue always has one.
        fn chain(stop: Arc<AtomicBool>, ran: Arc<AtomicUsize>) {
            with_priority(Priority::Latency).spawn_detached(move || {
                ran.fetch_add(1, Ordering::Relaxed);
                if !stop.load(Ordering::Relaxed) {
                    chain(stop, ran);
                }
            });
        }
        for _ in 0..2 {
            let (stop, ran) = (Arc::clone(&stop), Arc::clone(&ran));
            pool.with_priority(Priority::Latency)
                .spawn_detached(move || chain(stop, ran));
        }
        let (stopped, before) = (Arc::clone(&stop), Arc::clone(&ran));
        let low = pool.with_priority(below).spawn(move || {
            stopped.store(true, Ordering::Relaxed);
            before.load(Ordering::Relaxed)
        });
        drop(held);
        let since = Instant::now();
        while !low.is_finished() {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "{below:?} starves"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        let passed = low.join().unwrap();
        assert!(
            (32..=200).contains(&passed),
            "{passed} went before {below:?}"
        );
    }
}

/// Thieves steal the forks of a latency job before they take queued jobs of lower classes, even if the forking worker does not
/// reach its next fork.
#[test]
fn forks_inherit_the_class() {
    // The call waits until the fence is ready. Until then, a pool may need some time before it can force exposure.
    let _ = heist::asymmetric_fence_available();
    for below in [Priority::Normal, Priority::Background] {
        let pool = Pool::new(2).unwrap();
        let (mut good, mut bad, since) = (0, Vec::new(), Instant::now());
        while good < 10 {
            match jobs_before_a_fork(&pool, below) {
                Some(..=10) => good += 1,
                // In this case the operating system has stopped one of the two threads. If forks had no class, all remaining jobs
                // would run before each of the forks.
                Some(passed) => bad.push(passed),
                None => {}
            }
            assert!(
                bad.len() < 10 && since.elapsed() < Duration::from_secs(60),
                "{bad:?} jobs of {below:?} went before forks, and few before {good}"
            );
        }
    }
}

/// Queues 100 jobs of the class `below`. Returns the number of queued jobs that end between a fork of a latency job and the theft of this
/// fork. Returns `None` if more than half of the jobs end before the fork, or if the thief takes the fork before the forking worker can
/// count the jobs.
fn jobs_before_a_fork(pool: &Pool, below: Priority) -> Option<usize> {
    let ran = Arc::new(AtomicUsize::new(0));
    // The two jobs occupy both workers until all other jobs are queued.
    let held = [hold(pool), hold(pool)];
    let many: Vec<_> = (0..100)
        .map(|_| {
            let ran = Arc::clone(&ran);
            pool.with_priority(below).spawn(move || {
                spin(Duration::from_micros(100));
                ran.fetch_add(1, Ordering::Relaxed);
            })
        })
        .collect();
    let forks = pool.with_priority(Priority::Latency).spawn(move || {
        let (stolen, since) = (AtomicBool::new(false), Instant::now());
        // The count is read when the fork can be stolen, because the operating system may stop this thread before that.
        let before = AtomicUsize::new(usize::MAX);
        let spins = || {
            before.store(ran.load(Ordering::Relaxed), Ordering::Relaxed);
            while !stolen.load(Ordering::Acquire) {
                assert!(since.elapsed() < Duration::from_secs(20));
                std::hint::spin_loop();
            }
        };
        let ((), passed) = heist::join(spins, || {
            stolen.store(true, Ordering::Release);
            let before = before.load(Ordering::Relaxed);
            (before <= 50).then(|| ran.load(Ordering::Relaxed).saturating_sub(before))
        });
        passed
    });
    drop(held);
    // The test does not call `join`, which would run a job that no worker has begun.
    while !forks.is_finished() {
        std::thread::sleep(Duration::from_millis(1));
    }
    for job in many {
        job.join().unwrap();
    }
    forks.join().unwrap()
}

/// A worker has run the last task of a scope. The worker then takes a latency job that waits for the end of the same scope.
#[test]
fn a_latency_job_waits_for_a_scope() {
    for _ in 0..50 {
        let pool = Pool::new(1).unwrap();
        let (started, done) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (waits, ends) = (Arc::clone(&started), Arc::clone(&done));
        let scope = pool.spawn(move || {
            heist::finish(|f| {
                f.spawn(|_| {
                    let done = Arc::clone(&done);
                    with_priority(Priority::Latency).spawn_detached(move || done.acquire(1).keep());
                    started.release(1);
                });
                // This wait gives the slot away. Another thread then runs the task, and takes the next job.
                waits.acquire(1).keep();
            });
            ends.release(1);
        });
        let since = Instant::now();
        while !scope.is_finished() {
            assert!(since.elapsed() < Duration::from_secs(10), "it hangs");
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

#[test]
fn handles_panics_and_tickets_work_in_each_class() {
    for priority in [Priority::Background, Priority::Normal, Priority::Latency] {
        for threads in [1, 2, 8] {
            let pool = Pool::new(threads).unwrap();
            let at = pool.with_priority(priority);
            assert!(at.spawn(|| panic!("as planned")).join().is_err());
            let panics = std::panic::AssertUnwindSafe(|| at.install(|| panic!("as planned")));
            assert!(std::panic::catch_unwind(panics).is_err());
            // The jobs are joined on a worker, which removes a job that has not begun from the queue and runs it in place.
            let sum = pool.install(|| {
                let jobs: Vec<_> = (0..100_u64)
                    .map(|i| with_priority(priority).spawn(move || i))
                    .collect();
                jobs.into_iter().map(|job| job.join().unwrap()).sum::<u64>()
            });
            assert_eq!(sum, 4950);
            let (sent, received) = mpsc::channel();
            at.spawn_detached(move || sent.send(7).unwrap());
            assert_eq!(received.recv(), Ok(7));
        }
    }
    assert_eq!(with_priority(Priority::Background).install(|| 6 * 7), 42);
    assert!(Priority::Latency > Priority::Normal && Priority::Normal > Priority::Background);
}

/// Measures two figures: the time from the submission of a latency job of 10 us to its beginning, and the throughput of background
/// jobs of 10 us that run at the same time.
///
/// `cargo test --release -p heist --test priority -- --ignored --nocapture`
#[test]
#[ignore = "measures, on an idle machine"]
fn tail_beside_a_saturated_pool() {
    const TASK: Duration = Duration::from_micros(10);
    let pool = Arc::new(Pool::builder().threads(2).pin(true).build().unwrap());
    // Each background job submits the next one, so the queue is never empty.
    fn again(stop: Arc<AtomicBool>, ran: Arc<AtomicUsize>) {
        with_priority(Priority::Background).spawn_detached(move || {
            spin(TASK);
            ran.fetch_add(1, Ordering::Relaxed);
            if !stop.load(Ordering::Relaxed) {
                again(stop, ran);
            }
        });
    }
    let run = |latency: bool| {
        let (stop, ran) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicUsize::new(0)),
        );
        for _ in 0..64 {
            let (stop, ran) = (Arc::clone(&stop), Arc::clone(&ran));
            pool.with_priority(Priority::Background)
                .spawn_detached(move || again(stop, ran));
        }
        let (sent, times) = mpsc::channel();
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(1));
            if latency {
                let (sent, submitted) = (sent.clone(), Instant::now());
                pool.with_priority(Priority::Latency)
                    .spawn_detached(move || {
                        let waited = submitted.elapsed();
                        spin(TASK);
                        sent.send(waited).unwrap();
                    });
            }
        }
        let throughput = ran.load(Ordering::Relaxed) as f64 / since.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        drop(sent);
        let mut times: Vec<_> = times.iter().collect();
        times.sort();
        (throughput, times)
    };
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let (alone, _) = run(false);
        let (beside, times) = run(true);
        let (median, tail) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!(
            "{alone:.0} background jobs a second; {beside:.0} beside {} latency jobs: median {median:?}, p99 {tail:?} [70 us]",
            times.len()
        );
        ratios.push(beside / alone);
    }
    ratios.sort_by(f64::total_cmp);
    println!("throughput: {:.3} [0.98]", ratios[2]);
}
