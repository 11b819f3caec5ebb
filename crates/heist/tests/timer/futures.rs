//! Tests of `sleep`, `timeout` and `interval`.

use heist::Elapsed;
use std::future::{Future, pending, poll_fn, ready};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

const MILLI: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(3600);

/// A waker that counts its calls. The waker also counts the references to itself.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn sleeps_end_on_time_or_later_wherever_they_are_awaited() {
    let since = Instant::now();
    heist::block_on(heist::sleep(5 * MILLI));
    assert!(since.elapsed() >= 5 * MILLI);
    let pool = heist::Pool::new(2).unwrap();
    let since = Instant::now();
    pool.install(|| heist::block_on(heist::sleep(5 * MILLI)));
    assert!(since.elapsed() >= 5 * MILLI);
    let since = Instant::now();
    let task = pool.spawn_async(async move {
        heist::sleep_until(since + 5 * MILLI).await;
        since.elapsed()
    });
    assert!(*task.get() >= 5 * MILLI);
}

#[test]
fn a_fiber_sleeps_until_its_time() {
    // SAFETY: the fiber keeps no reference to a thread-local value across its wait.
    let builder = unsafe {
        heist::Pool::builder()
            .threads(2)
            .fibers(heist::Fibers::new())
    };
    let fibers = builder.build().unwrap();
    let since = Instant::now();
    fibers
        .spawn_fiber(|| heist::block_on(heist::sleep(5 * MILLI)))
        .get();
    assert!(since.elapsed() >= 5 * MILLI);
}

#[test]
fn a_sleep_that_is_dropped_leaves_nothing() {
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    let before = Arc::strong_count(&bell);
    for _ in 0..3 {
        let mut sleeps: Vec<_> = (0..1000).map(|_| heist::sleep(LONG)).collect();
        for sleep in &mut sleeps {
            assert!(pin!(sleep).poll(&mut context).is_pending());
        }
        assert_eq!(Arc::strong_count(&bell), before + 1000);
        drop(sleeps);
        assert_eq!(Arc::strong_count(&bell), before);
    }
    assert_eq!(bell.0.load(Ordering::Relaxed), 0);
}

#[test]
fn the_newest_waker_is_called() {
    let (old, new) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    // The sleep is long enough for both polls, even if the system stops this thread for a while.
    let mut sleep = pin!(heist::sleep(1000 * MILLI));
    for bell in [&old, &new] {
        let waker = Waker::from(Arc::clone(bell));
        assert!(
            sleep
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
    }
    let since = Instant::now();
    while new.0.load(Ordering::Relaxed) == 0 {
        assert!(since.elapsed() < Duration::from_secs(60));
        std::thread::yield_now();
    }
    assert_eq!(old.0.load(Ordering::Relaxed), 0);
    assert_eq!(Arc::strong_count(&old), 1);
}

#[test]
fn sleeps_end_in_the_order_of_their_times() {
    let pool = heist::Pool::new(1).unwrap();
    // Returns true if each sleep ends before the time of the next sleep. No sleep may end before its own time.
    let punctual = || {
        let begin = Instant::now();
        let ended = Arc::new(std::sync::Mutex::new(Vec::new()));
        let tasks: Vec<_> = [30, 10, 20]
            .map(|millis| {
                let ended = Arc::clone(&ended);
                pool.spawn_async(async move {
                    heist::sleep_until(begin + millis * MILLI).await;
                    let at = begin.elapsed();
                    assert!(at >= millis * MILLI);
                    ended.lock().unwrap().push((millis, at));
                })
            })
            .into();
        tasks.iter().for_each(|task| *task.get());
        let ended = ended.lock().unwrap();
        let are_on_time = ended.iter().all(|&(millis, at)| at < (millis + 10) * MILLI);
        if are_on_time {
            let order: Vec<_> = ended.iter().map(|&(millis, _)| millis).collect();
            assert_eq!(order, [10, 20, 30]);
        }
        are_on_time
    };
    // The machine may stop for longer than the difference between two times, so the test needs only one punctual round.
    assert!((0..100).any(|_| punctual()), "some are late each time");
}

#[test]
fn a_hundred_thousand_sleeps() {
    let pool = heist::Pool::new(2).unwrap();
    let since = Instant::now();
    let tasks: Vec<_> = (0..100_000_u32)
        .map(|i| pool.spawn_async(heist::sleep((1 + i % 100) * MILLI)))
        .collect();
    tasks.iter().for_each(|task| *task.get());
    println!("100,000 sleeps of 1 to 100 ms: {:?}", since.elapsed());
    assert!(since.elapsed() < Duration::from_secs(30));
}

#[test]
fn times_that_the_clock_does_not_reach_never_come() {
    let mut context = Context::from_waker(Waker::noop());
    assert!(
        pin!(heist::sleep(Duration::MAX))
            .poll(&mut context)
            .is_pending()
    );
}

#[test]
fn timeouts() {
    let late = heist::timeout(MILLI, pending::<()>());
    assert_eq!(heist::block_on(late), Err(Elapsed));
    // A future that is ready wins, however late the timeout polls it.
    assert_eq!(
        heist::block_on(heist::timeout(Duration::ZERO, ready(1))),
        Ok(1)
    );
    let mut polls = 0;
    let inner = poll_fn(|context| {
        polls += 1;
        context.waker().wake_by_ref();
        if polls < 3 {
            Poll::Pending
        } else {
            Poll::Ready(polls)
        }
    });
    assert_eq!(heist::block_on(heist::timeout(LONG, inner)), Ok(3));
    let both = heist::timeout(MILLI, heist::timeout(LONG, pending::<()>()));
    assert_eq!(heist::block_on(both), Err(Elapsed));
}

#[test]
fn a_cancelled_scope_gives_a_sleep_up() {
    let since = Instant::now();
    let work = heist::with_timeout(MILLI, |_| heist::block_on(heist::sleep(LONG)));
    assert_eq!(work, Err(heist::Cancelled));
    assert!(since.elapsed() < LONG);
}

#[test]
fn intervals_skip_missed_ticks() {
    let period = 20 * MILLI;
    heist::block_on(async {
        let mut every = heist::interval(period);
        let first = every.tick().await;
        let is_planned = |tick: Instant| (tick - first).as_nanos() % period.as_nanos() == 0;
        let second = every.tick().await;
        assert!(second > first && is_planned(second));
        let third = second + period;
        heist::sleep_until(third + 3 * period).await;
        let late = every.tick().await;
        assert!(late >= third && is_planned(late));
        let next = every.tick().await;
        assert!(next >= third + 4 * period && is_planned(next));
        // If a wait for a tick is dropped, the tick is not lost. (If the system stops this thread for a period, the tick comes
        // before the wait.)
        let mut last = next;
        while let Ok(tick) = heist::timeout(Duration::ZERO, every.tick()).await {
            assert!(tick > last && tick <= Instant::now() && is_planned(tick));
            last = tick;
        }
        let tick = every.tick().await;
        assert!(tick > last && is_planned(tick));
    });
}
