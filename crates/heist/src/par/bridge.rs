//! Makes any iterator parallel.

use super::sources::ParIter;

/// Iterators that can be made parallel.
#[doc(alias = "ParallelBridge")]
pub trait ParBridge: Iterator<Item: Send> + Send + Sized {
    /// Returns a parallel sequence of the iterator's items. Workers take items from the iterator one after another, and process them in
    /// parallel. A collected result has the order of the iterator. (In rayon, the collected result of `par_bridge` may have a different
    /// order.)
    ///
    /// Use this method for items that only an iterator provides. If the iterator's `next` takes as long as the processing of an item, all
    /// workers but one wait. The lock around the iterator costs more than a split of any other source. A worker takes one item at a time,
    /// or several items if the iterator [promises](Iterator::size_hint) to yield several more. After the iterator has ended or panicked, no
    /// worker calls it again.
    ///
    /// The iterator's `next` may block, and may run parallel loops itself. The iterator may be infinite if the operation ends early, as
    /// [`find_first`](super::Par::find_first) does. But workers take later items while earlier items are still being processed, and the
    /// operation ends only when all calls of `next` have returned. So the iterator must not wait for the end of the operation. The
    /// [policy](super::Par::splitting) has no effect.
    ///
    /// [`map_init`](super::Par::map_init), [`accumulate`](super::Par::accumulate) and similar operations make one value for each part of a
    /// loop. In a sequence made by `par_bridge`, a part is a run of items that one worker has taken in succession. A run may be a single
    /// item.
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
