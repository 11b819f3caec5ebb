//! What a fold does with items and accumulators.

use std::iter::{Product, Sum, empty, once};
use std::marker::PhantomData;

/// A way to fold items `T`.
pub(crate) trait Folding<T>: Sync {
    type Acc: Send;

    /// That of nothing.
    fn identity(&self) -> Self::Acc;

    /// That of the first items of a leaf; the same as a fold of the identity.
    #[inline]
    fn first(&self, items: impl Iterator<Item = T>) -> Self::Acc {
        self.fold(self.identity(), items)
    }

    /// From left to right, one by one.
    fn fold(&self, acc: Self::Acc, items: impl Iterator<Item = T>) -> Self::Acc;

    /// That of neighbours.
    fn combine(&self, left: Self::Acc, right: Self::Acc) -> Self::Acc;
}

/// By functions of the user.
#[derive(Debug)]
pub(crate) struct ByFunctions<I, F, C> {
    pub(crate) identity: I,
    pub(crate) fold: F,
    pub(crate) combine: C,
}

impl<T, A, I, F, C> Folding<T> for ByFunctions<I, F, C>
where
    A: Send,
    I: Fn() -> A + Sync,
    F: Fn(A, T) -> A + Sync,
    C: Fn(A, A) -> A + Sync,
{
    type Acc = A;

    #[inline]
    fn identity(&self) -> A {
        (self.identity)()
    }

    #[inline]
    fn fold(&self, acc: A, items: impl Iterator<Item = T>) -> A {
        items.fold(acc, &self.fold)
    }

    #[inline]
    fn combine(&self, left: A, right: A) -> A {
        (self.combine)(left, right)
    }
}

macro_rules! folding {
    ($(#[$doc:meta])* $name:ident, $trait:ident, $method:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name<S>(PhantomData<fn() -> S>);

        impl<S> $name<S> {
            pub(crate) fn new() -> Self {
                $name(PhantomData)
            }
        }

        impl<T, S> Folding<T> for $name<S>
        where
            S: $trait<T> + $trait<S> + Send,
        {
            type Acc = S;

            #[inline]
            fn identity(&self) -> S {
                empty::<T>().$method()
            }

            #[inline]
            fn first(&self, items: impl Iterator<Item = T>) -> S {
                items.$method()
            }

            #[inline]
            fn fold(&self, acc: S, items: impl Iterator<Item = T>) -> S {
                // Item by item, and not the pieces' own: where pieces end is up to the schedule. In one iterator, so that
                // the accumulator stays in a register.
                let items = items.map(|item| -> S { once(item).$method() });
                once(acc).chain(items).$method()
            }

            #[inline]
            fn combine(&self, left: S, right: S) -> S {
                [left, right].into_iter().$method()
            }
        }
    };
}
folding!(
    /// By adding.
    Summing,
    Sum,
    sum
);
folding!(
    /// By multiplying.
    Multiplying,
    Product,
    product
);
