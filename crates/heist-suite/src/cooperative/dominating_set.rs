//! A greedy dominating set: a node joins the set if it covers more uncovered nodes than any other node within two steps. The program is
//! IMSuite's DomSet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::program::{Checked, Entry, in_rounds};
use super::rounds::{Rounds, Step};
use super::{Entrant, Input, input};
use crate::graphs::Csr;

pub(super) const PROGRAM: Entry = Entry {
    name: "dominating-set",
    about: "a small set that everybody is in or next to: who covers most within two steps joins",
    source: "Imam and Sarkar (X10 2014), figure 3: DomSet of IMSuite, 512 nodes",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let graph = input::graph(from, size, data)?;
        Ok(in_rounds(Arc::new(Greedy::new(graph))))
    },
};

/// The kernel, with four rounds in each phase. Nodes write a word in one round of the phase and read this word in another round, so all
/// accesses to the words are relaxed.
///
/// Two candidates compete only if there is an uncovered node that both candidates would cover. An uncovered node takes part in the rounds,
/// so the candidates learn of each other through this node. Therefore a node leaves when it cannot cover any more nodes.
#[derive(Debug)]
pub struct Greedy {
    graph: Csr,
    covered: Vec<AtomicBool>,
    /// The key of each node: the node's span, and the node's number to break ties. The span is the number of uncovered nodes that the node
    /// would cover.
    spans: Vec<AtomicU64>,
    /// For each node, the largest among the keys of the node and its neighbours.
    best: Vec<AtomicU64>,
    chosen: Vec<AtomicBool>,
}

/// Returns a key that orders nodes by span, then by number.
fn key(span: usize, v: u32) -> u64 {
    (span as u64) << 32 | u64::from(v)
}

impl Greedy {
    /// Makes the kernel for a dominating set of a graph.
    pub fn new(graph: Csr) -> Greedy {
        let n = graph.vertices();
        let marks = || (0..n).map(|_| AtomicBool::new(false)).collect();
        let words = || (0..n).map(|_| AtomicU64::new(0)).collect();
        Greedy {
            graph,
            covered: marks(),
            spans: words(),
            best: words(),
            chosen: marks(),
        }
    }

    /// Returns the set that was found.
    pub fn set(&self) -> Vec<bool> {
        self.chosen
            .iter()
            .map(|chosen| chosen.load(Relaxed))
            .collect()
    }

    /// Returns a node and its neighbours.
    fn around(&self, v: u32) -> impl Iterator<Item = usize> {
        around(&self.graph, v)
    }
}

fn around(graph: &Csr, v: u32) -> impl Iterator<Item = usize> {
    let neighbours = graph.neighbours(v).iter();
    neighbours.map(|&w| w as usize).chain([v as usize])
}

impl Rounds for Greedy {
    fn nodes(&self) -> usize {
        self.graph.vertices()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        let v = node as u32;
        let largest = |words: &[AtomicU64]| {
            let words = self.around(v).map(|w| words[w].load(Relaxed));
            words.max().expect("a node is around itself")
        };
        match round % 4 {
            0 => {
                let open = |&w: &usize| !self.covered[w].load(Relaxed);
                let span = self.around(v).filter(open).count();
                if span == 0 {
                    self.spans[node].store(0, Relaxed);
                    self.best[node].store(0, Relaxed);
                    return Step::Done;
                }
                self.spans[node].store(key(span, v), Relaxed);
            }
            1 => self.best[node].store(largest(&self.spans), Relaxed),
            2 => {
                if largest(&self.best) == self.spans[node].load(Relaxed) {
                    self.chosen[node].store(true, Relaxed);
                }
            }
            _ => {
                if self.around(v).any(|w| self.chosen[w].load(Relaxed)) {
                    self.covered[node].store(true, Relaxed);
                }
            }
        }
        Step::Again
    }
}

impl Checked for Greedy {
    fn params(&self) -> String {
        format!("nodes={} arcs={}", self.graph.vertices(), self.graph.arcs())
    }

    fn reset(&self) {
        let marks = self.covered.iter().chain(&self.chosen);
        marks.for_each(|mark| mark.store(false, Relaxed));
    }

    fn check(&self) -> Result<(), String> {
        check(&self.graph, &self.set())
    }
}

/// Checks that every node is in the set or has a neighbour in the set, and that the serial greedy algorithm finds the same set.
///
/// The kernel and the serial algorithm find the same set for the following reason. In the kernel, a node joins if no node within two steps
/// has a larger key. A node that is farther away does not change which nodes this node would cover. The spans of all other nodes within two
/// steps cannot grow. So the serial algorithm, which always takes the best node of the graph, takes this node before any other node within
/// two steps.
///
/// # Errors
/// Returns a one-line error that describes the fault.
pub fn check(graph: &Csr, set: &[bool]) -> Result<(), String> {
    if set.len() != graph.vertices() {
        return Err(format!(
            "{} marks for {} nodes",
            set.len(),
            graph.vertices()
        ));
    }
    for v in 0..graph.vertices() as u32 {
        if !around(graph, v).any(|w| set[w]) {
            return Err(format!(
                "neither node {v} nor any of its neighbours is in the set"
            ));
        }
    }
    let must = serial(graph);
    let size = |set: &[bool]| set.iter().filter(|&&chosen| chosen).count();
    match set.iter().zip(&must).position(|(is, must)| is != must) {
        None => Ok(()),
        Some(v) => Err(format!(
            "a set of {} nodes, not of {}: node {v} should {}be in it",
            size(set),
            size(&must),
            if must[v] { "" } else { "not " }
        )),
    }
}

/// Returns the set of the serial greedy algorithm. The algorithm always takes the node that would cover the most uncovered nodes. If
/// several nodes would cover the same number, the algorithm takes the last of these nodes.
fn serial(graph: &Csr) -> Vec<bool> {
    let n = graph.vertices();
    let (mut set, mut covered) = (vec![false; n], vec![false; n]);
    let mut spans: Vec<usize> = (0..n as u32).map(|v| graph.degree(v) + 1).collect();
    while let Some(v) = (0..n as u32).max_by_key(|&v| key(spans[v as usize], v)) {
        if spans[v as usize] == 0 {
            break;
        }
        set[v as usize] = true;
        for w in around(graph, v) {
            if !std::mem::replace(&mut covered[w], true) {
                around(graph, w as u32).for_each(|u| spans[u] -= 1);
            }
        }
    }
    set
}
