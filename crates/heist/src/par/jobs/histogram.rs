//! Counts the items of each bucket.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// A job that counts items by bucket.
#[derive(Debug)]
pub(crate) struct Histogram(pub(crate) usize);

/// The counts of a part.
#[derive(Debug)]
pub(crate) enum Counts {
    /// The bucket of each item, as long as the part has few items. This list is always shorter than a table of the counts of all buckets.
    Few(Vec<usize>),
    Table(Vec<u64>),
}

impl Histogram {
    /// Returns the table of counts. If the counts are still a list of buckets, first turns the list into a table.
    fn table<'c>(&self, counts: &'c mut Counts) -> &'c mut [u64] {
        if let Counts::Few(few) = counts {
            let mut table = vec![0; self.0];
            few.iter().for_each(|&bucket| table[bucket] += 1);
            *counts = Counts::Table(table);
        }
        match counts {
            Counts::Table(table) => table,
            Counts::Few(_) => unreachable!("it has just become a table"),
        }
    }
}

#[cold]
#[inline(never)]
fn beyond(bucket: usize, buckets: usize) -> ! {
    panic!("heist: bucket {bucket} of {buckets}")
}

impl Job<usize> for Histogram {
    type State = Counts;
    type Output = Vec<u64>;

    fn begin(&self, _at: usize) -> Counts {
        Counts::Few(Vec::new())
    }

    fn chunk<C: Chunk<Item = usize>>(
        &self,
        counts: &mut Counts,
        _at: usize,
        chunk: C,
        _scope: Scope<'_>,
    ) {
        let len = chunk.len();
        let mut items = chunk.into_iter();
        match counts {
            Counts::Few(few) if few.len() + len < self.0 => {
                // A flattened chunk yields any number of items for a position.
                let room = self.0 - 1 - few.len();
                few.extend(items.by_ref().take(room).inspect(|&bucket| {
                    if bucket >= self.0 {
                        beyond(bucket, self.0);
                    }
                }));
                if few.len() + 1 < self.0 {
                    return;
                }
            }
            Counts::Few(_) | Counts::Table(_) => {}
        }
        let table = self.table(counts);
        items.for_each(|bucket| match table.get_mut(bucket) {
            Some(count) => *count += 1,
            None => beyond(bucket, self.0),
        });
    }

    fn merge(&self, left: &mut Counts, right: Counts) {
        match (&mut *left, right) {
            (Counts::Few(few), Counts::Few(more)) if few.len() + more.len() < self.0 => {
                few.extend(more);
            }
            (_, Counts::Few(more)) => {
                let table = self.table(left);
                more.into_iter().for_each(|bucket| table[bucket] += 1);
            }
            (_, Counts::Table(more)) => {
                for (count, more) in self.table(left).iter_mut().zip(more) {
                    *count += more;
                }
            }
        }
    }

    #[inline]
    fn absorbs_items(&self) -> bool {
        true
    }

    fn finish(&self, mut counts: Counts) -> Vec<u64> {
        self.table(&mut counts).to_vec()
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::{Counts, Histogram};
    use crate::par::ask::Origin;
    use crate::par::splitting::Site;
    use crate::par::{Lazy, prelude::*};

    #[test]
    fn more_items_than_buckets_become_a_table() {
        for (count, is_table) in [(98, false), (99, true), (100_000, true)] {
            let one = (0..1).par().flat_map_iter(|_| (0..100).cycle().take(count));
            let origin = Origin {
                site: Site::of(std::ptr::null()),
                outer: None,
            };
            let counts = one.drive(Lazy, &Histogram(100), origin);
            assert_eq!(matches!(counts, Counts::Table(_)), is_table);
        }
    }
}
