//! Sequences defined by functions.

use super::prelude::*;
use super::{Map, ParDivide, ParOption, ParRange, Zip};

/// Returns the sequence of `f(0)`, `f(1)`, up to `f(n - 1)`.
///
/// ```
/// use heist::par::{prelude::*, tabulate};
/// assert_eq!(tabulate(4, |i| i * i).collect::<Vec<_>>(), [0, 1, 4, 9]);
/// ```
pub fn tabulate<T, F>(n: usize, f: F) -> Map<ParRange<usize>, F>
where
    T: Send,
    F: Fn(usize) -> T + Send + Sync,
{
    (0..n).into_par().map(f)
}

/// Applies a function to the items at the same index of two sequences, like the `map2` of Rainey's thesis. The result is as long as
/// the shorter sequence.
///
/// ```
/// use heist::par::{map2, prelude::*};
/// let sums = map2(&[1, 2, 3], &[10, 20, 30], |a, b| a + b);
/// assert_eq!(sums.collect::<Vec<_>>(), [11, 22, 33]);
/// ```
#[allow(clippy::type_complexity, reason = "the closure within has no name")]
pub fn map2<A, B, T, F>(
    a: A,
    b: B,
    f: F,
) -> Map<Zip<A::Par, B::Par>, impl Fn((A::Item, B::Item)) -> T + Send + Sync>
where
    A: IntoPar,
    B: IntoPar,
    A::Par: Indexed,
    B::Par: Indexed,
    T: Send,
    F: Fn(A::Item, B::Item) -> T + Send + Sync,
{
    a.into_par().zip(b).map(move |(a, b)| f(a, b))
}

/// Returns a sequence of one item.
///
/// ```
/// use heist::par::{once, prelude::*};
/// assert_eq!(once(1).chain(5..7).collect::<Vec<_>>(), [1, 5, 6]);
/// ```
pub fn once<T: Send>(item: T) -> ParOption<T> {
    Some(item).into_par()
}

/// Returns an empty sequence.
pub fn empty<T: Send>() -> ParOption<T> {
    None.into_par()
}

/// Returns a sequence of `count` clones of an item.
///
/// ```
/// use heist::par::{prelude::*, repeat_n};
/// assert_eq!(repeat_n("lazy ", 2).collect::<String>(), "lazy lazy ");
/// ```
pub fn repeat_n<T>(item: T, count: usize) -> Map<ParRange<usize>, impl Fn(usize) -> T + Send + Sync>
where
    T: Clone + Send + Sync,
{
    tabulate(count, move |_| item.clone())
}

/// Returns the pieces into which a function divides a value. The function returns two pieces, the left piece first, or returns the value
/// alone if the value cannot be divided further. The depth of the recursion is the largest number of divisions that lead to one piece.
///
/// Under every [policy](Par::splitting), the value is divided completely, even if no thread is free to process two pieces in parallel. So
/// the pieces are the same on any schedule.
///
/// ```
/// use heist::par::{prelude::*, split};
/// let halves = |range: std::ops::Range<u32>| match range.len() {
///     0..=4 => (range, None),
///     len => {
///         let middle = range.start + len as u32 / 2;
///         (range.start..middle, Some(middle..range.end))
///     }
/// };
/// let pieces: Vec<_> = split(0..10, halves).collect();
/// assert_eq!(pieces, [0..2, 2..5, 5..7, 7..10]);
/// ```
pub fn split<D, F>(all: D, divide: F) -> ParDivide<D, F>
where
    D: Send,
    F: Fn(D) -> (D, Option<D>) + Send + Sync,
{
    ParDivide::new(all, divide)
}
