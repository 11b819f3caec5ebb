//! rayon's names, so that a port to Heist begins as a change of imports: `rayon::` becomes `heist::rayon::`.
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
//! names. To complete the port, remove the calls that set grain sizes, and change the few methods that differ: `fold` takes a third
//! function that combines two results. The table in the guide *From rayon* lists all differences. If you cannot change the program or its
//! dependencies, use the crate `rayon-core` of the repository instead.

use std::fmt;

use crate::par::{Indexed, IntoPar, Par, ToPar, ToParMut};
use crate::{BuildError, Builder, Pool};

pub use crate::{
    BuildError as ThreadPoolBuildError, Finish as Scope, Finish as ScopeFifo,
    current_threads as current_num_threads, current_worker_index as current_thread_index,
    finish as scope, finish_fifo as scope_fifo, finish_in_place as in_place_scope,
    finish_in_place_fifo as in_place_scope_fifo, join, spawn_detached as spawn,
};

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

/// The traits and functions of `rayon::iter`.
///
/// ```
/// use heist::rayon::iter::{ParallelIterator, repeat_n};
/// assert_eq!(repeat_n(2, 5).product::<i32>(), 32);
/// ```
pub mod iter {
    pub use super::prelude::*;
    pub use crate::par::{empty, once, repeat_n, split};
}

/// Conversion into a parallel sequence of the elements: [`IntoPar`] with rayon's names.
pub trait IntoParallelIterator {
    /// The type of the items.
    type Item: Send;
    /// The type of the parallel sequence.
    type Iter: Par<Item = Self::Item>;

    /// Returns the parallel sequence of the elements, like [`IntoPar::into_par`].
    ///
    /// ```
    /// use heist::rayon::prelude::*;
    /// assert_eq!((1..=4_u64).into_par_iter().product::<u64>(), 24);
    /// ```
    fn into_par_iter(self) -> Self::Iter;
}

impl<C: IntoPar> IntoParallelIterator for C {
    type Item = C::Item;
    type Iter = C::Par;

    #[inline]
    fn into_par_iter(self) -> C::Par {
        self.into_par()
    }
}

/// Conversion into a parallel sequence of references to the elements: [`ToPar`] with rayon's names.
pub trait IntoParallelRefIterator<'d> {
    /// The type of the items.
    type Item: Send + 'd;
    /// The type of the parallel sequence.
    type Iter: Par<Item = Self::Item>;

    /// Returns the parallel sequence of references to the elements, like [`ToPar::par`].
    ///
    /// ```
    /// use heist::rayon::prelude::*;
    /// assert_eq!(["to", "be"].par_iter().map(|word| word.len()).sum::<usize>(), 4);
    /// ```
    fn par_iter(&'d self) -> Self::Iter;
}

impl<'d, C: ?Sized + ToPar<'d>> IntoParallelRefIterator<'d> for C
where
    <C::Par as Par>::Item: 'd,
{
    type Item = <C::Par as Par>::Item;
    type Iter = C::Par;

    #[inline]
    fn par_iter(&'d self) -> C::Par {
        self.par()
    }
}

/// Conversion into a parallel sequence of exclusive references to the elements: [`ToParMut`] with rayon's names.
pub trait IntoParallelRefMutIterator<'d> {
    /// The type of the items.
    type Item: Send + 'd;
    /// The type of the parallel sequence.
    type Iter: Par<Item = Self::Item>;

    /// Returns the parallel sequence of exclusive references to the elements, like [`ToParMut::par_mut`].
    ///
    /// ```
    /// use heist::rayon::prelude::*;
    /// let mut xs = [1, 2, 3];
    /// xs.par_iter_mut().enumerate().for_each(|(i, x)| *x *= i);
    /// assert_eq!(xs, [0, 2, 6]);
    /// ```
    fn par_iter_mut(&'d mut self) -> Self::Iter;
}

impl<'d, C: ?Sized + ToParMut<'d>> IntoParallelRefMutIterator<'d> for C
where
    <C::Par as Par>::Item: 'd,
{
    type Item = <C::Par as Par>::Item;
    type Iter = C::Par;

    #[inline]
    fn par_iter_mut(&'d mut self) -> C::Par {
        self.par_mut()
    }
}

