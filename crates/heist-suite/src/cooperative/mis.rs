//! A maximal independent set, after Luby. In each phase every undecided node draws a number. If a node's number is less than the numbers of
//! all its neighbours, the node joins the set, and its neighbours are excluded. The program is IMSuite's MIS.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::program::{Checked, Entry, in_rounds};
use super::rounds::{Rounds, Step};
use super::{Entrant, Input, input};
use crate::graphs::Csr;
use crate::noise::word;

pub(super) const PROGRAM: Entry = Entry {
    name: "mis",
    about: "a maximal independent set by random numbers; nodes leave as they are decided",
    source: "Imam and Sarkar (X10 2014), figure 3: MIS of IMSuite, 512 nodes",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let graph = input::graph(from, size, data)?;
        Ok(in_rounds(Arc::new(Luby::new(graph, 3))))
    },
};

/// The word of a decided node, which is larger than every number that a node can draw.
const DECIDED: u64 = u64::MAX;

/// The kernel, with three rounds in each phase. Nodes write a word in one round of the phase and read this word in another round. The
/// exception is `DECIDED`: a node writes this word when it leaves, but in that round no node reads numbers. So all accesses to the words
/// are relaxed.
#[derive(Debug)]
pub struct Luby {
    graph: Csr,
    seed: u64,
    draws: Vec<AtomicU64>,
    chosen: Vec<AtomicBool>,
}

impl Luby {
    /// Makes the kernel for an independent set of a graph, with random numbers from `seed`.
    pub fn new(graph: Csr, seed: u64) -> Luby {
        let n = graph.vertices();
        Luby {
            graph,
            seed,
            draws: (0..n).map(|_| AtomicU64::new(0)).collect(),
            chosen: (0..n).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// Returns the set that was found.
    pub fn set(&self) -> Vec<bool> {
        self.chosen
            .iter()
            .map(|chosen| chosen.load(Relaxed))
            .collect()
    }

    /// Returns a number that no other node draws, because its low bits are the node's own number.
    fn draw(&self, node: usize, phase: usize) -> u64 {
        let n = self.graph.vertices() as u64;
        let place = phase as u64 * n + node as u64;
        (word(self.seed, place) >> 32) << 31 | node as u64
    }
}

impl Rounds for Luby {
    fn nodes(&self) -> usize {
        self.graph.vertices()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        let neighbours = self.graph.neighbours(node as u32);
        match round % 3 {
            0 => self.draws[node].store(self.draw(node, round / 3), Relaxed),
            1 => {
                let own = self.draws[node].load(Relaxed);
                let least = |&w: &u32| own < self.draws[w as usize].load(Relaxed);
                if neighbours.iter().all(least) {
                    self.chosen[node].store(true, Relaxed);
                }
            }
            _ => {
                let chosen = |v: usize| self.chosen[v].load(Relaxed);
                if chosen(node) || neighbours.iter().any(|&w| chosen(w as usize)) {
                    self.draws[node].store(DECIDED, Relaxed);
                    return Step::Done;
                }
            }
        }
        Step::Again
    }
}

impl Checked for Luby {
    fn params(&self) -> String {
        format!("nodes={} arcs={}", self.graph.vertices(), self.graph.arcs())
    }

    fn reset(&self) {
        self.chosen
            .iter()
            .for_each(|chosen| chosen.store(false, Relaxed));
    }

    fn check(&self) -> Result<(), String> {
        check(&self.graph, &self.set())
    }
}

/// Checks that no two nodes of the set are neighbours, and that every node outside of the set has a neighbour in the set.
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
        let inside = graph.neighbours(v).iter().find(|&&w| set[w as usize]);
        match (set[v as usize], inside) {
            (true, Some(w)) => return Err(format!("neighbours {v} and {w} are both in the set")),
            (false, None) => {
                return Err(format!(
                    "neither node {v} nor any of its neighbours is in the set"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::generate;

    /// Runs the algorithm serially, as papers describe it, with a set of undecided nodes.
    fn told(luby: &Luby) -> Vec<bool> {
        let n = luby.nodes();
        let (mut chosen, mut undecided) = (vec![false; n], vec![true; n]);
        let mut phase = 0;
        while undecided.contains(&true) {
            let before = undecided.clone();
            for v in (0..n).filter(|&v| before[v]) {
                let neighbours = luby.graph.neighbours(v as u32).iter();
                let rivals = neighbours.map(|&w| w as usize).filter(|&w| before[w]);
                if rivals
                    .clone()
                    .all(|w| luby.draw(v, phase) < luby.draw(w, phase))
                {
                    chosen[v] = true;
                    undecided[v] = false;
                    rivals.for_each(|w| undecided[w] = false);
                }
            }
            phase += 1;
        }
        chosen
    }

    #[test]
    fn as_told() {
        for seed in 0..20 {
            let luby = Luby::new(generate::random(200, 900, seed), seed);
            let mut nodes: Vec<usize> = (0..200).collect();
            for round in 0.. {
                nodes.retain(|&node| luby.step(node, round) == Step::Again);
                if nodes.is_empty() {
                    break;
                }
            }
            assert_eq!(luby.set(), told(&luby));
        }
    }
}
