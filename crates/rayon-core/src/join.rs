//! Forks: two closures, possibly in parallel.

use crate::FnContext;
use crate::registry;

/// Runs both closures, possibly in parallel, and returns both results.
///
/// Any worker may steal `oper_b` while `oper_a` runs. A worker that waits for a stolen `oper_b` runs only jobs that descend from `oper_b`.
///
/// # Panics
/// If `oper_a` panics, rethrows this panic; otherwise rethrows the panic of `oper_b`. Both closures run to their ends before the panic is
/// rethrown.
#[inline]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    heist::embed::join(move |_| oper_a(), move |_| oper_b(), outside)
}

/// Joins like [`join`], but each closure learns whether it runs on a thread other than the caller's.
///
/// # Panics
/// Panics like [`join`].
#[inline]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    heist::embed::join(
        move |migrated| oper_a(FnContext::new(migrated)),
        move |migrated| oper_b(FnContext::new(migrated)),
        outside,
    )
}

/// Runs a join in the global pool for a thread that is not a worker. Both closures count as migrated, because neither runs on the calling
/// thread.
#[cold]
#[inline(never)]
fn outside<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    registry::global().core().run(|| {
        heist::embed::join(
            move |_| a(true),
            move |_| b(true),
            |_, _| unreachable!("this is a worker"),
        )
    })
}
