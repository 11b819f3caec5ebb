//! Folds of parallel sequences.

/// Defines the methods of [`Par`](super::Par) that fold its items. The definition of a trait cannot be divided among files, so this
/// macro inserts the methods into the trait. The names that the methods use must be in scope where the macro is called.
macro_rules! folds {
    () => {
        /// Returns the sum, with the same bits on any number of workers: see [`reduce`](Self::reduce).
        fn sum<S>(self) -> S
        where
            S: std::iter::Sum<Self::Item> + std::iter::Sum<S> + Send,
        {
            if jobs::sums_in_any_shape::<S>() {
                return ask(self, jobs::Total(jobs::Summing::new()));
            }
            let leaf = jobs::flat_leaf_of(self.bound());
            ask(self, jobs::Fold::of(leaf, jobs::Summing::new()))
        }

        /// Returns the product, with the same bits on any number of workers: see [`reduce`](Self::reduce).
        fn product<S>(self) -> S
        where
            S: std::iter::Product<Self::Item> + std::iter::Product<S> + Send,
        {
            let leaf = jobs::flat_leaf_of(self.bound());
            ask(self, jobs::Fold::of(leaf, jobs::Multiplying::new()))
        }

        /// Folds all items by an associative `op` that has the neutral element `identity`.
        ///
        /// **The grouping of the items depends only on the length**, not on the schedule or the number of workers. So the result for floats
        /// has the same bits on every run. Positions are cut into leaves of equal length, which is a power of two. Each leaf is folded from
        /// left to right, beginning with `identity`. The results of the leaves are combined in a binary tree. The length of a leaf is about
        /// a 256th of the sequence's length, but at least 4096 and at most 16384. Heist assumes that the operator `op` may be expensive if
        /// items have a destructor or more than 16 bytes. In this case, the length of a leaf is about a 32nd of the sequence's length, but
        /// at least 1 and at most 1024. [`sum`](Self::sum) and [`product`](Self::product) always use the longer leaves, of at least 4096
        /// positions. For sums and products of `f32` and `f64`, each leaf has four accumulators that take turns. So the sum takes less time
        /// than the sum of an iterator, and its rounding error is usually smaller. A sum of unsigned integers has no fixed grouping,
        /// because every grouping gives the same result.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let longest = ["a", "lazy", "tree"].par().map(|word| word.len()).reduce(|| 0, usize::max);
        /// assert_eq!(longest, 4);
        /// ```
        fn reduce<I, F>(self, identity: I, op: F) -> Self::Item
        where
            I: Fn() -> Self::Item + Send + Sync,
            F: Fn(Self::Item, Self::Item) -> Self::Item + Send + Sync,
        {
            let leaf = jobs::leaf_of_items::<Self::Item>(self.bound());
            ask(self, jobs::Fold::new(leaf, identity, &op, &op))
        }

        /// Folds all items by an associative `op` without a neutral element. Returns `None` if there are no items.
        fn reduce_with<F>(self, op: F) -> Option<Self::Item>
        where
            F: Fn(Self::Item, Self::Item) -> Self::Item + Send + Sync,
        {
            let leaf = jobs::leaf_of_items::<Self::Item>(self.bound());
            let both = |left, right| match (left, right) {
                (Some(left), Some(right)) => Some(op(left, right)),
                (left, None) => left,
                (None, right) => right,
            };
            let fold = |left, right| both(left, Some(right));
            ask(self, jobs::Fold::new(leaf, || None, fold, both))
        }

        /// Folds items into accumulators, each of which begins as `identity`, and combines the accumulators. The fold groups items like
        /// [`reduce`](Self::reduce), with the shorter leaves (at most 1024 positions).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let letters = ["lazy", "tree"].par().fold_reduce(String::new, |s, word| s + &word[..1], |a, b| a + &b);
        /// assert_eq!(letters, "lt");
        /// ```
        #[doc(alias = "fold")]
        #[doc(alias = "aggregate")]
        fn fold_reduce<A, I, F, C>(self, identity: I, fold: F, combine: C) -> A
        where
            A: Send,
            I: Fn() -> A + Send + Sync,
            F: Fn(A, Self::Item) -> A + Send + Sync,
            C: Fn(A, A) -> A + Send + Sync,
        {
            let leaf = jobs::leaf_of(self.bound());
            ask(self, jobs::Fold::new(leaf, identity, fold, combine))
        }

        /// Folds the values of fallible items by a fallible operator. If several items or calls of the operator fail, returns the leftmost
        /// failure in the tree of [`reduce`](Self::reduce). So the method returns the same failure on any schedule. Ends early at a
        /// failure.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let sum = |xs: &[u8]| xs.par().map(|x| Some(*x)).try_reduce(|| 0, |a, b| a.checked_add(b));
        /// assert_eq!((sum(&[100, 50]), sum(&[100, 200])), (Some(150), None));
        /// ```
        fn try_reduce<A, I, F>(self, identity: I, op: F) -> Self::Item
        where
            Self::Item: Outcome<Value = A>,
            I: Fn() -> A + Send + Sync,
            F: Fn(A, A) -> Self::Item + Send + Sync,
        {
            let leaf = jobs::leaf_of_items::<Self::Item>(self.bound());
            let fold = |all, item: Self::Item| match item.branch() {
                std::ops::ControlFlow::Continue(value) => op(all, value),
                std::ops::ControlFlow::Break(failure) => {
                    // The accumulator is dropped explicitly: if its destructor panics, the failure must still be dropped.
                    drop(all);
                    Outcome::failed(failure)
                }
            };
            ask(
                self,
                jobs::TryFold::new(leaf, identity, fold, &op, Outcome::is_failure),
            )
        }

        /// Works like [`try_reduce`](Self::try_reduce), but without a neutral element. Returns `None` if there are no items.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let product = |xs: &[u8]| xs.par().map(|x| Some(*x)).try_reduce_with(|a, b| a.checked_mul(b));
        /// assert_eq!(product(&[]), None);
        /// assert_eq!((product(&[9, 9]), product(&[9, 9, 9])), (Some(Some(81)), Some(None)));
        /// ```
        fn try_reduce_with<A, F>(self, op: F) -> Option<Self::Item>
        where
            Self::Item: Outcome<Value = A>,
            A: Send,
            F: Fn(A, A) -> Self::Item + Send + Sync,
        {
            use std::ops::ControlFlow::{self, Break, Continue};
            let leaf = jobs::leaf_of_items::<Self::Item>(self.bound());
            let both = |left: Option<A>, right: Option<A>| {
                Continue(match (left, right) {
                    (Some(left), Some(right)) => Some(op(left, right).branch()?),
                    (left, None) => left,
                    (None, right) => right,
                })
            };
            let fold = |all, item: Self::Item| match item.branch() {
                Continue(value) => both(all, Some(value)),
                Break(failure) => {
                    // The accumulator is dropped explicitly: if its destructor panics, the failure must still be dropped.
                    drop(all);
                    Break(failure)
                }
            };
            let all: ControlFlow<_, Option<A>> = ask(
                self,
                jobs::TryFold::new(leaf, || None, fold, both, Outcome::is_failure),
            );
            match all {
                Continue(value) => value.map(Outcome::of),
                Break(failure) => Some(Outcome::failed(failure)),
            }
        }

        /// Works like [`fold_reduce`](Self::fold_reduce), but with functions that may fail. If several calls fail, returns the leftmost
        /// failure in the tree of [`reduce`](Self::reduce). So the method returns the same failure on any schedule. Ends early at a
        /// failure.
        #[doc(alias = "try_fold")]
        fn try_fold_reduce<A, R, I, F, C>(self, identity: I, fold: F, combine: C) -> R
        where
            R: Outcome<Value = A>,
            I: Fn() -> A + Send + Sync,
            F: Fn(A, Self::Item) -> R + Send + Sync,
            C: Fn(A, A) -> R + Send + Sync,
        {
            let leaf = jobs::leaf_of(self.bound());
            ask(
                self,
                jobs::TryFold::new(leaf, identity, fold, combine, |_: &Self::Item| false),
            )
        }

        /// Adds items to accumulators in place, and merges the accumulators. Each part of the schedule has one accumulator, so a
        /// single worker uses only one accumulator.
        ///
        /// The schedule decides where parts begin. So use this method for results that do not depend on where parts begin: counts, tables,
        /// sets, integers, or collections that are sorted later. For such results `accumulate` is cheaper than
        /// [`fold_reduce`](Self::fold_reduce), which groups items in a fixed way for the sake of floats. `merge` adds its second argument,
        /// the accumulator of the right neighbour, to its first argument.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// use std::collections::HashMap;
        /// let lengths: HashMap<usize, u32> = ["a", "lazy", "tree"].par().accumulate(
        ///     HashMap::new,
        ///     |table, word| *table.entry(word.len()).or_default() += 1,
        ///     |table, other| {
        ///         other.into_iter().for_each(|(len, count)| *table.entry(len).or_default() += count);
        ///     },
        /// );
        /// assert_eq!(lengths[&4], 2);
        /// ```
        fn accumulate<A, I, F, M>(self, identity: I, add: F, merge: M) -> A
        where
            A: Send,
            I: Fn() -> A + Send + Sync,
            F: Fn(&mut A, Self::Item) + Send + Sync,
            M: Fn(&mut A, A) + Send + Sync,
        {
            ask(
                self,
                jobs::Accumulate {
                    identity,
                    add,
                    merge,
                },
            )
        }
    };
}
pub(super) use folds;
