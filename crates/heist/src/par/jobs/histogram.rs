//! How many of each kind.

use crate::par::job::Job;
use crate::par::limit::Scope;
use crate::par::source::Chunk;

/// Counts items by bucket.
#[derive(Debug)]
pub(crate) struct Histogram(pub(crate) usize);

/// What a part has counted.
#[derive(Debug)]
pub(crate) enum Counts {
    /// The buckets of few items: less than a table.
    Few(Vec<usize>),
    Table(Vec<u64>),
}

impl Histogram {
    /// The table, which it becomes if it was none.
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
        if let Counts::Few(few) = counts
            && few.len() + chunk.len() < self.0
        {
            few.extend(chunk.into_iter().inspect(|&bucket| {
                assert!(bucket < self.0, "heist: bucket {bucket} of {}", self.0);
            }));
            return;
        }
        let table = self.table(counts);
        chunk.into_iter().for_each(|bucket| table[bucket] += 1);
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

    fn finish(&self, mut counts: Counts) -> Vec<u64> {
        self.table(&mut counts).to_vec()
    }
}
