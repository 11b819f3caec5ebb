//! Unbalanced tree search: a walk over a tree of unpredictable shape. The walk makes the nodes of the tree by hashing.
//!
//! The generator, the sample trees and their counts come from UTS 1.1 (Olivier et al., LCPC 2006).

use sha1::block_api::compress;

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::{Ctx, fold};
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const BIN: Program = Program {
    name: "uts-bin",
    about: "counts an unbalanced binomial tree (T3), deep and thin, a fork for every child but the last",
    source: "Olivier et al., UTS (LCPC 2006), sample tree T3",
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(Shape::Binomial, size),
};

pub(super) const GEO: Program = Program {
    name: "uts-geo",
    about: "counts an unbalanced geometric tree of fixed branching (T1), a fork for every child but the last",
    source: "Olivier et al., UTS (LCPC 2006), sample tree T1",
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(Shape::Fixed, size),
};

pub(super) const CYCLIC: Program = Program {
    name: "uts-cyclic",
    about: "counts an unbalanced geometric tree of cyclic branching (T2), a fork for every child but the last",
    source: "Kumar et al., Friendly Barriers (VEE 2014), section 3.1: UTS with tree type T2",
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(Shape::Cyclic, size),
};

pub(super) const LINEAR: Program = Program {
    name: "uts-linear",
    about: "counts an unbalanced geometric tree of falling branching (T5), a fork for every child but the last",
    source: "Olivier et al., UTS (LCPC 2006), sample tree T5",
    contenders: Contender::JOINS,
    prepare: |size, _| prepare(Shape::Linear, size),
};

/// The rule for the number of children of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Binomial,
    Fixed,
    Cyclic,
    Linear,
}

/// The maximum number of children of a node, except for the root of a binomial tree.
const MOST_CHILDREN: u32 = 100;

/// A tree of the benchmark.
#[derive(Clone, Copy, Debug)]
struct Tree {
    shape: Shape,
    seed: u32,
    /// The branching factor of the root.
    b0: f64,
    /// The depth of a geometric tree. For a cyclic tree, the length of its cycle.
    depth: f64,
}

/// The counts that the benchmark publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Census {
    nodes: u64,
    leaves: u64,
    depth: u32,
}

impl Census {
    #[inline]
    fn merge(self, other: Census) -> Census {
        Census {
            nodes: self.nodes + other.nodes,
            leaves: self.leaves + other.leaves,
            depth: self.depth.max(other.depth),
        }
    }
}

type State = [u32; 5];

/// Returns the SHA-1 hash of a message. The message and its padding must fit into one block.
fn hash(words: &[u32]) -> State {
    let mut block = [0; 64];
    for (slot, word) in block.chunks_exact_mut(4).zip(words) {
        slot.copy_from_slice(&word.to_be_bytes());
    }
    block[4 * words.len()] = 0x80;
    block[62..].copy_from_slice(&(32 * words.len() as u16).to_be_bytes());
    let mut state = [
        0x6745_2301,
        0xEFCD_AB89,
        0x98BA_DCFE,
        0x1032_5476,
        0xC3D2_E1F0,
    ];
    compress(&mut state, &[block]);
    state
}

#[derive(Clone, Copy)]
struct Node {
    state: State,
    height: u32,
}

impl Node {
    fn root(tree: &Tree) -> Node {
        Node {
            state: hash(&[0, 0, 0, 0, tree.seed]),
            height: 0,
        }
    }

    #[inline]
    fn child(&self, index: u32) -> Node {
        let [a, b, c, d, e] = self.state;
        Node {
            state: hash(&[a, b, c, d, e, index]),
            height: self.height + 1,
        }
    }

