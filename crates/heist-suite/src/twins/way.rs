//! The loops that the twins use, in three versions: serial, on Heist, and on rayon.

use std::cmp::Ordering;

use crate::ctx::{Ctx, Heist, Serial};
use crate::rivals::Rayon;

/// A way to run loops. No method takes a grain size.
pub(crate) trait Way: Ctx + Send + Sync {
    /// Returns the vector of `f(0)` to `f(n - 1)`.
    fn tabulate<T: Send>(self, n: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T>;

    /// Calls `f(0)` to `f(n - 1)`, and returns the values of the results that are not `None`.
    fn filter_map<T: Send>(self, n: usize, f: impl Fn(usize) -> Option<T> + Send + Sync) -> Vec<T>;

    /// Returns the concatenation of the items of `f(0)` to `f(n - 1)`.
    fn flat_map<T: Send, I: IntoIterator<Item = T>>(
        self,
        n: usize,
        f: impl Fn(usize) -> I + Send + Sync,
    ) -> Vec<T>;

    /// Combines `f(0)` to `f(n - 1)` by `combine`.
    fn reduce<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> T;

    /// Calls `f(0)` to `f(n - 1)`.
    fn each(self, n: usize, f: impl Fn(usize) + Send + Sync);

    /// Returns a vector that has, for each index `i`, the combination of `f(0)` to `f(i - 1)`.
    fn scan<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> Vec<T>;

    /// Sorts the items stably.
    fn sort_by<T: Send>(self, items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Send + Sync);

    /// Returns the lines of a text for which `keep` returns true.
    fn lines(self, text: &str, keep: impl Fn(&str) -> bool + Send + Sync) -> Vec<&str>;

    /// Adds the words of a text to accumulators by `add`, and combines the accumulators by `merge`.
    fn words<'t, A: Send>(
        self,
        text: &'t str,
        new: impl Fn() -> A + Send + Sync,
        add: impl Fn(&mut A, &'t str) + Send + Sync,
        merge: impl Fn(&mut A, A) + Send + Sync,
    ) -> A;
}

impl Way for Serial {
    fn tabulate<T: Send>(self, n: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..n).map(f).collect()
    }

    fn filter_map<T: Send>(self, n: usize, f: impl Fn(usize) -> Option<T> + Send + Sync) -> Vec<T> {
        (0..n).filter_map(f).collect()
    }

    fn flat_map<T: Send, I: IntoIterator<Item = T>>(
        self,
        n: usize,
        f: impl Fn(usize) -> I + Send + Sync,
    ) -> Vec<T> {
        (0..n).flat_map(f).collect()
    }

    fn reduce<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> T {
        (0..n).fold(unit, |sum, i| combine(sum, f(i)))
    }

    fn each(self, n: usize, f: impl Fn(usize) + Send + Sync) {
        (0..n).for_each(f);
    }

    fn scan<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> Vec<T> {
        let mut sum = unit;
        let step = |i| {
            let next = combine(sum, f(i));
            std::mem::replace(&mut sum, next)
        };
        (0..n).map(step).collect()
    }

    fn sort_by<T: Send>(self, items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Send + Sync) {
        items.sort_by(compare);
    }

    fn lines(self, text: &str, keep: impl Fn(&str) -> bool + Send + Sync) -> Vec<&str> {
        text.lines().filter(|line| keep(line)).collect()
    }

    fn words<'t, A: Send>(
        self,
        text: &'t str,
        new: impl Fn() -> A + Send + Sync,
        add: impl Fn(&mut A, &'t str) + Send + Sync,
        _: impl Fn(&mut A, A) + Send + Sync,
    ) -> A {
        let mut all = new();
        let words = text.split_ascii_whitespace();
        words.for_each(|word| add(&mut all, word));
        all
    }
}

impl Way for Heist {
    fn tabulate<T: Send>(self, n: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        use heist::par::prelude::*;
        (0..n).par().map(f).collect()
    }

    fn filter_map<T: Send>(self, n: usize, f: impl Fn(usize) -> Option<T> + Send + Sync) -> Vec<T> {
        use heist::par::prelude::*;
        (0..n).par().filter_map(f).collect()
    }

    fn flat_map<T: Send, I: IntoIterator<Item = T>>(
        self,
        n: usize,
        f: impl Fn(usize) -> I + Send + Sync,
    ) -> Vec<T> {
        use heist::par::prelude::*;
        (0..n).par().flat_map_iter(f).collect()
    }

    fn reduce<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> T {
        use heist::par::prelude::*;
        (0..n).par().map(f).reduce(|| unit, combine)
    }

    fn each(self, n: usize, f: impl Fn(usize) + Send + Sync) {
        use heist::par::prelude::*;
        (0..n).par().for_each(f);
    }

    fn scan<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> Vec<T> {
        use heist::par::prelude::*;
        let items = (0..n).par().map(f);
        items.exclusive_scan(unit, |a, b| combine(*a, *b)).0
    }

    fn sort_by<T: Send>(self, items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Send + Sync) {
        use heist::par::prelude::*;
        items.par_sort_by(compare);
    }

    fn lines(self, text: &str, keep: impl Fn(&str) -> bool + Send + Sync) -> Vec<&str> {
        use heist::par::prelude::*;
        text.par_lines().filter(|line| keep(line)).collect()
    }

