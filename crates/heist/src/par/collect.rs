//! Collections into which a parallel sequence can be collected.

use super::adapters::until;
use super::ask::ask;
use super::jobs::{Fill, FillBoth, Gather, GatherJoined, Room, Write, append};
use super::rope::{DEFAULT_LEAF, Rope};
use super::{IntoPar, Par};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::rc::Rc;
use std::sync::Arc;

/// A collection that can be made from a parallel sequence: see [`Par::collect`].
#[doc(alias = "FromParallelIterator")]
pub trait FromPar<T: Send>: Sized {
    /// Makes the collection from the items of the sequence.
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self;
}

/// A collection to which a parallel sequence can be added.
#[doc(alias = "ParallelExtend")]
pub trait ParExtend<T: Send> {
    /// Adds all items of the sequence, in order. If the sequence panics, this method adds no items.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let mut xs = vec![1, 2];
    /// xs.par_extend((3..6).par().map(|x| 10 * x));
    /// assert_eq!(xs, [1, 2, 30, 40, 50]);
    /// ```
    fn par_extend<P: IntoPar<Item = T>>(&mut self, sequence: P);

    /// Adds all items of the vectors, in order.
    #[doc(hidden)]
    fn extend_by_pieces(&mut self, pieces: Vec<Vec<T>>) {
        pieces.into_iter().for_each(|piece| self.par_extend(piece));
    }
}

impl<T: Send> FromPar<T> for Vec<T> {
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
        let sequence = sequence.into_par();
        let exact = sequence.exact_len();
        let Some(len) = sequence.full_len() else {
            return ask(sequence, GatherJoined);
        };
        let mut all = Vec::new();
        // A sequence that may end early may report a length that is too large for the memory.
        if exact.is_none() && all.try_reserve_exact(len).is_err() {
            return ask(sequence, GatherJoined);
        }
        all.reserve_exact(len);
        let written = fill(&mut all, sequence, len);
        assert!(
            exact.is_none_or(|exact| exact == written),
            "{ANOTHER_LENGTH}"
        );
        all
    }
}

/// Writes each item directly to its final place if the length of the sequence is known beforehand.
impl<T: Send> ParExtend<T> for Vec<T> {
    fn par_extend<P: IntoPar<Item = T>>(&mut self, sequence: P) {
        let sequence = sequence.into_par();
        if let Some(len) = sequence.exact_len() {
            self.reserve(len);
            let written = fill(self, sequence, len);
            assert!(written == len, "{ANOTHER_LENGTH}");
            return;
        }
        ask(sequence, Gather).append_to(self);
    }

    fn extend_by_pieces(&mut self, pieces: Vec<Vec<T>>) {
        let mut pieces = pieces;
        if self.capacity() == 0 && !pieces.is_empty() {
            *self = pieces.remove(0);
        }
        append(self, pieces);
    }
}

/// The panic message if a sequence yields a different number of items than it has reported.
const ANOTHER_LENGTH: &str = "heist: a sequence of another length";

/// Appends all items to a vector that has room for `len` more items, and returns their number.
fn fill<P: Par>(all: &mut Vec<P::Item>, sequence: P, len: usize) -> usize {
    // SAFETY: `all` is not used before the next statement has run. By then the job has ended, and `into_len` has consumed its only
    // remaining `Filled`.
    let room = unsafe { Room::of(all, len) };
    let written = ask(sequence, Fill(room)).into_len();
    // SAFETY: the job has initialised the first `written` items behind the old ones.
    unsafe { all.set_len(all.len() + written) };
    written
}

/// Appends the left halves of all pairs to one vector and the right halves to a second vector.
pub(crate) fn fill_both<P, A, B>(left: &mut Vec<A>, right: &mut Vec<B>, sequence: P, len: usize)
where
    P: Par<Item = (A, B)>,
    A: Send,
    B: Send,
{
    left.reserve(len);
    right.reserve(len);
    // SAFETY: `left` is not used until the job has ended and `into_len` has consumed its last `Filled` of this room.
    let left_room = unsafe { Room::of(left, len) };
    // SAFETY: `right` is not used until the job has ended and `into_len` has consumed its last `Filled` of this room.
    let right_room = unsafe { Room::of(right, len) };
    let (left_part, right_part) = ask(sequence, FillBoth(left_room, right_room));
    let written = (left_part.into_len(), right_part.into_len());
    assert!(written == (len, len), "{ANOTHER_LENGTH}");
    // SAFETY: the job has initialised the first `len` items behind the old ones, as the assertion has checked.
    unsafe { left.set_len(left.len() + len) };
    // SAFETY: the job has initialised the first `len` items behind the old ones, as the assertion has checked.
    unsafe { right.set_len(right.len() + len) };
}

