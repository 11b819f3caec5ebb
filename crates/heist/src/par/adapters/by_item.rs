//! Adapters that call a function with each item.

use super::kept::{append_kept, is_worth_blocks};
use super::update::{ToUpdate, Updated};
use super::{by_base, by_job, by_source};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, Reversible, Source, is_of_one_size, push_all};
use crate::par::{Indexed, Par};
use std::iter;

/// Defines an adapter for a function of the shape `$function`. The iterator adapter `$method` does the work. `T` is the type of the item
/// that the function receives. `$types` are the type parameters of the adapter. Such an adapter needs no positions, so it wraps the job and
/// each chunk that the job receives.
macro_rules! by_item {
    (
        $(#[$doc:meta])* $sequence:ident, $job:ident, $(#[$chunk_doc:meta])* $visible:vis $chunk:ident, $method:ident, $exact:expr,
        [$($types:tt)*] [$($function:tt)*] => $item:ty, $iter:ty $(, $more:item)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $sequence<P, F> {
            base: P,
            function: F,
        }

        impl<P, F> $sequence<P, F> {
            #[inline]
            pub(crate) fn new(base: P, function: F) -> Self {
                $sequence { base, function }
            }
        }

        impl<P, F, $($types)*> Par for $sequence<P, F>
        where
            P: Par<Item = T>,
            F: $($function)* + Send + Sync,
        {
            type Item = $item;
            by_base!(function, |job| $job { job, function }, $exact);
        }

        /// A job that applies the adapter to each chunk, and passes the changed chunk to the wrapped job.
        struct $job<'a, J, F> {
            job: &'a J,
            function: &'a F,
        }

        impl<J, F, $($types)*> Job<T> for $job<'_, J, F>
        where
            J: Job<$item>,
            F: $($function)* + Sync,
        {
            by_job!($item);

            #[inline]
            fn chunk<C: Chunk<Item = T>>(
                &self,
                state: &mut J::State,
                at: usize,
                chunk: C,
                scope: Scope<'_>,
            ) {
                let function = self.function;
                self.job.chunk(state, at, $chunk { chunk, function }, scope);
            }

            #[inline]
            fn whole<C: Chunk<Item = T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
                let function = self.function;
                self.job.whole($chunk { chunk, function }, scope)
            }
        }

        $(#[$chunk_doc])*
        #[derive(Debug)]
        $visible struct $chunk<'a, C, F> {
            chunk: C,
            function: &'a F,
        }

        impl<'a, C, F, $($types)*> Chunk for $chunk<'a, C, F>
        where
            C: Chunk<Item = T>,
            F: $($function)*,
        {
            type Item = $item;
            type Iter = $iter;

            #[inline]
            fn len(&self) -> usize {
                self.chunk.len()
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                $chunk {
                    chunk: self.chunk.cut(count),
                    function: self.function,
                }
            }

            #[inline]
            fn look_ahead(&self) -> bool {
                self.chunk.look_ahead()
            }

            #[inline]
            fn into_iter(self) -> Self::Iter {
                self.chunk.into_iter().$method(self.function)
            }

            $($more)?
        }
    };
}

/// Defines an adapter that maps each item to one item and keeps the indices. Such an adapter wraps the source as well as the job.
macro_rules! in_place {
    (
        $sequence:ident, $chunk:ident, $(#[$source_doc:meta])* $source:ident, $method:ident,
        [$($types:tt)*] [$($function:tt)*] => $item:ty, $back:ty
    ) => {
        impl<'a, C, F, $($types)*> Reversible for $chunk<'a, C, F>
        where
            C: Reversible<Item = T>,
            F: $($function)*,
        {
            type Back = $back;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.chunk.into_back().$method(self.function)
            }
        }

        impl<P, F, $($types)*> Indexed for $sequence<P, F>
        where
            P: Indexed<Item = T>,
            F: $($function)* + Send + Sync,
        {
            type Source<'a>
                = $source<'a, P::Source<'a>, F>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.base.len()
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                $source {
                    source: self.base.source(),
                    function: &self.function,
                }
            }
        }

        $(#[$source_doc])*
        #[derive(Debug)]
        pub struct $source<'a, S, F> {
            source: S,
            function: &'a F,
        }

        impl<'a, S, F, $($types)*> Source for $source<'a, S, F>
        where
            S: Source<Item = T>,
            F: $($function)* + Sync,
        {
            type Item = $item;
            type Chunk = $chunk<'a, S::Chunk, F>;

            by_source!(source);

            #[inline]
            fn take_front(&mut self, count: usize) -> Self::Chunk {
                $chunk {
                    chunk: self.source.take_front(count),
                    function: self.function,
                }
            }

            #[inline]
            fn take_back(&mut self, count: usize) -> Self::Chunk {
                $chunk {
                    chunk: self.source.take_back(count),
                    function: self.function,
                }
            }

            fn split_off(&mut self, at: usize) -> Self {
                $source {
                    source: self.source.split_off(at),
                    function: self.function,
                }
            }
        }
    };
}

