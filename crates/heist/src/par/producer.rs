//! Parallel sequences of collections from other crates.

use super::sources::ParProducer;

/// A run of items that can be cut in two. A crate that implements only this trait can offer parallel sequences of its collections.
///
/// A producer holds the remaining items of a collection, for example a slice, a pair of slices, or a range of rows.
/// [`from_producer`] makes a sequence from a producer. The sequence has all operations of [`Par`](super::Par) and
/// [`Indexed`](super::Indexed), and is split like all other sequences. If a collection uses `from_producer` to implement
/// [`IntoPar`](super::IntoPar) for its references, it also gets [`par`](super::ToPar::par) and
/// [`par_mut`](super::ToParMut::par_mut).
///
/// The trait has the methods of rayon's `Producer`, and `len`.
///
/// ```
/// use heist::par::{ParProducer, Producer, from_producer, prelude::*};
///
/// /// Points, each coordinate in an array of its own.
/// #[derive(Default)]
/// struct Points { x: Vec<f64>, y: Vec<f64> }
///
/// /// Some of them.
/// struct Some<'p> { x: &'p [f64], y: &'p [f64] }
///
/// impl<'p> Producer for Some<'p> {
///     type Item = (&'p f64, &'p f64);
///     type IntoIter = std::iter::Zip<std::slice::Iter<'p, f64>, std::slice::Iter<'p, f64>>;
///
///     fn len(&self) -> usize {
///         self.x.len()
///     }
///
///     fn into_iter(self) -> Self::IntoIter {
///         self.x.iter().zip(self.y)
///     }
///
///     fn split_at(self, index: usize) -> (Self, Self) {
///         let ((x, x_right), (y, y_right)) = (self.x.split_at(index), self.y.split_at(index));
///         (Some { x, y }, Some { x: x_right, y: y_right })
///     }
/// }
///
/// impl<'p> IntoPar for &'p Points {
///     type Item = (&'p f64, &'p f64);
///     type Par = ParProducer<Some<'p>>;
///
///     fn into_par(self) -> Self::Par {
///         from_producer(Some { x: &self.x, y: &self.y })
///     }
/// }
///
/// let points = Points { x: vec![3.0, 0.0], y: vec![4.0, 1.0] };
/// let distances: Vec<f64> = points.par().map(|(x, y)| x.hypot(*y)).collect();
/// assert_eq!(distances, [5.0, 1.0]);
/// ```
///
/// # Collections without indices
///
/// The items of some collections, such as hash tables, have no indices, but the buckets of such a collection have indices. For such a
/// collection, write a producer that yields one `Option` for each bucket. Apply [`filter_map`](super::Par::filter_map) or
/// [`flatten_iter`](super::Par::flatten_iter) to the sequence of this producer. To divide a value that can only be halved, such as a tree,
/// use [`split`](super::split).
///
/// # Panics
/// A wrong implementation cannot break memory safety. The operation panics or loses items if [`len`](Self::len) differs from the
/// number of items, or if [`split_at`](Self::split_at) cuts at another index.
pub trait Producer: Sized + Send {
    /// The type of the items.
    type Item: Send;
    /// The type of the iterator over the items, which can take items from both ends.
    type IntoIter: DoubleEndedIterator<Item = Self::Item>;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Returns true if there are no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the run, for one thread.
    fn into_iter(self) -> Self::IntoIter;

    /// Cuts the run in two: the first `index` items and all further items. `index` is at most the number of items of the run.
    ///
    /// The cut should be fast, and should take the same time for every length. Other workers may wait for the end of the cut without giving
    /// up their slots. So `split_at` must neither wait for other workers nor run anything in parallel.
    fn split_at(self, index: usize) -> (Self, Self);
}

/// Returns the parallel sequence of a [`Producer`]'s items.
///
/// ```
/// use heist::par::{Producer, from_producer, prelude::*};
///
/// /// So many coins, tossed the same way each time.
/// struct Coins { from: u32, to: u32 }
///
/// impl Producer for Coins {
///     type Item = bool;
///     type IntoIter = std::iter::Map<std::ops::Range<u32>, fn(u32) -> bool>;
///
///     fn len(&self) -> usize {
///         (self.to - self.from) as usize
///     }
///
///     fn into_iter(self) -> Self::IntoIter {
///         (self.from..self.to).map(|i| i.wrapping_mul(0x9e37_79b9) >> 31 == 1)
///     }
///
///     fn split_at(self, index: usize) -> (Self, Self) {
///         let middle = self.from + index as u32;
///         (Coins { to: middle, ..self }, Coins { from: middle, ..self })
///     }
/// }
///
/// let heads = from_producer(Coins { from: 0, to: 1000 }).filter(|heads| *heads).count();
/// assert_eq!(heads, 500);
/// ```
#[inline]
pub fn from_producer<P: Producer>(producer: P) -> ParProducer<P> {
    ParProducer::new(producer)
}
