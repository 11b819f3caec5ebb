//! Generators of undirected graphs without loops or parallel edges. Each graph is a function of its size and a seed.

use super::csr::{Csr, Edges, MOST_VERTICES};
use crate::noise::word;

/// Returns a geometric graph. The graph's vertices are `n` random points in the unit square, and edges join each point to the `k` points
/// nearest to this point. So a vertex has at least `k` neighbours. The number of a vertex does not depend on its position. The graph is the
/// k-graph of "Idempotent work stealing", section 4.2.2. Takes expected linear time for a small `k`.
///
/// # Panics
/// Panics if `k` is 0 or not below `n`, or if `n` is above [`MOST_VERTICES`].
pub fn k_graph(n: usize, k: usize, seed: u64) -> Csr {
    assert!(0 < k && k < n && n <= MOST_VERTICES, "0 < k={k} < n={n}");
    let points = Points::new(n, seed);
    let mut pairs = Vec::with_capacity(n * k);
    let mut nearest = Vec::new();
    // Visit the points cell by cell, because then their neighbourhoods are in the cache.
    for &point in &points.by_cell {
        points.nearest(point, k, &mut nearest);
        pairs.extend(nearest.iter().map(|&(_, w)| (point.vertex, w)));
    }
    Csr::symmetric(&Edges::new(n, pairs)).simple()
}

/// The number of bits of a coordinate. With 31 bits, squares of distances fit in 64 bits, and are exact on every machine.
const COORDINATE_BITS: u32 = 31;

#[derive(Clone, Copy, Debug, Default)]
struct Point {
    x: u32,
    y: u32,
    vertex: u32,
}

impl Point {
    /// Returns the point of a vertex.
    fn of(vertex: u32, seed: u64) -> Point {
        let bits = word(seed, u64::from(vertex));
        Point {
            x: (bits >> (u64::BITS - COORDINATE_BITS)) as u32,
            y: bits as u32 >> (u32::BITS - COORDINATE_BITS),
            vertex,
        }
    }

    /// Returns the square of the distance to another point.
    fn far(self, other: Point) -> u64 {
        let (dx, dy) = (self.x.abs_diff(other.x), self.y.abs_diff(other.y));
        u64::from(dx).pow(2) + u64::from(dy).pow(2)
    }
}

/// The points of a square, in a grid of cells with about two points each.
struct Points {
    /// The number of cells in a row, which is also the number of rows.
    across: u64,
    /// The points of cell `c` are `by_cell[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    by_cell: Vec<Point>,
}

impl Points {
    fn new(n: usize, seed: u64) -> Points {
        let across = (n as u64 / 2).isqrt().max(1);
        let mut points = Points {
            across,
            starts: vec![0; (across * across) as usize + 1],
            by_cell: vec![Point::default(); n],
        };
        let all = (0..n as u32).map(|vertex| Point::of(vertex, seed));
        for point in all.clone() {
            let cell = points.cell_of(point);
            points.starts[cell + 1] += 1;
        }
        for cell in 1..points.starts.len() {
            points.starts[cell] += points.starts[cell - 1];
        }
        let mut ends = points.starts.clone();
        for point in all {
            let cell = points.cell_of(point);
            points.by_cell[ends[cell] as usize] = point;
            ends[cell] += 1;
        }
        points
    }

    /// Returns the column or row of cells that contains a coordinate.
    fn line_of(&self, coordinate: u32) -> u64 {
        (u64::from(coordinate) * self.across) >> COORDINATE_BITS
    }

    fn cell_of(&self, point: Point) -> usize {
        (self.line_of(point.y) * self.across + self.line_of(point.x)) as usize
    }

    /// Puts the `k` points that are nearest to `point` into `nearest`, in ascending order of distance. Each point is stored with the square
    /// of its distance. If two points are at the same distance, the point with the lower number counts as nearer.
    fn nearest(&self, point: Point, k: usize, nearest: &mut Vec<(u64, u32)>) {
        nearest.clear();
        let column = self.line_of(point.x) as i64;
        let row = self.line_of(point.y) as i64;
        // Visit the cells in rings around the point's own cell. A cell that is `ring` lines away is at a distance of at least `ring - 1`
        // times the side of a cell.
        let side = (1u64 << COORDINATE_BITS) / self.across;
        for ring in 0..=self.across as i64 {
            if let Some(&(farthest, _)) = nearest.get(k - 1) {
                let clear = (ring as u64).saturating_sub(1) * side;
                if clear * clear > farthest {
                    break;
                }
            }
            for dy in -ring..=ring {
                // In the top and bottom lines of the ring, visit all cells. In each line in between, visit only the two cells at the ends.
                let step = if dy.abs() == ring {
                    1
                } else {
                    2 * ring as usize
                };
                for dx in (-ring..=ring).step_by(step) {
                    self.look(point, (column + dx, row + dy), k, nearest);
                }
            }
        }
    }

