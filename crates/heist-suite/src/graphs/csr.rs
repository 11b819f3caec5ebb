//! Graphs as compressed sparse rows.

/// The maximum number of vertices of a graph. Vertices are below 2^31, so `u32::MAX` can mean "no vertex".
pub const MOST_VERTICES: usize = 1 << 31;

/// Edges in the order in which a file or a generator lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edges {
    vertices: usize,
    pairs: Vec<(u32, u32)>,
    weights: Option<Vec<u32>>,
}

impl Edges {
    /// Makes edges between the vertices `0..vertices`.
    ///
    /// # Panics
    /// Panics if an end of an edge is not in `0..vertices`, if there are more than [`MOST_VERTICES`] vertices, or if there are
    /// 2^31 edges or more.
    pub fn new(vertices: usize, pairs: Vec<(u32, u32)>) -> Edges {
        assert!(
            vertices <= MOST_VERTICES,
            "{vertices} vertices are too many"
        );
        assert!(
            pairs.len() < 1 << 31,
            "{} edges are too many for arcs counted in 32 bits",
            pairs.len()
        );
        let wrong = pairs.iter().find(|&&(a, b)| a.max(b) as usize >= vertices);
        assert_eq!(wrong, None, "an edge of a graph of {vertices} vertices");
        Edges {
            vertices,
            pairs,
            weights: None,
        }
    }

    /// Gives each edge a weight, in the order of the edges.
    ///
    /// # Panics
    /// Panics if there are more or fewer weights than edges.
    pub fn weighted(self, weights: Vec<u32>) -> Edges {
        assert_eq!(weights.len(), self.pairs.len(), "one weight an edge");
        Edges {
            weights: Some(weights),
            ..self
        }
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Returns the edges.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Returns the weights of the edges, or `None` if the edges have no weights.
    pub fn weights(&self) -> Option<&[u32]> {
        self.weights.as_deref()
    }

    /// Returns the `i`-th edge with its weight. The weight is 0 if edges have no weights.
    fn arc(&self, i: usize) -> (u32, u32, u32) {
        let (a, b) = self.pairs[i];
        (a, b, self.weights.as_ref().map_or(0, |weights| weights[i]))
    }
}

/// A directed graph. The graph has a list for each vertex: the vertices to which the vertex's arcs lead, in ascending order. An undirected
/// graph has two arcs for each edge.
///
/// All lists are in one array, one after the other. A vertex, an arc and a weight take 4 bytes each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// The list of `v` is `targets[offsets[v]..offsets[v + 1]]`.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Option<Vec<u32>>,
    /// True if every arc has an opposite arc.
    symmetric: bool,
}

impl Csr {
    /// Makes a graph with an arc from `a` to `b` for each edge `(a, b)`. The graph keeps parallel edges and loops. Takes linear time.
    pub fn directed(edges: &Edges) -> Csr {
        let arcs = (0..edges.pairs.len()).map(|i| edges.arc(i));
        // Sort the arcs by target with a bucket sort, and then by source, so that each list is in ascending order.
        Csr::bucket(
            edges.vertices,
            edges.weights.is_some(),
            arcs.map(|(a, b, w)| (b, a, w)),
        )
        .transposed()
        .looked_over()
    }

    /// Makes a graph with two opposite arcs for each edge, but only one arc for a loop. The graph keeps parallel edges and loops. Takes
    /// linear time.
    pub fn symmetric(edges: &Edges) -> Csr {
        let arcs = (0..edges.pairs.len()).flat_map(|i| {
            let (a, b, w) = edges.arc(i);
            [(b, a, w), (a, b, w)]
                .into_iter()
                .take(1 + usize::from(a != b))
        });
        Csr {
            symmetric: true,
            ..Csr::bucket(edges.vertices, edges.weights.is_some(), arcs).transposed()
        }
    }

