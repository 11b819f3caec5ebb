//! Functions by which a fold combines items and accumulators.

use std::iter::{Product, Sum, empty, once};
use std::marker::PhantomData;

/// A way to fold items of type `T`.
pub(crate) trait Folding<T>: Sync {
    /// Accumulator of the items of an unfinished leaf.
    type Open: Send;
    /// Accumulator of leaves and subtrees.
    type Acc: Send;

    /// Returns the accumulator of no items.
    fn identity(&self) -> Self::Acc;

    /// Returns the accumulator of a leaf without items.
    fn open(&self) -> Self::Open;

    /// Folds the first items of a leaf and returns the leaf's accumulator. The result is the same as that of a fold into an empty leaf.
    #[inline]
    fn first(&self, items: impl Iterator<Item = T>) -> Self::Open {
        self.fold(self.open(), items)
    }

    /// Folds items from left to right, one by one.
    fn fold(&self, open: Self::Open, items: impl Iterator<Item = T>) -> Self::Open;

    /// Returns true if folding an item takes long in comparison with prefetching a later item.
    #[inline]
    fn has_time(&self) -> bool {
        false
    }

    /// Adds the value of a single item to the accumulator of a leaf.
    fn take_in(&self, open: Self::Open, value: Self::Acc) -> Self::Open;

    /// Converts the accumulator of an unfinished leaf to that of a complete leaf.
    fn close(&self, open: Self::Open) -> Self::Acc;

    /// Combines the accumulators of two neighbours.
    fn combine(&self, left: Self::Acc, right: Self::Acc) -> Self::Acc;

    /// Returns true if a value can be final: items to the right of a final value cannot change the result.
    #[inline]
    fn may_end(&self) -> bool {
        false
    }

    /// Returns true if the value is final: items to its right cannot change the result.
    #[inline]
    fn is_final(&self, _value: &Self::Acc) -> bool {
        false
    }

    /// Returns true if the value of an unfinished leaf is final: items to its right cannot change the result.
    #[inline]
    fn is_final_open(&self, _open: &Self::Open) -> bool {
        false
    }

    /// Returns true if folding this item turns a value that is not final into a final value.
    #[inline]
    fn is_final_item(&self, _item: &T) -> bool {
        false
    }
}

/// A fold by functions that the caller provides.
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
    type Open = A;
    type Acc = A;

    #[inline]
    fn identity(&self) -> A {
        (self.identity)()
    }

    #[inline]
    fn open(&self) -> A {
        (self.identity)()
    }

    #[inline]
    fn fold(&self, open: A, items: impl Iterator<Item = T>) -> A {
        items.fold(open, &self.fold)
    }

    #[inline]
    fn take_in(&self, open: A, value: A) -> A {
        (self.combine)(open, value)
    }

    #[inline]
    fn close(&self, open: A) -> A {
        open
    }

    #[inline]
    fn combine(&self, left: A, right: A) -> A {
        (self.combine)(left, right)
    }
}

/// Accumulator of a leaf's items for addition or multiplication of numbers.
///
/// The addition of floats is not associative, so a compiler preserves the order. Each addition waits three or four cycles for the result of
/// the previous addition. So four accumulators take turns, and four additions overlap.
#[derive(Debug)]
pub(crate) enum Lanes<S> {
    One(S),
    /// Four accumulators of floats, each of which takes every fourth item. The first accumulator takes the next item.
    Four([S; 4]),
}

/// Returns true for the types whose additions and multiplications are commutative but not associative.
#[inline]
fn is_float<S>() -> bool {
    let id = typeid::of::<S>();
    id == typeid::of::<f64>() || id == typeid::of::<f32>()
}

/// Returns true if the grouping of additions affects neither the sum of numbers of this type nor whether the sum overflows. The function
/// returns true for unsigned integers, because their sums only grow. (If a sum has a negative number, or a product has a 0, the grouping
/// decides whether an overflow occurs.)
#[inline]
pub(crate) fn sums_in_any_shape<S>() -> bool {
    macro_rules! is_one_of {
        ($($type:ty),*) => {{
            let id = typeid::of::<S>();
            $(id == typeid::of::<$type>())||*
        }};
    }
    is_one_of!(u8, u16, u32, u64, u128, usize)
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
            type Open = Lanes<S>;
            type Acc = S;

            #[inline]
            fn identity(&self) -> S {
                empty::<T>().$method()
            }

            #[inline]
            fn open(&self) -> Lanes<S> {
                if is_float::<S>() {
                    Lanes::Four(std::array::from_fn(|_| empty::<T>().$method()))
                } else {
                    Lanes::One(empty::<T>().$method())
                }
            }

            // The addition of floats counts as slow: only four additions are in flight at a time, though the processor could have
            // twelve loads in flight.
            #[inline]
            fn has_time(&self) -> bool {
                is_float::<S>()
            }

            // This function is inlined into the few functions that fold leaves. Otherwise the four accumulators would pass through memory.
            #[inline(always)]
            fn first(&self, items: impl Iterator<Item = T>) -> Lanes<S> {
                match <Self as Folding<T>>::open(self) {
                    Lanes::One(_) => Lanes::One(items.$method()),
                    four @ Lanes::Four(_) => self.fold(four, items),
                }
            }

            // This function is inlined, because otherwise the four accumulators would pass through memory.
            #[inline(always)]
            fn fold(&self, open: Lanes<S>, items: impl Iterator<Item = T>) -> Lanes<S> {
                // Items are added one by one and not piece by piece, because the schedule decides where pieces end.
                let mut items = items.map(|item| -> S { once(item).$method() });
                let both = |left, right| -> S { once(left).chain(once(right)).$method() };
                match open {
                    // A single iterator over the accumulator and the items keeps the accumulator in a register.
                    Lanes::One(acc) => Lanes::One(once(acc).chain(items).$method()),
                    // The loop takes four items in each round, because compilers did not unroll a loop that rotates the
                    // accumulators.
                    Lanes::Four([mut a, mut b, mut c, mut d]) => loop {
                        let Some(item) = items.next() else {
                            return Lanes::Four([a, b, c, d]);
                        };
                        a = both(a, item);
                        let Some(item) = items.next() else {
                            return Lanes::Four([b, c, d, a]);
                        };
                        b = both(b, item);
                        let Some(item) = items.next() else {
                            return Lanes::Four([c, d, a, b]);
                        };
                        c = both(c, item);
                        let Some(item) = items.next() else {
                            return Lanes::Four([d, a, b, c]);
                        };
                        d = both(d, item);
                    },
                }
            }

            #[inline]
            fn take_in(&self, open: Lanes<S>, value: S) -> Lanes<S> {
                match open {
                    Lanes::One(acc) => Lanes::One([acc, value].into_iter().$method()),
                    Lanes::Four([a, b, c, d]) => {
                        Lanes::Four([b, c, d, [a, value].into_iter().$method()])
                    }
                }
            }

            #[inline]
            fn close(&self, open: Lanes<S>) -> S {
                let both = |left, right| -> S { [left, right].into_iter().$method() };
                match open {
                    Lanes::One(acc) => acc,
                    Lanes::Four([a, b, c, d]) => both(both(a, b), both(c, d)),
                }
            }

            #[inline]
            fn combine(&self, left: S, right: S) -> S {
                [left, right].into_iter().$method()
            }
        }
    };
}
folding!(
    /// Folds by addition.
    Summing,
    Sum,
    sum
);
folding!(
    /// Folds by multiplication.
    Multiplying,
    Product,
    product
);
