//! Binary forks.

mod fork_path;
mod try_join;

#[cfg(feature = "policies")]
pub use fork_path::{ChaseLev, Polled, StopVictim, The};
pub use fork_path::{ForkPath, ReturnBarrier};
use fork_path::{look_up, pop};
pub use try_join::try_join;

use crate::cancel;
use crate::platform::ForkGeneration;
use crate::pool::{Pool, with_worker};
use crate::task::{JoinFrame, Side, discard};
use crate::worker::{fork_slow, join_slow, local, retract};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs `a` and `b`, possibly in parallel, and returns both results.
///
/// The calling worker runs `a`. While `a` runs, any other worker may steal `b`, even if `a` never forks again. If no worker steals `b`, the
/// caller runs it next. If no worker steals `b` or requests work in the meantime, the fork costs about 3 ns: it needs no atomic
/// read-modify-write, no fence and no allocation. The cost of 3 ns requires a platform with an [asymmetric
/// fence](crate::asymmetric_fence_available). A caller that waits for a stolen `b` runs only work that `b` forked. So unrelated work on the
/// same thread never tries to take a lock that is held across a `join`, and the stack grows no deeper than the program's own recursion.
///
/// On a thread that is not a worker, the function runs the whole join in the [global
/// pool](crate::global).
///
/// ```
/// fn sum(xs: &[u64]) -> u64 {
///     if let [x] = xs { return *x; }
///     let (left, right) = xs.split_at(xs.len() / 2);
///     let (l, r) = heist::join(|| sum(left), || sum(right));
///     l + r
/// }
/// assert_eq!(sum(&(1..=100).collect::<Vec<_>>()), 5050);
/// ```
///
/// # Panics
/// Rethrows the panic of `a` if `a` panics, and otherwise the panic of `b`. If `a` panics, the call
/// drops `b`, or waits for the end of `b` if a worker has started it.
#[inline(always)]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_by::<ReturnBarrier, A, B, RA, RB>(a, b)
}

impl Pool {
    /// Calls [`join`](crate::join) in this pool.
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        with_worker(Some(self), |_| join(a, b))
    }

    /// Calls [`join_hint`](crate::join_hint) in this pool.
    pub fn join_hint<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        with_worker(Some(self), |_| join_hint(a, b))
    }
}

/// Calls [`join`] on the fork path `P` (see [`ForkPath`]).
#[inline(always)]
pub(crate) fn join_by<P, A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    P: ForkPath,
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    #[cfg(feature = "tracing")]
    if crate::spans::are_watched() {
        return erased(a, b, join_in_span::<P>);
    }
    if const { goes_through_memory::<B>() } {
        join_here::<P, A, B, RA, RB>(a, b, outside::<P, A, B, RA, RB>)
    } else {
        join_called::<P, A, B, RA, RB>(a, b, outside::<P, A, B, RA, RB>)
    }
}

/// Returns true if a closure is too large to be passed in registers.
const fn goes_through_memory<F>() -> bool {
    size_of::<F>() > 2 * size_of::<usize>()
}

/// Joins small closures; on a thread that is not a worker, `outside` runs them. When the compiler inlines both closures, a recursive caller
/// becomes a copy of this function that calls itself. The copy first tests whether the recursion ends here, and so makes no call at a leaf.
/// In this way each fork of fib takes 40 instructions; with `join_here`, it takes 45. Large closures go to `join_here`, because a call
/// would write them to memory and then copy them into the frame. For example, the closures of cilksort have seven words. In cilksort, a
/// fork with `join_called` takes 34 instructions more than the serial elision, and a fork with `join_here` 24 more.
#[inline(never)]
pub(crate) fn join_called<P: ForkPath, A: Side<RA>, B: Side<RB>, RA, RB>(
    a: A,
    b: B,
    outside: impl FnOnce(A, B) -> (RA, RB),
) -> (RA, RB) {
    join_here::<P, A, B, RA, RB>(a, b, outside)
}

/// A side of a join, with its type erased. The side stores its result in memory of the caller, and is called once.
type Erased<'a> = dyn FnMut() + Send + 'a;

