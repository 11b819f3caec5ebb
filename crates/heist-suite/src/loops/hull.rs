//! The convex hull of points in the plane, by quickhull.

use std::sync::OnceLock;

use heist::par::{Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::same;
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::{Ctx, Heist, Serial, fold};
use crate::data::Data;
use crate::noise::unit;
use crate::program::{Program, Size};
use crate::rivals;

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "hull",
        about: "finds the convex hull of points in a disc: the farthest of a side, filters of those outside it, two calls",
        source: "NESL's quickhull (Blelloch, Programming parallel algorithms, CACM 39(3), 1996)",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, 1)?),
    },
    has_ropes: false,
    prepare,
};

/// The number of points that one of chili's tasks examines.
const GRAIN: usize = 4096;

/// A point with integer coordinates, so that no rounding puts a point on the wrong side of a line.
type Point = [i64; 2];
/// A line from one point to another.
type Line = [Point; 2];

struct Hull {
    points: Vec<Point>,
    expected: OnceLock<Vec<Point>>,
}

fn prepare(size: Size, _: &Data, _: usize) -> Result<Box<dyn Looping>, String> {
    let n = within(
        "the number of points",
        size.pick(1_000_000, 10_000_000),
        1..=500_000_000,
    )?;
    Ok(Box::new(Looped::new(Hull::new(n))))
}

/// Returns the distance of the point from the line, times the length of the line. The distance is positive if the point is to the right of
/// the line, and negative if it is to the left.
fn beyond([from, to]: Line, point: Point) -> i64 {
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    (point[0] - from[0]) * y - (point[1] - from[1]) * x
}

/// The searches among many points. Each way to write loops implements these searches.
trait Look<C>: Sync {
    /// Returns the points to the right of the line.
    fn outside(&self, ctx: C, points: &[Point], line: Line) -> Vec<Point>;

    /// Returns the point that is farthest to the right of the line. If several points are equally far, returns the point with the greatest
    /// pair of coordinates.
    fn farthest(&self, ctx: C, points: &[Point], line: Line) -> Option<Point>;

    /// Returns the smallest and the greatest point, compared as pairs of coordinates.
    fn ends(&self, ctx: C, points: &[Point]) -> Option<Line>;
}

/// Returns the corners of the hull between the line's start and its end, without these two points. `points` must be to the right
/// of the line.
fn side<C: Ctx, L: Look<C>>(ctx: C, look: &L, points: &[Point], [from, to]: Line) -> Vec<Point> {
    let Some(corner) = look.farthest(ctx, points, [from, to]) else {
        return Vec::new();
    };
    let beyond = |c: C, line: Line| side(c, look, &look.outside(c, points, line), line);
    let (mut before, after) = ctx.join(|c| beyond(c, [from, corner]), |c| beyond(c, [corner, to]));
    before.push(corner);
    before.extend(after);
    before
}

/// Returns the corners of the hull counterclockwise, beginning with the smallest pair of coordinates.
fn hull<C: Ctx, L: Look<C>>(ctx: C, look: &L, points: &[Point]) -> Vec<Point> {
    let Some([first, last]) = look.ends(ctx, points) else {
        return Vec::new();
    };
    let half = |c: C, line: Line| side(c, look, &look.outside(c, points, line), line);
    let (below, above) = ctx.join(|c| half(c, [first, last]), |c| half(c, [last, first]));
    let mut corners = vec![first];
    corners.extend(below);
    if last != first {
        corners.push(last);
    }
    corners.extend(above);
    corners
}

/// The searches, written with iterators.
struct Iterators;

impl<C: Ctx> Look<C> for Iterators {
    fn outside(&self, _: C, points: &[Point], line: Line) -> Vec<Point> {
        let points = points.iter().copied();
        points.filter(|&point| beyond(line, point) > 0).collect()
    }

    fn farthest(&self, _: C, points: &[Point], line: Line) -> Option<Point> {
        let points = points.iter().copied();
        points.max_by_key(|&point| (beyond(line, point), point))
    }

    fn ends(&self, _: C, points: &[Point]) -> Option<Line> {
        let points = points.iter().copied();
        Some([points.clone().min()?, points.max()?])
    }
}

/// The searches, written with Heist's sequences.
struct Slices<X>(X);

impl<X: Splitting> Look<Heist> for Slices<X> {
    fn outside(&self, _: Heist, points: &[Point], line: Line) -> Vec<Point> {
        let points = points.par().splitting(self.0).copied();
        points.filter(|&point| beyond(line, point) > 0).collect()
    }

    fn farthest(&self, _: Heist, points: &[Point], line: Line) -> Option<Point> {
        let points = points.par().splitting(self.0).copied();
        points.max_by_key(|&point| (beyond(line, point), point))
    }

    fn ends(&self, _: Heist, points: &[Point]) -> Option<Line> {
        let points = || points.par().splitting(self.0).copied();
        Some([points().min()?, points().max()?])
    }
}

/// The searches, written with rayon's iterators.
struct Rayons;

impl Look<rivals::Rayon> for Rayons {
    fn outside(&self, _: rivals::Rayon, points: &[Point], line: Line) -> Vec<Point> {
        let points = points.par_iter().copied();
        points.filter(|&point| beyond(line, point) > 0).collect()
    }