by_item!(
    /// The sequence that [`Par::map`] returns.
    Map, MapJob,
    /// A chunk of mapped items.
    pub MapChunk, map, Par::exact_len,
    [T: Send, U: Send] [Fn(T) -> U] => U, iter::Map<C::Iter, &'a F>
);
in_place!(
    Map, MapChunk,
    /// The remaining items of a mapped sequence.
    MapSource, map,
    [T: Send, U: Send] [Fn(T) -> U] => U, iter::Map<C::Back, &'a F>
);
by_item!(
    /// The sequence that [`Par::inspect`] returns.
    Inspect, InspectJob,
    /// A chunk that passes each item to an inspecting function.
    pub InspectChunk, inspect, Par::exact_len,
    [T: Send] [Fn(&T)] => T, iter::Inspect<C::Iter, &'a F>
);
in_place!(
    Inspect, InspectChunk,
    /// The remaining items of a sequence that passes each item to an inspecting function.
    InspectSource, inspect,
    [T: Send] [Fn(&T)] => T, iter::Inspect<C::Back, &'a F>
);
by_item!(
    /// The sequence that [`Par::update`] returns.
    Update, UpdateJob,
    /// A chunk of updated items.
    pub UpdateChunk, update, Par::exact_len,
    [T: Send] [Fn(&mut T)] => T, Updated<C::Iter, &'a F>
);
in_place!(
    Update, UpdateChunk,
    /// The remaining items of an updated sequence.
    UpdateSource, update,
    [T: Send] [Fn(&mut T)] => T, Updated<C::Back, &'a F>
);
by_item!(
    /// The sequence that [`Par::filter`] returns.
    Filter, FilterJob,
    /// A chunk of filtered items.
    pub(crate) FilterChunk, filter, |_| None,
    [T: Send] [Fn(&T) -> bool] => T, iter::Filter<C::Iter, &'a F>,
    #[inline]
    fn append_to(self, all: &mut Vec<T>) -> Result<(), Self> {
        if !is_worth_blocks::<T>(self.len()) {
            return Err(self);
        }
        append_kept(self.chunk, self.function, all);
        Ok(())
    }
);
by_item!(
    /// The sequence that [`Par::filter_map`] returns.
    FilterMap, FilterMapJob,
    /// A chunk of mapped and filtered items.
    pub(crate) FilterMapChunk, filter_map, |_| None,
    [T: Send, U: Send] [Fn(T) -> Option<U>] => U, iter::FilterMap<C::Iter, &'a F>
);
by_item!(
    /// The sequence that [`Par::flat_map_iter`] returns.
    FlatMapIter, FlatMapIterJob,
    /// A chunk of flattened items.
    pub(crate) FlatMapIterChunk, flat_map, |_| None,
    [T: Send, I: IntoIterator<Item: Send>] [Fn(T) -> I] => I::Item, iter::FlatMap<C::Iter, I, &'a F>,
    #[inline]
    fn append_to(self, all: &mut Vec<I::Item>) -> Result<(), Self> {
        if is_of_one_size::<I>() {
            all.extend(self.into_iter());
        } else {
            let items = self.chunk.into_iter().map(self.function);
            items.for_each(|items| push_all(items.into_iter(), all));
        }
        Ok(())
    }
);

/// The sequence that [`Par::flatten_iter`] returns.
pub type FlattenIter<P> = FlatMapIter<P, fn(<P as Par>::Item) -> <P as Par>::Item>;