    #[inline]
    fn children(&self, tree: &Tree) -> u32 {
        let u = f64::from(self.state[4] & 0x7FFF_FFFF) / 2_147_483_648.0;
        let height = f64::from(self.height);
        let b = match tree.shape {
            Shape::Binomial if self.height == 0 => return tree.b0 as u32,
            Shape::Binomial => return if u < 0.124_875 { 8 } else { 0 },
            _ if self.height == 0 => tree.b0,
            Shape::Fixed => {
                if height < tree.depth {
                    tree.b0
                } else {
                    0.0
                }
            }
            Shape::Cyclic if height > 5.0 * tree.depth => 0.0,
            Shape::Cyclic => tree
                .b0
                .powf((2.0 * std::f64::consts::PI * height / tree.depth).sin()),
            Shape::Linear => tree.b0 * (1.0 - height / tree.depth),
        };
        // The inverse of the geometric distribution with mean b.
        let p = 1.0 / (1.0 + b);
        (((1.0 - u).ln() / (1.0 - p).ln()).floor() as u32).min(MOST_CHILDREN)
    }
}

fn walk<C: Ctx>(ctx: C, tree: &Tree, node: Node) -> Census {
    let children = node.children(tree);
    if children == 0 {
        return Census {
            nodes: 1,
            leaves: 1,
            depth: node.height,
        };
    }
    let below = fold(
        ctx,
        0..children as usize,
        &|c, index| walk(c, tree, node.child(index as u32)),
        &Census::merge,
    );
    Census {
        nodes: below.nodes + 1,
        ..below
    }
}

#[derive(Clone)]
struct Run(Tree);

impl Kernel for Run {
    type Out = Census;

    fn call<C: Ctx>(self, ctx: C) -> Census {
        walk(ctx, &self.0, Node::root(&self.0))
    }
}

/// Returns the published counts of a tree, if there are any.
fn published(tree: &Tree) -> Option<Census> {
    let (nodes, leaves, depth) = match (tree.shape, tree.b0 as u32, tree.depth as u32) {
        (Shape::Binomial, 2000, _) => (4_112_897, 3_599_034, 1572),
        (Shape::Fixed, 4, 10) => (4_130_071, 3_305_118, 10),
        (Shape::Cyclic, 6, 16) => (4_117_769, 2_342_762, 81),
        (Shape::Linear, 4, 20) => (4_147_582, 2_181_318, 20),
        _ => return None,
    };
    Some(Census {
        nodes,
        leaves,
        depth,
    })
}

/// Computes the counts with a loop over a stack, for trees without published counts.
fn survey(tree: &Tree) -> Census {
    let mut census = Census {
        nodes: 0,
        leaves: 0,
        depth: 0,
    };
    let mut stack = vec![Node::root(tree)];
    while let Some(node) = stack.pop() {
        census.nodes += 1;
        census.depth = census.depth.max(node.height);
        match node.children(tree) {
            0 => census.leaves += 1,
            children => stack.extend((0..children).map(|index| node.child(index))),
        }
    }
    census
}

fn tree(shape: Shape, n: usize) -> Tree {
    let n = n as f64;
    match shape {
        Shape::Binomial => Tree {
            shape,
            seed: 42,
            b0: n,
            depth: 0.0,
        },
        Shape::Fixed => Tree {
            shape,
            seed: 19,
            b0: 4.0,
            depth: n,
        },
        Shape::Cyclic => Tree {
            shape,
            seed: 502,
            b0: 6.0,
            depth: n,
        },
        Shape::Linear => Tree {
            shape,
            seed: 34,
            b0: 4.0,
            depth: n,
        },
    }
}

/// Returns the tree for a size, and the name of the parameter that the size determines.
fn sized(shape: Shape, size: Size) -> Result<(Tree, &'static str), String> {
    let ((quick, paper), bounds, what) = match shape {
        // The first 129 children of the root have few descendants, and the next child has two million descendants.
        Shape::Binomial => ((200, 2000), 1..=20_000, "root's children"),
        Shape::Fixed => ((8, 10), 1..=13, "depth"),
        Shape::Cyclic => ((9, 16), 1..=16, "cycle"),
        Shape::Linear => ((14, 20), 1..=24, "depth"),
    };
    let n = within(&format!("the {what}"), size.pick(quick, paper), bounds)?;
    Ok((tree(shape, n), what))
}

fn params(tree: &Tree, what: &str, nodes: u64, depth: u32) -> String {
    let n = match tree.shape {
        Shape::Binomial => tree.b0,
        _ => tree.depth,
    };
    if what == "depth" {
        format!("nodes={nodes} depth={n}")
    } else {
        format!("{what}={n} nodes={nodes} depth={depth}")
    }
}

