//! The tree of Barnes and Hut.

use crate::ctx::Ctx;

/// A body that attracts other bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Body {
    pub(crate) at: [f64; 3],
    pub(crate) velocity: [f64; 3],
    pub(crate) mass: f64,
    /// The body's index in the input.
    pub(crate) index: u32,
}

/// A cube in space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cube {
    pub(crate) centre: [f64; 3],
    /// Half of the cube's side.
    pub(crate) half: f64,
}

impl Cube {
    /// Returns the smallest cube around the origin that contains all bodies.
    pub(crate) fn around(bodies: &[Body]) -> Cube {
        let far = |most: f64, x: &f64| most.max(x.abs());
        let half = bodies.iter().flat_map(|body| &body.at).fold(0.0, far);
        Cube {
            centre: [0.0; 3],
            half,
        }
    }

    /// Returns the octant with the given number. If bit `k` of the number is set, the octant is above the centre along axis `k`.
    pub(crate) fn octant(self, number: usize) -> Cube {
        let half = self.half / 2.0;
        let mut centre = self.centre;
        for (axis, x) in centre.iter_mut().enumerate() {
            *x += if number >> axis & 1 == 1 { half } else { -half };
        }
        Cube { centre, half }
    }
}

/// A mass at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: [f64; 3],
    pub(crate) mass: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Empty,
    /// A single body, or several bodies at positions that the tree cannot distinguish.
    Leaf(Point),
    Cell(Box<Cell>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// The total mass of all bodies below this cell, at their centre of mass.
    pub(crate) all: Point,
    pub(crate) parts: [Node; 8],
}

/// The maximum depth of the tree. Bodies in the same cube at this depth count as one body, because floating point cannot represent
/// smaller cubes.
pub(crate) const DEEPEST: u32 = 60;

/// Returns the total mass of the points, at their centre of mass.
pub(crate) fn together(points: impl Iterator<Item = Point>) -> Point {
    let mut all = Point::default();
    for point in points {
        for (sum, x) in all.at.iter_mut().zip(point.at) {
            *sum += point.mass * x;
        }
        all.mass += point.mass;
    }
    all.at = all.at.map(|sum| sum / all.mass);
    all
}

impl Body {
    pub(crate) fn point(&self) -> Point {
        Point {
            at: self.at,
            mass: self.mass,
        }
    }
}

impl Node {
    pub(crate) fn point(&self) -> Option<Point> {
        match self {
            Node::Empty => None,
            Node::Leaf(point) => Some(*point),
            Node::Cell(cell) => Some(cell.all),
        }
    }
}

/// Builds the tree of the bodies. All bodies must lie in `cube`. Puts the bodies in the order of the tree's leaves.
pub(crate) fn build<C: Ctx>(ctx: C, bodies: &mut [Body], cube: Cube, depth: u32) -> Node {
    match bodies {
        [] => return Node::Empty,
        [body] => return Node::Leaf(body.point()),
        _ if depth == DEEPEST => return Node::Leaf(together(bodies.iter().map(Body::point))),
        _ => {}
    }
    let mut parts = [const { Node::Empty }; 8];
    split(ctx, bodies, cube, depth, 2, 0, &mut parts);
    let all = together(parts.iter().filter_map(Node::point));
    Node::Cell(Box::new(Cell { all, parts }))
}

/// Halves the bodies along `axis`, and then along each axis with a lower number. In the last call of the recursion, `parts` has one
/// element, for the octant `number`.
fn split<C: Ctx>(
    ctx: C,
    bodies: &mut [Body],
    cube: Cube,
    depth: u32,
    axis: usize,
    number: usize,
    parts: &mut [Node],
) {
    let above = partition(bodies, |body| body.at[axis] < cube.centre[axis]);
    let (low, high) = bodies.split_at_mut(above);
    let (low_parts, high_parts) = parts.split_at_mut(1 << axis);
    let go =
        |c: C, bodies: &mut [Body], number: usize, parts: &mut [Node]| match axis.checked_sub(1) {
            Some(axis) => split(c, bodies, cube, depth, axis, number, parts),
            None => parts[0] = build(c, bodies, cube.octant(number), depth + 1),
        };
    ctx.join(
        |c| go(c, low, number, low_parts),
        |c| go(c, high, number | 1 << axis, high_parts),
    );
}

/// Puts the bodies for which `first` returns true before all other bodies. Returns the number of bodies for which `first` returned true.
fn partition(bodies: &mut [Body], first: impl Fn(&Body) -> bool) -> usize {
    let mut count = 0;
    for place in 0..bodies.len() {
        if first(&bodies[place]) {
            bodies.swap(count, place);
            count += 1;
        }
    }
    count
}

/// The square of the softening length. At distances shorter than the softening length, forces hardly grow. So bodies that come close to
/// each other do not eject each other.
const SOFTENING: f64 = 0.05 * 0.05;
/// The opening parameter. A cell counts as one point for a body if the body's distance is more than the cell's side divided by this number.
const OPENING: f64 = 0.5;

/// Adds the acceleration of a body at `at` to `sum`. A distant cell counts as a point at its centre of mass. If the square of
/// the distance is at least `far`, the node counts as one point: see [`far`].
pub(crate) fn pull(node: &Node, far: f64, at: &[f64; 3], sum: &mut [f64; 3]) {
    let Some(point) = node.point() else {
        return;
    };
    let away = [
        point.at[0] - at[0],
        point.at[1] - at[1],
        point.at[2] - at[2],
    ];
    let square = away.iter().map(|x| x * x).sum::<f64>();
    if let Node::Cell(cell) = node
        && square < far
    {
        for part in &cell.parts {
            // The side of a part is half as long, so the square of the distance is a quarter.
            pull(part, far / 4.0, at, sum);
        }
        return;
    }
    let square = square + SOFTENING;
    let strength = point.mass / (square * square.sqrt());
    for (sum, x) in sum.iter_mut().zip(away) {
        *sum += strength * x;
    }
}

/// Returns the square of the minimum distance from which a tree over `cube` counts as one point.
pub(crate) fn far(cube: Cube) -> f64 {
    (2.0 * cube.half / OPENING).powi(2)
}

/// Returns the exact acceleration at `at`.
pub(crate) fn pull_of_all(bodies: &[Body], at: &[f64; 3]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for body in bodies {
        // A leaf is not a cell, so the distance has no effect.
        pull(&Node::Leaf(body.point()), 0.0, at, &mut sum);
    }
    sum
}
