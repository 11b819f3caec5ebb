//! The motion of bodies that attract each other, by the algorithm of Barnes and Hut (*A hierarchical O(N log N)
//! force-calculation algorithm*, Nature 324, 1986).

pub(crate) mod octree;
pub(crate) mod plummer;

use std::sync::OnceLock;

use crate::bounds::within;
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};
use octree::{Body, Cell, Cube, DEEPEST, Node, build, far, pull, pull_of_all, together};

pub(super) const PROGRAM: Program = Program {
    name: "barnes-hut",
    about: "a step of a star cluster: builds an octree, then asks it for the forces on every body, a fork down to each",
    source: "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: Barnes-Hut, 100,000 bodies, after Lonestar",
    contenders: Contender::JOINS,
    prepare,
};

/// The time of a step, in units of the cluster.
const STEP: f64 = 0.025;
/// The maximum mean error of accelerations. With an opening parameter of 0.5, the error is under 1 %.
const TOLERANCE: f64 = 0.02;
/// The number of accelerations that the check compares with exact values.
const SAMPLES: usize = 64;

/// Returns the body after one more step.
pub(crate) fn moved(body: &Body, acceleration: [f64; 3]) -> Body {
    let velocity = add(body.velocity, acceleration);
    Body {
        at: add(body.at, velocity),
        velocity,
        ..*body
    }
}

/// Returns the value of a quantity after a step, if it changes at the given rate during the step.
fn add(mut what: [f64; 3], rate: [f64; 3]) -> [f64; 3] {
    for (what, rate) in what.iter_mut().zip(rate) {
        *what += STEP * rate;
    }
    what
}

/// Moves every body by its acceleration and its velocity.
fn advance<C: Ctx>(ctx: C, tree: &Node, far: f64, bodies: &mut [Body], out: &mut [[f64; 3]]) {
    if let ([body], [out]) = (&mut *bodies, &mut *out) {
        *out = [0.0; 3];
        pull(tree, far, &body.at, out);
        *body = moved(body, *out);
        return;
    }
    let middle = bodies.len() / 2;
    let (left, right) = bodies.split_at_mut(middle);
    let (left_out, right_out) = out.split_at_mut(middle);
    ctx.join(
        |c| advance(c, tree, far, left, left_out),
        |c| advance(c, tree, far, right, right_out),
    );
}

struct Run<'a> {
    bodies: &'a mut [Body],
    out: &'a mut [[f64; 3]],
}

impl Kernel for Run<'_> {
    type Out = ();

    fn call<C: Ctx>(self, ctx: C) {
        let cube = Cube::around(self.bodies);
        let tree = build(ctx, self.bodies, cube, 0);
        advance(ctx, &tree, far(cube), self.bodies, self.out);
    }
}

struct BarnesHut {
    input: Vec<Body>,
    bodies: Vec<Body>,
    /// Accelerations, in the order of `bodies`.
    out: Vec<[f64; 3]>,
    /// The expected result, in the order of the input.
    expected: Vec<[f64; 3]>,
    forks: OnceLock<u64>,
}

/// Puts a body into the tree, as Lonestar does. When all bodies are in the tree, it is the same tree as the tree that `build` makes.
fn insert(node: &mut Node, cube: Cube, depth: u32, body: Body) {
    match node {
        Node::Empty => *node = Node::Leaf(body.point()),
        Node::Leaf(point) if depth == DEEPEST => {
            *point = together([*point, body.point()].into_iter());
        }
        Node::Leaf(point) => {
            let other = Body {
                at: point.at,
                mass: point.mass,
                ..body
            };
            *node = Node::Cell(Box::new(Cell {
                all: Default::default(),
                parts: [const { Node::Empty }; 8],
            }));
            insert(node, cube, depth, other);
            insert(node, cube, depth, body);
        }
        Node::Cell(cell) => {
            let above = |axis: usize| usize::from(body.at[axis] >= cube.centre[axis]) << axis;
            let number = above(0) | above(1) | above(2);
            insert(
                &mut cell.parts[number],
                cube.octant(number),
                depth + 1,
                body,
            );
        }
    }
}

