//! A spanning forest, after Bader and Cong, "A fast, parallel spanning tree algorithm for symmetric multiprocessors", JPDC 2005. The parent
//! of a vertex is the vertex from which a worker first reaches the vertex.
//!
//! The traversal in that paper sets a vertex's colour and parent by plain stores. If two workers find the same vertex uncoloured, the later
//! store wins. Each of the two parents is correct, because both are neighbours of the vertex. But plain stores need sequential consistency,
//! which idempotent deques do not provide. ("Idempotent work stealing", section 4.2.2, says that its authors adapted the algorithm, but not
//! how they did so.) For example, on x86:
//!
//! | worker 1 | worker 2 |
//! | --- | --- |
//! | reaches `a`: `colour[a] = 1`, `parent[a] = r` | reaches `b`: `colour[b] = 2`, `parent[b] = s` |
//! | processes `a`: reads `colour[b]`, 0 | processes `b`: reads `colour[a]`, 0 |
//! | `parent[b] = a` | `parent[a] = b` |
//!
//! The reads in the second row may overtake the stores in the first row, because there is no fence between a push and the next take. Then
//! `a` is the parent of `b`, and `b` is the parent of `a`, so the result is not a forest. Cycles of parents do occur: with plain stores, a
//! test in `tests/graphs.rs` fails within 300 runs on a torus. So this module sets each parent once, by a compare-and-swap. A load before
//! the compare-and-swap makes most attempts unnecessary. For each vertex that is not a root, exactly one compare-and-swap succeeds. The
//! result is a forest: a worker sets the parent of `w` when it processes the new parent `v`. The worker processes `v` after the push of
//! `v`, and therefore after the parent of `v` was set. So parents cannot form a cycle: in a cycle, the parent of each vertex would have
//! been set before itself.

use std::sync::atomic::{AtomicU32, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// The parent of a vertex that has no parent yet.
const NONE: u32 = u32::MAX;

/// The minimum number of vertices of a tree that all workers grow. The calling thread alone grows smaller trees. Many graphs have a large
/// component and thousands of tiny components. To wake a worker for a tiny component would cost more than the work on the component.
const SMALL: usize = 1000;

/// Returns the parent of each vertex in a spanning forest of an undirected graph. A root is its own parent. The first trees begin at the
/// given roots, in the order of the roots. Further trees begin at vertices that no tree has reached, in ascending order.
///
/// If a deque delivers a vertex twice, all neighbours of the vertex have parents the second time, so the second delivery has no effect.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn run<Q: Queue<u32>>(list: &Worklist<Q>, graph: &Csr, roots: &[u32]) -> (Vec<u32>, Report) {
    let parents: Vec<AtomicU32> = (0..graph.vertices())
        .map(|_| AtomicU32::new(NONE))
        .collect();
    // Relaxed: the claim itself publishes no other writes. The deques order the claim before its consequences, because they order a push
    // before its delivery.
    let claim = |w: u32, parent: u32| {
        let place = &parents[w as usize];
        place.load(Ordering::Relaxed) == NONE
            && place
                .compare_exchange(NONE, parent, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    };
    let mut total = Report::default();
    let mut stack = Vec::new();
    for root in roots.iter().copied().chain(0..graph.vertices() as u32) {
        if !claim(root, root) {
            continue;
        }
        stack.push(root);
        let mut reached = 1;
        total.pushed += 1;
        while reached < SMALL
            && let Some(v) = stack.pop()
        {
            total.processed += 1;
            for &w in graph.neighbours(v) {
                if claim(w, v) {
                    stack.push(w);
                    reached += 1;
                    total.pushed += 1;
                }
            }
        }
        if stack.is_empty() {
            continue;
        }
        // The report below counts these vertices as seeds.
        total.pushed -= stack.len() as u64;
        let report = list.for_each(stack.drain(..), |v, context| {
            for &w in graph.neighbours(v) {
                if claim(w, v) {
                    context.push(w);
                }
            }
        });
        total += report;
    }
    let parents = parents.into_iter().map(AtomicU32::into_inner).collect();
    (parents, total)
}
