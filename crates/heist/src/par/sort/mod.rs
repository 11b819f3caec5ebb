#![doc = include_str!("README.md")]

mod keys;
mod merge;
mod partition;
mod quick;
mod run;
mod sample;
mod seam;
mod shared;
mod stable;

#[cfg(all(test, not(heist_model), not(heist_brief)))]
mod tests;

use std::cmp::Ordering;

/// Sorts a slice on the workers of a pool.
///
/// The methods have the names and results of the standard library's slice methods. These methods use the pool of the calling worker. On a
/// thread that is not a worker, they use the [global](crate::global) pool. In a pool of one worker, and for slices of up to a few thousand
/// elements, they call the standard library's sorts.
///
/// ```
/// use heist::par::ParSort;
///
/// let mut words = vec!["pear", "fig", "apple"];
/// words.par_sort();
/// assert_eq!(words, ["apple", "fig", "pear"]);
/// words.par_sort_by_key(|word| word.len());
/// assert_eq!(words, ["fig", "pear", "apple"]);
/// ```
///
/// # Panics
/// Rethrows the panic of a comparison or of a key function. A sort may panic if the order is not total. In both cases the slice
/// still has each of its elements once, in some order.
pub trait ParSort<T: Send>: sealed::Sealed {
    /// Sorts the slice. Equal elements keep their order. Takes O(n log n) comparisons, and memory for n elements.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers: Vec<u32> = (0..10_000).map(|i| i * 7919 % 10_007).collect();
    /// numbers.par_sort();
    /// assert!(numbers.is_sorted());
    /// ```
    fn par_sort(&mut self)
    where
        T: Ord;

    /// Sorts by `compare`. Equal elements keep their order. Takes O(n log n) comparisons, and memory for n elements.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers = vec![2.5, -1.0, 7.0];
    /// numbers.par_sort_by(|a: &f64, b| b.total_cmp(a));
    /// assert_eq!(numbers, [7.0, 2.5, -1.0]);
    /// ```
    fn par_sort_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync;

    /// Sorts by a key that is computed for each comparison. Elements with equal keys keep their order. Computes O(n log n) keys,
    /// and takes memory for n elements.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers = vec![-3, 2, 1, -2];
    /// numbers.par_sort_by_key(|number: &i32| number.abs());
    /// assert_eq!(numbers, [1, 2, -2, -3]);
    /// ```
    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync;

    /// Sorts by a key that is computed once for each element. Elements with equal keys keep their order. Use this method if
    /// computing a key takes long. Computes n keys, compares O(n log n) pairs of keys, and takes memory for n keys, n numbers and n
    /// elements.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers = vec![10, 9, 100];
    /// numbers.par_sort_by_cached_key(|number: &i32| number.to_string());
    /// assert_eq!(numbers, [10, 100, 9]);
    /// ```
    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync;

    /// Sorts the slice in place. Equal elements may change their order. Takes O(n log n) comparisons.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers: Vec<u32> = (0..10_000).map(|i| i * 7919 % 10_007).collect();
    /// numbers.par_sort_unstable();
    /// assert!(numbers.is_sorted());
    /// ```
    fn par_sort_unstable(&mut self)
    where
        T: Ord;

    /// Sorts by `compare` in place. Equal elements may change their order. Takes O(n log n) comparisons.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers = vec![2, 7, 5];
    /// numbers.par_sort_unstable_by(|a, b| b.cmp(a));
    /// assert_eq!(numbers, [7, 5, 2]);
    /// ```
    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync;

    /// Sorts in place by a key that is computed for each comparison. Elements with equal keys may change their order. Computes O(n
    /// log n) keys.
    ///
    /// ```
    /// use heist::par::ParSort;
    ///
    /// let mut numbers = vec![-3, 2, 1];
    /// numbers.par_sort_unstable_by_key(|number: &i32| number.abs());
    /// assert_eq!(numbers, [1, 2, -3]);
    /// ```
    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync;
}

impl<T: Send> ParSort<T> for [T] {
    fn par_sort(&mut self)
    where
        T: Ord,
    {
        stable::sort(self, &T::cmp);
    }

    fn par_sort_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        stable::sort(self, &compare);
    }

    fn par_sort_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        stable::sort(self, &|a: &T, b: &T| key(a).cmp(&key(b)));
    }

    fn par_sort_by_cached_key<K, F>(&mut self, key: F)
    where
        K: Ord + Send,
        F: Fn(&T) -> K + Sync,
    {
        keys::sort(self, &key);
    }

    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        quick::sort(self, &T::cmp);
    }

    fn par_sort_unstable_by<F>(&mut self, compare: F)
    where
        F: Fn(&T, &T) -> Ordering + Sync,
    {
        quick::sort(self, &compare);
    }

    fn par_sort_unstable_by_key<K, F>(&mut self, key: F)
    where
        K: Ord,
        F: Fn(&T) -> K + Sync,
    {
        quick::sort(self, &|a: &T, b: &T| key(a).cmp(&key(b)));
    }
}

/// An order of elements. Several workers may call the order's function at the same time, each with different elements.
trait Order<T>: Fn(&T, &T) -> Ordering + Sync {
    /// Returns true if `a` is less than `b`.
    #[inline(always)]
    fn less(&self, a: &T, b: &T) -> bool {
        self(a, b) == Ordering::Less
    }
}

impl<T, F: Fn(&T, &T) -> Ordering + Sync> Order<T> for F {}

/// Returns true if the standard library should sort a slice. There are three such cases: the slice has at most `shortest` elements, its
/// elements have size 0, or the pool has a single thread.
fn is_serial<T>(v: &[T], shortest: usize) -> bool {
    v.len() <= shortest || size_of::<T>() == 0 || crate::current_threads() == 1
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for [T] {}
}
