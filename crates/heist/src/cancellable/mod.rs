//! Scopes of work that can be cancelled as a whole.

use crate::cancel::{self, Cancelled, Member, Node};
use crate::pool::{Pool, with_worker};
use crate::suspend::block_on;
use crate::timer::Alarm;
use crate::worker::{PoolInner, leave, local_now};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which [`CancelToken::cancel_and_wait`] yields before its thread sleeps. Most trees of work end within this time, and then
/// the last member need not wake the thread.
const SHORT_WAIT: Duration = Duration::from_micros(200);

/// The duration of a yield above which the canceller sleeps. A yield that takes this long has let another thread run, perhaps a worker
/// that must end. If the canceller continued to yield, it would take turns with that worker. With 60 tasks, and as many workers as CPUs, a
/// cancellation takes 40 us with this rule, and 90 us with yields alone.
const YIELD: Duration = Duration::from_micros(1);

/// A handle that cancels a tree of tasks: the closure passed to [`cancellable`] or [`run`](Self::run), and all work that this
/// closure forks and spawns.
///
/// All clones of a token cancel the same work. Any thread may use a token at any time, even after the work has ended.
///
/// ```
/// use heist::CancelToken;
/// let token = CancelToken::new();
/// let stop = token.clone();
/// let other = std::thread::spawn(move || stop.cancel()); // Ctrl-C, a button, a client that hangs up
/// let found = token.run(|| loop {
///     heist::join(|| (), || ()); // each fork looks
/// });
/// assert_eq!(found, Err::<(), _>(heist::Cancelled));
/// other.join().unwrap();
/// ```
#[derive(Clone)]
pub struct CancelToken(Arc<Node>);

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken")
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        CancelToken::new()
    }
}

impl CancelToken {
    /// Creates a token without work. [`run`](Self::run) gives the token work to cancel.
    #[must_use]
    pub fn new() -> Self {
        CancelToken(Node::new([]))
    }

    /// Returns the node that the token cancels.
    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0
    }

    /// Runs `work` in a scope that this token cancels, as [`cancellable`] does. One token may run several pieces of
    /// work, one after the other or at the same time; a cancellation ends all of them.
    ///
    /// # Errors
    /// Returns [`Cancelled`] if the token was cancelled before `work` had ended. If the token was cancelled before this
    /// call, `work` does not begin.
    ///
    /// # Panics
    /// Panics like [`cancellable`].
    pub fn run<F, R>(&self, work: F) -> Result<R, Cancelled>
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        with_worker(None, |pool| run_in(pool, Some(&self.0), |_| work()))
    }

    /// Cancels the work, and returns immediately. The first call returns true, and all later calls return false.
    ///
    /// The work ends after this call, at its next forks, spawns, chunks of loops and waits: see [`cancellable`]. The call of `cancel` takes
    /// about a microsecond, plus several tens of nanoseconds for each inner scope and for each worker.
    pub fn cancel(&self) -> bool {
        self.0.cancel()
    }

    /// Cancels the work, and waits until no thread runs any part of it. Returns true if no earlier call had cancelled the work.
    ///
    /// The calling thread first yields for up to 0.2 ms, and then sleeps. If another thread needs the CPU, the calling thread sleeps
    /// earlier.
    ///
    /// ```
    /// let token = heist::CancelToken::new();
    /// assert!(token.cancel_and_wait());
    /// assert_eq!(token.run(|| 1), Err(heist::Cancelled));
    /// ```
    ///
    /// # Panics
    /// Panics if the caller is itself a part of the work, because the caller would wait for its own end.
    pub fn cancel_and_wait(&self) -> bool {
        assert!(
            !cancel::is_inside(&self.0),
            "heist: cancel_and_wait() was called by the work that it cancels, which would wait for its own end"
        );
        let first = self.cancel();
        // On a worker, `block_on` gives the thread's slot away while it waits.
        if local_now().worker().is_none() {
            let since = Instant::now();
            let mut now = since;
            while !self.0.is_over() && now - since < SHORT_WAIT {
                thread::yield_now();
                let before = std::mem::replace(&mut now, Instant::now());
                if now - before > YIELD {
                    break;
                }
            }
        }
        block_on(End {
            of: &self.0,
            key: None,
        });
        first
    }

    /// Returns true if the token's scope, or a scope around it, was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// A future that is ready when all work inside of a node has ended.
struct End<'a> {
    of: &'a Node,
    key: Option<usize>,
}

impl Future for End<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let End { of, key } = &mut *self;
        if of.call_at_end(context.waker(), key) {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.of.forget_end(key);
        }
    }
}