/// Each part of the schedule moves its items into its own leaves of the rope. `vec.into_par().collect::<Rope<_>>()` is the parallel form of
/// `Rope::from(vec)`, and `rope.into_par().collect::<Vec<_>>()` converts back.
impl<T: Send + Sync> FromPar<T> for Rope<T> {
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
        sequence.into_par().collect_rope(DEFAULT_LEAF)
    }
}

/// Builds a rope of the new items and [concatenates](Rope::concat) it to this rope. If `T::clone` panics, the rope is empty.
impl<T: Clone + Send + Sync> ParExtend<T> for Rope<T> {
    fn par_extend<P: IntoPar<Item = T>>(&mut self, sequence: P) {
        let more = sequence.into_par().collect_rope(self.leaf_size());
        *self = std::mem::take(self).concat(more);
    }
}

impl<T: Send> FromPar<T> for Box<[T]> {
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
        Vec::from_par(sequence).into_boxed_slice()
    }
}

macro_rules! by_extending {
    ($([$($generics:tt)*] $item:ty => $collection:ty;)*) => {$(
        impl<$($generics)*> FromPar<$item> for $collection {
            fn from_par<P: IntoPar<Item = $item>>(sequence: P) -> Self {
                let sequence = sequence.into_par();
                let pieces = ask(sequence, Gather);
                pieces.into_iter().flatten().collect()
            }
        }

        impl<$($generics)*> ParExtend<$item> for $collection {
            fn par_extend<P: IntoPar<Item = $item>>(&mut self, sequence: P) {
                let pieces = ask(sequence.into_par(), Gather);
                pieces.into_iter().for_each(|piece| self.extend(piece));
            }

            fn extend_by_pieces(&mut self, pieces: Vec<Vec<$item>>) {
                pieces.into_iter().for_each(|piece| self.extend(piece));
            }
        }
    )*};
}
by_extending! {
    [T: Send] T => VecDeque<T>;
    [T: Send] T => LinkedList<T>;
    [T: Ord + Send] T => BinaryHeap<T>;
    [T: Ord + Send] T => BTreeSet<T>;
    [K: Ord + Send, V: Send] (K, V) => BTreeMap<K, V>;
    [T: Eq + Hash + Send, S: BuildHasher + Default] T => HashSet<T, S>;
    [K: Eq + Hash + Send, V: Send, S: BuildHasher + Default] (K, V) => HashMap<K, V, S>;
}