    fn words<'t, A: Send>(
        self,
        text: &'t str,
        new: impl Fn() -> A + Send + Sync,
        add: impl Fn(&mut A, &'t str) + Send + Sync,
        merge: impl Fn(&mut A, A) + Send + Sync,
    ) -> A {
        use heist::par::prelude::*;
        let words = text.par_split_ascii_whitespace();
        words.accumulate(new, add, merge)
    }
}

impl Way for Rayon {
    fn tabulate<T: Send>(self, n: usize, f: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        use rayon::prelude::*;
        (0..n).into_par_iter().map(f).collect()
    }

    fn filter_map<T: Send>(self, n: usize, f: impl Fn(usize) -> Option<T> + Send + Sync) -> Vec<T> {
        use rayon::prelude::*;
        (0..n).into_par_iter().filter_map(f).collect()
    }

    fn flat_map<T: Send, I: IntoIterator<Item = T>>(
        self,
        n: usize,
        f: impl Fn(usize) -> I + Send + Sync,
    ) -> Vec<T> {
        use rayon::prelude::*;
        (0..n).into_par_iter().flat_map_iter(f).collect()
    }

    fn reduce<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> T {
        use rayon::prelude::*;
        (0..n).into_par_iter().map(f).reduce(|| unit, combine)
    }

    fn each(self, n: usize, f: impl Fn(usize) + Send + Sync) {
        use rayon::prelude::*;
        (0..n).into_par_iter().for_each(f);
    }

    /// Computes the sums of blocks, and then passes over the blocks again, because rayon has no scan. The number of blocks is large
    /// enough to keep rayon's threads busy.
    fn scan<T: Send + Sync + Copy>(
        self,
        n: usize,
        unit: T,
        f: impl Fn(usize) -> T + Send + Sync,
        combine: impl Fn(T, T) -> T + Send + Sync,
    ) -> Vec<T> {
        use rayon::prelude::*;
        let size = n.div_ceil(8 * rayon::current_num_threads()).max(1);
        let block = |b: usize| b * size..((b + 1) * size).min(n);
        let blocks = n.div_ceil(size);
        let sum = |b| block(b).fold(unit, |sum, i| combine(sum, f(i)));
        let sums: Vec<T> = (0..blocks).into_par_iter().map(sum).collect();
        let starts = Serial.scan(blocks, unit, |b| sums[b], &combine);
        let prefixes = |b: usize| {
            let mut sum = starts[b];
            let (f, combine) = (&f, &combine);
            block(b).map(move |i| {
                let next = combine(sum, f(i));
                std::mem::replace(&mut sum, next)
            })
        };
        let all = (0..blocks).into_par_iter().flat_map_iter(prefixes);
        all.collect()
    }

    fn sort_by<T: Send>(self, items: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Send + Sync) {
        use rayon::prelude::*;
        items.par_sort_by(compare);
    }

    fn lines(self, text: &str, keep: impl Fn(&str) -> bool + Send + Sync) -> Vec<&str> {
        use rayon::prelude::*;
        text.par_lines().filter(|line| keep(line)).collect()
    }

    fn words<'t, A: Send>(
        self,
        text: &'t str,
        new: impl Fn() -> A + Send + Sync,
        add: impl Fn(&mut A, &'t str) + Send + Sync,
        merge: impl Fn(&mut A, A) + Send + Sync,
    ) -> A {
        use rayon::prelude::*;
        let part = |mut part: A, word| {
            add(&mut part, word);
            part
        };
        let both = |mut left: A, right| {
            merge(&mut left, right);
            left
        };
        let parts = text.par_split_ascii_whitespace().fold(&new, part);
        parts.reduce(&new, both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::Runner;

    fn check<W: Way>(way: W) {
        assert_eq!(way.tabulate(3, |i| i * i), [0, 1, 4]);
        assert_eq!(way.filter_map(9, |i| (i % 4 == 1).then_some(i)), [1, 5]);
        assert_eq!(way.flat_map(4, |i| 0..i), [0, 0, 1, 0, 1, 2]);
        assert_eq!(way.reduce(1000, 0, |i| i, |a, b| a + b), 499_500);
        // Returns the last operand that is not zero, so it is not commutative.
        let last = |a, b| if b == 0 { a } else { b };
        let scanned = way.scan(5, 0, |i| if i % 2 == 1 { i } else { 0 }, last);
        assert_eq!(scanned, [0, 0, 1, 1, 3]);
        let mut pairs = way.tabulate(1000, |i| (i % 7, i));
        way.sort_by(&mut pairs, |a, b| a.0.cmp(&b.0));
        assert!(pairs.is_sorted());
        assert_eq!(way.lines("a\nbb\nc", |line| line.len() == 1), ["a", "c"]);
        let letters = way.words("to be", || 0, |n, w| *n += w.len(), |n, m| *n += m);
        assert_eq!(letters, 4);
    }

    #[test]
    fn all_ways_give_the_same() {
        let on = Runner::new(3).unwrap();
        check(Serial);
        on.heist().install(|| check(Heist));
        on.on_rayon(|| check(Rayon));
    }
}
