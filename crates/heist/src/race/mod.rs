//! Speculation: several branches look for one result, and the first branch that finds it stops the other
//! branches.

mod try_race;

use try_race::Begun;
pub use try_race::{try_race, try_race_hint};

use crate::cancel::{self, Cancelled, Payload};
use crate::cancellable::CancelToken;
use crate::task::discard;
use crate::worker::local;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

/// The flag that is set when the left branch has ended.
const LEFT_ENDED: u8 = 1;
/// The flag that is set when the right branch has begun, on this thread or on a thief.
const RIGHT_BEGUN: u8 = 2;
/// The flag that is set when the right branch has ended.
const RIGHT_ENDED: u8 = 4;
/// The flag that is set when a branch has won.
const WON: u8 = 8;
/// The flag that is set when a branch has returned an error or unwound. Such a branch may not have completed its search.
const FAILED: u8 = 16;

/// The state that both branches of a race share.
struct Race<T> {
    /// The bits of the race's flags. All changes are relaxed read-modify-writes. The order of the changes decides the race. For example,
    /// the right branch sets a flag when it begins, and the left branch sets a flag when it wins. The branch that sets its flag later sees
    /// the flag of the other branch. A lock protects the result itself.
    state: AtomicU8,
    result: Mutex<Option<T>>,
    panics: Mutex<Panics>,
}

/// The panics of the branches.
#[derive(Default)]
struct Panics {
    left: Option<Payload>,
    right: Option<Payload>,
}

impl<T> Race<T> {
    const fn new() -> Self {
        Race {
            state: AtomicU8::new(0),
            result: Mutex::new(None),
            panics: Mutex::new(Panics {
                left: None,
                right: None,
            }),
        }
    }

    fn note(&self, what: u8) -> u8 {
        self.state.fetch_or(what, Ordering::Relaxed)
    }

    fn left(&self, token: &CancelToken, branch: impl FnOnce() -> Result<Option<T>, Cancelled>) {
        let before = self.run(token, branch, LEFT_ENDED);
        if before & (RIGHT_BEGUN | RIGHT_ENDED) == RIGHT_BEGUN && self.is_won() {
            token.cancel();
        }
    }

    /// Runs the right branch of the race. If the left branch has ended without a result, there is no race: the
    /// function returns the right branch without running it.
    fn right<B>(&self, token: &CancelToken, branch: B) -> Option<B>
    where
        B: FnOnce() -> Result<Option<T>, Cancelled>,
    {
        let before = self.note(RIGHT_BEGUN);
        if before & WON != 0 {
            return None;
        }
        if before & LEFT_ENDED != 0 {
            return Some(branch);
        }
        let before = self.run(token, branch, RIGHT_ENDED);
        if before & LEFT_ENDED == 0 && self.is_won() {
            token.cancel();
        }
        None
    }

    fn is_won(&self) -> bool {
        // Relaxed: the flags order no other data.
        self.state.load(Ordering::Relaxed) & WON != 0
    }

    /// Runs a branch, and keeps its result if it is the first result. Returns the race's flags as they were just before this branch ended.
    fn run<B>(&self, token: &CancelToken, branch: B, ended: u8) -> u8
    where
        B: FnOnce() -> Result<Option<T>, Cancelled>,
    {
        // This catch is as close to the branch as possible, so that the unwinding of a cancelled branch passes few frames and destructors.
        // From here, the race ends by ordinary returns.
        let value = match catch_unwind(AssertUnwindSafe(branch)) {
            Ok(Ok(Some(value))) => value,
            Ok(Ok(None)) => return self.note(ended),
            Ok(Err(Cancelled)) => return self.note(ended | FAILED),
            Err(payload) => {
                self.stop(token, payload, ended);
                return self.note(ended | FAILED);
            }
        };
        // No code panics under the lock, so it is not poisoned.
        let mut result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        let late = if result.is_none() {
            *result = Some(value);
            None
        } else {
            Some(value)
        };
        drop(result);
        // A result that comes too late is dropped last, because its destructor is foreign code.
        let before = self.note(WON | ended);
        drop(late);
        before
    }

    /// Keeps the panic of a branch that has unwound, and stops the other branch.
    #[cold]
    fn stop(&self, token: &CancelToken, payload: Payload, ended: u8) {
        // If the token is cancelled, a branch has won, or a scope around the race was cancelled.
        if !token.is_cancelled() {
            token.cancel();
        }
        if cancel::is_cancellation(&payload) {
            return;
        }
        let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        if ended == LEFT_ENDED {
            panics.left = Some(payload);
        } else {
            panics.right = Some(payload);
        }
    }