/// Computes the centres of mass, from the leaves up.
fn weigh(node: &mut Node) {
    if let Node::Cell(cell) = node {
        cell.parts.iter_mut().for_each(weigh);
        cell.all = together(cell.parts.iter().filter_map(Node::point));
    }
}

/// Makes the tree by adding the bodies one by one.
pub(crate) fn inserted(bodies: &[Body], cube: Cube) -> Node {
    let mut tree = Node::Empty;
    for &body in bodies {
        insert(&mut tree, cube, 0, body);
    }
    weigh(&mut tree);
    tree
}

impl BarnesHut {
    fn new(n: usize) -> Result<BarnesHut, String> {
        let input = plummer::cluster(n);
        let cube = Cube::around(&input);
        let tree = inserted(&input, cube);
        let mut expected = vec![[0.0; 3]; n];
        for (body, sum) in input.iter().zip(&mut expected) {
            pull(&tree, far(cube), &body.at, sum);
        }
        let (mut off, mut all) = (0.0, 0.0);
        for sample in 0..SAMPLES.min(n) {
            let place = sample * n / SAMPLES.min(n);
            let exact = pull_of_all(&input, &input[place].at);
            for (found, exact) in expected[place].iter().zip(exact) {
                off += (found - exact).powi(2);
                all += exact * exact;
            }
        }
        if off > TOLERANCE * TOLERANCE * all {
            return Err(format!(
                "the octree's forces are off by {:.1} % of the exact ones",
                100.0 * (off / all).sqrt()
            ));
        }
        Ok(BarnesHut {
            bodies: input.clone(),
            out: vec![[f64::NAN; 3]; n],
            input,
            expected,
            forks: OnceLock::new(),
        })
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let n = within(
        "the number of bodies",
        size.pick(10_000, 100_000),
        2..=10_000_000,
    )?;
    Ok(Box::new(BarnesHut::new(n)?))
}

impl Instance for BarnesHut {
    fn params(&self) -> String {
        format!("bodies={}", self.input.len())
    }

    fn reset(&mut self) {
        self.bodies.copy_from_slice(&self.input);
        self.out.fill([f64::NAN; 3]);
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        on.run(
            who,
            Run {
                bodies: &mut self.bodies,
                out: &mut self.out,
            },
        );
    }

    /// Compares the result with the result for a tree to which the bodies were added one by one. The sums in the two trees have the same
    /// order, so the results are equal to the last bit.
    fn check(&mut self) -> Result<(), String> {
        let mut seen = vec![false; self.input.len()];
        for (body, found) in self.bodies.iter().zip(&self.out) {
            let place = body.index as usize;
            if place >= seen.len() || std::mem::replace(&mut seen[place], true) {
                return Err(format!("{body:?} is none of the input, or there twice"));
            }
            let must = self.expected[place];
            if *found != must || *body != moved(&self.input[place], must) {
                return Err(format!(
                    "body {place} is accelerated by {found:?} instead of {must:?}, or has not moved by that"
                ));
            }
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            let (mut bodies, mut out) = (self.input.clone(), self.out.clone());
            forks_of(Run {
                bodies: &mut bodies,
                out: &mut out,
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;

    #[test]
    fn both_ways_lead_to_the_same_tree() {
        let mut bodies = plummer::cluster(3000);
        // Put two bodies at the same point, and one body on a border of octants.
        bodies[7].at = bodies[8].at;
        bodies[9].at = [0.0; 3];
        let cube = Cube::around(&bodies);
        let tree = inserted(&bodies, cube);
        assert_eq!(build(Serial, &mut bodies, cube, 0), tree);
        let mass = tree.point().unwrap().mass;
        assert!((mass - 1.0).abs() < 1e-12, "{mass}");
    }

    #[test]
    fn a_wrong_force_and_a_lost_body_fail() {
        let mut program = BarnesHut::new(300).unwrap();
        assert!(program.check().is_err());
        program.run(Contender::Serial, &Runner::new(1).unwrap());
        program.check().unwrap();
        let right = program.out[77];
        program.out[77][1] += 1e-12;
        assert!(program.check().is_err());
        program.out[77] = right;
        program.bodies[5] = program.bodies[6];
        assert!(program.check().is_err());
    }
}
