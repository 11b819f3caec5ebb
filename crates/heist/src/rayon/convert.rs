//! The traits of rayon's conversions, and rayon's methods for grain sizes.

use crate::par::{Indexed, IntoPar, Par};

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

/// Conversion into a parallel sequence of references to the elements: [`ToPar`](crate::par::ToPar) with rayon's names.
pub trait IntoParallelRefIterator<'d> {
    /// The type of the items.
    type Item: Send + 'd;
    /// The type of the parallel sequence.
    type Iter: Par<Item = Self::Item>;

    /// Returns the parallel sequence of references to the elements, like [`ToPar::par`](crate::par::ToPar::par).
    ///
    /// ```
    /// use heist::rayon::prelude::*;
    /// assert_eq!(["to", "be"].par_iter().map(|word| word.len()).sum::<usize>(), 4);
    /// ```
    fn par_iter(&'d self) -> Self::Iter;
}

impl<'d, C: ?Sized + 'd> IntoParallelRefIterator<'d> for C
where
    &'d C: IntoParallelIterator,
{
    type Item = <&'d C as IntoParallelIterator>::Item;
    type Iter = <&'d C as IntoParallelIterator>::Iter;

    #[inline]
    fn par_iter(&'d self) -> Self::Iter {
        self.into_par_iter()
    }
}

/// Conversion into a parallel sequence of exclusive references to the elements: [`ToParMut`](crate::par::ToParMut) with rayon's names.
pub trait IntoParallelRefMutIterator<'d> {
    /// The type of the items.
    type Item: Send + 'd;
    /// The type of the parallel sequence.
    type Iter: Par<Item = Self::Item>;

    /// Returns the parallel sequence of exclusive references to the elements, like [`ToParMut::par_mut`](crate::par::ToParMut::par_mut).
    ///
    /// ```
    /// use heist::rayon::prelude::*;
    /// let mut xs = [1, 2, 3];
    /// xs.par_iter_mut().enumerate().for_each(|(i, x)| *x *= i);
    /// assert_eq!(xs, [0, 2, 6]);
    /// ```
    fn par_iter_mut(&'d mut self) -> Self::Iter;
}

impl<'d, C: ?Sized + 'd> IntoParallelRefMutIterator<'d> for C
where
    &'d mut C: IntoParallelIterator,
{
    type Item = <&'d mut C as IntoParallelIterator>::Item;
    type Iter = <&'d mut C as IntoParallelIterator>::Iter;

    #[inline]
    fn par_iter_mut(&'d mut self) -> Self::Iter {
        self.into_par_iter()
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