    /// Rethrows the panic of a branch, if a branch has panicked. Both branches must have ended.
    fn rethrow(&self) {
        // Relaxed: the end of the join orders the branches' writes before this load.
        if self.state.load(Ordering::Relaxed) & FAILED == 0 {
            return;
        }
        let mut panics = self.panics.lock().unwrap_or_else(PoisonError::into_inner);
        let Panics { left, right } = std::mem::take(&mut *panics);
        drop(panics);
        match (left, right) {
            (Some(payload), late) => {
                discard(late);
                resume_unwind(payload)
            }
            (None, Some(payload)) => resume_unwind(payload),
            (None, None) => {}
        }
    }

    /// Returns the result of the branch that has won, if a branch has won.
    fn into_result(self) -> Option<T> {
        self.result
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `a` and `b`, possibly in parallel, until one of them returns `Some`, and returns this result. Cancels the
/// other closure, with all work that this closure has forked. Returns `None` if both return `None`.
///
/// The caller runs `a`, and another worker may steal `b` at the same time, as in a [`join`](crate::join()). If `a` wins before `b` has
/// begun, `b` does not begin. The loser stops at its next fork, chunk of a loop, spawn or wait, as in a [cancelled
/// scope](crate::cancellable()), or when its own code checks [`is_cancelled`](crate::is_cancelled). The call returns when both branches
/// have ended, so the closures may borrow. If both branches find a result, the branch that ends first wins. On one worker the winner is
/// always the leftmost branch with a result.
///
/// Races nest. For trees of races, use [`race_hint`], or [`try_race`], which does not unwind. For more than two
/// branches, use [`race!`](crate::race!) or [`race_all`]. For branches that return [`Result`], use [`race_ok`].
///
/// ```
/// // Two ways to look for a divisor; neither is always the faster one.
/// fn divisor(n: u64) -> Option<u64> {
///     let up = || (2..n).find(|d| {
///         heist::check_cancelled(); // it forks nothing, so it asks
///         n % d == 0
///     });
///     let fermat = || (1..n).find_map(|y| {
///         heist::check_cancelled();
///         let x = (n + y * y).isqrt();
///         (x * x == n + y * y && x - y > 1).then_some(x - y)
///     });
///     heist::race(up, fermat)
/// }
/// let d = divisor(1_000_003 * 1_000_033).unwrap();
/// assert!(d == 1_000_003 || d == 1_000_033);
/// ```
///
/// # Cost
/// A race costs as much as a [cancel scope](crate::cancellable()) and a join: about 2,800 instructions, 30 times the
/// cost of a join. A loser that has begun unwinds from its next fork: in a search for 14 queens on two busy workers,
/// the unwinding ends about 25 us after the win. `race` is the `por` of Rainey's thesis (*Effective Scheduling
/// Techniques for High-Level Parallel Programming Languages*, 2010, section 5.1).
///
/// # Panics
/// A panic of a branch wins: it cancels the other branch, and is rethrown once both have ended. If both branches panic, `race` rethrows the
/// panic of `a`. A program that is built with `panic = "abort"` aborts when a loser has to be stopped.
#[doc(alias = "por")]
#[doc(alias = "select")]
#[inline(always)]
pub fn race<A, B, T>(a: A, b: B) -> Option<T>
where
    A: FnOnce() -> Option<T> + Send,
    B: FnOnce() -> Option<T> + Send,
    T: Send,
{
    let ended = match try_race::begin(|| Ok(a()), || Ok(b())) {
        Begun::Over(ended) => ended,
        Begun::Left(b) => b(),
    };
    match ended {
        Ok(found) => found,
        // No branch has won, so a scope around the race was cancelled.
        Err(Cancelled) => cancel::unwind(),
    }
}

/// Races like [`race`], but omits the fork and the scope while this worker has enough forks for thieves. Without the fork, the function
/// calls `a`, and if `a` returns `None`, calls `b`.
///
/// Use this function for the nodes of a search tree. The number of scopes then depends on the number of steals, not on
/// the number of nodes. **`b` is not always stealable**: if `a` may wait for an effect of `b`, or may never end, use
/// [`race`].
///
/// ```
/// /// Whether some of the numbers add up to `sum`, and which.
/// fn choose(numbers: &[u64], sum: u64) -> Option<Vec<u64>> {
///     match numbers {
///         _ if sum == 0 => Some(Vec::new()),
///         [] => None,
///         [first, rest @ ..] => heist::race_hint(
///             || Some([choose(rest, sum.checked_sub(*first)?)?, vec![*first]].concat()),
///             || choose(rest, sum),
///         ),
///     }
/// }
/// assert_eq!(choose(&[3, 34, 4, 12, 5, 2], 9).map(|found| found.iter().sum()), Some(9));
/// assert_eq!(choose(&[3, 34, 4, 12, 5, 2], 30), None);
/// ```
///
/// # Cost
/// In a tree (fib with results of type `Option<u64>`, one worker), a node takes 43 instructions. A node with
/// `join` takes 92 instructions for the same results. A call that forks costs as much as [`race`].
///
/// # Panics
/// Panics like [`race`]. If this call does not fork and `a` panics, `b` does not begin.
#[inline(always)]
pub fn race_hint<A, B, T>(a: A, b: B) -> Option<T>
where
    A: FnOnce() -> Option<T> + Send,
    B: FnOnce() -> Option<T> + Send,
    T: Send,
{
    // A canceller's request makes this condition false, so the call below checks for cancellation.
    if local().shared.has_a_few() {
        match a() {
            None => b(),
            found => found,
        }
    } else {
        race(a, b)
    }
}

/// Races branches that may fail, like [`race`]: the first `Ok` wins. If both branches fail, both errors are returned.
///
/// ```
/// let mirrors = heist::race_ok(|| Err("the first is down"), || Ok::<_, &str>(200));
/// assert_eq!(mirrors, Ok(200));
/// let mirrors = heist::race_ok(|| Err::<u32, _>("down"), || Err("moved"));
/// assert_eq!(mirrors, Err(("down", "moved")));
/// ```
///
/// # Errors
/// Returns the errors of both branches if both fail.
///
/// # Panics
/// Panics like [`race`].
pub fn race_ok<A, B, T, E1, E2>(a: A, b: B) -> Result<T, (E1, E2)>
where
    A: FnOnce() -> Result<T, E1> + Send,
    B: FnOnce() -> Result<T, E2> + Send,
    T: Send,
    E1: Send,
    E2: Send,
{
    let (mut left, mut right) = (None, None);
    let found = race(
        || a().map_err(|error| left = Some(error)).ok(),
        || b().map_err(|error| right = Some(error)).ok(),
    );
    match (found, left, right) {
        (Some(value), ..) => Ok(value),
        (None, Some(a), Some(b)) => Err((a, b)),
        _ => unreachable!("a race without a winner, one of whose branches has not failed"),
    }
}

/// Races any number of branches, like [`race`]: the first `Some` wins, and cancels all other branches. Returns
/// `None` if all branches return `None`, or if there are no branches.
///
/// Branches begin from the first to the last, as workers become free.
///
/// ```
/// let ask = |wheel: u64| move || (1..=1000_u64).find(|n| n % wheel == wheel - 1 && n % 97 == 0);
/// let found = heist::race_all([ask(7), ask(11), ask(13)]).unwrap();
/// assert_eq!(found % 97, 0);
/// ```
///
/// # Cost
/// Each branch costs as much as a [`race`].
///
/// # Panics
/// Panics like [`race`].
pub fn race_all<F, T>(branches: impl IntoIterator<Item = F>) -> Option<T>
where
    F: FnOnce() -> Option<T> + Send,
    T: Send,
{
    fn among<F, T>(mut branches: Vec<F>) -> Option<T>
    where
        F: FnOnce() -> Option<T> + Send,
        T: Send,
    {
        if branches.len() < 2 {
            return branches.pop()?();
        }
        let right = branches.split_off(branches.len() / 2);
        race(|| among(branches), || among(right))
    }
    among(branches.into_iter().collect())
}

/// Races 2 to 12 expressions, like [`race`](crate::race()): the first expression whose value is `Some` wins, and
/// cancels the other expressions.
///
/// Each expression is the body of a closure that borrows the variables that it names. The expressions begin from
/// left to right.
///
/// ```
/// let text = "7, seven, VII";
/// let found = heist::race!(
///     text.split(", ").find_map(|word| word.parse::<u32>().ok()),
///     text.contains("seven").then_some(7),
///     text.contains("VII").then_some(7),
/// );
/// assert_eq!(found, Some(7));
/// ```
#[macro_export]
macro_rules! race {
    ($a:expr, $b:expr $(,)?) => {
        $crate::race(|| $a, || $b)
    };
    ($a:expr, $b:expr, $c:expr $(,)?) => {
        $crate::race(|| $a, || $crate::race!($b, $c))
    };
    ($a:expr, $b:expr, $c:expr, $d:expr $(,)?) => {
        $crate::race(|| $crate::race!($a, $b), || $crate::race!($c, $d))
    };
    ($a:expr, $b:expr, $c:expr, $d:expr, $e:expr $(,)?) => {
        $crate::race(|| $crate::race!($a, $b, $c, $d), || $e)
    };
    ($a:expr, $b:expr, $c:expr, $d:expr, $($rest:expr),+ $(,)?) => {
        $crate::race(|| $crate::race!($a, $b, $c, $d), || $crate::race!($($rest),+))
    };
}
