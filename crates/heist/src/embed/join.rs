//! Forks in which each side learns whether it was taken from the deque.

use crate::join::join_called;
use crate::policy::ReturnBarrier;
use crate::task::Side;

/// The right side of a fork. The side's closure learns whether it was taken from the deque, and runs even if the left
/// side panics.
struct Told<B>(B);

impl<R, B: FnOnce(bool) -> R> Side<R> for Told<B> {
    const ALWAYS: bool = true;

    #[inline(always)]
    fn run_here(self) -> R {
        (self.0)(false)
    }

    #[inline(always)]
    fn run_taken(self) -> R {
        (self.0)(true)
    }
}

/// Forks like [`heist::join`](crate::join()), but both sides always run. Each side learns whether a thread took it from the deque. This
/// thread may be another thread, or the forking thread itself, which takes the side as a thief would. On a thread that is not a worker,
/// `outside` runs both sides.
///
/// This function calls `join_called`, which is never inlined. Rayon's iterators fork in the function that contains the loop of their
/// leaves. If the compiler inlined the join, fewer registers would be left for the loop, and each item that a filter keeps would take 7
/// more instructions.
///
/// # Panics
/// Rethrows the panic of `a` if `a` panics, and otherwise the panic of `b`.
#[inline(always)]
pub fn join<A, B, RA, RB>(a: A, b: B, outside: impl FnOnce(A, B) -> (RA, RB)) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_called::<ReturnBarrier, Told<A>, Told<B>, RA, RB>(Told(a), Told(b), |a, b| {
        outside(a.0, b.0)
    })
}
