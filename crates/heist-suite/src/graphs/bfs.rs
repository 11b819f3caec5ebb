//! Levels of breadth-first search: the fewest arcs from a root.

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;
use super::windows;

/// Returns the level of each vertex, or `u32::MAX` if no root reaches it, by label correction in windows with arcs of length 1. An
/// item that is delivered twice lowers no level the second time.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn run<Q: Queue<(u32, u32)>>(
    list: &Worklist<Q>,
    graph: &Csr,
    roots: &[u32],
) -> (Vec<u32>, Report) {
    let arcs = |v| graph.neighbours(v).iter().map(|&w| (w, 1));
    let (levels, report) = windows::run(list, graph.vertices(), roots, 1, arcs);
    // Levels are below the number of vertices, so that what does not fit is none.
    let levels = levels
        .into_iter()
        .map(|level| level.try_into().unwrap_or(u32::MAX));
    (levels.collect(), report)
}
