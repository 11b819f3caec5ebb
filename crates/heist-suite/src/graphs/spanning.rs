//! A spanning forest, after Bader and Cong, "A fast, parallel spanning tree algorithm for symmetric
//! multiprocessors", JPDC 2005: the first vertex from which a worker reaches a vertex becomes its parent.
//!
//! Their traversal sets a vertex's colour and parent by plain stores: if two workers both find it uncoloured,
//! the later store wins, and either is a neighbour. That needs sequential consistency, which idempotent
//! deques do without ("Idempotent work stealing", section 4.2.2, says the algorithm was adapted, not how). On
//! x86:
//!
//! | worker 1 | worker 2 |
//! | --- | --- |
//! | reaches `a`: `colour[a] = 1`, `parent[a] = r` | reaches `b`: `colour[b] = 2`, `parent[b] = s` |
//! | processes `a`: reads `colour[b]`, 0 | processes `b`: reads `colour[a]`, 0 |
//! | `parent[b] = a` | `parent[a] = b` |
//!
//! Both reads may pass the stores above them, as there is no fence between a push and the take that follows.
//! Then `a` and `b` are each other's parents, and the result is no forest. It does happen: a test in
//! `tests/graphs.rs` fails within 300 runs on a torus if parents are stored. So here a parent is set once, by
//! a compare-and-swap, after a look that spares most of them: `n - 1` of them succeed. Why that is a forest:
//! the parent of `w` is set when some `v` is processed, hence after `v` was pushed, hence after the parent of
//! `v` was set; what comes after itself by way of parents would have been set before it was.

use std::sync::atomic::{AtomicU32, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// Stands for no parent yet.
const NONE: u32 = u32::MAX;

/// A tree that reaches this number of vertices is grown by all workers; the caller alone grows smaller ones. Many graphs have a
/// large component and thousands of tiny ones, for which waking a worker does not pay.
const SMALL: usize = 1000;

/// Returns the parent of each vertex in a spanning forest of an undirected graph. A root is its own parent. Trees
/// begin at the given roots, in their order, and then at vertices that no tree has reached, in ascending order.
///
/// A vertex that is delivered twice finds that its neighbours have parents.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn run<Q: Queue<u32>>(list: &Worklist<Q>, graph: &Csr, roots: &[u32]) -> (Vec<u32>, Report) {
    let parents: Vec<AtomicU32> = (0..graph.vertices())
        .map(|_| AtomicU32::new(NONE))
        .collect();
    // Relaxed: a claim counts by itself. That it comes before all that follows from it is due to the deques,
    // which order a push before the delivery.
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
        // These are seeds now, and counted there.
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
