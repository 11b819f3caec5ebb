//! Methods that take elements out of collections and process them in parallel.

use super::sources::{ParDrain, ParVec};
use super::{IntoPar, Par};
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::ops::RangeBounds;

/// A collection from which a range of elements can be taken.
pub trait ParDrainRange {
    /// The items taken out.
    type Item: Send;
    /// The parallel sequence of the items that the method takes out.
    type Par<'d>: Par<Item = Self::Item>
    where
        Self: 'd;

    /// Takes out the elements of the range, in order. When the sequence has been run or dropped, the elements behind the range move into
    /// the gap. These elements also move if the operation panics. If no operation takes an element out of the sequence, the element is
    /// dropped.
    ///
    /// If the sequence is [forgotten](std::mem::forget), elements behind the range may be lost.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = vec![1, 2, 3, 4, 5];
    /// let sum: u32 = xs.par_drain(1..3).sum();
    /// assert_eq!((sum, xs), (5, vec![1, 4, 5]));
    /// ```
    ///
    /// # Panics
    /// Panics if the range ends behind the end of the collection, or ends before it starts. For a string, also panics if the range
    /// starts or ends within a character.
    fn par_drain(&mut self, range: impl RangeBounds<usize>) -> Self::Par<'_>;
}

impl<T: Send> ParDrainRange for Vec<T> {
    type Item = T;
    type Par<'d>
        = ParDrain<'d, T>
    where
        Self: 'd;

    fn par_drain(&mut self, range: impl RangeBounds<usize>) -> ParDrain<'_, T> {
        ParDrain::new(self, range)
    }
}

/// Moves the elements to a vector before the sequence runs.
impl<T: Send> ParDrainRange for VecDeque<T> {
    type Item = T;
    type Par<'d>
        = ParVec<T>
    where
        Self: 'd;

    fn par_drain(&mut self, range: impl RangeBounds<usize>) -> ParVec<T> {
        self.drain(range).collect::<Vec<_>>().into_par()
    }
}

/// Moves the characters to a vector before the sequence runs.
impl ParDrainRange for String {
    type Item = char;
    type Par<'d> = ParVec<char>;

    fn par_drain(&mut self, range: impl RangeBounds<usize>) -> ParVec<char> {
        self.drain(range).collect::<Vec<_>>().into_par()
    }
}

/// A collection from which all elements can be taken, in any order.
pub trait ParDrainFull {
    /// The items taken out.
    type Item: Send;

    /// Takes out all elements. The collection keeps its capacity.
    ///
    /// One worker first moves the elements to a vector, in the order of the collection's iterator.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut all = std::collections::HashSet::from([1, 2, 3]);
    /// let sum: u32 = all.par_drain().sum();
    /// assert_eq!((sum, all.len()), (6, 0));
    /// ```
    fn par_drain(&mut self) -> ParVec<Self::Item>;
}

macro_rules! drained {
    ($([$($generics:tt)*] $collection:ty => $item:ty;)*) => {$(
        impl<$($generics)*> ParDrainFull for $collection {
            type Item = $item;

            fn par_drain(&mut self) -> ParVec<$item> {
                self.drain().collect::<Vec<_>>().into_par()
            }
        }
    )*};
}
drained! {
    [K: Send, V: Send, S: BuildHasher] HashMap<K, V, S> => (K, V);
    [T: Send, S: BuildHasher] HashSet<T, S> => T;
    [T: Ord + Send] BinaryHeap<T> => T;
}