/// A slot for a right side's closure, and then for its result. The thread that runs the right side takes the
/// closure and stores the result.
///
/// If the left side panics, the slot drops its value, and discards a panic of the value's destructor. In a child of
/// `fork()` the slot leaks the value, because the thread that was changing the value does not exist in the child.
pub(crate) struct RightSlot<T> {
    value: ManuallyDrop<Option<T>>,
    generation: ForkGeneration,
}

impl<T> RightSlot<T> {
    pub(crate) fn new(value: Option<T>) -> Self {
        RightSlot {
            value: ManuallyDrop::new(value),
            generation: ForkGeneration::current(),
        }
    }

    pub(crate) fn set(&mut self, value: Option<T>) {
        *self.value = value;
    }

    pub(crate) fn take(&mut self) -> Option<T> {
        self.value.take()
    }
}

impl<T> Drop for RightSlot<T> {
    fn drop(&mut self) {
        if self.generation.is_current() {
            discard(self.value.take());
        }
    }
}

/// Erases the types of both sides, and calls `join` with them. So a path that rarely runs is compiled once, not once for
/// each join of a program.
///
/// If `join` unwinds, the sides that have not been called are dropped.
fn erased<A, B, RA, RB>(a: A, b: B, join: fn(&mut Erased<'_>, &mut Erased<'_>)) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    let (mut a, mut b) = (Some(a), RightSlot::new(Some(b)));
    let (mut ra, mut rb) = (None, RightSlot::new(None));
    // This code does not use `Option::map`, which would be compiled again for each side of each
    // join.
    let mut a = || {
        if let Some(a) = a.take() {
            ra = Some(a());
        }
    };
    let mut b = || {
        if let Some(b) = b.take() {
            rb.set(Some(b()));
        }
    };
    join(&mut a, &mut b);
    match (ra, rb.take()) {
        (Some(ra), Some(rb)) => (ra, rb),
        _ => unreachable!("a join that returns has run both sides"),
    }
}

/// Joins like [`join`], by code that all callers share. So the join in a generic function is compiled once, not once for
/// each of the function's types. Each side costs a call by pointer and a move of its result.
pub(crate) fn join_shared<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    erased(a, b, join_erased)
}

/// Calls [`join`] with sides whose types are erased. The sides store their results in memory of the caller.
#[inline(never)]
pub(crate) fn join_erased(a: &mut Erased<'_>, b: &mut Erased<'_>) {
    join(a, b);
}

/// Runs a [`join`]. The right side runs inside the caller's current span, on any thread.
#[cfg(feature = "tracing")]
#[cold]
#[inline(never)]
fn join_in_span<P: ForkPath>(a: &mut Erased<'_>, b: &mut Erased<'_>) {
    if crate::worker::local_now().worker().is_none() {
        // The worker that runs this closure enters the caller's span first.
        return with_worker(None, |_| join_in_span::<P>(a, b));
    }
    let here = || std::ptr::from_ref(crate::worker::local_now()).addr();
    let (span, home) = (crate::spans::current(), here());
    let b = move || {
        // On this thread `b` is inside of the span already, because `a` has left all spans that it entered.
        let stolen = here() != home;
        crate::spans::inside(span.as_ref().filter(|_| stolen), b);
    };
    join_called::<P, _, _, (), ()>(a, b, outside::<P, _, _, (), ()>);
}

