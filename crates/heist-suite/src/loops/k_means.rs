//! Clusters of points around their means, by Lloyd's algorithm.

use std::ops::Range;

use heist::par::{Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::same;
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::{Ctx, fold};
use crate::data::Data;
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "k-means",
        about: "ten rounds of Lloyd's algorithm for 16 clusters: a fold of the points into sums around the nearest centres",
        source: "Lloyd, Least squares quantization in PCM (IEEE Trans. Inf. Theory 28(2), 1982)",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

const CLUSTERS: usize = 16;
const ROUNDS: usize = 10;
/// The number of points that one of chili's tasks processes.
const GRAIN: usize = 1024;

/// A point with integer coordinates, so that sums are exact in any order.
type Point = [i64; 3];
/// For each cluster, the number of its points and the sum of its points.
type Sums = [(i64, Point); CLUSTERS];
type Centres = [Point; CLUSTERS];

const NOTHING: Sums = [(0, [0; 3]); CLUSTERS];

struct KMeans {
    points: Vec<Point>,
    expected: Found,
}

/// The centres, and for each point the number of the nearest centre.
#[derive(Clone)]
struct Found {
    centres: Centres,
    nearest: Vec<u8>,
}

fn prepare(size: Size, _: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let n = within(
        "the number of points",
        size.pick(100_000, 2_000_000),
        CLUSTERS as u64..=100_000_000,
    )?;
    Ok(Box::new(Looped::new(KMeans::new(n))))
}

/// Returns the square of the distance of two points.
fn apart(a: &Point, b: &Point) -> i64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Returns the number of the nearest centre. If several centres are equally near, returns the first of these centres.
fn nearest(centres: &Centres, point: &Point) -> u8 {
    let mut best = (i64::MAX, 0);
    for (number, centre) in (0..).zip(centres) {
        let far = apart(centre, point);
        if far < best.0 {
            best = (far, number);
        }
    }
    best.1
}

fn add(centres: &Centres, sums: &mut Sums, point: &Point) {
    let (count, sum) = &mut sums[usize::from(nearest(centres, point))];
    *count += 1;
    sum.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
}

fn sums_of(centres: &Centres, points: &[Point]) -> Sums {
    let mut sums = NOTHING;
    points
        .iter()
        .for_each(|point| add(centres, &mut sums, point));
    sums
}

fn with(centres: &Centres, mut sums: Sums, point: &Point) -> Sums {
    add(centres, &mut sums, point);
    sums
}

fn merge(left: &mut Sums, right: Sums) {
    for ((count, sum), (more, other)) in left.iter_mut().zip(right) {
        *count += more;
        sum.iter_mut().zip(other).for_each(|(sum, x)| *sum += x);
    }
}

fn both(mut left: Sums, right: Sums) -> Sums {
    merge(&mut left, right);
    left
}

/// Returns the means of the clusters. A cluster without points keeps its centre.
fn means(centres: &Centres, sums: Sums) -> Centres {
    let mut means = *centres;
    for (mean, (count, sum)) in means.iter_mut().zip(sums) {
        if count > 0 {
            *mean = sum.map(|x| x.div_euclid(count));
        }
    }
    means
}

impl KMeans {
    /// Makes points around a number of centres that is larger than the number of clusters.
    fn new(n: usize) -> KMeans {
        let near = |seed, i, width: u64| -> Point {
            [0, 1, 2].map(|axis| {
                let place = word(seed, 3 * i + axis) % width + word(seed + 1, 3 * i + axis) % width;
                place as i64
            })
        };
        let point = |i: u64| -> Point {
            let (home, off) = (near(20, word(8, i) % 24, 1 << 15), near(30, i, 1 << 12));
            [0, 1, 2].map(|axis| home[axis] + off[axis])
        };
        let points: Vec<Point> = (0..n as u64).map(point).collect();
        let mut centres = KMeans::first(&points);
        // Compute the result by the definition: first the cluster of each point, then each cluster separately.
        let mut belong = Vec::new();
        for round in 0..=ROUNDS {
            let closest = |point| (0..CLUSTERS).min_by_key(|&k| apart(&centres[k], point));
            belong = points.iter().map(|point| closest(point).unwrap()).collect();
            if round == ROUNDS {
                break;
            }
            for (k, centre) in centres.iter_mut().enumerate() {
                let own = || points.iter().zip(&belong).filter(|&(_, &is)| is == k);
                let count = own().count() as i64;
                for (axis, x) in centre.iter_mut().enumerate().filter(|_| count > 0) {
                    let sum: i64 = own().map(|(point, _)| point[axis]).sum();
                    *x = sum.div_euclid(count);
                }
            }
        }
        KMeans {
            expected: Found {
                centres,
                nearest: belong.into_iter().map(|k| k as u8).collect(),
            },
            points,
        }
    }

    /// Returns the initial centres, which are points at equal index distances in the input.
    fn first(points: &[Point]) -> Centres {
        std::array::from_fn(|k| points[k * points.len() / CLUSTERS])
    }

    /// Runs ten rounds of `sum`, and then runs `label`.
    fn run(&self, sum: impl Fn(&Centres) -> Sums, label: impl Fn(&Centres) -> Vec<u8>) -> Found {
        let mut centres = KMeans::first(&self.points);
        for _ in 0..ROUNDS {
            centres = means(&centres, sum(&centres));
        }
        Found {
            nearest: label(&centres),
            centres,
        }
    }

    fn part(&self, number: usize) -> Range<usize> {
        let from = number * GRAIN;
        from..(from + GRAIN).min(self.points.len())
    }
}

impl Loop for KMeans {
    type Out = Found;

    fn params(&self) -> String {
        format!("points={} clusters={CLUSTERS}", self.points.len())
    }

    fn serial(&self) -> Found {
        let points = || self.points.iter();
        self.run(
            |centres| sums_of(centres, &self.points),
            |centres| points().map(|point| nearest(centres, point)).collect(),
        )
    }

    fn slices<X: Splitting>(&self, policy: X) -> Found {
        let points = || self.points.par().splitting(policy);
        self.run(
            |centres| {
                let of = |sums: &mut Sums, point: &Point| add(centres, sums, point);
                points().accumulate(|| NOTHING, of, merge)
            },
            |centres| points().map(|point| nearest(centres, point)).collect(),
        )
    }

    fn rayon(&self) -> Found {
        let points = || self.points.par_iter();
        self.run(
            |centres| {
                let sums = points().fold(|| NOTHING, |sums, point| with(centres, sums, point));
                sums.reduce(|| NOTHING, both)
            },
            |centres| points().map(|point| nearest(centres, point)).collect(),
        )
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Found {
        let parts = 0..self.points.len().div_ceil(GRAIN);
        self.run(
            |centres| {
                let sums = |_, number: usize| sums_of(centres, &self.points[self.part(number)]);
                fold(ctx, parts.clone(), &sums, &both)
            },
            |centres| {
                joins::map(ctx, self.points.len(), GRAIN, &|i| {
                    nearest(centres, &self.points[i])
                })
            },
        )
    }

    fn check(&self, out: &Found) -> Result<(), String> {
        same(&out.centres, &self.expected.centres).map_err(|wrong| format!("centres: {wrong}"))?;
        same(&out.nearest, &self.expected.nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_centre_or_label_fails() {
        let program = KMeans::new(200);
        let right = program.serial();
        program.check(&right).unwrap();
        let mut wrong = right.clone();
        wrong.centres[3][1] += 1;
        assert!(program.check(&wrong).is_err());
        let mut wrong = right.clone();
        wrong.nearest[199] ^= 1;
        assert!(program.check(&wrong).is_err());
        let mut lost = right;
        lost.nearest.pop();
        assert!(program.check(&lost).is_err());
    }
}
