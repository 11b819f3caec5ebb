//! Load balancing over places: bags of work that split and merge.

mod instance;
mod lifelines;
mod table;
mod tasks;

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use table::Balances;
#[doc(hidden)]
pub use tasks::{Fail, Gift, Serve, Steal, Until};

use crate::{Waiting, World};
use instance::Instance;

/// Work that can be divided, together with the results of its finished part.
///
/// [`World::balance`] spreads a bag over all workers of all places. [`register_bag!`](crate::register_bag) makes the type known to all
/// places. The interface follows GLB in X10 (Zhang et al., *GLB: lifeline-based global load balancing library in X10*, PPAA 2014).
///
/// ```
/// use heist_places::{Bag, Local, register_bag};
/// use serde::{Deserialize, Serialize};
///
/// /// Adds the numbers of a range.
/// #[derive(Serialize, Deserialize)]
/// struct Sum { from: u64, to: u64, sum: u64 }
///
/// impl Bag for Sum {
///     fn process(&mut self, most: usize) -> bool {
///         for _ in 0..most {
///             if self.from == self.to { return false }
///             self.sum += self.from;
///             self.from += 1;
///         }
///         true
///     }
///     fn split(&mut self) -> Option<Sum> {
///         let middle = self.from + (self.to - self.from) / 2;
///         if self.to - self.from < 2 { return None }
///         let half = Sum { from: middle, to: self.to, sum: 0 };
///         self.to = middle;
///         Some(half)
///     }
///     fn merge(&mut self, other: Sum) {
///         // Only an empty bag is given another one's items.
///         if other.from < other.to { (self.from, self.to) = (other.from, other.to) }
///         self.sum += other.sum;
///     }
/// }
/// register_bag!(Sum);
///
/// let outcomes = Local::new(3).workers(2).run(|world| {
///     if world.here() > 0 { return None }
///     let all = Sum { from: 0, to: 100_000, sum: 0 };
///     Some(world.balance(all).wait().unwrap().sum)
/// });
/// assert_eq!(outcomes[0], Ok(Some(4_999_950_000)));
/// ```
pub trait Bag: Serialize + DeserializeOwned + Send + 'static {
    /// Processes at most `most` items, and adds their results to the bag. Returns true if items are left.
    fn process(&mut self, most: usize) -> bool;

    /// Moves about half of the items into a new bag, which has no results. Returns `None` if the bag has too few items.
    fn split(&mut self) -> Option<Self>;

    /// Adds the items and the results of `other` to this bag. The caller ensures that at least one of the two bags has no items.
    fn merge(&mut self, other: Self);
}

/// Registers types of [bags](Bag), so that all places of the program can process them.
///
/// See [`Bag`] for an example.
#[macro_export]
macro_rules! register_bag {
    ($($bag:ty),+ $(,)?) => {
        $($crate::register! {
            $crate::bags::Serve<$bag>,
            $crate::bags::Until<$bag>,
            $crate::bags::Fail<$bag>,
            $crate::bags::Steal<$bag>,
            $crate::bags::Gift<$bag>,
        })+
    };
}

impl World {
    /// Processes all items of a bag on all workers of all places, and returns the bag with the results.
    ///
    /// A place that runs out of work asks some places at random, and then the places on its *lifelines*, a cyclic hypercube. A place on a
    /// lifeline sends work as soon as it has work to give (Saraswat et al., *Lifeline-based global load balancing*, PPoPP 2011). The
    /// workers of a place share the work of that place. Each place returns its results to the place that gave it the work.
    ///
    /// If a place dies, the places that gave it work repeat that work, so the result is still exact.
    ///
    /// # Errors
    /// Returns an error that names the place if [`Bag::process`] or another function of the bag panics.
    ///
    /// # Panics
    /// Panics if the bag's type is not registered, or if the task to which this world belongs has ended.
    ///
    /// # Examples
    /// See [`Bag`].
    pub fn balance<B: Bag>(&self, bag: B) -> Waiting<B> {
        let key = self.place().balances.next_key(self.here());
        let instance: Arc<Instance<B>> = self.place().balances.instance(key);
        let done = instance.begin(self.place(), bag);
        let served: Vec<_> = (0..self.places())
            .map(|place| self.at(place, Serve::<B>::new(key)))
            .collect();
        // All places wait for the end, even if no task of this place waits for it.
        self.place().operation(async move {
            let outcome = done.await;
            instance.end();
            for place in served {
                // If the place has died, the result is an error. The error does not matter here.
                drop(place.await);
            }
            outcome
        })
    }
}
