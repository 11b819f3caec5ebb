//! Transitive closure from roots: marks every vertex that can be reached.
//!
//! The algorithm comes from the SIMPLE framework, which "Idempotent work stealing" uses (section 4.2.2). The result is correct even if
//! parts of the algorithm's work are repeated.

use std::sync::atomic::{AtomicBool, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// Returns a flag for each vertex: true if a root reaches the vertex.
///
/// If a deque delivers a vertex twice, the vertex's neighbours are already marked the second time, so the second delivery has no effect.
/// Two workers may find the same neighbour unmarked, and then both workers push this neighbour. But a worker sees its own marks, so each
/// worker pushes a vertex at most once.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn run<Q: Queue<u32>>(list: &Worklist<Q>, graph: &Csr, roots: &[u32]) -> (Vec<bool>, Report) {
    let marks: Vec<AtomicBool> = (0..graph.vertices())
        .map(|_| AtomicBool::new(false))
        .collect();
    for &root in roots {
        marks[root as usize].store(true, Ordering::Relaxed);
    }
    let report = list.for_each(roots.iter().copied(), |v, context| {
        for &w in graph.neighbours(v) {
            let mark = &marks[w as usize];
            // Relaxed, and no exchange: marks never change back to false, and the worker that marks a vertex also pushes it. The end of the
            // worklist orders all marks before the result.
            if !mark.load(Ordering::Relaxed) {
                mark.store(true, Ordering::Relaxed);
                context.push(w);
            }
        }
    });
    (
        marks.into_iter().map(AtomicBool::into_inner).collect(),
        report,
    )
}
