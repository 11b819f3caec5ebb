//! Sequences of at most one item.

use super::sequence_of_source;
use crate::par::source::{Chunk, Reversible, Solid};
use crate::par::{Indexed, IntoPar};
use std::iter::Rev;
use std::option;

/// A sequence of at most one item: the item of an option or of a successful result.
#[derive(Clone, Debug)]
pub struct ParOption<T> {
    item: Option<T>,
}

/// The item of an option, if it has not been taken yet.
#[derive(Debug)]
pub struct OptionSource<T>(pub(super) Option<T>);

impl<T: Send> Solid for OptionSource<T> {}

impl<T: Send> Chunk for OptionSource<T> {
    type Item = T;
    type Iter = option::IntoIter<T>;

    #[inline]
    fn len(&self) -> usize {
        usize::from(self.0.is_some())
    }

    #[inline]
    fn cut(&mut self, count: usize) -> Self {
        OptionSource(self.0.take_if(|_| count > 0))
    }

    #[inline]
    fn into_iter(self) -> option::IntoIter<T> {
        self.0.into_iter()
    }
}

impl<T: Send> Reversible for OptionSource<T> {
    type Back = Rev<option::IntoIter<T>>;

    #[inline]
    fn into_back(self) -> Self::Back {
        self.0.into_iter().rev()
    }
}

sequence_of_source!([T: Send] ParOption<T>, T);

impl<T: Send> Indexed for ParOption<T> {
    type Source<'a>
        = OptionSource<T>
    where
        Self: 'a;

    fn len(&self) -> usize {
        usize::from(self.item.is_some())
    }

    #[inline]
    fn source(&mut self) -> OptionSource<T> {
        OptionSource(self.item.take())
    }
}

macro_rules! options {
    ($([$($generics:tt)*] $option:ty => $item:ty, $get:expr;)*) => {$(
        /// Yields the item of the sequence, if there is one.
        impl<$($generics)*> IntoPar for $option {
            type Item = $item;
            type Par = ParOption<$item>;

            fn into_par(self) -> ParOption<$item> {
                let get: fn(Self) -> Option<$item> = $get;
                ParOption { item: get(self) }
            }
        }
    )*};
}
options! {
    [T: Send] Option<T> => T, |option| option;
    ['o, T: Sync] &'o Option<T> => &'o T, Option::as_ref;
    ['o, T: Send] &'o mut Option<T> => &'o mut T, Option::as_mut;
    [T: Send, E] Result<T, E> => T, Result::ok;
    ['o, T: Sync, E] &'o Result<T, E> => &'o T, |result| result.as_ref().ok();
    ['o, T: Send, E] &'o mut Result<T, E> => &'o mut T, |result| result.as_mut().ok();
}
