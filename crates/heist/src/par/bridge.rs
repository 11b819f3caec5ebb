//! Makes any iterator parallel.

use super::sources::ParIter;

/// Parallel operations of iterators.
#[doc(alias = "ParallelBridge")]
pub trait ParBridge: Iterator<Item: Send> + Send + Sized {
    /// Returns a parallel sequence of the iterator's items. One worker at a time asks the iterator for the next; all workers
    /// process them. Collections have the order of the iterator, unlike with rayon.
    ///
    /// Use it for items that only an iterator provides. If `next` takes as long as the work on an item, all workers but one wait.
    /// The lock costs more than any source that can be cut. The iterator is asked for one item at a time, or for several at once if
    /// it [promises](Iterator::size_hint) to have them. After it has ended or panicked, it is not asked again.
    ///
    /// The iterator may wait, and run parallel loops itself. The iterator may be infinite if the operation ends, like
    /// [`find_first`](super::Par::find_first). But workers ask it for later items while earlier items are being processed: an
    /// iterator that waits for the end of the operation waits forever. The [policy](super::Par::splitting) has no effect.
    ///
    /// A value made for each part of a loop ([`map_init`](super::Par::map_init),
    /// [`accumulate`](super::Par::accumulate)) is made for each run of items that one worker has
    /// taken in succession, and such a run may be a single item.
    ///
    /// ```
    /// use heist::par::prelude::*;
    /// let (send, receive) = std::sync::mpsc::channel();
    /// std::thread::spawn(move || (0..10).for_each(|i| send.send(i).unwrap()));
    /// let squares: Vec<u32> = receive.into_iter().par_bridge().map(|i| i * i).collect();
    /// assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
    /// ```
    fn par_bridge(self) -> ParIter<Self> {
        ParIter::new(self)
    }
}

impl<I: Iterator<Item: Send> + Send> ParBridge for I {}
