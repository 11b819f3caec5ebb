//! Convex hulls.

use super::{Kernel, Twin, Way, checksum, ready};
use crate::noise::unit;

pub(super) const TWIN: Twin = Twin {
    name: "hull",
    about: "finds the convex hull of points in a disc by quickhull",
    size: 1_000_000,
    prepare: |n| {
        let xs: Vec<f64> = (0..n as u64).map(|i| unit(12, i)).collect();
        let y = |(i, x): (u64, &f64)| unit(13, i) * (1.0 - x * x).sqrt();
        ready(Hull {
            ys: (0..).zip(&xs).map(y).collect(),
            xs,
        })
    },
};

struct Hull {
    xs: Vec<f64>,
    ys: Vec<f64>,
}

impl Hull {
    fn point(&self, i: u32) -> [f64; 2] {
        [self.xs[i as usize], self.ys[i as usize]]
    }

    /// Returns a function that is positive for points to the right of the line. The value of this function grows with the distance of the
    /// point from the line.
    fn beyond(&self, a: u32, b: u32) -> impl Fn(u32) -> f64 + Copy + Send + Sync + '_ {
        let [[ax, ay], [bx, by]] = [self.point(a), self.point(b)];
        let [dx, dy] = [bx - ax, by - ay];
        move |p| {
            let [x, y] = self.point(p);
            (x - ax) * dy - (y - ay) * dx
        }
    }

    /// Returns the corners of the hull from `a` to `b`, without `b`. `points` must contain exactly the points to the right of the line from
    /// `a` to `b`.
    fn side<W: Way>(&self, way: W, points: &[u32], a: u32, b: u32) -> Vec<u32> {
        if points.is_empty() {
            return vec![a];
        }
        let distance = self.beyond(a, b);
        let place = |k: usize| (distance(points[k]), points[k]);
        let farther = |x: (f64, u32), y: (f64, u32)| if y.0 > x.0 { y } else { x };
        let (_, far) = way.reduce(points.len(), (f64::NEG_INFINITY, 0), place, farther);
        let half = |way: W, a, b| {
            let distance = self.beyond(a, b);
            let beyond = |k: usize| (distance(points[k]) > 0.0).then_some(points[k]);
            self.side(way, &way.filter_map(points.len(), beyond), a, b)
        };
        let (mut left, right) = way.join(|way| half(way, a, far), |way| half(way, far, b));
        left.extend(right);
        left
    }
}

impl Kernel for Hull {
    type Out = Vec<u32>;

    fn run<W: Way>(&self, way: W) -> Vec<u32> {
        let before = |i: u32, j: u32| self.xs[i as usize] < self.xs[j as usize];
        let all = |k: usize| k as u32;
        let n = self.xs.len();
        let left = way.reduce(n, 0, all, |i, j| if before(j, i) { j } else { i });
        let right = way.reduce(n, 0, all, |i, j| if before(i, j) { j } else { i });
        let half = |way: W, a, b| {
            let distance = self.beyond(a, b);
            let beyond = |k: usize| (distance(k as u32) > 0.0).then_some(k as u32);
            self.side(way, &way.filter_map(n, beyond), a, b)
        };
        let (mut above, below) =
            way.join(|way| half(way, left, right), |way| half(way, right, left));
        above.extend(below);
        above
    }

    fn checksum(&self, out: &Vec<u32>) -> u64 {
        checksum(out.iter().map(|&i| u64::from(i)))
    }
}
