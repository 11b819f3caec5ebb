//! Connected components by propagation of the least label.
//!
//! The textbook's algorithm gives each vertex its number as label, puts all vertices into the worklist, and lowers the labels of neighbours
//! until nothing changes. With a deque that returns the newest item first, this algorithm takes quadratic time: the label of the last
//! vertex spreads over the whole component, then the label of the last but one, and so on. So in this module, labels start one after the
//! other. The first one starts at a vertex of the largest degree, and in most graphs fills most of the graph. Then a cursor passes over the
//! vertices, and starts a label at each vertex that has none yet. The cursor is an item of the worklist, so a new label starts only when a
//! worker has no newer item. If a label starts within a component that another label is about to fill, the smaller label wins, as in the
//! textbook's algorithm.

use std::sync::atomic::{AtomicU32, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// The label of a vertex that has no label yet. It is larger than every other label.
const NONE: u32 = u32::MAX;

/// The item that stands for the cursor. Vertices are below 2^31.
const CURSOR: u32 = u32::MAX;

/// The labels, which only fall, and the graph.
struct Labels<'a> {
    graph: &'a Csr,
    labels: Vec<AtomicU32>,
}

impl Labels<'_> {
    /// Lowers the label of `v` to `label`. Returns false if it was not higher.
    #[inline]
    fn lower(&self, v: u32, label: u32) -> bool {
        let place = &self.labels[v as usize];
        // Use a read-modify-write, because a store could replace a lower label, which a worker has already passed on, by a higher one.
        // Relaxed: the push of an item and its delivery order the change of a label before the read that the item causes.
        place.load(Ordering::Relaxed) > label && place.fetch_min(label, Ordering::Relaxed) > label
    }

    /// Lowers the labels of the neighbours of `v` to that of `v`, and passes the neighbours whose label was higher to `push`.
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

/// Returns the smallest vertex of the component of each vertex, in an undirected graph.
///
/// A vertex that is delivered twice is processed twice. The second time it lowers only labels that are still too high,
/// because labels never rise. A cursor that is delivered twice continues as two cursors, which share the remaining vertices.
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
