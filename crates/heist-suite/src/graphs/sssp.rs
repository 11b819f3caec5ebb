//! Shortest paths from roots. The length of a path is the sum of the weights of its arcs.

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;
use super::windows;

/// Returns the distance of each vertex from the roots, or `u64::MAX` for a vertex that no root reaches. Uses label correction in windows
/// (see `windows.rs`). If a deque delivers an item twice, the second delivery lowers no distance.
///
/// # Panics
/// Panics if a root is not a vertex, or if the graph has no weights.
pub fn run<Q: Queue<(u32, u32)>>(
    list: &Worklist<Q>,
    graph: &Csr,
    roots: &[u32],
) -> (Vec<u64>, Report) {
    let arcs = |v| {
        let (to, weights) = (graph.neighbours(v), graph.weights(v));
        to.iter().copied().zip(weights.iter().copied())
    };
    windows::run(list, graph.vertices(), roots, bucket(graph), arcs)
}

/// The number of weights in the sample.
const SAMPLE: usize = 1000;

/// Returns the width of buckets: half of the median of a sample of weights, but at least 1. On an R-MAT graph, the newest-first order did
/// fifty times the work with buckets four times as wide. Narrower buckets save little work. The function uses the median, because a few
/// very large weights would change the mean.
fn bucket(graph: &Csr) -> u32 {
    let step = graph.arcs() / SAMPLE + 1;
    let weights = (0..graph.vertices() as u32).flat_map(|v| graph.weights(v));
    let mut some: Vec<u32> = weights.step_by(step).copied().collect();
    some.sort_unstable();
    some.get(some.len() / 2)
        .map_or(1, |middle| (middle / 2).max(1))
}
