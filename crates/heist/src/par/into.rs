//! How to come by a parallel sequence.

use super::Par;

/// What becomes a parallel sequence of its elements.
pub trait IntoPar {
    /// What it is a sequence of.
    type Item: Send;
    /// The sequence.
    type Par: Par<Item = Self::Item>;

    /// Its elements, by value.
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

/// What has a parallel sequence of references to its elements.
pub trait ToPar<'d> {
    /// The sequence.
    type Par: Par;

    /// Its elements, by reference; of a range, the integers themselves.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let squares: u64 = [1, 2, 3].par().map(|x| x * x).sum();
    /// assert_eq!(squares, 14);
    /// ```
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

/// What has a parallel sequence of exclusive references to its elements.
pub trait ToParMut<'d> {
    /// The sequence.
    type Par: Par;

    /// Its elements, to be changed.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = [1, 2, 3];
    /// xs.par_mut().for_each(|x| *x *= 2);
    /// assert_eq!(xs, [2, 4, 6]);
    /// ```
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
