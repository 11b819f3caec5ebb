//! Adapters that turn references into values.

use super::{by_base, by_job, by_source};
use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::{Chunk, Reversible, Source};
use crate::par::{Indexed, Par};

macro_rules! by_ref {
    ($(#[$doc:meta])* $sequence:ident, $job:ident, $chunk:ident, $source:ident, $method:ident, $iter:ident, $bound:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $sequence<P> {
            base: P,
        }

        impl<P> $sequence<P> {
            #[inline]
            pub(crate) fn new(base: P) -> Self {
                $sequence { base }
            }
        }

        impl<'t, P, T> Par for $sequence<P>
        where
            P: Par<Item = &'t T>,
            T: $bound + Send + Sync + 't,
        {
            type Item = T;
            by_base!(|job| $job(job), Par::exact_len);
        }

        /// A job that turns chunks of references into chunks of values, and passes these to the wrapped job.
        struct $job<'a, J>(&'a J);

        impl<'t, T, J> Job<&'t T> for $job<'_, J>
        where
            J: Job<T>,
            T: $bound + 't,
        {
            by_job!(T, 0);

            #[inline]
            fn chunk<C: Chunk<Item = &'t T>>(
                &self,
                state: &mut J::State,
                at: usize,
                chunk: C,
                scope: Scope<'_>,
            ) {
                self.0.chunk(state, at, $chunk(chunk), scope);
            }

            #[inline]
            fn whole<C: Chunk<Item = &'t T>>(&self, chunk: C, scope: Scope<'_>) -> J::Output {
                self.0.whole($chunk(chunk), scope)
            }
        }

        /// A chunk of the values to which references point.
        #[derive(Debug)]
        pub struct $chunk<C>(C);

        impl<'t, T, C> Chunk for $chunk<C>
        where
            C: Chunk<Item = &'t T>,
            T: $bound + 't,
        {
            type Item = T;
            type Iter = std::iter::$iter<C::Iter>;

            #[inline]
            fn len(&self) -> usize {
                self.0.len()
            }

            #[inline]
            fn cut(&mut self, count: usize) -> Self {
                $chunk(self.0.cut(count))
            }

            #[inline]
            fn look_ahead(&self) -> bool {
                self.0.look_ahead()
            }

            #[inline]
            fn into_iter(self) -> Self::Iter {
                self.0.into_iter().$method()
            }
        }

        impl<'t, T, C> Reversible for $chunk<C>
        where
            C: Reversible<Item = &'t T>,
            T: $bound + 't,
        {
            type Back = std::iter::$iter<C::Back>;

            #[inline]
            fn into_back(self) -> Self::Back {
                self.0.into_back().$method()
            }
        }

        impl<'t, P, T> Indexed for $sequence<P>
        where
            P: Indexed<Item = &'t T>,
            T: $bound + Send + Sync + 't,
        {
            type Source<'a>
                = $source<P::Source<'a>>
            where
                Self: 'a;

            fn len(&self) -> usize {
                self.base.len()
            }

            #[inline]
            fn source(&mut self) -> Self::Source<'_> {
                $source(self.base.source())
            }
        }

        /// The remaining items of a sequence that turns references into values.
        #[derive(Debug)]
        pub struct $source<S>(S);

        impl<'t, T, S> Source for $source<S>
        where
            S: Source<Item = &'t T>,
            T: $bound + 't,
        {
            type Item = T;
            type Chunk = $chunk<S::Chunk>;

            by_source!(0);

            #[inline]
            fn take_front(&mut self, count: usize) -> Self::Chunk {
                $chunk(self.0.take_front(count))
            }

            #[inline]
            fn take_back(&mut self, count: usize) -> Self::Chunk {
                $chunk(self.0.take_back(count))
            }

            fn split_off(&mut self, at: usize) -> Self {
                $source(self.0.split_off(at))
            }
        }
    };
}

by_ref!(
    /// The sequence that [`Par::copied`] returns.
    Copied, CopiedJob, CopiedChunk, CopiedSource, copied, Copied, Copy
);
by_ref!(
    /// The sequence that [`Par::cloned`] returns.
    Cloned, ClonedJob, ClonedChunk, ClonedSource, cloned, Cloned, Clone
);
