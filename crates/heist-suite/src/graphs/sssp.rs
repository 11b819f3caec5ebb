//! Shortest paths from roots: the least sum of weights.

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;
use super::windows;

/// The distance of each vertex, `u64::MAX` where there is no way from a root, by label correction in windows. Buckets
/// are as wide as the mean weight. An item that is delivered twice lowers nothing the second time.
///
/// # Panics
/// If a root is no vertex, or the graph has no weights.
pub fn run<Q: Queue<(u32, u32)>>(
    list: &Worklist<Q>,
    graph: &Csr,
    roots: &[u32],
) -> (Vec<u64>, Report) {
    let arcs = |v| {
        let (to, weights) = (graph.neighbours(v), graph.weights(v));
        to.iter().copied().zip(weights.iter().copied())
    };
    windows::run(list, graph.vertices(), roots, mean_weight(graph), arcs)
}

/// At least 1.
fn mean_weight(graph: &Csr) -> u32 {
    let weights = (0..graph.vertices() as u32).flat_map(|v| graph.weights(v));
    let sum: u64 = weights.map(|&weight| u64::from(weight)).sum();
    (sum.checked_div(graph.arcs() as u64).unwrap_or(0) as u32).max(1)
}
