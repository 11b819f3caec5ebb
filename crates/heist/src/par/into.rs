//! Conversions into parallel sequences.

use super::Par;

/// Conversion into a parallel sequence of the elements.
#[doc(alias = "IntoParallelIterator")]
pub trait IntoPar {
    /// The type of the items.
    type Item: Send;
    /// The parallel sequence type.
    type Par: Par<Item = Self::Item>;

    /// Returns the parallel sequence of the elements, by value.
    #[doc(alias = "into_par_iter")]
    fn into_par(self) -> Self::Par;
}

impl<P: Par> IntoPar for P {
    type Item = P::Item;
    type Par = P;

    #[inline]
    fn into_par(self) -> P {
        self
    }
}

/// Conversion into a parallel sequence of references to the elements.
#[doc(alias = "IntoParallelRefIterator")]
pub trait ToPar<'d> {
    /// The parallel sequence type.
    type Par: Par;

    /// Returns the parallel sequence of references to the elements. For a range, the items are the integers themselves.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let squares: u64 = [1, 2, 3].par().map(|x| x * x).sum();
    /// assert_eq!(squares, 14);
    /// ```
    #[doc(alias = "par_iter")]
    fn par(&'d self) -> Self::Par;
}

impl<'d, C: ?Sized + 'd> ToPar<'d> for C
where
    &'d C: IntoPar,
{
    type Par = <&'d C as IntoPar>::Par;

    #[inline]
    fn par(&'d self) -> Self::Par {
        self.into_par()
    }
}

/// Conversion into a parallel sequence of exclusive references to the elements.
#[doc(alias = "IntoParallelRefMutIterator")]
pub trait ToParMut<'d> {
    /// The parallel sequence type.
    type Par: Par;

    /// Returns the parallel sequence of exclusive references to the elements.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = [1, 2, 3];
    /// xs.par_mut().for_each(|x| *x *= 2);
    /// assert_eq!(xs, [2, 4, 6]);
    /// ```
    #[doc(alias = "par_iter_mut")]
    fn par_mut(&'d mut self) -> Self::Par;
}

impl<'d, C: ?Sized + 'd> ToParMut<'d> for C
where
    &'d mut C: IntoPar,
{
    type Par = <&'d mut C as IntoPar>::Par;

    #[inline]
    fn par_mut(&'d mut self) -> Self::Par {
        self.into_par()
    }
}
