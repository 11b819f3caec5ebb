//! The sum over a binary tree on the heap.

use std::sync::Arc;

use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Instance, Program, Size};
use crate::runner::Kernel;
use crate::value::Value;

pub(super) const PROGRAM: Program = Program {
    name: "tree",
    about: "the sum over a balanced binary tree of separately allocated nodes, a fork at every inner node",
    source: "Imam and Sarkar, A Case for Cooperative Scheduling, binary trees; Spice and Chili's benchmark",
    contenders: Contender::JOINS,
    prepare,
};

struct Node {
    value: u64,
    below: Option<(Box<Node>, Box<Node>)>,
}

impl Node {
    /// Makes a tree with `leaves` leaves, level by level from the leaves up, and numbers the nodes in this order. A recursion would place
    /// the nodes in memory in the order of a walk that begins with the left branch, or with the right branch. In a measurement, a contender
    /// that begins with the opposite branch then took twice as long, only because of this order.
    fn grow(leaves: usize) -> Box<Node> {
        let mut values = (0..).map(|i| word(1, i));
        let mut node = |below| {
            Box::new(Node {
                value: values.next().unwrap_or(0),
                below,
            })
        };
        let mut level: Vec<Box<Node>> = (0..leaves).map(|_| node(None)).collect();
        while level.len() > 1 {
            let mut above = Vec::with_capacity(level.len().div_ceil(2));
            let mut below = level.into_iter();
            while let Some(left) = below.next() {
                above.push(match below.next() {
                    Some(right) => node(Some((left, right))),
                    None => left,
                });
            }
            level = above;
        }
        level.remove(0)
    }
}

fn sum<C: Ctx>(ctx: C, node: &Node) -> u64 {
    match &node.below {
        None => node.value,
        Some((left, right)) => {
            let (a, b) = ctx.join(move |c| sum(c, left), move |c| sum(c, right));
            node.value.wrapping_add(a).wrapping_add(b)
        }
    }
}

#[derive(Clone)]
struct Run(Arc<Node>);

impl Kernel for Run {
    type Out = u64;

    fn call<C: Ctx>(self, ctx: C) -> u64 {
        sum(ctx, &self.0)
    }
}

fn prepare(size: Size, _: &Data) -> Result<Box<dyn Instance>, String> {
    let leaves = within(
        "the number of leaves",
        size.pick(1 << 21, 1 << 24),
        1..=1 << 26,
    )?;
    let root = Node::grow(leaves);
    // In a binary tree of any shape, the number of inner nodes is one less than the number of leaves.
    let expected = (0..2 * leaves as u64 - 1).fold(0, |sum: u64, i| sum.wrapping_add(word(1, i)));
    Ok(Box::new(Value::new(
        format!("leaves={leaves}"),
        Run(Arc::from(root)),
        expected,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fork_an_inner_node() {
        for leaves in [1, 2, 3, 1000] {
            assert_eq!(
                prepare(Size::N(leaves), &Data::default()).unwrap().forks(),
                Some(leaves - 1)
            );
        }
    }
}
