//! The motion of bodies that attract each other, as in [`barnes_hut`](crate::programs::barnes_hut). This version has a
//! loop over the bodies.

use std::sync::OnceLock;
use std::thread;

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Seq, rope};
use crate::bounds::{near, within};
use crate::contender::Contender;
use crate::ctx::{Ctx, Heist, Serial};
use crate::data::Data;
use crate::program::{Program, Size};
use crate::programs::barnes_hut::octree::{
    Body, Cell, Cube, DEEPEST, Node, Point, build, far, pull, together,
};
use crate::programs::barnes_hut::{inserted, moved, plummer};
use crate::programs::stars;
use crate::rivals;

pub(super) const CLUSTER: LoopProgram = LoopProgram {
    program: Program {
        name: "barnes-hut-loops",
        about: "steps of a star cluster: an octree, then a map over the bodies of the forces on them",
        source: "Rainey's thesis, Barnes Hut: 20 iterations over 200,000 particles of a Plummer distribution",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(cluster(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare: cluster,
};

pub(super) const STARS: LoopProgram = LoopProgram {
    program: Program {
        name: "star-forces",
        about: "a step of the stars of the sky, as bodies on a sphere whose masses are how bright they are",
        source: "real input: Hipparcos stars from d3-celestial",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(sky(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare: sky,
};

/// The number of bodies that one of chili's tasks moves.
const GRAIN: usize = 32;
/// The tolerance of the check. The program and the check build the tree in different ways. The two ways add the masses in the same order,
/// unless three bodies are at the same point.
const TOLERANCE: f64 = 1e-12;

struct Bodies {
    input: Vec<Body>,
    rope: Rope<Body>,
    steps: usize,
    leaf: usize,
    /// The expected result, in the order of the input.
    expected: OnceLock<Vec<Body>>,
}

fn cluster(size: Size, _: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let n = within(
        "the number of bodies",
        size.pick(10_000, 200_000),
        2..=10_000_000,
    )?;
    let steps = if size == Size::Paper { 20 } else { 3 };
    let bodies = Bodies::new(plummer::cluster(n), steps, leaf);
    Ok(Box::new(Looped::new(bodies)))
}

fn sky(size: Size, data: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let stars = stars::load(size, data)?;
    // If the magnitude of a star is larger by 5, the star gives a hundredth of the light.
    let light = |star: &stars::Entry| 100_f64.powf(-star.magnitude / 5.0);
    let all: f64 = stars.iter().map(light).sum();
    let bodies = (0..).zip(&stars).map(|(index, star)| Body {
        at: star.at,
        velocity: [0.0; 3],
        mass: light(star) / all,
        index,
    });
    let bodies = Bodies::new(bodies.collect(), 1, leaf);
    Ok(Box::new(Looped::new(bodies)))
}

/// A tree of the masses that attract the bodies in a step.
struct Field {
    tree: Node,
    far: f64,
}

impl Field {
    /// Returns the body after one more step.
    fn moved(&self, body: &Body) -> Body {
        let mut acceleration = [0.0; 3];
        pull(&self.tree, self.far, &body.at, &mut acceleration);
        moved(body, acceleration)
    }
}

/// Returns the cube around the origin that contains all bodies whose coordinates have at most the given magnitude.
fn cube(farthest: f64) -> Cube {
    Cube {
        centre: [0.0; 3],
        half: farthest,
    }
}

/// Returns the largest magnitude of the body's coordinates.
fn extent(body: &Body) -> f64 {
    body.at.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// A part of the bodies: the bodies below the centre along an axis, or the bodies above the centre.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    centre: f64,
    above: bool,
}

impl Side {
    fn has(self, point: &Point) -> bool {
        (point.at[self.axis] >= self.centre) == self.above
    }
}

/// Makes the tree of the points, which lie in `cube`. The function does not change the rope of points: `keep` makes a new rope of
/// the points on one side.
fn grow<C, F>(ctx: C, points: &Rope<Point>, cube: Cube, depth: u32, keep: &F) -> Node
where
    C: Ctx,
    F: Fn(&Rope<Point>, Side) -> Rope<Point> + Sync,
{
    match points.len() {
        0 => return Node::Empty,
        1 => return Node::Leaf(points[0]),
        _ if depth == DEEPEST => return Node::Leaf(together(points.iter().copied())),
        _ => {}
    }
    let mut parts = [const { Node::Empty }; 8];
    let within = Within { cube, depth };
    share(ctx, points, within, 2, 0, &mut parts, keep);
    let all = together(parts.iter().filter_map(Node::point));
    Node::Cell(Box::new(Cell { all, parts }))
}

/// The cube and the depth of a node in the tree.
#[derive(Clone, Copy)]
struct Within {
    cube: Cube,
    depth: u32,
}

/// Halves the points along `axis`, and then along each axis with a lower number. In the last call of the recursion, `parts` has one
/// element, for the octant `number`.
fn share<C, F>(
    ctx: C,
    points: &Rope<Point>,
    within: Within,
    axis: usize,
    number: usize,
    parts: &mut [Node],
    keep: &F,
) where
    C: Ctx,
    F: Fn(&Rope<Point>, Side) -> Rope<Point> + Sync,
{
    if points.is_empty() {
        return;
    }
    let Within { cube, depth } = within;
    let (low, high) = parts.split_at_mut(1 << axis);
    let go = |c: C, above: bool, parts: &mut [Node]| {
        let side = Side {
            axis,
            centre: cube.centre[axis],
            above,
        };
        let points = keep(points, side);
        let number = number | usize::from(above) << axis;
        match axis.checked_sub(1) {
            Some(axis) => share(c, &points, within, axis, number, parts, keep),
            None => parts[0] = grow(c, &points, cube.octant(number), depth + 1, keep),
        }
    };
    ctx.join(|c| go(c, false, low), |c| go(c, true, high));
}

impl Bodies {
    /// Makes the program. The program's bodies are in the order of the tree's leaves, so that neighbours in memory visit mostly the same
    /// nodes.
    fn new(mut input: Vec<Body>, steps: usize, leaf: usize) -> Bodies {
        let cube = Cube::around(&input);
        build(Serial, &mut input, cube, 0);
        Bodies {
            rope: rope(leaf, input.iter().copied()),
            input,
            steps,
            leaf,
            expected: OnceLock::new(),
        }
    }

    /// Runs the steps. Each step builds a tree that sorts the bodies in place, and maps over slices.
    fn on_slices<C, F>(&self, ctx: C, map: F) -> Seq<Body>
    where
        C: Ctx,
        F: Fn(&[Body], &Field) -> Vec<Body>,
    {
        let mut bodies = self.input.clone();
        for _ in 0..self.steps {
            let cube = Cube::around(&bodies);
            let tree = build(ctx, &mut bodies, cube, 0);
            let far = far(cube);
            bodies = map(&bodies, &Field { tree, far });
        }
        bodies.into()
    }

    /// Returns the expected result. For this result, the bodies are added to the tree one by one.
    fn expected(&self) -> &[Body] {
        self.expected.get_or_init(|| {
            let mut bodies = self.input.clone();
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let part = bodies.len().div_ceil(threads);
            for _ in 0..self.steps {
                let cube = Cube::around(&bodies);
                let tree = inserted(&bodies, cube);
                let far = far(cube);
                let field = &Field { tree, far };
                thread::scope(|scope| {
                    for part in bodies.chunks_mut(part) {
                        scope.spawn(|| part.iter_mut().for_each(|body| *body = field.moved(body)));
                    }
                });
            }
            bodies.sort_by_key(|body| body.index);
            bodies
        })
    }
}

impl Loop for Bodies {
    type Out = Seq<Body>;

    fn params(&self) -> String {
        format!("bodies={} steps={}", self.input.len(), self.steps)
    }

    fn serial(&self) -> Seq<Body> {
        self.on_slices(Serial, |bodies, field| {
            bodies.iter().map(|body| field.moved(body)).collect()
        })
    }

    fn slices<X: Splitting>(&self, policy: X) -> Seq<Body> {
        self.on_slices(Heist, |bodies, field| {
            let bodies = bodies.par().splitting(policy);
            bodies.map(|body| field.moved(body)).collect()
        })
    }

    fn serial_ropes(&self) -> Option<Seq<Body>> {
        let keep = |points: &Rope<Point>, side: Side| {
            let kept = points.iter().copied().filter(|point| side.has(point));
            rope(self.leaf, kept)
        };
        let mut bodies = self.rope.clone();
        for _ in 0..self.steps {
            let cube = cube(bodies.iter().map(extent).fold(0.0, f64::max));
            let points = rope(self.leaf, bodies.iter().map(Body::point));
            let tree = grow(Serial, &points, cube, 0, &keep);
            let far = far(cube);
            let field = Field { tree, far };
            bodies = rope(self.leaf, bodies.iter().map(|body| field.moved(body)));
        }
        Some(bodies.into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Seq<Body>> {
        let keep = |points: &Rope<Point>, side: Side| {
            let points = points.par().splitting(policy).copied();
            points
                .filter(|point| side.has(point))
                .collect_rope(self.leaf)
        };
        let mut bodies = self.rope.clone();
        for _ in 0..self.steps {
            let all = || bodies.par().splitting(policy);
            let cube = cube(all().map(extent).reduce(|| 0.0, f64::max));
            let points = all().map(Body::point).collect_rope(self.leaf);
            let tree = grow(Heist, &points, cube, 0, &keep);
            let far = far(cube);
            let field = Field { tree, far };
            bodies = all().map(|body| field.moved(body)).collect_rope(self.leaf);
        }
        Some(bodies.into())
    }

    fn rayon(&self) -> Seq<Body> {
        self.on_slices(rivals::Rayon, |bodies, field| {
            bodies.par_iter().map(|body| field.moved(body)).collect()
        })
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Seq<Body> {
        self.on_slices(ctx, |bodies, field| {
            joins::map(ctx, bodies.len(), GRAIN, &|i| field.moved(&bodies[i]))
        })
    }

    fn check(&self, out: &Seq<Body>) -> Result<(), String> {
        let expected = self.expected();
        let mut seen = vec![false; expected.len()];
        let found = out.to_vec();
        if found.len() != expected.len() {
            return Err(format!("{} bodies, not {}", found.len(), expected.len()));
        }
        for body in found {
            let place = body.index as usize;
            if place >= seen.len() || std::mem::replace(&mut seen[place], true) {
                return Err(format!("{body:?} is none of the input, or there twice"));
            }
            let must = &expected[place];
            let alike = |is: [f64; 3], must: [f64; 3]| {
                is.iter()
                    .zip(must)
                    .all(|(&is, must)| near(is, must, TOLERANCE * (1.0 + must.abs())))
            };
            if !alike(body.at, must.at) || !alike(body.velocity, must.velocity) {
                return Err(format!("{body:?} should be {must:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_force_and_a_lost_body_fail() {
        let program = Bodies::new(plummer::cluster(300), 2, 7);
        let right = program.serial().to_vec();
        program.check(&right.clone().into()).unwrap();
        let mut wrong = right.clone();
        wrong[77].velocity[1] += 1e-10;
        assert!(program.check(&wrong.into()).is_err());
        let mut twice = right.clone();
        twice[5] = twice[6];
        assert!(program.check(&twice.into()).is_err());
        assert!(program.check(&right[..299].to_vec().into()).is_err());
    }

    #[test]
    fn both_ways_lead_to_the_same_tree() {
        let mut bodies = plummer::cluster(3000);
        bodies[7].at = bodies[8].at;
        bodies[9].at = [0.0; 3];
        let cube = Cube::around(&bodies);
        let points = rope(512, bodies.iter().map(Body::point));
        let keep = |points: &Rope<Point>, side: Side| {
            rope(7, points.iter().copied().filter(|point| side.has(point)))
        };
        let tree = grow(Serial, &points, cube, 0, &keep);
        assert_eq!(build(Serial, &mut bodies, cube, 0), tree);
    }
}