/// Runs `work` in a scope that can be cancelled, and passes it the token.
///
/// The scope contains all work that `work` starts, on any worker: joins, scopes of [`finish`](crate::finish()) and
/// their tasks, loops of [`par`](mod@crate::par), waits. After a call of [`CancelToken::cancel`]
///
/// - no further task begins: a worker that takes a stolen right side or a task of a scope drops it;
/// - a loop of `par` stops before its next chunk;
/// - code that forks stops at its next [`join`](crate::join()), [`Finish::spawn`](crate::Finish::spawn), or
///   [`join_hint`](crate::join_hint) (if that call forks); a [`try_join`](crate::try_join) returns an error
///   instead;
/// - code that waits in [`block_on`](crate::block_on), or for a construct of [`sync`](crate::sync), gives up the wait;
/// - async tasks and fibers of a `finish` ([`Finish::spawn_async`](crate::Finish::spawn_async),
///   [`spawn_fiber`](crate::Finish::spawn_fiber)) continue, and the scope waits for them;
/// - other code continues. Such code can check for the cancellation with [`is_cancelled`](crate::is_cancelled), or stop with
///   [`check_cancelled`].
///
/// To *stop* means to unwind to the boundary of the scope, as a panic does, but without a message. So destructors run, and the unwinding
/// leaves a `join` only when both sides have ended. A cancellation does not stop a destructor that forks during the unwinding. There is one
/// exception: if a panic unwinds, and the scope is cancelled while a thief runs such a fork, the process aborts.
///
/// A [`catch_unwind`] inside of the scope also catches this unwinding. The code behind the `catch_unwind` then continues until it next
/// forks, spawns, waits or checks, and then unwinds again. If `work` ends before it stops again, `cancellable` returns the value of `work`.
/// So if code catches panics and gets a payload of type [`Cancelled`], it should pass this payload on by
/// [`resume_unwind`](std::panic::resume_unwind).
///
/// Scopes nest. A cancellation of a scope also cancels the scopes inside of it, and does not affect the scopes
/// around it. A [`Finish`](crate::Finish) and its tasks belong to the scope in which the `Finish` was opened.
///
/// On a thread that is not a worker, the function runs `work` in the [global pool](crate::global).
///
/// ```
/// use heist::par::prelude::*;
///
/// // A search that stops all its loops at the first hit.
/// let hit = std::sync::OnceLock::new();
/// let searched = heist::cancellable(|token| {
///     (0..1000_u64).par().for_each(|i| {
///         (0..1000_u64).par().for_each(|j| {
///             if i * i + j * j == 12_505 && hit.set((i, j)).is_ok() {
///                 token.cancel();
///             }
///         });
///     });
/// });
/// assert_eq!(searched, Err(heist::Cancelled));
/// let (i, j) = hit.get().unwrap();
/// assert_eq!(i * i + j * j, 12_505);
/// ```
///
/// # Cost
/// Opening and closing a scope takes about 200 ns. A fork inside of a scope costs the same as outside of all scopes, and a chunk of a loop
/// costs one more load. The idea of such scopes comes from Rainey's thesis (*Effective Scheduling Techniques for High-Level Parallel
/// Programming Languages*, 2010, section 5.1), in which each fork makes a node of the cancelled tree.
///
/// # Errors
/// Returns [`Cancelled`] if the scope was cancelled and a part of `work` stopped. If `work` ran to its end in
/// spite of the cancellation, the function returns its value.
///
/// # Panics
/// Rethrows the panic of `work`, even if the scope was cancelled. **In a program built with `panic = "abort"`, cancelled
/// code cannot unwind, so the process aborts, with a message.** In such a program, stop work by
/// [`try_join`](crate::try_join), [`try_race`](crate::try_race) and [`is_cancelled`](crate::is_cancelled), which do not
/// unwind.
#[doc(alias = "with_cancellation")]
pub fn cancellable<F, R>(work: F) -> Result<R, Cancelled>
where
    F: FnOnce(&CancelToken) -> R + Send,
    R: Send,
{
    with_worker(None, |pool| run_in(pool, None, work))
}

/// Runs `work` in a scope, like [`cancellable`]. The scope is cancelled at `deadline`, or earlier by its token.
///
/// ```
/// use std::time::{Duration, Instant};
/// let deadline = Instant::now() + Duration::from_secs(60);
/// assert_eq!(heist::with_deadline(deadline, |_| 6 * 7), Ok(42));
/// ```
///
/// # Cost
/// A call costs as much as a scope, plus two accesses to the timer's list under a lock. The first deadline of a process starts a thread.
/// The timer's thread ends half a second after the last deadline was reached or dropped.
///
/// # Errors
/// Returns [`Cancelled`] if a part of `work` stopped because the deadline passed or the scope was cancelled. If the deadline has passed
/// already, `work` does not begin. The deadline does not interrupt code that does not fork, spawn, wait or [check](check_cancelled). If
/// `work` never forks, spawns, waits or checks, the function returns `Ok` with the value, even after the deadline:
///
/// ```
/// use std::time::{Duration, Instant};
/// let since = Instant::now();
/// let late = heist::with_deadline(since + Duration::from_millis(5), |_| {
///     while since.elapsed() < Duration::from_millis(20) {} // neither forks nor checks
///     42
/// });
/// assert_eq!(late, Ok(42));
/// ```
///
/// # Panics
/// Panics like [`cancellable`], and if the thread cannot be started.
pub fn with_deadline<F, R>(deadline: Instant, work: F) -> Result<R, Cancelled>
where
    F: FnOnce(&CancelToken) -> R + Send,
    R: Send,
{
    cancellable(|token| {
        let _deadline = Alarm::cancel(deadline, &token.0);
        cancel::check();
        work(token)
    })
}

