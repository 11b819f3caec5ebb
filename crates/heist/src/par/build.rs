//! Sequences by function.

use super::prelude::*;
use super::{Map, ParRange, Zip};

/// The sequence of `f(0)`, `f(1)`, up to `f(n - 1)`.
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

/// Applies a function to items at the same index of two sequences: the thesis' `map2`. As long as the shorter of both.
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
