//! Suffix arrays.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Kernel, Twin, Way, below, checksum, ready};

pub(super) const TWIN: Twin = Twin {
    name: "suffix_array",
    about: "sorts the suffixes of a text of four letters, by doubling of prefixes (Manber and Myers, 1993)",
    size: 200_000,
    prepare: |n| {
        ready(SuffixArray {
            text: (0..n).map(|i| below(8, i, 4) as u64).collect(),
        })
    },
};

struct SuffixArray {
    text: Vec<u64>,
}

impl Kernel for SuffixArray {
    type Out = Vec<u64>;

    fn run<W: Way>(&self, way: W) -> Vec<u64> {
        let n = self.text.len() as u64;
        // Relaxed: one task writes each index, and tasks read the ranks only after the loop that writes them.
        let ranks: Vec<AtomicU64> = self.text.iter().map(|&c| AtomicU64::new(c)).collect();
        let rank = |i: u64| {
            let rank = ranks.get(i as usize);
            rank.map_or(0, |rank| rank.load(Relaxed) + 1)
        };
        let mut width = 1;
        loop {
            let mut keys = way.tabulate(self.text.len(), |i| {
                let i = i as u64;
                ((rank(i) - 1) * (n + 1) + rank(i + width)) * n + i
            });
            way.sort_by(&mut keys, u64::cmp);
            let differs = |k: usize| u64::from(k > 0 && keys[k] / n != keys[k - 1] / n);
            let before = way.scan(keys.len(), 0, differs, |a, b| a + b);
            way.each(keys.len(), |k| {
                let rank = before[k] + differs(k);
                ranks[(keys[k] % n) as usize].store(rank, Relaxed);
            });
            let last = keys.len() - 1;
            if before[last] + differs(last) == n - 1 {
                return way.tabulate(keys.len(), |k| keys[k] % n);
            }
            width *= 2;
        }
    }

    fn checksum(&self, out: &Vec<u64>) -> u64 {
        checksum(out.iter().copied())
    }
}
