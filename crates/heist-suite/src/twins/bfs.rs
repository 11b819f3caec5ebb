//! Breadth-first search.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::csr::Csr;
use super::{Kernel, Twin, Way, checksum, ready};

pub(super) const TWIN: Twin = Twin {
    name: "bfs",
    about: "finds the distances of all vertices of a graph from one, level by level",
    size: 200_000,
    prepare: |n| ready(Bfs(Csr::random(n))),
};

struct Bfs(Csr);

impl Kernel for Bfs {
    type Out = Vec<u32>;

    fn run<W: Way>(&self, way: W) -> Vec<u32> {
        let graph = &self.0;
        // Relaxed: the exchange only decides which task reaches a vertex first, and publishes no other writes.
        let levels: Vec<AtomicU32> = (0..graph.len()).map(|_| AtomicU32::new(u32::MAX)).collect();
        levels[0].store(0, Relaxed);
        let (levels, mut frontier, mut level) = (&levels, vec![0_u32], 0);
        while !frontier.is_empty() {
            level += 1;
            let reach = |&to: &u32| {
                let place = &levels[to as usize];
                place.load(Relaxed) == u32::MAX
                    && place
                        .compare_exchange(u32::MAX, level, Relaxed, Relaxed)
                        .is_ok()
            };
            frontier = way.flat_map(frontier.len(), |k| {
                let reached = graph.neighbours(frontier[k] as usize).iter();
                reached.copied().filter(reach)
            });
        }
        way.tabulate(levels.len(), |v| levels[v].load(Relaxed))
    }

    fn checksum(&self, out: &Vec<u32>) -> u64 {
        checksum(out.iter().map(|&level| u64::from(level)))
    }
}
