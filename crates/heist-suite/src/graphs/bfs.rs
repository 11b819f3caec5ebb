//! Levels of breadth-first search. The level of a vertex is the smallest number of arcs on a path from a root to the vertex.

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;
use super::windows;

/// Returns the level of each vertex, or `u32::MAX` for a vertex that no root reaches. Uses label correction in windows (see `windows.rs`),
/// where each arc has the length 1. If a deque delivers an item twice, the second delivery lowers no level.
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
    // Levels are less than the number of vertices, so a value that does not fit into `u32` means that no root reaches the vertex.
    let levels = levels
        .into_iter()
        .map(|level| level.try_into().unwrap_or(u32::MAX));
    (levels.collect(), report)
}