    /// Makes a graph whose lists keep the order of the arcs. This function iterates twice over `arcs`.
    fn bucket(
        vertices: usize,
        weighted: bool,
        arcs: impl Iterator<Item = (u32, u32, u32)> + Clone,
    ) -> Csr {
        let mut offsets = vec![0u32; vertices + 1];
        for (a, ..) in arcs.clone() {
            // This counter cannot overflow, because `Edges` has fewer than 2^31 edges.
            offsets[a as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let count = offsets[vertices] as usize;
        let mut targets = vec![0; count];
        let mut weights = weighted.then(|| vec![0; count]);
        let mut ends = offsets.clone();
        for (a, b, w) in arcs {
            let at = ends[a as usize] as usize;
            ends[a as usize] += 1;
            targets[at] = b;
            if let Some(weights) = &mut weights {
                weights[at] = w;
            }
        }
        Csr {
            offsets,
            targets,
            weights,
            symmetric: false,
        }
    }

    /// Sets `symmetric` if every arc has an opposite arc.
    fn looked_over(self) -> Csr {
        // Lists are in ascending order, so the graph is symmetric if and only if it equals its transpose.
        let turned = self.transposed();
        Csr {
            symmetric: turned.offsets == self.offsets && turned.targets == self.targets,
            ..self
        }
    }

    /// Returns the graph with all arcs reversed. Takes linear time.
    pub fn transposed(&self) -> Csr {
        let turned = self.arcs_weighted().map(|(a, b, w)| (b, a, w));
        Csr {
            symmetric: self.symmetric,
            ..Csr::bucket(self.vertices(), self.is_weighted(), turned)
        }
    }

    /// Returns the graph without loops and without parallel arcs. From several parallel arcs, the function keeps only the lightest arc.
    /// Takes linear time.
    pub fn simple(&self) -> Csr {
        let mut offsets = Vec::with_capacity(self.offsets.len());
        let mut targets: Vec<u32> = Vec::with_capacity(self.targets.len());
        let mut weights: Option<Vec<u32>> = self.is_weighted().then(Vec::new);
        offsets.push(0);
        for v in 0..self.vertices() as u32 {
            let start = targets.len();
            for (to, weight) in self.list_weighted(v) {
                let seen = targets[start..].last() == Some(&to);
                if to != v && !seen {
                    targets.push(to);
                }
                match &mut weights {
                    Some(weights) if weights.len() < targets.len() => weights.push(weight),
                    Some(weights) if seen => {
                        let least = weights.last_mut().expect("the arc seen has a weight");
                        *least = weight.min(*least);
                    }
                    _ => {}
                }
            }
            offsets.push(targets.len() as u32);
        }
        let simple = Csr {
            offsets,
            targets,
            weights,
            symmetric: self.symmetric,
        };
        // The graph may be symmetric now: perhaps only a removed parallel arc had no opposite.
        if self.symmetric {
            simple
        } else {
            simple.looked_over()
        }
    }

    /// Returns the number of vertices, which are numbered from 0.
    #[inline]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of arcs. An undirected edge has two arcs.
    #[inline]
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    #[inline]
    fn list(&self, v: u32) -> std::ops::Range<usize> {
        self.offsets[v as usize] as usize..self.offsets[v as usize + 1] as usize
    }

    /// Returns the vertices to which the arcs of `v` lead, in ascending order.
    ///
    /// # Panics
    /// Panics if the graph has no such vertex.
    #[inline]
    pub fn neighbours(&self, v: u32) -> &[u32] {
        &self.targets[self.list(v)]
    }

    /// Returns the weights of the arcs of `v`, in the order of [`neighbours`](Csr::neighbours).
    ///
    /// # Panics
    /// Panics if the graph has no such vertex or no weights.
    #[inline]
    pub fn weights(&self, v: u32) -> &[u32] {
        let weights = self.weights.as_ref().expect("the graph has no weights");
        &weights[self.list(v)]
    }

    /// Returns the number of arcs that leave `v`.
    ///
    /// # Panics
    /// Panics if the graph has no such vertex.
    #[inline]
    pub fn degree(&self, v: u32) -> usize {
        self.list(v).len()
    }

    /// Returns true if the arcs have weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns true if the graph is undirected: every arc has an opposite arc. The weights do not matter.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    fn list_weighted(&self, v: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.list(v).map(|at| {
            let weight = self.weights.as_ref().map_or(0, |weights| weights[at]);
            (self.targets[at], weight)
        })
    }

    /// Returns all arcs with their weights, in ascending order of both ends.
    fn arcs_weighted(&self) -> impl Iterator<Item = (u32, u32, u32)> + Clone {
        (0..self.vertices() as u32).flat_map(move |v| {
            self.list_weighted(v)
                .map(move |(to, weight)| (v, to, weight))
        })
    }

    /// Returns the arcs, in ascending order of both ends.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.arcs_weighted().map(|(a, b, _)| (a, b))
    }

    /// Gives each arc a weight that is a function of its ends. If the function is symmetric, an undirected graph stays
    /// undirected: both arcs of an edge have the same weight.
    pub fn with_weights(self, weight: impl Fn(u32, u32) -> u32) -> Csr {
        let weights = self.pairs().map(|(a, b)| weight(a, b)).collect();
        Csr {
            weights: Some(weights),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges() -> Edges {
        let pairs = vec![(3, 1), (0, 2), (3, 0), (2, 2), (3, 1), (1, 3), (2, 2)];
        Edges::new(5, pairs).weighted(vec![5, 6, 7, 8, 4, 3, 9])
    }

    #[test]
    fn lists_are_in_order_and_keep_their_weights() {
        let graph = Csr::directed(&edges());
        assert_eq!((graph.vertices(), graph.arcs()), (5, 7));
        assert_eq!(graph.neighbours(3), [0, 1, 1]);
        assert_eq!(graph.weights(3), [7, 5, 4]);
        assert_eq!(graph.neighbours(2), [2, 2]);
        assert_eq!((graph.degree(4), graph.degree(3)), (0, 3));
        assert!(!graph.is_symmetric());
        assert!(graph.is_weighted());
    }

    #[test]
    fn symmetric_graphs_have_each_arc_both_ways() {
        let graph = Csr::symmetric(&edges());
        assert_eq!(graph.arcs(), 2 * 7 - 2);
        assert_eq!(graph.neighbours(1), [3, 3, 3]);
        assert_eq!(graph.neighbours(2), [0, 2, 2]);
        assert!(graph.is_symmetric());
    }

    #[test]
    fn directed_graphs_may_turn_out_symmetric() {
        let graph = |pairs| Csr::directed(&Edges::new(3, pairs));
        assert!(graph(vec![(0, 1), (1, 0), (2, 2)]).is_symmetric());
        assert!(!graph(vec![(0, 1), (1, 2)]).is_symmetric());
        let twice = graph(vec![(0, 1), (1, 0), (0, 1)]);
        assert!(!twice.is_symmetric());
        assert!(twice.simple().is_symmetric());
        assert!(!graph(vec![(0, 1), (1, 2)]).transposed().is_symmetric());
    }

    #[test]
    fn simple_graphs_keep_the_lightest() {
        let graph = Csr::symmetric(&edges()).simple();
        assert_eq!(
            graph.pairs().collect::<Vec<_>>(),
            [(0, 2), (0, 3), (1, 3), (2, 0), (3, 0), (3, 1)]
        );
        assert_eq!(graph.weights(3), [7, 3]);
        assert_eq!(graph.weights(1), [3]);
        assert_eq!(graph.simple(), graph);
        // The lightest of parallel arcs may come first or in the middle, and loops between them change nothing.
        let pairs = vec![(0, 1), (0, 1), (0, 1), (1, 1), (1, 0), (1, 1), (1, 0)];
        let graph = Csr::directed(&Edges::new(2, pairs).weighted(vec![2, 1, 3, 0, 9, 0, 8]));
        let graph = graph.simple();
        assert_eq!((graph.weights(0), graph.weights(1)), (&[1][..], &[8][..]));
    }

    #[test]
    fn turned_twice_is_the_same() {
        let graph = Csr::directed(&edges());
        assert_eq!(graph.transposed().neighbours(1), [3, 3]);
        assert_eq!(graph.transposed().weights(3), [3]);
        assert_eq!(graph.transposed().transposed(), graph);
    }

    #[test]
    fn weights_of_the_ends() {
        let graph = Csr::directed(&Edges::new(3, vec![(0, 2), (1, 0)]));
        assert!(!graph.is_weighted());
        let graph = graph.with_weights(|a, b| 10 * a + b);
        assert_eq!((graph.weights(0), graph.weights(1)), (&[2][..], &[10][..]));
    }

    #[test]
    #[should_panic(expected = "an edge of a graph of 2 vertices")]
    fn an_end_that_is_no_vertex_panics() {
        Edges::new(2, vec![(0, 1), (0, 2)]);
    }

    #[test]
    fn nothing_is_a_graph_too() {
        let graph = Csr::symmetric(&Edges::new(0, Vec::new()));
        assert_eq!((graph.vertices(), graph.arcs()), (0, 0));
        assert!(graph.is_symmetric());
    }
}