    /// Adds the points of one cell to `nearest`, as far as they are among the `k` nearest points. Does nothing if the cell is outside of
    /// the grid.
    fn look(
        &self,
        point: Point,
        (column, row): (i64, i64),
        k: usize,
        nearest: &mut Vec<(u64, u32)>,
    ) {
        let lines = 0..self.across as i64;
        if !lines.contains(&column) || !lines.contains(&row) {
            return;
        }
        let cell = (row * self.across as i64 + column) as usize;
        for other in &self.by_cell[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
            let candidate = (point.far(*other), other.vertex);
            if other.vertex == point.vertex
                || nearest.get(k - 1).is_some_and(|&last| last < candidate)
            {
                continue;
            }
            nearest.truncate(k - 1);
            let place = nearest.partition_point(|&known| known < candidate);
            nearest.insert(place, candidate);
        }
    }
}

/// Returns a torus of `rows` times `columns` vertices, numbered row by row. Each vertex has four neighbours, or fewer if a side is shorter
/// than 3. See "Idempotent work stealing", section 4.2.2.
///
/// # Panics
/// Panics if a side is 0, if there are more than [`MOST_VERTICES`] vertices, or if there are 2^31 edges or more.
pub fn torus(rows: usize, columns: usize) -> Csr {
    assert!(
        rows > 0 && columns > 0,
        "a torus of {rows} times {columns} vertices"
    );
    let n = rows.checked_mul(columns).filter(|&n| n <= MOST_VERTICES);
    let n = n.unwrap_or_else(|| panic!("a torus of {rows} times {columns} vertices is too big"));
    let id = |row: usize, column: usize| (row % rows * columns + column % columns) as u32;
    let pairs = (0..rows)
        .flat_map(|r| (0..columns).map(move |c| (r, c)))
        .flat_map(|(r, c)| [(id(r, c), id(r, c + 1)), (id(r, c), id(r + 1, c))])
        .collect();
    Csr::symmetric(&Edges::new(n, pairs)).simple()
}

/// Returns a random graph of `n` vertices and `m` edges. Every set of `m` edges has the same probability. See "Idempotent work stealing",
/// section 4.2.2. Takes O(m log m) time, or O(n^2) if the graph has more than half of all edges.
///
/// # Panics
/// Panics if there are fewer than `m` different edges, if `n` is above [`MOST_VERTICES`], or if `m` is 2^31 or more.
pub fn random(n: usize, m: usize, seed: u64) -> Csr {
    assert!(n <= MOST_VERTICES, "{n} vertices are too many");
    let all = n as u64 * (n as u64).saturating_sub(1) / 2;
    assert!(
        m as u64 <= all,
        "{n} vertices have no {m} edges, but at most {all}"
    );
    let pairs = if m as u64 <= all / 2 {
        distinct(n, m, seed)
    } else {
        // Draw the edges that are left out, because there are fewer of them.
        let mut out = distinct(n, all as usize - m, seed).into_iter().peekable();
        let every = (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| (a, b)));
        every
            .filter(|edge| out.next_if_eq(edge).is_none())
            .collect()
    };
    Csr::symmetric(&Edges::new(n, pairs))
}

/// Returns the first `m` different edges of a random sequence, in ascending order.
fn distinct(n: usize, m: usize, seed: u64) -> Vec<(u32, u32)> {
    // An edge is one word with the lesser end in the upper half, so one comparison orders two edges.
    let mut edges: Vec<u64> = Vec::with_capacity(m);
    let mut drawn = 0..;
    while edges.len() < m {
        // Draw only as many edges as are missing. With more edges, the function would have to drop the edges with the highest numbers, so
        // the result would prefer low numbers.
        let missing = m - edges.len();
        edges.extend(drawn.by_ref().take(missing).map(|i| {
            let a = below(word(seed, 2 * i), n as u64);
            let b = below(word(seed, 2 * i + 1), n as u64 - 1);
            let b = b + u32::from(b >= a);
            u64::from(a.min(b)) << 32 | u64::from(a.max(b))
        }));
        edges.sort_unstable();
        edges.dedup();
    }
    let ends = |edge: u64| ((edge >> 32) as u32, edge as u32);
    edges.into_iter().map(ends).collect()
}