macro_rules! by_writing {
    ($([$($generics:tt)*] $item:ty;)*) => {$(
        impl<$($generics)*> FromPar<$item> for String {
            fn from_par<P: IntoPar<Item = $item>>(sequence: P) -> Self {
                ask(sequence.into_par(), Write).join()
            }
        }

        impl<$($generics)*> ParExtend<$item> for String {
            fn par_extend<P: IntoPar<Item = $item>>(&mut self, sequence: P) {
                ask(sequence.into_par(), Write).append_to(self);
            }

            fn extend_by_pieces(&mut self, pieces: Vec<Vec<$item>>) {
                self.extend(pieces.into_iter().flatten());
            }
        }
    )*};
}
by_writing! {
    [] char;
    ['s] &'s char;
    [] String;
    ['s] &'s str;
    [] Box<str>;
    ['s] Cow<'s, str>;
}

macro_rules! by_copying {
    ($([$($generics:tt)*] $item:ty => $collection:ty, $copy:expr;)*) => {$(
        /// Adds copies of the values to which the items of the sequence refer.
        impl<'t, $($generics)*> ParExtend<$item> for $collection {
            fn par_extend<P: IntoPar<Item = $item>>(&mut self, sequence: P) {
                self.par_extend(sequence.into_par().map($copy));
            }
        }
    )*};
}
by_copying! {
    [T: Copy + Send + Sync] &'t T => Vec<T>, |item| *item;
    [T: Copy + Send + Sync] &'t T => VecDeque<T>, |item| *item;
    [T: Copy + Send + Sync] &'t T => LinkedList<T>, |item| *item;
    [T: Copy + Ord + Send + Sync] &'t T => BinaryHeap<T>, |item| *item;
    [T: Copy + Ord + Send + Sync] &'t T => BTreeSet<T>, |item| *item;
    [T: Copy + Eq + Hash + Send + Sync, S: BuildHasher + Default] &'t T => HashSet<T, S>, |item| *item;
    [K: Copy + Ord + Send + Sync, V: Copy + Send + Sync] (&'t K, &'t V) => BTreeMap<K, V>,
        |(key, value)| (*key, *value);
    [K: Copy + Eq + Hash + Send + Sync, V: Copy + Send + Sync, S: BuildHasher + Default]
        (&'t K, &'t V) => HashMap<K, V, S>, |(key, value)| (*key, *value);
}

macro_rules! by_vector {
    ($($collection:ty;)*) => {$(
        impl<T: Send> FromPar<T> for $collection {
            fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
                Vec::from_par(sequence).into()
            }
        }
    )*};
}
by_vector! {
    Arc<[T]>;
    Rc<[T]>;
}

impl<T: Send> FromPar<T> for Box<str>
where
    String: FromPar<T>,
{
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
        String::from_par(sequence).into_boxed_str()
    }
}

/// Collects the items into a `Cow` with an owned collection.
impl<T: Send, C: ToOwned<Owned: FromPar<T>> + ?Sized> FromPar<T> for Cow<'_, C> {
    fn from_par<P: IntoPar<Item = T>>(sequence: P) -> Self {
        Cow::Owned(C::Owned::from_par(sequence))
    }
}

/// Collects all left halves of pairs into one collection and all right halves into a second collection. Works like
/// [`unzip`](Par::unzip), but for all collections that implement this trait.
impl<A: Send, B: Send, CA: FromPar<A>, CB: FromPar<B>> FromPar<(A, B)> for (CA, CB) {
    fn from_par<P: IntoPar<Item = (A, B)>>(sequence: P) -> Self {
        let (left, right): (Vec<A>, Vec<B>) = sequence.into_par().unzip();
        (CA::from_par(left), CB::from_par(right))
    }
}

/// Adds the left halves of pairs to the first collection and the right halves to the second collection.
impl<A, B, CA, CB> ParExtend<(A, B)> for (CA, CB)
where
    A: Send,
    B: Send,
    CA: ParExtend<A>,
    CB: ParExtend<B>,
{
    fn par_extend<P: IntoPar<Item = (A, B)>>(&mut self, sequence: P) {
        let (left, right): (Vec<A>, Vec<B>) = sequence.into_par().unzip();
        self.0.extend_by_pieces(vec![left]);
        self.1.extend_by_pieces(vec![right]);
    }
}

/// Processes all items and returns `()`.
impl FromPar<()> for () {
    fn from_par<P: IntoPar<Item = ()>>(sequence: P) -> Self {
        sequence.into_par().for_each(|()| ());
    }
}

/// Processes all items.
impl ParExtend<()> for () {
    fn par_extend<P: IntoPar<Item = ()>>(&mut self, sequence: P) {
        sequence.into_par().for_each(|()| ());
    }
}

/// Collects all values, or returns the first error from the left. The operation ends early at an error.
impl<T: Send, E: Send, C: FromPar<T>> FromPar<Result<T, E>> for Result<C, E> {
    fn from_par<P: IntoPar<Item = Result<T, E>>>(sequence: P) -> Self {
        until(sequence.into_par(), |values| C::from_par(values))
    }
}

/// Collects all values, or returns `None` if an item is `None`. The operation ends early at a `None`.
impl<T: Send, C: FromPar<T>> FromPar<Option<T>> for Option<C> {
    fn from_par<P: IntoPar<Item = Option<T>>>(sequence: P) -> Self {
        until(sequence.into_par(), |values| C::from_par(values)).ok()
    }
}
