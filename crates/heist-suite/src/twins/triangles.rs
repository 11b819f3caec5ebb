//! Counting of triangles.

use super::csr::Csr;
use super::{Kernel, Twin, Way, ready};

pub(super) const TWIN: Twin = Twin {
    name: "triangles",
    about: "counts the triangles of a graph, by common neighbours of its edges",
    size: 200_000,
    prepare: |n| ready(Triangles(Csr::random(n).upward())),
};

struct Triangles(Csr);

/// Returns the number of items that two sorted lists share.
fn common(a: &[u32], b: &[u32]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        if a[i] < b[j] {
            i += 1;
        } else if b[j] < a[i] {
            j += 1;
        } else {
            (i, j, count) = (i + 1, j + 1, count + 1);
        }
    }
    count
}

impl Kernel for Triangles {
    type Out = u64;

    fn run<W: Way>(&self, way: W) -> u64 {
        let at = |v: usize| {
            let own = self.0.neighbours(v);
            let shared = own
                .iter()
                .map(|&to| common(own, self.0.neighbours(to as usize)));
            shared.sum()
        };
        way.reduce(self.0.len(), 0, at, |a, b| a + b)
    }

    fn checksum(&self, out: &u64) -> u64 {
        *out
    }
}
