//! Breadth-first distances in the manner of Bellman and Ford. In every round each node reads the distances of all its neighbours. The
//! program ends when a round changes nothing. The program is IMSuite's BFS-BF.

use std::sync::Arc;

use super::program::{Checked, Entry, in_rounds};
use super::rounds::{Board, Rounds, Step, Vote};
use super::{Entrant, Input, input};
use crate::graphs::{Csr, verify};

pub(super) const PROGRAM: Entry = Entry {
    name: "bfs-bf",
    about: "distances from a root: each node asks its neighbours in every round, until nothing changes",
    source: "Imam and Sarkar (X10 2014), figure 3: BFS-BF of IMSuite, 512 nodes",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let graph = input::graph(from, size, data)?;
        Ok(in_rounds(Arc::new(BellmanFord::new(graph, 0))))
    },
};

const FAR: u64 = u64::MAX;

/// The kernel: a graph, and the distance of each node.
#[derive(Debug)]
pub struct BellmanFord {
    graph: Csr,
    root: u32,
    distances: Board,
    changed: Vote,
}

impl BellmanFord {
    /// Makes the kernel for distances from `root` in a graph.
    ///
    /// # Panics
    /// Panics if the graph has no such vertex.
    pub fn new(graph: Csr, root: u32) -> BellmanFord {
        let kernel = BellmanFord {
            distances: Board::new(graph.vertices(), FAR),
            changed: Vote::default(),
            graph,
            root,
        };
        kernel.reset();
        kernel
    }

    /// Returns the distances. The distance of a node that cannot be reached is `u32::MAX`.
    pub fn distances(&self) -> Vec<u32> {
        let distances = self.distances.last().into_iter();
        distances
            .map(|d| u32::try_from(d).unwrap_or(u32::MAX))
            .collect()
    }
}

impl Rounds for BellmanFord {
    fn nodes(&self) -> usize {
        self.graph.vertices()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        let v = node as u32;
        let neighbours = self.graph.neighbours(v).iter();
        let nearest = neighbours.map(|&w| self.distances.read(round, w)).min();
        let before = self.distances.read(round, v);
        let now = nearest.map_or(before, |nearest| before.min(nearest.saturating_add(1)));
        self.distances.write(round, v, now);
        if node == 0 {
            self.changed.clear_next(round);
        }
        if now != before {
            self.changed.raise(round);
        }
        // All nodes see the same vote, so all nodes leave in the same round.
        if self.changed.any(round) {
            Step::Again
        } else {
            Step::Done
        }
    }
}

impl Checked for BellmanFord {
    fn params(&self) -> String {
        format!("nodes={} arcs={}", self.graph.vertices(), self.graph.arcs())
    }

    fn reset(&self) {
        self.distances.fill(FAR);
        self.distances.set(self.root, 0);
        self.changed.reset();
    }

    fn check(&self) -> Result<(), String> {
        verify::levels(&self.graph, &[self.root], &self.distances())
    }
}