/// rayon's methods for grain sizes. These methods have no effect: Heist divides a loop only when another worker has nothing to do.
///
/// ```
/// use heist::rayon::prelude::*;
/// let xs = vec![1_u64; 1000];
/// assert_eq!(xs.par_iter().with_min_len(64).with_max_len(256).sum::<u64>(), 1000);
/// ```
pub trait WithLen: Indexed {
    /// Returns the sequence itself.
    #[must_use]
    fn with_min_len(self, _least: usize) -> Self {
        self
    }

    /// Returns the sequence itself.
    #[must_use]
    fn with_max_len(self, _most: usize) -> Self {
        self
    }
}

impl<I: Indexed> WithLen for I {}

/// Builds thread pools: [`Builder`] with rayon's names.
///
/// ```
/// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(pool.install(heist::rayon::current_num_threads), 2);
/// # Ok::<(), heist::BuildError>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct ThreadPoolBuilder(Builder);

impl ThreadPoolBuilder {
    /// Makes a builder with Heist's default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of workers, like [`Builder::threads`]. As in rayon, 0 means the default: `HEIST_NUM_THREADS`, or a worker for each
    /// CPU that the process may use.
    pub fn num_threads(self, threads: usize) -> Self {
        match threads {
            0 => self,
            _ => Self(self.0.threads(threads)),
        }
    }

    /// Sets the size of the stack of each thread in bytes, like [`Builder::stack_size`].
    pub fn stack_size(self, bytes: usize) -> Self {
        Self(self.0.stack_size(bytes))
    }

    /// Sets a function that each thread calls when it starts, with its worker's index, like [`Builder::start_handler`].
    pub fn start_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(self.0.start_handler(handler))
    }

    /// Sets a function that each thread calls when it ends, with its worker's index, like [`Builder::exit_handler`].
    pub fn exit_handler(self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(self.0.exit_handler(handler))
    }

    /// Starts the pool, like [`Builder::build`].
    ///
    /// # Errors
    /// Returns an error if the settings are out of range, or if the system refuses a thread.
    pub fn build(self) -> Result<ThreadPool, BuildError> {
        self.0.build().map(ThreadPool)
    }

    /// Makes the pool the global pool, like [`Builder::build_global`].
    ///
    /// # Errors
    /// Returns an error if the global pool exists already, and otherwise the errors of [`build`](Self::build).
    pub fn build_global(self) -> Result<(), BuildError> {
        self.0.build_global()
    }
}

impl From<Builder> for ThreadPoolBuilder {
    /// Takes over the settings of a builder of Heist. Some of these settings have no name in rayon.
    fn from(builder: Builder) -> Self {
        Self(builder)
    }
}

/// A pool of workers: [`Pool`] with rayon's names. [`pool`](Self::pool) returns the pool itself.
///
/// ```
/// let pool = heist::rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// let mut words = ["a", "bc"].map(|word| (word, 0));
/// pool.scope(|s| {
///     for (word, length) in &mut words {
///         s.spawn(|_| *length = word.len());
///     }
/// });
/// assert_eq!(words, [("a", 1), ("bc", 2)]);
/// # Ok::<(), heist::BuildError>(())
/// ```
pub struct ThreadPool(Pool);

impl ThreadPool {
    /// Returns the pool of Heist.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.0
    }

    /// Runs the closure on a worker of the pool, like [`Pool::install`].
    ///
    /// # Panics
    /// Rethrows a panic of the closure.
    pub fn install<F, R>(&self, work: F) -> R
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        self.0.install(work)
    }

    /// Runs two closures, possibly in parallel, in the pool, like [`join`].
    ///
    /// # Panics
    /// Rethrows the panic of a closure; if both panic, the panic of `a`.
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.0.install(|| crate::join(a, b))
    }

    /// Runs the closure with a scope for tasks of the pool, like [`Pool::finish`]. Returns when all tasks have ended.
    ///
    /// # Panics
    /// Rethrows the leftmost panic of the closure and its tasks.
    pub fn scope<'scope, F, R>(&self, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.0.finish(body)
    }

    /// Gives the closure to the pool, like [`Pool::spawn_detached`].
    pub fn spawn<F>(&self, work: F)
    where
        F: FnOnce() + Send + 'static,
    {
        self.0.spawn_detached(work);
    }

    /// Returns the number of workers, like [`Pool::threads`].
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        self.0.threads()
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
