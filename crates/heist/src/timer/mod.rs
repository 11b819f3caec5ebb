//! Time for async tasks, and for all that waits.
//!
//! A process has one timer: a thread, which exists while an alarm is set and half a second longer. Alarms stand in a balanced tree by
//! their time. To set one, or to take it out again, takes the logarithm of their number. Nothing polls.

mod alarm;

pub(crate) use alarm::Alarm;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// The end of a time: the future of [`sleep`] and [`sleep_until`].
#[derive(Debug)]
#[must_use = "nothing waits unless it is awaited"]
pub struct Sleep {
    /// `None` if the clock does not go so far.
    at: Option<Instant>,
    alarm: Option<Alarm>,
}

/// A future that ends after that time. The time begins with this call.
///
/// Any executor can poll it. A closure or a fiber waits by [`block_on`](crate::block_on). Dropping it takes it out
/// of the timer. It ends on time or later, never earlier: on an idle machine some 60 us later.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// let since = Instant::now();
/// let task = heist::spawn_async(async {
///     heist::sleep(Duration::from_millis(5)).await; // holds no thread
///     7
/// });
/// heist::block_on(heist::sleep(Duration::from_millis(5))); // in a closure
/// assert_eq!(*task.get(), 7);
/// assert!(since.elapsed() >= Duration::from_millis(5));
/// ```
///
/// # Complexity
/// O(log n) for n sleeps at a time, under one lock, when it is polled first and when it is dropped.
///
/// # Panics
/// Polling it, if the thread of the timer cannot be started.
pub fn sleep(duration: Duration) -> Sleep {
    Sleep {
        at: Instant::now().checked_add(duration),
        alarm: None,
    }
}

/// A future that ends at that time, as [`sleep`].
///
/// ```
/// use std::time::{Duration, Instant};
/// let at = Instant::now() + Duration::from_millis(2);
/// heist::block_on(heist::sleep_until(at));
/// assert!(Instant::now() >= at);
/// ```
pub fn sleep_until(deadline: Instant) -> Sleep {
    Sleep {
        at: Some(deadline),
        alarm: None,
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else {
            return Poll::Pending;
        };
        if Instant::now() >= at {
            self.alarm = None;
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        match &self.alarm {
            Some(alarm) if alarm.renew(waker) => {}
            // New, or it has gone off since the look at the clock: it does so again at once.
            _ => self.alarm = Some(Alarm::wake(at, context.waker().clone())),
        }
        Poll::Pending
    }
}

/// Error of a wait whose time was over first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time was over before the wait")
    }
}

impl std::error::Error for Elapsed {}

/// A future with a limit of time, of [`timeout`] and [`timeout_at`].
#[derive(Debug)]
#[must_use = "nothing happens unless it is awaited"]
pub struct Timeout<F> {
    future: F,
    sleep: Sleep,
}

/// Awaits `future` for at most that time, which begins with this call.
///
/// If both are over when it is polled, the future's output is returned. Late futures are dropped with the `Timeout`. That gives
/// up a wait; a task that it waits for goes on. To stop work, see [`with_timeout`](crate::with_timeout).
///
/// ```
/// use heist::sync::promise;
/// use std::time::Duration;
///
/// let (set, answer) = promise::<u32>();
/// let late = heist::block_on(heist::timeout(Duration::from_millis(2), &answer));
/// assert_eq!(late, Err(heist::Elapsed));
/// set.set(7);
/// let there = heist::block_on(heist::timeout(Duration::from_secs(60), &answer));
/// assert_eq!(there, Ok(&7));
/// ```
///
/// # Complexity
/// That of a [`sleep`] if the future has to wait, else a look at the clock.
///
/// # Errors
/// Its future returns [`Elapsed`] if the time is over first.
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep(duration),
    }
}

/// Awaits `future` until that time, as [`timeout`].
///
/// ```
/// let at = std::time::Instant::now();
/// let ready = heist::timeout_at(at, std::future::ready(1));
/// assert_eq!(heist::block_on(ready), Ok(1));
/// ```
///
/// # Errors
/// As [`timeout`].
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep_until(deadline),
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: `future` is pinned below and moved nowhere, and `Timeout` has no `Drop` of its own. It is `Unpin` only if
        // all its fields are. `sleep` is `Unpin` by itself.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: a field of what is pinned.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        if let Poll::Ready(output) = future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(&mut this.sleep)
            .poll(context)
            .map(|()| Err(Elapsed))
    }
}

/// Ticks at equal distances, of [`interval`].
#[derive(Debug)]
pub struct Interval {
    /// `None` if the clock does not go so far.
    next: Option<Instant>,
    period: Duration,
}

/// Ticks at equal distances. The first one comes at once, as with tokio's `interval`.
///
/// Ticks that were missed, because nothing waited for them, are skipped: the next one comes at the next multiple of the period.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// let since = Instant::now();
/// heist::block_on(async {
///     let mut every = heist::interval(Duration::from_millis(2));
///     for _ in 0..3 {
///         every.tick().await;
///     }
/// });
/// assert!(since.elapsed() >= Duration::from_millis(4));
/// ```
///
/// # Panics
/// If the period is zero.
#[must_use]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "heist: an interval needs a period");
    Interval {
        next: Some(Instant::now()),
        period,
    }
}

impl Interval {
    /// Waits for the next tick, and returns the time for which it was planned. A tick whose wait is dropped is not lost: the next
    /// call waits for it.
    pub async fn tick(&mut self) -> Instant {
        let Some(at) = self.next else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        let late = at.elapsed().as_nanos();
        // Less than a period over what has passed.
        let rest = late % self.period.as_nanos();
        let passed = Duration::from_nanos(u64::try_from(late - rest).unwrap_or(u64::MAX));
        self.next = passed
            .checked_add(self.period)
            .and_then(|step| at.checked_add(step));
        at
    }
}