    fn farthest(&self, _: rivals::Rayon, points: &[Point], line: Line) -> Option<Point> {
        let points = points.par_iter().copied();
        points.max_by_key(|&point| (beyond(line, point), point))
    }

    fn ends(&self, _: rivals::Rayon, points: &[Point]) -> Option<Line> {
        let points = points.par_iter().copied();
        Some([points.clone().min()?, points.max()?])
    }
}

/// The searches, written with joins, and with iterators over parts of the points.
struct Parts;

/// Applies `part` to parts of the points, and merges the results with `both`. Returns `None` if there are no points.
fn of_parts<C, R>(
    ctx: C,
    points: &[Point],
    part: impl Fn(&[Point]) -> R + Sync,
    both: impl Fn(R, R) -> R + Sync,
) -> Option<R>
where
    C: Ctx,
    R: Send,
{
    let parts = points.len().div_ceil(GRAIN);
    let of = |_, i: usize| part(&points[i * GRAIN..points.len().min((i + 1) * GRAIN)]);
    (parts > 0).then(|| fold(ctx, 0..parts, &of, &both))
}

impl<C: Ctx> Look<C> for Parts {
    fn outside(&self, ctx: C, points: &[Point], line: Line) -> Vec<Point> {
        let parts: Vec<&[Point]> = points.chunks(GRAIN).collect();
        let part = |i: usize| Iterators.outside(Serial, parts[i], line);
        joins::map(ctx, parts.len(), 1, &part).concat()
    }

    fn farthest(&self, ctx: C, points: &[Point], line: Line) -> Option<Point> {
        let key = |point: &Option<Point>| point.map(|point| (beyond(line, point), point));
        let part = |part: &[Point]| Iterators.farthest(Serial, part, line);
        of_parts(ctx, points, part, |a, b| std::cmp::max_by_key(a, b, key)).flatten()
    }

    fn ends(&self, ctx: C, points: &[Point]) -> Option<Line> {
        let part = |part: &[Point]| Iterators.ends(Serial, part);
        let both = |a: Option<Line>, b: Option<Line>| {
            let ([first, last], [start, end]) = (a?, b?);
            Some([first.min(start), last.max(end)])
        };
        of_parts(ctx, points, part, both).flatten()
    }
}

impl Hull {
    /// Makes points in a disc, whose hull has many corners.
    fn new(n: usize) -> Hull {
        let radius = 2_f64.powi(29);
        let mut draws = 0;
        let mut random = || {
            draws += 1;
            unit(9, draws)
        };
        let mut point = || loop {
            let at = [random(), random()];
            if at[0] * at[0] + at[1] * at[1] <= 1.0 {
                return at.map(|x| (x * radius) as i64);
            }
        };
        Hull {
            points: (0..n).map(|_| point()).collect(),
            expected: OnceLock::new(),
        }
    }

    /// Returns the hull by Andrew's monotone chain, in the same order.
    fn expected(&self) -> &[Point] {
        self.expected.get_or_init(|| {
            let mut points = self.points.clone();
            points.sort_unstable();
            points.dedup();
            let chain = |points: &mut dyn Iterator<Item = &Point>| {
                let mut chain: Vec<Point> = Vec::new();
                for &point in points {
                    while let [.., from, to] = chain[..]
                        && beyond([from, to], point) >= 0
                    {
                        chain.pop();
                    }
                    chain.push(point);
                }
                chain
            };
            let mut corners = chain(&mut points.iter());
            if points.len() > 1 {
                corners.pop();
                corners.extend(chain(&mut points.iter().rev()));
                corners.pop();
            }
            corners
        })
    }
}

impl Loop for Hull {
    type Out = Vec<Point>;

    fn params(&self) -> String {
        format!("points={}", self.points.len())
    }

    fn serial(&self) -> Vec<Point> {
        hull(Serial, &Iterators, &self.points)
    }

    fn slices<X: Splitting>(&self, policy: X) -> Vec<Point> {
        hull(Heist, &Slices(policy), &self.points)
    }

    fn rayon(&self) -> Vec<Point> {
        hull(rivals::Rayon, &Rayons, &self.points)
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Vec<Point> {
        hull(ctx, &Parts, &self.points)
    }

    fn check(&self, out: &Vec<Point>) -> Result<(), String> {
        same(out, self.expected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_lines_are_no_corners() {
        let corners = |points: &[Point]| {
            let program = Hull {
                points: points.to_vec(),
                expected: OnceLock::new(),
            };
            let found = program.serial();
            program.check(&found).unwrap();
            program.check(&program.joins(Serial)).unwrap();
            found
        };
        let grid: Vec<Point> = (0..25).map(|i| [i % 5, i / 5]).collect();
        assert_eq!(corners(&grid), [[0, 0], [4, 0], [4, 4], [0, 4]]);
        assert_eq!(corners(&[[1, 1], [3, 3], [2, 2]]), [[1, 1], [3, 3]]);
        assert_eq!(corners(&[[1, 1], [1, 1]]), [[1, 1]]);
    }

    #[test]
    fn a_lost_or_false_corner_fails() {
        let program = Hull::new(1000);
        let corners = program.serial();
        assert!(corners.len() > 10);
        program.check(&corners).unwrap();
        program.check(&corners[1..].to_vec()).unwrap_err();
        let mut wrong = corners;
        wrong[3][0] += 1;
        assert!(program.check(&wrong).is_err());
    }
}
