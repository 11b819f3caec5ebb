//! Computes, for each node of a tree, the sum of the values on the path from the root to the node. The computation is a scan over a walk
//! around the tree: a node's value is added where the walk enters the node, and subtracted where the walk leaves it.

use heist::par::{DEFAULT_LEAF, Rope, Splitting, prelude::*};
use rayon::prelude::*;

use super::LoopProgram;
use super::joins;
use super::kernel::{Loop, Looped, Looping};
use super::seq::{Seq, rope, same};
use crate::bounds::within;
use crate::contender::Contender;
use crate::ctx::Ctx;
use crate::data::Data;
use crate::noise::word;
use crate::program::{Program, Size};

pub(super) const PROGRAM: LoopProgram = LoopProgram {
    program: Program {
        name: "rootfix",
        about: "sums values on the paths from the root to every node of a tree: a scan over a walk around it",
        source: "Rainey's thesis, Tree Rootfix, after NESL's; a random tree, its depth the square root of its nodes",
        contenders: Contender::LOOPS,
        prepare: |size, data| Ok(prepare(size, data, DEFAULT_LEAF)?),
    },
    has_ropes: true,
    prepare,
};

/// The number of steps or nodes that one of chili's tasks processes.
const GRAIN: usize = 4096;
/// The number of blocks for each thread in the scan for rayon. Rayon itself has no scan.
const BLOCKS: usize = 8;

struct Rootfix {
    /// The increments of the steps of the walk: a node's value where the walk enters the node, and its negative value where the
    /// walk leaves the node.
    walk: Vec<i64>,
    /// The step at which the walk enters each node.
    entries: Vec<u32>,
    rope_walk: Rope<i64>,
    rope_entries: Rope<u32>,
    leaf: usize,
    expected: Vec<i64>,
}

fn prepare(size: Size, _: &Data, leaf: usize) -> Result<Box<dyn Looping>, String> {
    let nodes = within(
        "the number of nodes",
        size.pick(500_000, 5_000_000),
        1..=500_000_000,
    )?;
    Ok(Box::new(Looped::new(Rootfix::new(nodes, leaf))))
}

impl Rootfix {
    /// Makes a tree. The parent of a node is random among the nodes directly before the node. The function chooses the number of candidates
    /// so that the depth of the tree is about the square root of the tree's size.
    fn new(nodes: usize, leaf: usize) -> Rootfix {
        let among = (nodes as f64).sqrt() as u64 + 1;
        let parent = |node: u64| (node - 1 - word(6, node) % node.min(among)) as usize;
        let value = |node: u64| (word(7, node) % 2001) as i64 - 1000;
        // A parent comes before its children, so its sum is already known.
        let mut expected: Vec<i64> = vec![value(0)];
        // The children of each node are a linked list, with the last child first.
        const NONE: u32 = u32::MAX;
        let (mut first, mut next) = (vec![NONE; nodes], vec![NONE; nodes]);
        for (node, next) in next.iter_mut().enumerate().skip(1) {
            let parent = parent(node as u64);
            expected.push(expected[parent] + value(node as u64));
            *next = std::mem::replace(&mut first[parent], node as u32);
        }
        let mut walk = Vec::with_capacity(2 * nodes);
        let mut entries = vec![0; nodes];
        // The nodes that the walk has to enter (`true`) or to leave.
        let mut ahead = vec![(0_u32, true)];
        while let Some((node, enters)) = ahead.pop() {
            let value = value(node.into());
            if !enters {
                walk.push(-value);
                continue;
            }
            entries[node as usize] = walk.len() as u32;
            walk.push(value);
            ahead.push((node, false));
            let mut child = first[node as usize];
            while child != NONE {
                ahead.push((child, true));
                child = next[child as usize];
            }
        }
        Rootfix {
            rope_walk: rope(leaf, walk.iter().copied()),
            rope_entries: rope(leaf, entries.iter().copied()),
            walk,
            entries,
            leaf,
            expected,
        }
    }
}

/// Returns, for each item, `sum` plus the sum of all items up to this item.
fn prefixes(items: &[i64], sum: i64) -> impl Iterator<Item = i64> {
    items.iter().scan(sum, |sum, item| {
        *sum += item;
        Some(*sum)
    })
}

