//! A minimum spanning tree by fragments that merge, after Boruvka and after Gallager, Humblet and Spira: every
//! fragment finds its lightest edge to another one and both become one. IMSuite's MST.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::program::{Checked, Entry, in_rounds};
use super::rounds::{Rounds, Step};
use super::{Entrant, Input, input};
use crate::graphs::Csr;

pub(super) const PROGRAM: Entry = Entry {
    name: "mst",
    about: "a minimum spanning tree: fragments find their lightest edges and merge",
    source: "Imam and Sarkar (X10 2014), figure 3: MST of IMSuite, 512 nodes",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let graph = input::graph(from, size, data)?;
        Ok(in_rounds(Arc::new(Fragments::new(graph))))
    },
};

/// More than the key of any edge.
const NO_EDGE: u64 = u64::MAX;

/// Stages of a round. A word is written in other rounds than those it is read in, but for `Jump`; and the
/// minima that nodes compete for in `Find` are the same in any order. So relaxed orders suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nodes look for their lightest edge to another fragment and leave the lightest of all with their leader.
    Find,
    /// Leaders follow that edge. Nodes whose fragment has no such edge are done, with all their neighbours.
    Hook,
    /// Leaders follow the leader that they follow. One may see where that one is after this round, not before
    /// it: it is then farther than it need be, on the same way.
    Jump,
    /// Nodes take the leader at the end of the way.
    Relabel,
}

/// The kernel.
#[derive(Debug)]
pub struct Fragments {
    graph: Csr,
    edges: Vec<(u32, u32)>,
    /// For each node its neighbours, each with the edge's key: by weight, then by number.
    arcs: Vec<Vec<(u32, u64)>>,
    schedule: Vec<Stage>,
    /// The leader of each node's fragment.
    leader: Vec<AtomicU32>,
    /// The key of the lightest edge from a leader's fragment to another one.
    lightest: Vec<AtomicU64>,
    /// The leader that a leader follows.
    follows: Vec<AtomicU32>,
    /// Whether the edge is in the tree.
    chosen: Vec<AtomicBool>,
}

impl Fragments {
    /// A tree of that graph, or a forest if it is not connected.
    ///
    /// # Panics
    /// Panics if the graph has no weights, or is directed.
    pub fn new(graph: Csr) -> Fragments {
        assert!(graph.is_symmetric(), "an undirected graph is needed");
        let edges: Vec<(u32, u32)> = graph.pairs().filter(|&(a, b)| a < b).collect();
        let arcs = |v: u32| {
            let arcs = graph.neighbours(v).iter().zip(graph.weights(v));
            arcs.map(|(&w, &weight)| {
                let ends = (v.min(w), v.max(w));
                let number = edges.binary_search(&ends).expect("every arc is an edge");
                (w, u64::from(weight) << 32 | number as u64)
            })
            .collect()
        };
        let n = graph.vertices();
        Fragments {
            arcs: (0..n as u32).map(arcs).collect(),
            schedule: schedule(n),
            leader: (0..n as u32).map(AtomicU32::new).collect(),
            lightest: (0..n).map(|_| AtomicU64::new(NO_EDGE)).collect(),
            follows: (0..n).map(|_| AtomicU32::new(0)).collect(),
            chosen: edges.iter().map(|_| AtomicBool::new(false)).collect(),
            edges,
            graph,
        }
    }

    /// The edges of the tree that was found.
    pub fn tree(&self) -> Vec<(u32, u32)> {
        let edges = self.edges.iter().zip(&self.chosen);
        edges
            .filter(|(_, chosen)| chosen.load(Relaxed))
            .map(|(&edge, _)| edge)
            .collect()
    }

    fn leader(&self, node: usize) -> usize {
        self.leader[node].load(Relaxed) as usize
    }

    fn find(&self, node: usize) {
        let own = self.leader(node);
        let out = |&&(w, _): &&(u32, u64)| self.leader(w as usize) != own;
        let keys = self.arcs[node].iter().filter(out).map(|&(_, key)| key);
        if let Some(least) = keys.min() {
            self.lightest[own].fetch_min(least, Relaxed);
        }
    }

    fn hook(&self, node: usize) -> Step {
        let own = self.leader(node);
        let key = self.lightest[own].load(Relaxed);
        if key == NO_EDGE {
            return Step::Done;
        }
        if own == node {
            let number = key as u32 as usize;
            let (a, b) = self.edges[number];
            let (a, b) = (self.leader(a as usize), self.leader(b as usize));
            let other = if a == own { b } else { a };
            // Two that chose the same edge would follow each other: the lesser stays where it is.
            let stays = own < other && self.lightest[other].load(Relaxed) == key;
            let next = if stays { own } else { other };
            self.follows[own].store(next as u32, Relaxed);
            self.chosen[number].store(true, Relaxed);
        }
        Step::Again
    }

