//! Parallel sequences of the standard library's collections.

use super::{ParMut, ParRef, ParVec};
use crate::par::adapters::Chain;
use crate::par::prelude::*;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

/// Makes a sequence of the deque's two slices, one after the other.
impl<'d, T: Sync> IntoPar for &'d VecDeque<T> {
    type Item = &'d T;
    type Par = Chain<ParRef<'d, T>, ParRef<'d, T>>;

    fn into_par(self) -> Self::Par {
        let (front, back) = self.as_slices();
        front.into_par().chain(back)
    }
}

/// Makes a sequence of the deque's two slices, one after the other.
impl<'d, T: Send> IntoPar for &'d mut VecDeque<T> {
    type Item = &'d mut T;
    type Par = Chain<ParMut<'d, T>, ParMut<'d, T>>;

    fn into_par(self) -> Self::Par {
        let (front, back) = self.as_mut_slices();
        front.into_par().chain(back)
    }
}

/// Makes a sequence of the elements. If the elements are not at the beginning of the deque's memory, first moves them there, in
/// O(n).
impl<T: Send> IntoPar for VecDeque<T> {
    type Item = T;
    type Par = ParVec<T>;

    fn into_par(self) -> ParVec<T> {
        Vec::from(self).into_par()
    }
}

impl<T: Send> IntoPar for Box<[T]> {
    type Item = T;
    type Par = ParVec<T>;

    fn into_par(self) -> ParVec<T> {
        self.into_vec().into_par()
    }
}

impl<'s, T: Sync> IntoPar for &'s Box<[T]> {
    type Item = &'s T;
    type Par = ParRef<'s, T>;

    #[inline]
    fn into_par(self) -> ParRef<'s, T> {
        (**self).into_par()
    }
}

impl<'s, T: Send> IntoPar for &'s mut Box<[T]> {
    type Item = &'s mut T;
    type Par = ParMut<'s, T>;

    #[inline]
    fn into_par(self) -> ParMut<'s, T> {
        (**self).into_par()
    }
}

macro_rules! gathered {
    ($([$($generics:tt)*] $collection:ty => $item:ty;)*) => {$(
        /// A collection of this type cannot be cut, so one worker first gathers its elements into a vector, in the order of its iterator.
        impl<$($generics)*> IntoPar for $collection {
            type Item = $item;
            type Par = ParVec<$item>;

            fn into_par(self) -> ParVec<$item> {
                self.into_iter().collect::<Vec<_>>().into_par()
            }
        }
    )*};
}
gathered! {
    [K: Send, V: Send, S] HashMap<K, V, S> => (K, V);
    ['c, K: Sync, V: Sync, S] &'c HashMap<K, V, S> => (&'c K, &'c V);
    ['c, K: Sync, V: Send, S] &'c mut HashMap<K, V, S> => (&'c K, &'c mut V);
    [K: Send, V: Send] BTreeMap<K, V> => (K, V);
    ['c, K: Sync, V: Sync] &'c BTreeMap<K, V> => (&'c K, &'c V);
    ['c, K: Sync, V: Send] &'c mut BTreeMap<K, V> => (&'c K, &'c mut V);
    [T: Send, S] HashSet<T, S> => T;
    ['c, T: Sync, S] &'c HashSet<T, S> => &'c T;
    [T: Send] BTreeSet<T> => T;
    ['c, T: Sync] &'c BTreeSet<T> => &'c T;
    [T: Send] BinaryHeap<T> => T;
    ['c, T: Sync] &'c BinaryHeap<T> => &'c T;
    [T: Send] LinkedList<T> => T;
    ['c, T: Sync] &'c LinkedList<T> => &'c T;
    ['c, T: Send] &'c mut LinkedList<T> => &'c mut T;
}
