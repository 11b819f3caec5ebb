//! K-means clustering: each step computes the sums of all clusters by a parallel fold, until no centre moves. The result has the same bits
//! in every run.
//!
//! ```text
//! cargo run --release -p heist --example kmeans
//! ```

use heist::par::prelude::*;

/// A point of the plane.
pub type Point = [f64; 2];

/// The cluster of each centre (the points that are nearest to it): the sum of the points'
/// coordinates, and their number.
type Sums = Vec<([f64; 2], u32)>;

fn nearest(centres: &[Point], point: Point) -> usize {
    let distance = |centre: &Point| (centre[0] - point[0]).powi(2) + (centre[1] - point[1]).powi(2);
    let near =
        (0..centres.len()).min_by(|&a, &b| distance(&centres[a]).total_cmp(&distance(&centres[b])));
    near.expect("there is a centre")
}

/// Makes one step of Lloyd's algorithm. Each new centre is the mean of the points that are nearest
/// to the old centre.
pub fn step(points: &[Point], centres: &[Point]) -> Vec<Point> {
    let none = || vec![([0.0; 2], 0); centres.len()];
    let add = |mut sums: Sums, &point: &Point| {
        let (sum, count) = &mut sums[nearest(centres, point)];
        *sum = [sum[0] + point[0], sum[1] + point[1]];
        *count += 1;
        sums
    };
    let merge = |a: Sums, b: Sums| {
        let pairs = a.into_iter().zip(b);
        pairs
            .map(|((a, m), (b, n))| ([a[0] + b[0], a[1] + b[1]], m + n))
            .collect()
    };
    let sums = points.par().fold_reduce(none, add, merge);
    let mean = |((sum, count), old): (([f64; 2], u32), &Point)| match count {
        0 => *old,
        count => sum.map(|x| x / f64::from(count)),
    };
    sums.into_iter().zip(centres).map(mean).collect()
}

/// Makes steps until no centre moves. Returns the centres and the number of steps.
pub fn cluster(points: &[Point], mut centres: Vec<Point>) -> (Vec<Point>, usize) {
    for steps in 1.. {
        let next = step(points, &centres);
        if next == centres {
            return (centres, steps);
        }
        centres = next;
    }
    unreachable!("the loop has no end")
}

/// Returns points around the four corners of a square, the same on every run.
pub fn points(count: u64) -> Vec<Point> {
    let random =
        |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1_u64 << 24) as f64;
    let corner = |i: u64| [(i % 2) as f64 * 10.0, (i / 2 % 2) as f64 * 10.0];
    let point = |i| {
        [
            corner(i)[0] + random(2 * i) - 0.5,
            corner(i)[1] + random(2 * i + 1) - 0.5,
        ]
    };
    (0..count).par().map(point).collect()
}

/// Runs the example.
pub fn main() {
    let first = vec![[4.0, 4.0], [6.0, 4.0], [4.0, 6.0], [6.0, 6.0]];
    let (centres, steps) = cluster(&points(1_000_000), first);
    println!("after {steps} steps: {centres:.3?}");
}
