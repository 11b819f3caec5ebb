//! Connected components by propagation of the least label.
//!
//! The textbook's algorithm gives each vertex its number as label, puts all vertices into the worklist, and lowers
//! the labels of neighbours until nothing changes. With a deque that returns the newest item first, this is
//! quadratic: the label of the last vertex spreads over the whole component, then that of the last but one,
//! and so on. So here labels start one after the other. The first one starts at a vertex of the largest degree,
//! and fills most of most graphs. Then a cursor passes over the vertices, and starts a label at each vertex that has
//! none yet. The cursor is an item among the others, so a new label starts only when a worker has no newer item. If
//! it starts within a component that another label is about to fill, the smaller label wins, as in the textbook's
//! algorithm.

use std::sync::atomic::{AtomicU32, Ordering};

use heist::worklist::{Queue, Report, Worklist};

use super::csr::Csr;

/// Stands for no label yet. It is larger than every label.
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
        // An exchange, no store: a store could bring a higher label back over a lower one that has been
        // passed on already. Relaxed: a push and its delivery order a fall before the look that it asks for.
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

/// Returns, for each vertex of an undirected graph, the smallest vertex of its component.
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
    // Where the cursor looks next. Relaxed: that each number is drawn once is all.
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
            // The label is the vertex's number, but one higher, as 0 is the hub's.
            if labels.lower(v, v + 1) {
                // The vertex last, and so first where the newest is first.
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
    // Of the other components the cursor has met every vertex, and the least one's label is the least.
    let least = labels
        .iter()
        .position(|&label| label == 0)
        .map_or(hub, |v| v as u32);
    let named = labels
        .into_iter()
        .map(|label| label.checked_sub(1).unwrap_or(least));
    (named.collect(), total)
}
