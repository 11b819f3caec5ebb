//! Any of the items, whichever come first.

/// The methods of [`Par`](super::Par) that let items through as they come: a trait is written in one piece, and this puts them there. What
/// they use is in scope there.
macro_rules! gates {
    () => {
        /// At most `count` of the items, in order; which ones depends on the schedule. Ends as soon as so many are there. The first
        /// ones are those of [`take`](super::Indexed::take).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let some: Vec<_> = (0..1000).par().filter(|x| x % 3 == 0).take_any(5).collect();
        /// assert!(some.len() == 5 && some.is_sorted());
        /// ```
        fn take_any(self, count: usize) -> TakeAny<Self> {
            Gated::new(self, AtMost(count))
        }

        /// All but `count` of the items, in order; which ones are left out depends on the schedule. All but the first ones are those of
        /// [`skip`](super::Indexed::skip).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let most: Vec<_> = (0..1000).par().filter(|x| x % 3 == 0).skip_any(5).collect();
        /// assert!(most.len() == 329 && most.is_sorted());
        /// ```
        fn skip_any(self, count: usize) -> SkipAny<Self> {
            Gated::new(self, AllBut(count))
        }

        /// Items that are such, in order, until one has been met, by whichever worker, that is not: which ones depends on the schedule.
        /// Ends early then. Those before the first one that is not are those of [`while_some`](Self::while_some).
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let small: Vec<_> = (0..1000).par().take_any_while(|x| *x < 500).collect();
        /// assert!(small.iter().all(|x| *x < 500) && small.is_sorted());
        /// ```
        fn take_any_while<F>(self, is: F) -> TakeAnyWhile<Self, F>
        where
            F: Fn(&Self::Item) -> bool + Send + Sync,
        {
            Gated::new(self, While(is))
        }

        /// All items, in order, but such as are met before one that is not, by whichever worker: which ones depends on the schedule.
        ///
        /// ```
        /// use heist::par::prelude::*;
        /// let most: Vec<_> = (0..1000).par().skip_any_while(|x| *x < 500).collect();
        /// assert!(most.len() >= 500 && most.is_sorted());
        /// ```
        fn skip_any_while<F>(self, is: F) -> SkipAnyWhile<Self, F>
        where
            F: Fn(&Self::Item) -> bool + Send + Sync,
        {
            Gated::new(self, Since(is))
        }
    };
}
pub(super) use gates;
