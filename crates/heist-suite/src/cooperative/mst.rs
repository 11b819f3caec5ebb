//! A minimum spanning tree, after Boruvka and after Gallager, Humblet and Spira. Every fragment finds its lightest edge to another
//! fragment, and the two fragments merge. The program is IMSuite's MST.

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

/// The key that means "no edge". This key is larger than the key of every edge.
const NO_EDGE: u64 = u64::MAX;

/// A stage of the algorithm. Each round runs one stage. Except in `Jump`, nodes do not write and read a word in the same round. In `Find`,
/// nodes compute minima together, and a minimum does not depend on the order of the writes. So all accesses to the words are relaxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Each node finds its lightest edge to another fragment. Nodes store the lightest edge of a fragment at its leader.
    Find,
    /// Each leader follows the lightest edge of its fragment. If no edge leads from a fragment to another fragment, the fragment's nodes
    /// and all their neighbours are done.
    Hook,
    /// A leader that follows a second leader now follows the leader that the second leader follows. If the second leader has already moved
    /// in this round, the first leader moves farther along the same path.
    Jump,
    /// Each node gets a new leader: the leader at the end of the path along leaders.
    Relabel,
}

/// The kernel: a graph, and the fragments that its nodes belong to.
#[derive(Debug)]
pub struct Fragments {
    graph: Csr,
    edges: Vec<(u32, u32)>,
    /// The neighbours of each node. Each neighbour is stored with the key of the edge to this neighbour. Keys order edges by weight, and
    /// then by number.
    arcs: Vec<Vec<(u32, u64)>>,
    schedule: Vec<Stage>,
    /// The leader of each node's fragment.
    leader: Vec<AtomicU32>,
    /// For each leader, the key of the lightest edge from its fragment to another fragment.
    lightest: Vec<AtomicU64>,
    /// For each leader, the leader that it follows.
    follows: Vec<AtomicU32>,
    /// True for each edge that is in the tree.
    chosen: Vec<AtomicBool>,
}

impl Fragments {
    /// Makes the kernel for a spanning tree of a graph, or for a spanning forest if the graph is not connected.
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

    /// Returns the edges of the tree that was found.
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
            // Two leaders that chose the same edge would follow each other, so the leader with the lower number follows no leader.
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

/// Returns the stages for `n` nodes. After each phase, at most half of the fragments that can merge remain. The length of a path along
/// leaders is at most the number of leaders, and each jump halves the remaining path.
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

/// Checks that the edges form a spanning tree or forest. Also checks that the total weight of the edges equals the total weight of the
/// forest that Kruskal's algorithm finds.
///
/// # Errors
/// Returns a one-line error that describes the fault.
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

/// Returns the edges of a minimum spanning forest, each as a triple whose first part is the weight.
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

    /// Joins the sets of two nodes. Returns true if the sets were different.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a as usize] = b;
        a != b
    }
}
