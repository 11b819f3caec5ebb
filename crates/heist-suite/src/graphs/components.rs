//! Connected components by propagation of the least label.
//!
//! The textbook algorithm gives each vertex its number as a label, and puts all vertices into the worklist. After that, the algorithm
//! lowers the labels of neighbours until no label changes. With a deque that returns the newest item first, this algorithm takes quadratic
//! time: the label of the last vertex spreads over the whole component, then the label of the vertex before it, and so on. So in this
//! module, labels start one after the other. The first label starts at a vertex of the largest degree, and reaches most vertices in most
//! graphs. Then a cursor passes over the vertices, and starts a label at each vertex without a label. The cursor is an item of the
//! worklist, so a new label starts only when a worker has no newer item. If two labels start within the same component, the smaller label
//! wins, as in the textbook algorithm.

use std::sync::atomic::{AtomicU32, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// The label of a vertex that has no label yet. This label is larger than every other label.
const NONE: u32 = u32::MAX;

/// The item that stands for the cursor. No vertex has this number, because vertices are below 2^31.
const CURSOR: u32 = u32::MAX;

/// The graph and the labels. Labels only fall.
struct Labels<'a> {
    graph: &'a Csr,
    labels: Vec<AtomicU32>,
}

impl Labels<'_> {
    /// Lowers the label of `v` to `label`. Returns false if the label of `v` was not higher than `label`.
    #[inline]
    fn lower(&self, v: u32, label: u32) -> bool {
        let place = &self.labels[v as usize];
        // Use a read-modify-write, because a store could replace a lower label, which a worker has already passed on, by a higher label.
        // Relaxed: the push and the delivery of an item order the change of a label before the read that the item causes.
        place.load(Ordering::Relaxed) > label && place.fetch_min(label, Ordering::Relaxed) > label
    }

    /// Lowers the labels of the neighbours of `v` to the label of `v`. Calls `push` with each neighbour whose label was higher.
    #[inline]
    fn spread(&self, v: u32, mut push: impl FnMut(u32)) {
        let label = self.labels[v as usize].load(Ordering::Relaxed);
        for &w in self.graph.neighbours(v) {
            if self.lower(w, label) {
                push(w);
            }
        }
    }
}

/// Returns, for each vertex of an undirected graph, the smallest vertex of its component.
///
/// If a deque delivers a vertex twice, a worker processes it twice. The second time, the worker lowers only labels that are still too high.
/// The repetition is harmless, because labels never rise. If a deque delivers the cursor twice, the worklist has two cursors, which share
/// the remaining vertices.
pub fn run<Q: Queue<u32>>(list: &Worklist<Q>, graph: &Csr) -> (Vec<u32>, Report) {
    let n = graph.vertices() as u32;
    let Some(hub) = (0..n).max_by_key(|&v| graph.degree(v)) else {
        return (Vec::new(), Report::default());
    };
    let labels = (0..n).map(|_| AtomicU32::new(NONE)).collect();
    let labels = Labels { graph, labels };
    labels.lower(hub, 0);
    let mut total = list.for_each([hub], |v, context| labels.spread(v, |w| context.push(w)));
    // The vertex at which the cursor looks next. Relaxed: the counter only has to give each number once.
    let next = AtomicU32::new(0);
    let report = list.for_each([CURSOR], |item, context| {
        if item != CURSOR {
            return labels.spread(item, |w| context.push(w));
        }
        loop {
            let v = next.fetch_add(1, Ordering::Relaxed);
            if v >= n {
                return;
            }
            // The label is the vertex's number plus 1, because 0 is the label of the hub.
            if labels.lower(v, v + 1) {
                // Push the vertex last, so that a deque that returns the newest item first returns it before the cursor.
                context.push(CURSOR);
                context.push(v);
                return;
            }
        }
    });
    total += report;
    let labels: Vec<u32> = labels
        .labels
        .into_iter()
        .map(AtomicU32::into_inner)
        .collect();
    // In all other components, the cursor has visited every vertex, so the smallest vertex has the smallest label.
    let least = labels
        .iter()
        .position(|&label| label == 0)
        .map_or(hub, |v| v as u32);
    let named = labels
        .into_iter()
        .map(|label| label.checked_sub(1).unwrap_or(least));
    (named.collect(), total)
}
