//! A fork whose sides learn whether another thread runs them.

use crate::worker::local_now;
use std::marker::PhantomData;

/// The argument of a closure that [`join_context`] runs.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// A context describes the current thread, so it may not leave this thread.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    /// Returns the context of a closure that the thread `forker` has forked and that runs on the current thread.
    fn of(forker: usize) -> Self {
        FnContext {
            migrated: this_thread() != forker,
            marker: PhantomData,
        }
    }

    /// Returns true if the closure runs on another thread than the call of [`join_context`].
    #[must_use]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Returns a number that no other living thread has.
fn this_thread() -> usize {
    std::ptr::from_ref(local_now()).addr()
}

/// Runs two closures as [`join`](crate::join()) does, and tells each closure whether it runs on another thread than
/// this call. The second closure runs on another thread if a thief has stolen it. If the calling thread is not a worker,
/// both closures run on other threads.
///
/// ```
/// /// Adds up the numbers, and forks again only where a thief has taken the upper half.
/// fn sum(xs: &[u64], forks: u32) -> u64 {
///     if forks == 0 || xs.len() < 2 {
///         return xs.iter().sum();
///     }
///     let (low, high) = xs.split_at(xs.len() / 2);
///     let (l, h) = heist::rayon::join_context(
///         |_| sum(low, forks - 1),
///         |context| sum(high, if context.migrated() { 8 } else { forks - 1 }),
///     );
///     l + h
/// }
/// assert_eq!(sum(&(1..=1000).collect::<Vec<_>>(), 8), 500_500);
/// ```
///
/// # Panics
/// Rethrows the panic of a closure; if both panic, the panic of `a`.
pub fn join_context<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let forker = this_thread();
    crate::join(|| a(FnContext::of(forker)), || b(FnContext::of(forker)))
}
