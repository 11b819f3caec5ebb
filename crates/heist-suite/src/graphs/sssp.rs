//! Shortest paths from roots, by the sum of weights.

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;
use super::windows;

/// Returns the distance of each vertex, or `u64::MAX` if no root reaches it, by label correction in windows. If an item is delivered twice,
/// its second delivery lowers no distance.
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

/// Returns the width of buckets: half of the median of a sample of weights, but at least 1. On an R-MAT graph, with buckets four times as
/// wide, the newest-first order did fifty times the work; narrower buckets save little. The function uses the median and not the mean,
/// because a few very large weights change the mean but say nothing about the other weights.
fn bucket(graph: &Csr) -> u32 {
    let step = graph.arcs() / SAMPLE + 1;
    let weights = (0..graph.vertices() as u32).flat_map(|v| graph.weights(v));
    let mut some: Vec<u32> = weights.step_by(step).copied().collect();
    some.sort_unstable();
    some.get(some.len() / 2)
        .map_or(1, |middle| (middle / 2).max(1))
}
