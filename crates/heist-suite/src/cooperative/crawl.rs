//! A crawl, with a task for each page. The task of a page needs the values of all pages that link to this page. Pages are numbered, and
//! each link leads from a page to a page with a higher number. Instead of fetching and parsing a page, the task computes a hash of the
//! values that it needs.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::dag::{Dag, Flow};
use super::program::{Checked, Entry, in_flow};
use super::{Entrant, Input, input};
use crate::graphs::Csr;
use crate::noise::word;

pub(super) const PROGRAM: Entry = Entry {
    name: "crawl",
    about: "data-driven tasks: each page of a graph needs the results of those that link to it",
    source: "data-driven tasks: Imam and Sarkar (X10 2014), section 1",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated, Input::Real],
    prepare: |from, size, data| {
        let pages = Pages::new(input::graph(from, size, data)?);
        Ok(in_flow(Flow::new(pages), |_| ()))
    },
};

/// The number of rounds of hashing for a page.
const WORK: u64 = 50;

/// The pages and their links.
#[derive(Debug)]
pub struct Pages {
    graph: Csr,
    /// The value of each page, which is 0 until the page's task has written it. Tasks that read a value wait for the task that writes it,
    /// so all accesses to the values are relaxed.
    values: Vec<AtomicU64>,
}

impl Pages {
    /// Makes a page for each vertex of a graph, with links along the edges.
    pub fn new(graph: Csr) -> Pages {
        Pages {
            values: (0..graph.vertices()).map(|_| AtomicU64::new(0)).collect(),
            graph,
        }
    }

    /// Returns the value that each page's task has computed.
    pub fn values(&self) -> Vec<u64> {
        self.values
            .iter()
            .map(|value| value.load(Relaxed))
            .collect()
    }
}

/// Returns the value of a page. `passed` has the values of the pages that link to this page, in order.
fn page(number: usize, passed: impl Iterator<Item = u64>) -> u64 {
    let seed = passed.fold(number as u64, word);
    (0..WORK).fold(seed, word)
}

/// Returns the pages that link to page `number`.
fn links_to(graph: &Csr, number: usize) -> &[u32] {
    let neighbours = graph.neighbours(number as u32);
    &neighbours[..neighbours.partition_point(|&other| (other as usize) < number)]
}

impl Dag for Pages {
    fn tasks(&self) -> usize {
        self.graph.vertices()
    }

    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> {
        links_to(&self.graph, task)
            .iter()
            .map(|&other| other as usize)
    }

    fn run(&self, task: usize) {
        let passed = self
            .inputs(task)
            .map(|other| self.values[other].load(Relaxed));
        self.values[task].store(page(task, passed), Relaxed);
    }
}

impl Checked for Pages {
    fn params(&self) -> String {
        let links = self.graph.arcs() / 2;
        format!("pages={} links={links}", self.graph.vertices())
    }

    fn reset(&self) {
        self.values.iter().for_each(|value| value.store(0, Relaxed));
    }

    fn check(&self) -> Result<(), String> {
        check(&self.graph, &self.values())
    }
}

/// Compares the values with the values that a serial run computes. The serial run takes the pages in a topological order that differs from
/// the order of their numbers: the next page is always a page whose inputs are all known.
///
/// # Errors
/// Returns a one-line error that describes the fault.
pub fn check(graph: &Csr, values: &[u64]) -> Result<(), String> {
    let n = graph.vertices();
    if values.len() != n {
        return Err(format!("{} values for {n} pages", values.len()));
    }
    let mut missing: Vec<usize> = (0..n).map(|v| links_to(graph, v).len()).collect();
    let mut passed: Vec<Vec<(usize, u64)>> = vec![Vec::new(); n];
    let mut ready: Vec<usize> = (0..n).filter(|&v| missing[v] == 0).collect();
    while let Some(v) = ready.pop() {
        passed[v].sort_unstable();
        let must = page(v, passed[v].iter().map(|&(_, value)| value));
        if values[v] != must {
            return Err(format!("page {v} has {:#x}, not {must:#x}", values[v]));
        }
        let neighbours = graph.neighbours(v as u32).iter().map(|&w| w as usize);
        for w in neighbours.filter(|&w| w > v) {
            passed[w].push((v, must));
            missing[w] -= 1;
            if missing[w] == 0 {
                ready.push(w);
            }
        }
    }
    Ok(())
}
