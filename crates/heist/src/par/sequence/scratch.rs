//! Methods whose functions have a scratch value.

/// Defines the methods of [`Par`](super::Par) whose functions have a scratch value.
///
/// The definition of a trait cannot be divided among files, so this macro inserts the methods into the trait. The names that the
/// methods use must be in scope where the macro is called.
macro_rules! scratch {
    () => {
        /// Applies a function to each item, with a scratch value that is costly to make, such as a buffer or a random number generator.
        /// `init` makes one value for each part of the schedule. A new part begins whenever a thief takes items. The following are parts,
        /// too: each nested sequence, each of two chained sequences, each block of a later scan, each group of a later
        /// [`chunks`](super::Indexed::chunks), and each run of items that a worker takes from a [bridge](super::ParBridge::par_bridge).
        /// `init` is not called for an empty part.
        ///
        /// The schedule decides which items share a scratch value, so results must not depend on the old contents of the scratch
        /// value. If the items have indices, the results have indices, too ([`Indexed`](super::Indexed)).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let digits = |text: &mut String, x: &u32| {
        ///     use std::fmt::Write;
        ///     text.clear();
        ///     write!(text, "{x}").unwrap();
        ///     text.len()
        /// };
        /// let lengths: Vec<_> = [7, 100, 12].par().map_init(String::new, digits).collect();
        /// assert_eq!(lengths, [1, 3, 2]);
        /// ```
        fn map_init<I, F, W, U>(self, init: I, map: F) -> MapInit<Self, I, F>
        where
            I: Fn() -> W + Send + Sync,
            F: Fn(&mut W, Self::Item) -> U + Send + Sync,
            W: Send,
            U: Send,
        {
            MapInit::new(self, init, map)
        }

        /// Applies a function to each item, with a clone of `with` as the scratch value for each part of the
        /// schedule: see [`map_init`](Self::map_init).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let (sender, receiver) = std::sync::mpsc::channel();
        /// let sent: Vec<_> = (0..3).par().map_with(sender, |sender, x| sender.send(x).is_ok()).collect();
        /// assert_eq!((sent, receiver.iter().sum::<i32>()), (vec![true; 3], 3));
        /// ```
        fn map_with<W, F, U>(self, with: W, map: F) -> MapWith<Self, W, F>
        where
            W: Clone + Send,
            F: Fn(&mut W, Self::Item) -> U + Send + Sync,
            U: Send,
        {
            MapInit::new(self, Clones::of(with), map)
        }

        /// Calls a function with each item and a scratch value: see [`map_init`](Self::map_init).
        fn for_each_init<I, F, W>(self, init: I, each: F)
        where
            I: Fn() -> W + Send + Sync,
            F: Fn(&mut W, Self::Item) + Send + Sync,
            W: Send,
        {
            self.map_init(init, each).for_each(|()| ());
        }

        /// Calls a function with each item and a clone of `with`: see [`map_with`](Self::map_with).
        fn for_each_with<W, F>(self, with: W, each: F)
        where
            W: Clone + Send,
            F: Fn(&mut W, Self::Item) + Send + Sync,
        {
            self.map_with(with, each).for_each(|()| ());
        }

        /// Calls a fallible function with each item and a scratch value: see [`try_for_each`](Self::try_for_each) and
        /// [`map_init`](Self::map_init).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let is_short = |text: &mut String, x: &u32| {
        ///     use std::fmt::Write;
        ///     text.clear();
        ///     write!(text, "{x}").unwrap();
        ///     if text.len() < 4 { Ok(()) } else { Err(*x) }
        /// };
        /// assert_eq!([7, 1000, 12, 9999].par().try_for_each_init(String::new, is_short), Err(1000));
        /// ```
        fn try_for_each_init<I, F, W, R>(self, init: I, each: F) -> R
        where
            I: Fn() -> W + Send + Sync,
            F: Fn(&mut W, Self::Item) -> R + Send + Sync,
            W: Send,
            R: Outcome<Value = ()>,
        {
            self.map_init(init, each)
                .try_for_each(std::convert::identity)
        }

        /// Calls a fallible function with each item and a clone of `with`: see [`try_for_each`](Self::try_for_each) and
        /// [`map_with`](Self::map_with).
        fn try_for_each_with<W, F, R>(self, with: W, each: F) -> R
        where
            W: Clone + Send,
            F: Fn(&mut W, Self::Item) -> R + Send + Sync,
            R: Outcome<Value = ()>,
        {
            self.map_with(with, each)
                .try_for_each(std::convert::identity)
        }
    };
}
pub(super) use scratch;