/// Returns, for each block, the sum of all blocks before it. The argument has the sum of each block.
fn before(mut blocks: Vec<i64>) -> Vec<i64> {
    let mut sum = 0;
    for block in &mut blocks {
        sum += std::mem::replace(block, sum);
    }
    blocks
}

impl Loop for Rootfix {
    type Out = Seq<i64>;

    fn params(&self) -> String {
        format!("nodes={}", self.entries.len())
    }

    fn serial(&self) -> Seq<i64> {
        let sums: Vec<i64> = prefixes(&self.walk, 0).collect();
        let entries = self.entries.iter();
        entries
            .map(|&at| sums[at as usize])
            .collect::<Vec<_>>()
            .into()
    }

    fn slices<X: Splitting>(&self, policy: X) -> Seq<i64> {
        let walk = self.walk.par().splitting(policy).copied();
        let sums = walk.inclusive_scan(|a, b| a + b);
        let entries = self.entries.par().splitting(policy);
        entries
            .map(|&at| sums[at as usize])
            .collect::<Vec<_>>()
            .into()
    }

    fn serial_ropes(&self) -> Option<Seq<i64>> {
        // Make a vector, because the parallel scan of a rope makes a vector, too.
        let mut sums = Vec::with_capacity(self.rope_walk.len());
        let mut sum = 0;
        self.rope_walk.iter().for_each(|step| {
            sum += step;
            sums.push(sum);
        });
        let entries = self.rope_entries.iter();
        Some(rope(self.leaf, entries.map(|&at| sums[at as usize])).into())
    }

    fn ropes<X: Splitting>(&self, policy: X) -> Option<Seq<i64>> {
        let walk = self.rope_walk.par().splitting(policy).copied();
        let sums = walk.inclusive_scan(|a, b| a + b);
        let entries = self.rope_entries.par().splitting(policy);
        let found = entries.map(|&at| sums[at as usize]).collect_rope(self.leaf);
        Some(found.into())
    }

    fn rayon(&self) -> Seq<i64> {
        let blocks = BLOCKS * rayon::current_num_threads();
        let size = self.walk.len().div_ceil(blocks);
        let parts = || ParallelSlice::par_chunks(&self.walk[..], size);
        let totals = parts().map(|part| part.iter().sum()).collect();
        let mut sums = vec![0; self.walk.len()];
        ParallelSliceMut::par_chunks_mut(&mut sums[..], size)
            .zip(parts())
            .zip(before(totals))
            .for_each(|((out, part), sum)| {
                let all = prefixes(part, sum);
                out.iter_mut().zip(all).for_each(|(out, sum)| *out = sum);
            });
        let entries = self.entries.par_iter();
        entries
            .map(|&at| sums[at as usize])
            .collect::<Vec<_>>()
            .into()
    }

    fn joins<C: Ctx>(&self, ctx: C) -> Seq<i64> {
        let parts: Vec<&[i64]> = self.walk.chunks(GRAIN).collect();
        let totals = joins::map(ctx, parts.len(), 1, &|i| parts[i].iter().sum());
        let before = before(totals);
        let sums: Vec<Vec<i64>> = joins::map(ctx, parts.len(), 1, &|i| {
            prefixes(parts[i], before[i]).collect()
        });
        joins::map(ctx, self.entries.len(), GRAIN, &|node| {
            let at = self.entries[node] as usize;
            sums[at / GRAIN][at % GRAIN]
        })
        .into()
    }

    fn check(&self, out: &Seq<i64>) -> Result<(), String> {
        same(&out.to_vec(), &self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_sum_fails() {
        let program = Rootfix::new(500, 7);
        let sums = program.serial().to_vec();
        program.check(&sums.clone().into()).unwrap();
        let mut wrong = sums.clone();
        wrong[499] -= 1;
        assert!(program.check(&wrong.into()).is_err());
        program.check(&sums[1..].to_vec().into()).unwrap_err();
    }

    #[test]
    fn the_walk_ends_where_it_began() {
        for nodes in [1, 2, 3, 1000] {
            let program = Rootfix::new(nodes, 7);
            assert_eq!(program.walk.len(), 2 * nodes);
            assert_eq!(program.walk.iter().sum::<i64>(), 0);
            program.check(&program.serial()).unwrap();
        }
    }
}
