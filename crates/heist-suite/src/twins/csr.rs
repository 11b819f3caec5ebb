//! Graphs in compressed rows.

use super::below;

/// A graph without loops and multiple edges. The neighbours of a vertex are in ascending order.
pub(super) struct Csr {
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Csr {
    /// Makes an undirected graph with four random edges for each vertex. Every second edge leads to a vertex whose number is at most 50
    /// higher. Each other edge leads to a random vertex of the whole graph.
    pub(super) fn random(n: usize) -> Csr {
        let mut lists = vec![Vec::new(); n];
        for e in 0..4 * n {
            let from = below(10, 2 * e, n);
            let to = if e % 2 == 0 {
                (from + below(10, 2 * e + 1, 50) + 1) % n
            } else {
                below(10, 2 * e + 1, n)
            };
            if from != to {
                lists[from].push(to as u32);
                lists[to].push(from as u32);
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        Csr::of(&lists)
    }

    fn of(lists: &[Vec<u32>]) -> Csr {
        let mut starts = vec![0];
        for list in lists {
            starts.push(starts[starts.len() - 1] + list.len());
        }
        Csr {
            starts,
            targets: lists.concat(),
        }
    }

    /// Returns the graph with each edge in only one direction: to the end with more neighbours. If both ends have the same number of
    /// neighbours, the edge leads to the later vertex.
    pub(super) fn upward(&self) -> Csr {
        let order = |v: u32| (self.neighbours(v as usize).len(), v);
        let lists: Vec<Vec<u32>> = (0..self.len())
            .map(|v| {
                let up = |to: &u32| order(*to) > order(v as u32);
                self.neighbours(v).iter().copied().filter(up).collect()
            })
            .collect();
        Csr::of(&lists)
    }

    /// Returns the number of vertices.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn neighbours(&self, v: usize) -> &[u32] {
        &self.targets[self.starts[v]..self.starts[v + 1]]
    }
}
