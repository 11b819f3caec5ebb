//! Heist's items under rayon's names: a port from rayon begins with a change of imports, from `rayon::` to `heist::rayon::`.
//!
//! ```
//! use heist::rayon::prelude::*;
//!
//! let mut xs: Vec<u64> = (0..1000).into_par_iter().map(|x| x * 7 % 1000).collect();
//! xs.par_iter_mut().for_each(|x| *x += 1);
//! xs.par_sort_unstable();
//! assert_eq!(xs.par_iter().sum::<u64>(), 500_500);
//! let (low, high) = heist::rayon::join(|| xs[..500].len(), || xs[500..].len());
//! assert_eq!(low + high, 1000);
//! ```
//!
//! The names are aliases of Heist's own items. So documentation and error messages show Heist's names, and a program can use both kinds of
//! names. To complete the port, remove the calls that set grain sizes, and change the few methods that differ: `fold_reduce` does the work
//! of `fold` and the `reduce` after it. The table in the guide *From rayon* lists all names that differ or are missing.
//! [`ThreadPool::pool`] and [`ThreadPoolBuilder::from`] give access to everything that Heist has and rayon does not. If you cannot change
//! the program or its dependencies, use the crate `rayon-core` of the repository instead.

mod broadcast;
mod context;
mod convert;
pub mod iter;
mod pool;
pub mod slice;
pub mod str;

pub use crate::{
    BuildError as ThreadPoolBuildError, Finish as Scope, Finish as ScopeFifo,
    ThreadStart as ThreadBuilder, current_threads as current_num_threads,
    current_worker_index as current_thread_index, finish as scope, finish_fifo as scope_fifo,
    finish_in_place as in_place_scope, finish_in_place_fifo as in_place_scope_fifo, join,
    spawn_detached as spawn, spawn_detached as spawn_fifo, yield_now,
};
pub use broadcast::{BroadcastContext, broadcast};
pub use context::{FnContext, join_context};
pub use convert::{
    IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, WithLen,
};
pub use pool::{ThreadPool, ThreadPoolBuilder};

/// The traits of `rayon::prelude`.
///
/// ```
/// use heist::rayon::prelude::*;
///
/// fn squares(numbers: impl IntoParallelIterator<Item = u32>) -> impl ParallelIterator<Item = u32> {
///     numbers.into_par_iter().map(|x| x * x)
/// }
/// let odd: Vec<u32> = squares(vec![1, 2, 3]).filter(|x| x % 2 == 1).collect();
/// assert_eq!(odd, [1, 9]);
/// ```
pub mod prelude {
    pub use super::{
        IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, WithLen,
    };
    pub use crate::par::{
        FromPar as FromParallelIterator, Indexed as IndexedParallelIterator,
        Par as ParallelIterator, ParBridge as ParallelBridge, ParDrainFull as ParallelDrainFull,
        ParDrainRange as ParallelDrainRange, ParExtend as ParallelExtend,
        ParSlice as ParallelSlice, ParSliceMut as ParallelSliceMut, ParSort,
        ParStr as ParallelString,
    };
}

/// Returns the maximum number of workers of a pool: [`MAX_THREADS`](crate::MAX_THREADS).
///
/// ```
/// assert!(heist::rayon::max_num_threads() >= heist::rayon::current_num_threads());
/// ```
#[must_use]
pub fn max_num_threads() -> usize {
    crate::MAX_THREADS
}