/// Runs a [`join`] in the caller's own code.
#[inline(always)]
fn join_here<P: ForkPath, A: Side<RA>, B: Side<RB>, RA, RB>(
    a: A,
    b: B,
    outside: impl FnOnce(A, B) -> (RA, RB),
) -> (RA, RB) {
    let local = local();
    let b = ManuallyDrop::new(b);
    // SAFETY: below, either a thief uses the frame's copy and this copy is forgotten, or this
    // thread has taken the frame back, uses this copy, and forgets the frame's copy.
    let frame = unsafe { JoinFrame::sharing(&b) };
    // SAFETY: this thread owns its words. There is room for the frame: a worker has a deque cell for every 16 bytes of its own stack, and
    // each fork takes more than 16 bytes of the stack. A worker has at least `LEAST_FORKS` cells. A thread that is not a worker has scratch
    // cells. If forks on other stacks fill all cells of a worker, the store hits the guard page behind the cells, which ends the process
    // (`worker::depth`).
    unsafe { local.shared.forks.push(frame.header()) };
    if local.shared.must_look_up() && !fork_slow(!B::ALWAYS) {
        return outside(a, ManuallyDrop::into_inner(b));
    }
    let retreat = Retreat {
        frame: &frame,
        b: &b,
    };
    let ra = a.run_here();
    std::mem::forget(retreat);
    look_up::<P>(local);
    // SAFETY: this thread owns its words, and every fork above this fork has been popped.
    if !unsafe { pop::<P>(local) } {
        if join_slow() {
            // SAFETY: the frame was stolen, and the thief is done with it.
            return match unsafe { frame.take_result() } {
                Ok(rb) => (ra, rb),
                Err(payload) => resume_unwind(payload),
            };
        }
        if B::RETURNS {
            // Step F4 of cancellation (`cancel/README.md`).
            if cancel::is_stopping() {
                return (ra, ManuallyDrop::into_inner(b).stop());
            }
        } else if !B::ALWAYS {
            // SAFETY: this thread has taken the closure back, and does not use it any more if the call
            // unwinds.
            unsafe { drop_if_cancelled(&b) };
        }
    }
    let rb = ManuallyDrop::into_inner(b).run_here();
    (ra, rb)
}

/// Drops a right side that was taken back, and unwinds (step F4 of cancellation). Does nothing if the scope was not cancelled.
///
/// # Safety
/// The closure must belong to the caller. If this function unwinds, the caller must not use the closure.
#[cold]
#[inline(never)]
unsafe fn drop_if_cancelled<B>(b: &ManuallyDrop<B>) {
    if cancel::is_stopping() {
        // SAFETY: by contract, the caller does not use the closure if this function unwinds.
        drop(unsafe { std::ptr::read(&raw const **b) });
        cancel::unwind();
    }
}

/// A guard that drops, runs or awaits the right side when the left side unwinds. `drop` looks up the thread-local words again, because a
/// guard that kept their address would cost the fork path four instructions.
struct Retreat<'a, B: Side<RB>, RB> {
    frame: &'a JoinFrame<B, RB>,
    b: &'a ManuallyDrop<B>,
}

impl<B: Side<RB>, RB> Drop for Retreat<'_, B, RB> {
    #[cold]
    fn drop(&mut self) {
        if retract(self.frame) {
            // SAFETY: no thief took the closure, and `join` unwinds without using its copy.
            let b = unsafe { std::ptr::read(&raw const **self.b) };
            if B::ALWAYS {
                // `join` rethrows the panic of the left side, so the panic of the right side is
                // discarded.
                discard(catch_unwind(AssertUnwindSafe(|| b.run_here())));
            } else {
                drop(b);
            }
        }
    }
}

#[cold]
#[inline(never)]
fn outside<P: ForkPath, A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    // A worker calls this function only in step F3 of cancellation, if its scope was cancelled. Then the check unwinds, which
    // drops both closures.
    cancel::check();
    erased(a, b, join_on_worker::<P>)
}

/// Runs a [`join`] on a worker. This function does not use `P::join`, because with the feature `tracing`, the caller has already wrapped
/// `b`.
fn join_on_worker<P: ForkPath>(a: &mut Erased<'_>, b: &mut Erased<'_>) {
    // On a worker, `outside` is called only if the scope was cancelled.
    with_worker(None, |_| {
        join_called::<P, _, _, (), ()>(a, b, outside::<P, _, _, (), ()>)
    });
}

/// Runs `a` and `b` as [`join`] does, but omits the fork while this worker has enough frames for
/// thieves. Without the fork, `a` and `b` are two plain calls.
///
/// Use `join_hint` for forks so small that 3 ns matter: an omitted fork costs about 1 ns. **`b` is not always stealable**: if `a` waits for
/// an effect of `b`, use [`join`]. If the closures capture more than two words, `join` is at least as fast. When a thief requests frames,
/// the worker's next `join_hint` forks again.
///
/// ```
/// fn fib(n: u64) -> u64 {
///     if n < 2 { return n; }
///     let (a, b) = heist::join_hint(|| fib(n - 1), || fib(n - 2));
///     a + b
/// }
/// assert_eq!(fib(20), 6765);
/// ```
///
/// # Panics
/// Panics like [`join`].
#[inline(always)]
pub fn join_hint<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    if const { goes_through_memory::<B>() } {
        hint_here(a, b)
    } else {
        hint_called(a, b)
    }
}