    fn jump(&self, node: usize) {
        if self.leader(node) == node {
            let next = self.follows[node].load(Relaxed) as usize;
            let after = self.follows[next].load(Relaxed);
            self.follows[node].store(after, Relaxed);
        }
    }

    fn relabel(&self, node: usize) {
        let next = self.follows[self.leader(node)].load(Relaxed);
        self.leader[node].store(next, Relaxed);
        self.lightest[node].store(NO_EDGE, Relaxed);
    }
}

/// The stages for `n` nodes: fragments that merge at all become half as many in a phase, or fewer, and no way
/// among them is longer than their number, of which each jump halves what is left.
fn schedule(n: usize) -> Vec<Stage> {
    let mut stages = Vec::new();
    let mut fragments = n;
    while fragments > 1 {
        stages.extend([Stage::Find, Stage::Hook]);
        stages.extend((0..fragments.next_power_of_two().ilog2()).map(|_| Stage::Jump));
        stages.push(Stage::Relabel);
        fragments /= 2;
    }
    stages.extend([Stage::Find, Stage::Hook]);
    stages
}

impl Rounds for Fragments {
    fn nodes(&self) -> usize {
        self.graph.vertices()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        match self.schedule[round] {
            Stage::Find => self.find(node),
            Stage::Hook => return self.hook(node),
            Stage::Jump => self.jump(node),
            Stage::Relabel => self.relabel(node),
        }
        Step::Again
    }
}

impl Checked for Fragments {
    fn params(&self) -> String {
        format!("nodes={} edges={}", self.graph.vertices(), self.edges.len())
    }

    fn reset(&self) {
        for (node, leader) in self.leader.iter().enumerate() {
            leader.store(node as u32, Relaxed);
            self.lightest[node].store(NO_EDGE, Relaxed);
        }
        self.chosen
            .iter()
            .for_each(|chosen| chosen.store(false, Relaxed));
    }

    fn check(&self) -> Result<(), String> {
        check(&self.graph, &self.tree())
    }
}

/// Whether the edges are a spanning tree, or forest, and as light as the one that Kruskal's algorithm finds.
///
/// # Errors
/// Returns one line that describes the fault.
///
/// # Panics
/// Panics if the graph has no weights.
pub fn check(graph: &Csr, tree: &[(u32, u32)]) -> Result<(), String> {
    let mut sets = Sets::new(graph.vertices());
    let mut is = 0;
    for &(a, b) in tree {
        let place = graph.neighbours(a).binary_search(&b);
        let place = place.map_err(|_| format!("the tree's edge {a} {b} is none of the graph's"))?;
        is += u64::from(graph.weights(a)[place]);
        if !sets.join(a, b) {
            return Err(format!("the tree's edge {a} {b} closes a circle"));
        }
    }
    let kruskal = kruskal(graph);
    if tree.len() != kruskal.len() {
        return Err(format!(
            "a tree of {} edges, not {}",
            tree.len(),
            kruskal.len()
        ));
    }
    let must: u64 = kruskal.iter().map(|&(weight, ..)| u64::from(weight)).sum();
    if is != must {
        return Err(format!("a tree of weight {is}, not {must}"));
    }
    Ok(())
}

/// The edges of a lightest spanning forest, each with its weight first.
fn kruskal(graph: &Csr) -> Vec<(u32, u32, u32)> {
    let mut edges: Vec<(u32, u32, u32)> = (0..graph.vertices() as u32)
        .flat_map(|a| {
            let arcs = graph.neighbours(a).iter().zip(graph.weights(a));
            arcs.map(move |(&b, &weight)| (weight, a, b))
        })
        .collect();
    edges.sort_unstable();
    let mut sets = Sets::new(graph.vertices());
    edges.retain(|&(_, a, b)| sets.join(a, b));
    edges
}

/// Disjoint sets of nodes.
struct Sets(Vec<u32>);

impl Sets {
    fn new(n: usize) -> Sets {
        Sets((0..n as u32).collect())
    }

    fn root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            let above = self.0[self.0[v as usize] as usize];
            self.0[v as usize] = above;
            v = above;
        }
        v
    }

    /// Returns whether they were apart.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a as usize] = b;
        a != b
    }
}