fn prepare(shape: Shape, size: Size) -> Result<Box<dyn Instance>, String> {
    let (tree, what) = sized(shape, size)?;
    let expected = published(&tree).unwrap_or_else(|| survey(&tree));
    let params = params(&tree, what, expected.nodes, expected.depth);
    Ok(Box::new(Value::new(params, Run(tree), expected)))
}

/// A node of a tree of UTS, for callers that walk over the tree in their own way.
///
/// ```
/// use heist_suite::{Size, UtsNode};
///
/// let root = UtsNode::root("uts-geo", Size::Quick).unwrap().unwrap();
/// assert!(root.height() == 0 && root.children() > 0);
/// assert_eq!(root.child(0).height(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct UtsNode {
    tree: Tree,
    node: Node,
}

impl UtsNode {
    /// The names of the programs that [`root`](UtsNode::root) accepts.
    pub const TREES: [&'static str; 4] = [GEO.name, BIN.name, CYCLIC.name, LINEAR.name];

    /// Returns the root of the tree that a program of the suite counts, or `None` if there is no such program.
    ///
    /// # Errors
    ///
    /// If the size is out of the program's bounds, the inner result is an error.
    ///
    /// # Examples
    ///
    /// See [`UtsNode`].
    pub fn root(program: &str, size: Size) -> Option<Result<UtsNode, String>> {
        let programs = [
            (GEO.name, Shape::Fixed),
            (BIN.name, Shape::Binomial),
            (CYCLIC.name, Shape::Cyclic),
            (LINEAR.name, Shape::Linear),
        ];
        let &(_, shape) = programs.iter().find(|(name, _)| *name == program)?;
        Some(sized(shape, size).map(|(tree, _)| UtsNode {
            tree,
            node: Node::root(&tree),
        }))
    }

    /// Returns the number of children. Takes about as long as the computation of a logarithm.
    ///
    /// # Examples
    ///
    /// See [`UtsNode`].
    pub fn children(&self) -> u32 {
        self.node.children(&self.tree)
    }

    /// Returns the child with this number. Takes about as long as hashing one SHA-1 block.
    ///
    /// # Examples
    ///
    /// See [`UtsNode`].
    #[must_use]
    pub fn child(&self, index: u32) -> UtsNode {
        UtsNode {
            tree: self.tree,
            node: self.node.child(index),
        }
    }

    /// Returns the number of edges from the root.
    ///
    /// # Examples
    ///
    /// See [`UtsNode`].
    pub fn height(&self) -> u32 {
        self.node.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_sha1() {
        use sha1::{Digest, Sha1};
        for words in [
            &[0u32, 0, 0, 0, 42][..],
            &[1, 2, 3, 4, 5, 6],
            &[u32::MAX; 6],
        ] {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            let digest = Sha1::digest(&bytes);
            let ours: Vec<u8> = hash(words)
                .iter()
                .flat_map(|word| word.to_be_bytes())
                .collect();
            assert_eq!(ours, digest.to_vec());
        }
    }

    /// This test runs only in optimised builds, because it takes minutes in other builds.
    #[test]
    #[cfg_attr(debug_assertions, ignore)]
    fn published_counts_hold() {
        for (shape, n) in [
            (Shape::Binomial, 2000),
            (Shape::Fixed, 10),
            (Shape::Cyclic, 16),
            (Shape::Linear, 20),
        ] {
            let tree = tree(shape, n);
            assert_eq!(Some(survey(&tree)), published(&tree), "{shape:?}");
        }
    }

    #[test]
    fn the_walk_agrees_with_the_loop() {
        for (shape, n) in [
            (Shape::Binomial, 20),
            (Shape::Fixed, 5),
            (Shape::Cyclic, 4),
            (Shape::Linear, 8),
        ] {
            let tree = tree(shape, n);
            assert_eq!(
                Run(tree).call(crate::ctx::Serial),
                survey(&tree),
                "{shape:?}"
            );
        }
    }
}
