//! Maximal independent sets.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::csr::Csr;
use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::word;

pub(super) const TWIN: Twin = Twin {
    name: "mis",
    about: "finds the maximal independent set of a random order (Blelloch, Fineman, Shun, SPAA 2012)",
    size: 200_000,
    prepare: |n| {
        ready(IndependentSet {
            graph: Csr::random(n),
            order: (0..n as u64).map(|v| word(11, v) >> 1).collect(),
        })
    },
};

/// The state of a vertex that is neither chosen nor the neighbour of a chosen vertex.
const OPEN: u8 = 0;
const CHOSEN: u8 = 1;
const LEFT_OUT: u8 = 2;

struct IndependentSet {
    graph: Csr,
    order: Vec<u64>,
}

impl Kernel for IndependentSet {
    type Out = Vec<bool>;

    fn run<W: Way>(&self, way: W) -> Vec<bool> {
        let IndependentSet { graph, order } = self;
        // Relaxed: each loop of a round only reads or only writes the states, and all tasks that write a state write the same value.
        let states: Vec<AtomicU8> = (0..graph.len()).map(|_| AtomicU8::new(OPEN)).collect();
        let is_open = |v: u32| states[v as usize].load(Relaxed) == OPEN;
        let mut open: Vec<u32> = (0..graph.len() as u32).collect();
        while !open.is_empty() {
            let chosen = way.filter_map(open.len(), |k| {
                let v = open[k];
                let first =
                    |&to: &u32| !is_open(to) || (order[v as usize], v) < (order[to as usize], to);
                let neighbours = graph.neighbours(v as usize);
                neighbours.iter().all(first).then_some(v)
            });
            way.each(chosen.len(), |k| {
                let v = chosen[k] as usize;
                states[v].store(CHOSEN, Relaxed);
                for &to in graph.neighbours(v) {
                    states[to as usize].store(LEFT_OUT, Relaxed);
                }
            });
            open = way.filter_map(open.len(), |k| is_open(open[k]).then_some(open[k]));
        }
        way.tabulate(states.len(), |v| states[v].load(Relaxed) == CHOSEN)
    }

    fn checksum(&self, out: &Vec<bool>) -> u64 {
        checksum(out.iter().map(|&is| u64::from(is)))
    }
}