/// Returns a number below `n` from 64 random bits. `n` must be at most 2^32.
fn below(bits: u64, n: u64) -> u32 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u32
}

/// Graph500's parameters: the percentages with which R-MAT picks each of the first three quarters of the matrix. The fourth quarter
/// has the remaining 5 percent.
const RMAT_PERCENT: [u32; 3] = [57, 19, 19];

/// Returns an R-MAT graph with Graph500's parameters (a = 0.57, b = c = 0.19). The graph has 2^`scale` vertices, renumbered at random. The
/// generator draws `edge_factor` edges for each vertex, and drops loops and repeated edges. So the graph has fewer edges than the generator
/// draws. A few vertices have most of the edges, and many vertices have no edge. See Chakrabarti, Zhan, Faloutsos, "R-MAT", SDM 2004.
///
/// # Panics
/// Panics if `scale` is above 31, or if the generator would draw 2^31 edges or more.
pub fn rmat(scale: u32, edge_factor: usize, seed: u64) -> Csr {
    assert!(scale <= 31, "2^{scale} vertices are too many");
    let n = 1usize << scale;
    let m = n.checked_mul(edge_factor).filter(|&m| m < 1 << 31);
    let m = m.unwrap_or_else(|| panic!("{edge_factor} edges for each of 2^{scale} vertices"));
    let names = shuffled(n, word(seed, 0));
    let (edge_seed, levels) = (word(seed, 1), u64::from(scale));
    let pairs = (0..m as u64)
        .map(|i| {
            let (mut a, mut b) = (0usize, 0usize);
            for level in 0..levels {
                let [first, second, third] = RMAT_PERCENT;
                let draw = below(word(edge_seed, i * levels + level), 100);
                let lower = draw >= first + second;
                let right =
                    (first..first + second).contains(&draw) || draw >= first + second + third;
                a = 2 * a + usize::from(lower);
                b = 2 * b + usize::from(right);
            }
            (names[a], names[b])
        })
        .collect();
    Csr::symmetric(&Edges::new(n, pairs)).simple()
}

/// Returns the numbers below `n` in random order.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut names: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        names.swap(i, below(word(seed, i as u64), i as u64 + 1) as usize);
    }
    names
}