/// The counterpart of [`join_called`] for `join_hint`.
#[inline(never)]
fn hint_called<RA: Send, RB: Send>(
    a: impl FnOnce() -> RA + Send,
    b: impl FnOnce() -> RB + Send,
) -> (RA, RB) {
    hint_here(a, b)
}

/// The counterpart of [`join_here`] for `join_hint`.
#[inline(always)]
fn hint_here<RA: Send, RB: Send>(
    a: impl FnOnce() -> RA + Send,
    b: impl FnOnce() -> RB + Send,
) -> (RA, RB) {
    if local().shared.has_enough() {
        let ra = a();
        (ra, b())
    } else {
        join(a, b)
    }
}

/// Runs 2 to 12 expressions, possibly in parallel, and returns their results as a tuple.
///
/// `par!(a, b, c)` is `join(|| a, || join(|| b, || c))`, but with its results in one flat tuple.
/// Each expression is the body of a closure that borrows the variables that it names.
///
/// ```
/// let xs = vec![3, 1, 2];
/// let (sum, max, len) = heist::par!(xs.iter().sum::<i32>(), *xs.iter().max().unwrap(), xs.len());
/// assert_eq!((sum, max, len), (6, 3, 3));
/// ```
#[macro_export]
macro_rules! par {
    ($a:expr, $b:expr $(,)?) => {
        $crate::join(|| $a, || $b)
    };
    ($a:expr, $b:expr, $c:expr $(,)?) => {{
        let (a, (b, c)) = $crate::join(|| $a, || $crate::par!($b, $c));
        (a, b, c)
    }};
    ($a:expr, $b:expr, $c:expr, $d:expr $(,)?) => {{
        let ((a, b), (c, d)) = $crate::join(|| $crate::par!($a, $b), || $crate::par!($c, $d));
        (a, b, c, d)
    }};
    ($a:expr, $b:expr, $c:expr, $d:expr, $($rest:expr),+ $(,)?) => {{
        let ((a, b, c, d), rest) = $crate::join(
            || $crate::par!($a, $b, $c, $d),
            || $crate::par!(@tuple $($rest),+),
        );
        $crate::par!(@append (a, b, c, d) rest $($rest),+)
    }};
    (@tuple $a:expr) => { ($a,) };
    (@tuple $($e:expr),+) => { $crate::par!($($e),+) };
    (@append ($($p:expr),+) $r:ident $e1:expr) => {{ let (e,) = $r; ($($p),+, e) }};
    (@append ($($p:expr),+) $r:ident $e1:expr, $e2:expr) => {{ let (e, f) = $r; ($($p),+, e, f) }};
    (@append ($($p:expr),+) $r:ident $e1:expr, $e2:expr, $e3:expr) => {{
        let (e, f, g) = $r; ($($p),+, e, f, g)
    }};
    (@append ($($p:expr),+) $r:ident $e1:expr, $e2:expr, $e3:expr, $e4:expr) => {{
        let (e, f, g, h) = $r; ($($p),+, e, f, g, h)
    }};
    (@append ($($p:expr),+) $r:ident $e1:expr, $e2:expr, $e3:expr, $e4:expr, $e5:expr) => {{
        let (e, f, g, h, i) = $r; ($($p),+, e, f, g, h, i)
    }};
    (@append ($($p:expr),+) $r:ident $e1:expr, $e2:expr, $e3:expr, $e4:expr, $e5:expr, $e6:expr) => {{
        let (e, f, g, h, i, j) = $r; ($($p),+, e, f, g, h, i, j)
    }};
    (@append ($($p:expr),+) $r:ident
     $e1:expr, $e2:expr, $e3:expr, $e4:expr, $e5:expr, $e6:expr, $e7:expr) => {{
        let (e, f, g, h, i, j, k) = $r; ($($p),+, e, f, g, h, i, j, k)
    }};
    (@append ($($p:expr),+) $r:ident
     $e1:expr, $e2:expr, $e3:expr, $e4:expr, $e5:expr, $e6:expr, $e7:expr, $e8:expr) => {{
        let (e, f, g, h, i, j, k, l) = $r; ($($p),+, e, f, g, h, i, j, k, l)
    }};
}
