//! Transitive closure from roots: marks every vertex that can be reached.
//!
//! As in the SIMPLE framework that "Idempotent work stealing" uses for it (section 4.2.2), and the purest
//! case of work that may be repeated.

use std::sync::atomic::{AtomicBool, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// Whether each vertex can be reached from one of the roots.
///
/// A vertex that is delivered twice finds its neighbours marked the second time and does nothing. Two workers
/// may also both find a neighbour unmarked and both push it; a worker sees its own marks, so no vertex is
/// pushed more often than there are workers.
///
/// # Panics
/// Panics if a root is no vertex.
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
            // Relaxed, and no exchange: marks only ever turn true, and the worker that marks also pushes. The end of the
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
