//! The graphs of the kernels that run in rounds.

use std::collections::VecDeque;

use crate::bounds::within;
use crate::data::Data;
use crate::graphs::{Csr, Edges, generate, read, serial};
use crate::program::Size;

/// The source of a program's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A graph that a generator makes.
    Generated,
    /// Real data: the suite's own, or a file.
    Real,
}

/// The maximum number of nodes of a graph. The maximum equals the maximum number of threads under the entrant
/// [`Entrant::Threads`](super::Entrant::Threads).
const MOST_NODES: u64 = super::MOST_THREADS as u64;
/// The number of nodes in the paper.
const PAPER_NODES: u64 = 512;
/// The number of edges for each node of a generated graph.
const EDGES: usize = 4;
/// The largest weight of an edge. The smallest weight is 1.
const HEAVIEST: u32 = 1000;

/// Returns a connected undirected graph with weights. The graph has 512 nodes, unless `size` gives another number.
///
/// # Errors
/// Returns a one-line error if there is no graph of this size, or if the graph's file cannot be read.
pub fn graph(input: Input, size: Size, data: &Data) -> Result<Csr, String> {
    let n = size.pick(PAPER_NODES, PAPER_NODES);
    let graph = match input {
        Input::Generated => generated(nodes(n, MOST_NODES)?),
        Input::Real => {
            let all = read::built_in(data)?.csr();
            if !all.is_symmetric() || all.arcs() == 0 {
                return Err("a graph of undirected edges is needed".to_owned());
            }
            let ball = Ball::around_the_hub(&all);
            let most = ball.order.len().min(MOST_NODES as usize);
            ball.trimmed(nodes(n, most as u64)?)
        }
    };
    Ok(generate::with_random_weights(graph, HEAVIEST, 11))
}

fn nodes(n: u64, most: u64) -> Result<usize, String> {
    within("the number of nodes", n, 2..=most)
}

/// Returns a random graph that is connected: an edge joins each component to the next component.
fn generated(n: usize) -> Csr {
    let graph = generate::random(n, (EDGES * n).min(n * (n - 1) / 2), 5);
    let least = serial::components(&graph);
    let roots: Vec<u32> = (0..n as u32).filter(|&v| least[v as usize] == v).collect();
    let between = roots.windows(2).map(|pair| (pair[0], pair[1]));
    let pairs = graph.pairs().chain(between).collect();
    Csr::symmetric(&Edges::new(n, pairs)).simple()
}

/// The vertices of a component, ordered by their distance from the vertex with the most neighbours.
struct Ball<'a> {
    graph: &'a Csr,
    order: Vec<u32>,
}

impl Ball<'_> {
    fn around_the_hub(graph: &Csr) -> Ball<'_> {
        let hub =
            (0..graph.vertices() as u32).max_by_key(|&v| (graph.degree(v), std::cmp::Reverse(v)));
        let hub = hub.expect("a graph with arcs has vertices");
        let mut seen = vec![false; graph.vertices()];
        let mut queue = VecDeque::from([hub]);
        let mut order = Vec::new();
        seen[hub as usize] = true;
        while let Some(v) = queue.pop_front() {
            order.push(v);
            for &w in graph.neighbours(v) {
                if !std::mem::replace(&mut seen[w as usize], true) {
                    queue.push_back(w);
                }
            }
        }
        Ball { graph, order }
    }

    /// Returns the graph of the `n` nearest vertices, in the order of their numbers. The graph is connected, because each vertex has a
    /// nearer vertex as a neighbour.
    fn trimmed(&self, n: usize) -> Csr {
        let mut kept = self.order[..n].to_vec();
        kept.sort_unstable();
        let place = |v: u32| kept.binary_search(&v).ok().map(|place| place as u32);
        let pairs = self
            .graph
            .pairs()
            .filter(|&(a, b)| a < b)
            .filter_map(|(a, b)| Some((place(a)?, place(b)?)))
            .collect();
        Csr::symmetric(&Edges::new(n, pairs)).simple()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_and_of_that_size() {
        let data = Data::default();
        for input in [Input::Generated, Input::Real] {
            for n in [2, 3, 20, 512, 8192] {
                let graph = graph(input, Size::N(n), &data).unwrap();
                assert_eq!(graph.vertices(), n as usize);
                assert!(graph.is_symmetric() && graph.is_weighted());
                assert!(serial::components(&graph).iter().all(|&label| label == 0));
                assert!(graph.arcs() < 40 * n as usize, "{} arcs", graph.arcs());
            }
            for n in [0, 1, 8193, u64::MAX] {
                let error = graph_error(input, n);
                assert!(
                    error.starts_with("the number of nodes must be 2 to 8192"),
                    "{error}"
                );
            }
        }
    }

    fn graph_error(input: Input, n: u64) -> String {
        graph(input, Size::N(n), &Data::default()).unwrap_err()
    }
}
