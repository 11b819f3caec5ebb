//! Nearest neighbours.

use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::unit;

pub(super) const TWIN: Twin = Twin {
    name: "nearest",
    about: "finds the nearest other point of each point of a square, by a grid",
    size: 200_000,
    prepare: |n| {
        ready(Nearest {
            xs: (0..n as u64).map(|i| unit(14, i)).collect(),
            ys: (0..n as u64).map(|i| unit(15, i)).collect(),
        })
    },
};

struct Nearest {
    xs: Vec<f64>,
    ys: Vec<f64>,
}

/// The points of each cell of a grid. The grid covers the square from -1 to 1.
struct Grid {
    side: i64,
    /// For each cell, the index in `points` at which its points begin. The last entry is the number of points.
    starts: Vec<usize>,
    /// The numbers of the points, cell by cell.
    points: Vec<usize>,
}

/// Returns the column or row of a coordinate.
fn column(x: f64, side: i64) -> i64 {
    (((x + 1.0) / 2.0 * side as f64) as i64).min(side - 1)
}

impl Nearest {
    fn grid<W: Way>(&self, way: W) -> Grid {
        let n = self.xs.len();
        let side = ((n as f64 / 2.0).sqrt() as i64).max(1);
        let cell = |i: usize| column(self.ys[i], side) * side + column(self.xs[i], side);
        let mut keys = way.tabulate(n, |i| cell(i) as usize * n + i);
        way.sort_by(&mut keys, usize::cmp);
        let start = |cell| keys.partition_point(|&key| key < cell * n);
        Grid {
            side,
            starts: way.tabulate((side * side) as usize + 1, start),
            points: way.tabulate(n, |k| keys[k] % n),
        }
    }

    /// Returns the point nearest to point `i`. Examines the cells around the point's cell, ring by ring.
    fn nearest(&self, grid: &Grid, i: usize) -> usize {
        let side = grid.side;
        let (x, y) = (self.xs[i], self.ys[i]);
        let (cx, cy) = (column(x, side), column(y, side));
        let (mut best, mut least) = (i, f64::INFINITY);
        for ring in 0..side {
            for row in (cy - ring).max(0)..=(cy + ring).min(side - 1) {
                let is_whole = (row - cy).abs() == ring;
                let step = if is_whole || ring == 0 { 1 } else { 2 * ring };
                let mut column = cx - ring;
                while column <= cx + ring {
                    if (0..side).contains(&column) {
                        let cell = (row * side + column) as usize;
                        for &j in &grid.points[grid.starts[cell]..grid.starts[cell + 1]] {
                            let (dx, dy) = (self.xs[j] - x, self.ys[j] - y);
                            let d = dx * dx + dy * dy;
                            if j != i && (d < least || d == least && j < best) {
                                (best, least) = (j, d);
                            }
                        }
                    }
                    column += step;
                }
            }
            let seen = ring as f64 * (2.0 / side as f64);
            if least < seen * seen {
                break;
            }
        }
        best
    }
}

impl Kernel for Nearest {
    type Out = Vec<usize>;

    fn run<W: Way>(&self, way: W) -> Vec<usize> {
        let grid = self.grid(way);
        way.tabulate(self.xs.len(), |i| self.nearest(&grid, i))
    }

    fn checksum(&self, out: &Vec<usize>) -> u64 {
        checksum(out.iter().map(|&i| i as u64))
    }
}
