//! Methods that pass items, or their number, to an observing function.

/// Defines the methods of [`Par`](super::Par) that pass items, or their number, to an observing function. The definition of a trait
/// cannot be divided among files, so this macro inserts the methods into the trait. The names that the methods use must be in scope
/// where the macro is called.
macro_rules! looks {
    () => {
        /// Calls a function with a reference to each item.
        fn inspect<F>(self, look: F) -> Inspect<Self, F>
        where
            F: Fn(&Self::Item) + Send + Sync,
        {
            Inspect::new(self, look)
        }

        /// Calls a function with an exclusive reference to each item. The function may change the item.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let doubled: Vec<_> = (0..4).par().update(|x| *x *= 2).collect();
        /// assert_eq!(doubled, [0, 2, 4, 6]);
        /// ```
        fn update<F>(self, update: F) -> Update<Self, F>
        where
            F: Fn(&mut Self::Item) + Send + Sync,
        {
            Update::new(self, update)
        }

        /// Calls a function with the number of newly processed positions, for example for a progress bar. The worker that has processed a
        /// piece of the sequence calls the function at most once for this piece. If the sequence runs to its end, the numbers add up to the
        /// length of this sequence. Later adapters that filter or flatten do not affect the numbers.
        ///
        /// A piece takes some microseconds. If a single item takes longer, the piece has only this item. So the calls cost next to nothing
        /// unless the function itself takes long. An operation that ends early does not report the pieces that it leaves out. But such an
        /// operation may report all positions of its last piece. The function is not called for a piece in which a panic occurs.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// use std::sync::atomic::{AtomicUsize, Ordering};
        /// let lines: Vec<_> = (0..10_000).map(|i| format!("line {i}")).collect();
        /// let done = AtomicUsize::new(0);
        /// let bytes: usize = lines
        ///     .par()
        ///     .progress(|count| {
        ///         done.fetch_add(count, Ordering::Relaxed); // or `bar.inc(count as u64)`
        ///     })
        ///     .map(|line| line.len())
        ///     .sum();
        /// assert_eq!((bytes, done.into_inner()), (88_890, 10_000));
        /// ```
        fn progress<F>(self, tell: F) -> Progress<Self, F>
        where
            F: Fn(usize) + Send + Sync,
        {
            Progress::new(self, tell)
        }
    };
}
pub(super) use looks;