/// Runs `work` in a scope that is cancelled after `timeout`, like [`with_deadline`]. A duration that is too long for the clock sets no
/// deadline. Code that does not fork, spawn, wait or [check](check_cancelled) runs to its end, even if it takes longer than `timeout`.
///
/// ```
/// use heist::sync::promise;
/// use std::time::Duration;
///
/// let (_never, answer) = promise::<u32>();
/// let got = heist::with_timeout(Duration::from_millis(5), |_| *answer.get());
/// assert_eq!(got, Err(heist::Cancelled));
/// ```
///
/// # Errors
/// Returns the errors of [`with_deadline`].
///
/// # Panics
/// Panics like [`with_deadline`].
pub fn with_timeout<F, R>(timeout: Duration, work: F) -> Result<R, Cancelled>
where
    F: FnOnce(&CancelToken) -> R + Send,
    R: Send,
{
    match Instant::now().checked_add(timeout) {
        Some(deadline) => with_deadline(deadline, work),
        None => cancellable(work),
    }
}

/// Unwinds to the boundary of the caller's scope, if this scope was cancelled. Outside of all scopes, and while the thread unwinds, the
/// call does nothing.
///
/// ```
/// let work = heist::cancellable(|token| {
///     token.cancel();
///     heist::check_cancelled();
///     unreachable!();
/// });
/// assert_eq!(work, Err::<(), _>(heist::Cancelled));
/// ```
#[inline]
pub fn check_cancelled() {
    cancel::check();
}

impl Pool {
    /// Calls [`cancellable`](crate::cancellable()) in this pool.
    ///
    /// # Errors
    /// Returns the errors of [`cancellable`](crate::cancellable()).
    pub fn cancellable<F, R>(&self, work: F) -> Result<R, Cancelled>
    where
        F: FnOnce(&CancelToken) -> R + Send,
        R: Send,
    {
        with_worker(Some(self), |pool| run_in(pool, None, work))
    }
}

/// Calls [`cancellable`], with one difference: if a scope around the new scope was cancelled, returns [`Cancelled`] instead of
/// unwinding.
pub(crate) fn cancellable_or_return<F, R>(work: F) -> Result<R, Cancelled>
where
    F: FnOnce(&CancelToken) -> R + Send,
    R: Send,
{
    with_worker(None, |pool| run_scope(pool, None, work))
}

/// Runs a scope on this thread. The thread must be a worker of `pool`. `token` cancels the scope.
fn run_in<R>(
    pool: &PoolInner,
    token: Option<&Arc<Node>>,
    work: impl FnOnce(&CancelToken) -> R,
) -> Result<R, Cancelled> {
    let result = run_scope(pool, token, work);
    if result.is_err() {
        // `check` unwinds if a scope around this scope was cancelled.
        cancel::check();
    }
    result
}

/// Runs a scope like [`run_in`], but does not unwind when a scope around this scope is cancelled.
fn run_scope<R>(
    pool: &PoolInner,
    token: Option<&Arc<Node>>,
    work: impl FnOnce(&CancelToken) -> R,
) -> Result<R, Cancelled> {
    let parents = cancel::enclosing_node()
        .into_iter()
        .chain(token.map(Arc::clone));
    let node = Node::new(parents);
    let member = Member::new(Arc::clone(&node), pool.as_workers());
    let token = CancelToken(node);
    let entered = local_now()
        .worker()
        // SAFETY: `token` keeps the node alive until this function ends, and the thread leaves the scope below, even if `work` panics.
        .map(|worker| unsafe { worker.enter(Arc::as_ptr(&token.0)) });
    let result = if cancel::is_stopping() {
        Err(cancel::payload())
    } else {
        catch_unwind(AssertUnwindSafe(|| work(&token)))
    };
    if let Some(entered) = entered {
        leave(entered);
    }
    drop(member);
    // A panic that the cancellation has hidden wins over the cancellation.
    let hidden = token.0.take_panic();
    match (result, hidden) {
        (Err(payload), hidden) if !cancel::is_cancellation(&payload) => {
            crate::task::discard(hidden);
            resume_unwind(payload)
        }
        (_, Some(hidden)) => resume_unwind(hidden),
        (Ok(value), None) => Ok(value),
        (Err(payload), None) if !token.is_cancelled() => resume_unwind(payload),
        (Err(_), None) => Err(Cancelled),
    }
}