/// Gives the edges random weights from 1 to `most`. The two arcs of an edge get the same weight.
///
/// # Panics
/// Panics if `most` is 0.
pub fn with_random_weights(graph: Csr, most: u32, seed: u64) -> Csr {
    assert!(most > 0, "weights from 1 to 0");
    graph.with_weights(|a, b| {
        let edge = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        1 + below(word(seed, edge), u64::from(most))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphs::serial;

    /// Checks that the graph is undirected and simple.
    fn well_formed(graph: &Csr) {
        assert!(graph.is_symmetric());
        assert_eq!(&graph.simple(), graph);
    }

    #[test]
    fn the_nearest_are_the_nearest() {
        for (n, k, seed) in [(2, 1, 1), (5, 4, 2), (40, 3, 3), (700, 3, 4), (700, 12, 5)] {
            let points = Points::new(n, seed);
            let graph = k_graph(n, k, seed);
            well_formed(&graph);
            let mut nearest = Vec::new();
            let mut arcs = 0;
            for v in 0..n as u32 {
                let point = Point::of(v, seed);
                let mut all: Vec<(u64, u32)> = (0..n as u32)
                    .filter(|&w| w != v)
                    .map(|w| (point.far(Point::of(w, seed)), w))
                    .collect();
                all.sort_unstable();
                points.nearest(point, k, &mut nearest);
                assert_eq!(nearest, all[..k], "n={n} k={k} v={v}");
                for (_, w) in &nearest {
                    assert!(graph.neighbours(v).contains(w));
                }
                assert!(graph.degree(v) >= k);
                arcs += k;
            }
            assert!((arcs..=2 * arcs).contains(&graph.arcs()));
        }
    }

    #[test]
    fn points_fill_the_square() {
        let points: Vec<Point> = (0..10_000).map(|v| Point::of(v, 9)).collect();
        let half = 1 << (COORDINATE_BITS - 1);
        let corner = |point: &&Point| point.x < half && point.y < half;
        let share = points.iter().filter(corner).count();
        assert!((2300..2700).contains(&share), "{share}");
        let inside = |point: &Point| point.x.max(point.y) >> COORDINATE_BITS == 0;
        assert!(points.iter().all(inside));
    }

    #[test]
    fn a_torus_is_connected_and_regular() {
        for (rows, columns) in [(3, 3), (3, 5), (17, 20)] {
            let graph = torus(rows, columns);
            well_formed(&graph);
            assert!((0..graph.vertices() as u32).all(|v| graph.degree(v) == 4));
            assert!(serial::components(&graph).iter().all(|&label| label == 0));
            let far = serial::levels(&graph, &[0]).into_iter().max();
            assert_eq!(far, Some((rows / 2 + columns / 2) as u32));
        }
        assert_eq!(torus(1, 1).arcs(), 0);
        assert_eq!(torus(2, 2).neighbours(0), [1, 2]);
        assert_eq!(torus(1, 4).neighbours(0), [1, 3]);
    }

    #[test]
    fn a_random_graph_has_exactly_its_edges() {
        for (n, m) in [
            (1, 0),
            (2, 1),
            (9, 36),
            (9, 35),
            (9, 19),
            (9, 18),
            (1000, 3000),
        ] {
            let graph = random(n, m, 5);
            well_formed(&graph);
            assert_eq!((graph.vertices(), graph.arcs()), (n, 2 * m));
        }
        assert_eq!(random(0, 0, 1).vertices(), 0);
        // With 3000 edges on 1000 vertices, all but about 1000 / e^6 vertices are in one component.
        let labels = serial::components(&random(1000, 3000, 6));
        let most = (0..1000u32)
            .map(|l| labels.iter().filter(|&&x| x == l).count())
            .max();
        assert!(most > Some(980), "{most:?}");
    }

    #[test]
    fn every_edge_is_as_likely() {
        let mut counts = std::collections::HashMap::new();
        for seed in 0..3000 {
            for edge in random(5, 3, word(77, seed)).pairs() {
                *counts.entry(edge).or_insert(0) += 1;
            }
        }
        assert_eq!(counts.len(), 20);
        // Each set of edges is expected 900 times, with a standard deviation of 25.
        assert!(
            counts.values().all(|count| (775..1025).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn rmat_has_hubs_and_loners() {
        let graph = rmat(12, 16, 3);
        well_formed(&graph);
        let n = 1 << 12;
        assert_eq!(graph.vertices(), n);
        assert!(
            (16 * n..=32 * n).contains(&graph.arcs()),
            "{}",
            graph.arcs()
        );
        let mut degrees: Vec<usize> = (0..n as u32).map(|v| graph.degree(v)).collect();
        degrees.sort_unstable();
        assert_eq!(degrees[n / 20], 0, "loners");
        assert!(degrees[n - 1] > 20 * 16, "a hub of {}", degrees[n - 1]);
        let best: usize = degrees[n - n / 10..].iter().sum();
        assert!(
            best * 2 > graph.arcs(),
            "a tenth has {best} of {}",
            graph.arcs()
        );
        assert_eq!(rmat(0, 3, 1).arcs(), 0);
    }

    #[test]
    fn a_seed_decides() {
        assert_eq!(k_graph(500, 3, 1), k_graph(500, 3, 1));
        assert_ne!(k_graph(500, 3, 1), k_graph(500, 3, 2));
        assert_eq!(random(500, 900, 1), random(500, 900, 1));
        assert_ne!(random(500, 900, 1), random(500, 900, 2));
        assert_eq!(rmat(8, 4, 1), rmat(8, 4, 1));
        assert_ne!(rmat(8, 4, 1), rmat(8, 4, 2));
    }

    #[test]
    fn weights_are_the_same_both_ways() {
        let graph = with_random_weights(torus(9, 9), 10, 4);
        assert_eq!(graph.transposed(), graph);
        let mut all: Vec<u32> = (0..81).flat_map(|v| graph.weights(v).to_vec()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, (1..=10).collect::<Vec<u32>>());
    }

    #[test]
    #[should_panic(expected = "4 vertices have no 7 edges, but at most 6")]
    fn too_many_edges_panic() {
        random(4, 7, 1);
    }
}
