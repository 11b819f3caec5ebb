//! Serial textbook solutions. The checks compare the results of parallel algorithms with the results of these functions, and the
//! measurements compare the times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::csr::Csr;
use super::dataflow::Program;

/// Returns a flag for each vertex: true if a root reaches the vertex. Searches depth first, in linear time.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn reached(graph: &Csr, roots: &[u32]) -> Vec<bool> {
    let mut reached = vec![false; graph.vertices()];
    let mut stack = Vec::new();
    for &root in roots {
        if !std::mem::replace(&mut reached[root as usize], true) {
            stack.push(root);
        }
    }
    while let Some(v) = stack.pop() {
        for &w in graph.neighbours(v) {
            if !std::mem::replace(&mut reached[w as usize], true) {
                stack.push(w);
            }
        }
    }
    reached
}

/// Returns, for each vertex, the smallest vertex of its component. The directions of arcs do not matter. Uses union-find with path
/// halving, in O(m log n) time.
pub fn components(graph: &Csr) -> Vec<u32> {
    let mut up: Vec<u32> = (0..graph.vertices() as u32).collect();
    for (a, b) in graph.pairs() {
        let (a, b) = (root(&mut up, a), root(&mut up, b));
        // The lesser root stays a root, so that each root is the least element of its set.
        up[a.max(b) as usize] = a.min(b);
    }
    (0..up.len() as u32).map(|v| root(&mut up, v)).collect()
}

fn root(up: &mut [u32], mut v: u32) -> u32 {
    while up[v as usize] != v {
        let above = up[up[v as usize] as usize];
        up[v as usize] = above;
        v = above;
    }
    v
}

/// Returns the smallest number of arcs from a root to each vertex, or `u32::MAX` for a vertex that no root reaches. Searches breadth first,
/// in linear time.
///
/// # Panics
/// Panics if a root is not a vertex.
pub fn levels(graph: &Csr, roots: &[u32]) -> Vec<u32> {
    let mut levels = vec![u32::MAX; graph.vertices()];
    let mut queue: VecDeque<u32> = roots.iter().copied().collect();
    for &root in roots {
        levels[root as usize] = 0;
    }
    while let Some(v) = queue.pop_front() {
        for &w in graph.neighbours(v) {
            if levels[w as usize] == u32::MAX {
                levels[w as usize] = levels[v as usize] + 1;
                queue.push_back(w);
            }
        }
    }
    levels
}

/// Returns the smallest sum of weights from a root to each vertex, or `u64::MAX` for a vertex that no root reaches. Uses Dijkstra's
/// algorithm with a binary heap, in O(m log m) time.
///
/// # Panics
/// Panics if a root is not a vertex, or if the graph has no weights.
pub fn distances(graph: &Csr, roots: &[u32]) -> Vec<u64> {
    let mut distances = vec![u64::MAX; graph.vertices()];
    let mut heap = BinaryHeap::new();
    for &root in roots {
        distances[root as usize] = 0;
        heap.push(Reverse((0, root)));
    }
    while let Some(Reverse((distance, v))) = heap.pop() {
        if distance > distances[v as usize] {
            continue;
        }
        for (&w, &weight) in graph.neighbours(v).iter().zip(graph.weights(v)) {
            let through = distance + u64::from(weight);
            if through < distances[w as usize] {
                distances[w as usize] = through;
                heap.push(Reverse((through, w)));
            }
        }
    }
    distances
}

/// Returns the places that are live at the beginning of each block. Evaluates all blocks from last to first, repeatedly, until no set
/// changes.
pub fn live(program: &Program) -> Vec<u64> {
    let mut live = vec![0; program.blocks()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..program.blocks() as u32).rev() {
            let after = program
                .next(b)
                .iter()
                .fold(0, |all, &s| all | live[s as usize]);
            let before = program.before(b, after);
            changed |= before != live[b as usize];
            live[b as usize] = before;
        }
    }
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::csr::Edges;

    const NO: u32 = u32::MAX;

    /// Returns the graph with the arcs 0 -> 1 -> 2, 0 -> 2 and 4 -> 3.
    fn graph() -> Csr {
        let pairs = vec![(0, 1), (1, 2), (0, 2), (4, 3)];
        Csr::directed(&Edges::new(6, pairs).weighted(vec![1, 2, 4, 0]))
    }

    #[test]
    fn by_hand() {
        assert_eq!(
            reached(&graph(), &[1, 4, 4]),
            [false, true, true, true, true, false]
        );
        assert_eq!(components(&graph()), [0, 0, 0, 3, 3, 5]);
        assert_eq!(levels(&graph(), &[0]), [0, 1, 1, NO, NO, NO]);
        assert_eq!(levels(&graph(), &[4, 1, 1]), [NO, 0, 1, 1, 0, NO]);
        let none = u64::MAX;
        assert_eq!(distances(&graph(), &[0]), [0, 1, 3, none, none, none]);
        assert_eq!(distances(&graph(), &[0, 2, 4]), [0, 1, 0, 0, 0, none]);
    }

    #[test]
    fn a_loop_keeps_the_values_it_reads_alive() {
        // Block 0 writes a. Block 1 reads b, and is its own successor. Block 2 reads a.
        let text = "0: 0 1 1\n1: 2 0 1 2\n2: 1 0\n";
        let program = Program::parse("a test", text).unwrap();
        assert_eq!(live(&program), [2, 3, 1]);
    }
}
