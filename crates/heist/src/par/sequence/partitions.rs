//! Makes two collections from one sequence.

/// Defines the methods of [`Par`](super::Par) that make two collections. The definition of a trait cannot be divided among files,
/// so this macro inserts the methods into the trait. The names that the methods use must be in scope where the macro is called.
macro_rules! partitions {
    () => {
        /// Collects the items that satisfy the condition into one collection and all other items into a second collection. Both collections
        /// are in order. If the collections are vectors, all workers help to move the gathered pieces into them.
        fn partition<A, F>(self, is: F) -> (A, A)
        where
            A: Default + ParExtend<Self::Item> + Send,
            F: Fn(&Self::Item) -> bool + Send + Sync,
        {
            jobs::heaps(self, move |item, are: &mut Vec<_>, others: &mut Vec<_>| {
                let heap = if is(&item) { are } else { others };
                heap.push(item);
            })
        }

        /// Maps items to [`Left`](Either::Left) and [`Right`](Either::Right) values, and collects the values of each side in order.
        ///
        /// ```
        /// use either::Either::{Left, Right};
        /// use heist::par::prelude::*;
        /// let parse = |text: &&str| match text.parse::<u32>() {
        ///     Ok(number) => Left(number),
        ///     Err(_) => Right(text.len()),
        /// };
        /// let (numbers, lengths): (Vec<_>, Vec<_>) = ["7", "lazy", "12"].par().partition_map(parse);
        /// assert_eq!((numbers, lengths), (vec![7, 12], vec![4]));
        /// ```
        fn partition_map<A, B, F, L, R>(self, map: F) -> (A, B)
        where
            A: Default + ParExtend<L> + Send,
            B: Default + ParExtend<R> + Send,
            F: Fn(Self::Item) -> Either<L, R> + Send + Sync,
            L: Send,
            R: Send,
        {
            jobs::heaps(
                self,
                move |item, left: &mut Vec<_>, right: &mut Vec<_>| match map(item) {
                    Either::Left(item) => left.push(item),
                    Either::Right(item) => right.push(item),
                },
            )
        }

        /// Collects the left halves of pairs into one collection and the right halves into a second collection. If the number of items is
        /// known beforehand, the workers write each item of a vector directly to its final place.
        fn unzip<A, B, CA, CB>(self) -> (CA, CB)
        where
            Self: Par<Item = (A, B)>,
            A: Send,
            B: Send,
            CA: Default + ParExtend<A> + Send,
            CB: Default + ParExtend<B> + Send,
        {
            jobs::unzip(self)
        }
    };
}
pub(super) use partitions;
