//! Timers for async tasks and for all other waiters.
//!
//! A process has one timer: a thread that exists while an alarm is set, and for half a second afterwards. Alarms are in a
//! balanced tree, ordered by time. If n alarms are set, setting or removing an alarm takes O(log n) time. No thread polls.

mod alarm;

pub(crate) use alarm::Alarm;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// The future that [`sleep`] and [`sleep_until`] return.
#[derive(Debug)]
#[must_use = "nothing waits unless it is awaited"]
pub struct Sleep {
    /// `None` if the clock cannot represent the time.
    at: Option<Instant>,
    alarm: Option<Alarm>,
}

/// Returns a future that is ready `duration` after this call.
///
/// Any executor can poll the future. A closure or a fiber waits with [`block_on`](crate::block_on). Dropping the future removes it from the
/// timer. The future is never ready before its time; on an idle machine it is about 60 us late.
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
/// The first poll and the drop take O(log n) for n simultaneous sleeps, under one lock.
///
/// # Panics
/// A poll of the future panics if the timer's thread cannot be started.
pub fn sleep(duration: Duration) -> Sleep {
    Sleep {
        at: Instant::now().checked_add(duration),
        alarm: None,
    }
}

/// Returns a future that is ready at the time `deadline`, like [`sleep`].
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
            // There is no alarm yet, or the alarm has gone off since this function read the clock. In the second case the new alarm goes
            // off immediately.
            _ => self.alarm = Some(Alarm::wake(at, context.waker().clone())),
        }
        Poll::Pending
    }
}

/// The error of a wait whose time limit passed before its event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time was over before the wait")
    }
}

impl std::error::Error for Elapsed {}

/// A future with a time limit, which [`timeout`] and [`timeout_at`] return.
#[derive(Debug)]
#[must_use = "nothing happens unless it is awaited"]
pub struct Timeout<F> {
    future: F,
    sleep: Sleep,
}

/// Returns a future that awaits `future` for at most `duration`, counted from this call.
///
/// If a poll after the limit finds that `future` is ready, the result is still the output of `future`. If the limit
/// passes first, dropping the `Timeout` drops `future`. The drop ends the wait, but if `future` waits for a task, that task continues. To
/// stop work, see [`with_timeout`](crate::with_timeout).
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
/// If the future has to wait, a call costs as much as a [`sleep`]. If the future is ready immediately, the call costs one look at the
/// clock.
///
/// # Errors
/// The returned future yields [`Elapsed`] if the limit passes first.
pub fn timeout<F: IntoFuture>(duration: Duration, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep(duration),
    }
}

/// Returns a future that awaits `future` at most until `deadline`, like [`timeout`].
///
/// ```
/// let at = std::time::Instant::now();
/// let ready = heist::timeout_at(at, std::future::ready(1));
/// assert_eq!(heist::block_on(ready), Ok(1));
/// ```
///
/// # Errors
/// The returned future yields [`Elapsed`] if the deadline passes first.
pub fn timeout_at<F: IntoFuture>(deadline: Instant, future: F) -> Timeout<F::IntoFuture> {
    Timeout {
        future: future.into_future(),
        sleep: sleep_until(deadline),
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: `future` is pinned below and never moved, and `Timeout` does not implement `Drop`. `Timeout` is
        // `Unpin` only if `future` is. The field `sleep` is `Unpin`.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: `future` is a field of the pinned value, and no code moves it out.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        if let Poll::Ready(output) = future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(&mut this.sleep)
            .poll(context)
            .map(|()| Err(Elapsed))
    }
}

/// A source of ticks at equal intervals, which [`interval`] returns.
#[derive(Debug)]
pub struct Interval {
    /// `None` if the clock cannot represent the time.
    next: Option<Instant>,
    period: Duration,
}

/// Returns a source of ticks at equal intervals. The first tick comes immediately, as with tokio's
/// `interval`.
///
/// If no task waits for a tick, that tick is skipped: the next tick comes at the next multiple of the period.
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
/// Panics if the period is zero.
#[must_use]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "heist: an interval needs a period");
    Interval {
        next: Some(Instant::now()),
        period,
    }
}

impl Interval {
    /// Waits for the next tick, and returns its planned time. If the wait for a tick is dropped, the tick is not lost: the next
    /// call waits for the same tick.
    pub async fn tick(&mut self) -> Instant {
        let Some(at) = self.next else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        let late = at.elapsed().as_nanos();
        // `rest` is the time since the last multiple of the period.
        let rest = late % self.period.as_nanos();
        let passed = Duration::from_nanos(u64::try_from(late - rest).unwrap_or(u64::MAX));
        self.next = passed
            .checked_add(self.period)
            .and_then(|step| at.checked_add(step));
        at
    }
}
