//! The program *binary trees* of the Computer Language Benchmarks Game. The program makes and counts many perfect trees, with a future for
//! each node.
//!
//! Under Heist and Tokio a node holds the futures of its two subtrees. A task waits for the futures of the subtrees only when it counts the
//! tree. So the program waits for a task some time after it has spawned the task, as in the paper. Rayon has no futures: it forks and joins
//! to make a tree, and to count it.

use heist::sync::{Future, future};
use tokio::task::JoinHandle;

use super::pools::Form;
use super::{Entrant, Entry, Input, Instance, Pools};
use crate::bounds::within;

pub(super) const PROGRAM: Entry = Entry {
    name: "binary-trees",
    about: "makes and counts many perfect binary trees, a future for each node",
    source: "Imam and Sarkar (X10 2014), figure 3: Binary Trees, depth 10",
    entrants: &[
        Entrant::Serial,
        Entrant::HeistAsync,
        Entrant::HeistFiber,
        Entrant::HeistBlocking,
        Entrant::Tokio,
        Entrant::Rayon,
    ],
    inputs: &[Input::Generated],
    prepare: |_, size, _| {
        let depth = within("the depth", size.pick(10, 10), 1..=20)? as u32;
        Ok(Box::new(BinaryTrees {
            depth,
            counts: Vec::new(),
        }))
    },
};

/// The depth of the smallest trees.
const LEAST: u32 = 4;

struct BinaryTrees {
    depth: u32,
    counts: Vec<u64>,
}

/// Returns the trees in the order in which the program makes them, as three parts. The first part is the depth of the first tree, which is
/// deeper than all other trees. The second part is the depth of the tree that the program keeps until the end. The third part is a list of
/// depths, each with the number of trees of this depth.
fn trees(depth: u32) -> (u32, u32, impl Iterator<Item = (u32, u64)>) {
    let most = depth.max(LEAST + 2);
    let many = (LEAST..=most).step_by(2);
    (
        most + 1,
        most,
        many.map(move |d| (d, 1 << (most - d + LEAST))),
    )
}

impl Instance for BinaryTrees {
    fn params(&self) -> String {
        let (stretch, kept, many) = trees(self.depth);
        let nodes = |depth: u32| (2 << depth) - 1;
        let sum: u64 = many.map(|(depth, count)| count * nodes(depth)).sum();
        let sum = sum + nodes(stretch) + nodes(kept);
        format!("depth={kept} nodes={sum}")
    }

    fn reset(&mut self) {
        self.counts.clear();
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        let depth = self.depth;
        self.counts = match who {
            Entrant::Serial => all(depth, Tree::make, Tree::count),
            Entrant::HeistAsync => {
                let counts = pools.heist(Form::Async)?.spawn_async(all_async(depth));
                counts.get().clone()
            }
            Entrant::HeistFiber => {
                let make: fn(u32) -> Later = |depth| Later::make(depth, Form::Fiber);
                let pool = pools.heist(Form::Fiber)?;
                let counts = pool.spawn_fiber(move || all(depth, make, Later::count));
                counts.get().clone()
            }
            Entrant::HeistBlocking => {
                let make: fn(u32) -> Later = |depth| Later::make(depth, Form::Blocking);
                let pool = pools.heist(Form::Blocking)?;
                pool.install(|| all(depth, make, Later::count))
            }
            Entrant::Rayon => pools.on_rayon(|| all(depth, Tree::fork, Tree::fork_count)),
            Entrant::Tokio => pools.on_tokio(all_promised(depth)),
            Entrant::Threads => return Err("threads: a thread a node would be too many".to_owned()),
        };
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check(self.depth, &self.counts)
    }
}

/// Checks the numbers of nodes of the deepest tree, of all trees of each depth, and of the tree that was kept.
///
/// # Errors
/// Returns a one-line error that names the wrong numbers.
pub fn check(depth: u32, counts: &[u64]) -> Result<(), String> {
    let (stretch, kept, many) = trees(depth);
    let must: Vec<(u32, u64)> = [(stretch, 1)]
        .into_iter()
        .chain(many)
        .chain([(kept, 1)])
        .collect();
    if counts.len() != must.len() {
        return Err(format!("{} counts, not {}", counts.len(), must.len()));
    }
    for (&is, (depth, trees)) in counts.iter().zip(must) {
        let must = trees * ((2 << depth) - 1);
        if is != must {
            return Err(format!(
                "{trees} trees of depth {depth} have {is} nodes, not {must}"
            ));
        }
    }
    Ok(())
}

fn all<T>(depth: u32, make: fn(u32) -> T, count: fn(&T) -> u64) -> Vec<u64> {
    let (stretch, kept, many) = trees(depth);
    let mut counts = vec![count(&make(stretch))];
    let keep = make(kept);
    for (depth, trees) in many {
        counts.push((0..trees).map(|_| count(&make(depth))).sum());
    }
    counts.push(count(&keep));
    counts
}

/// A tree: `None` for a leaf, or the two subtrees of an inner node.
struct Tree(Option<Box<(Tree, Tree)>>);

impl Tree {
    fn make(depth: u32) -> Tree {
        Tree((depth > 0).then(|| Box::new((Tree::make(depth - 1), Tree::make(depth - 1)))))
    }

    fn count(&self) -> u64 {
        self.0
            .as_ref()
            .map_or(1, |below| 1 + below.0.count() + below.1.count())
    }

    fn fork(depth: u32) -> Tree {
        let below = || rayon::join(|| Tree::fork(depth - 1), || Tree::fork(depth - 1));
        Tree((depth > 0).then(|| Box::new(below())))
    }

    fn fork_count(&self) -> u64 {
        self.0.as_ref().map_or(1, |below| {
            let (left, right) = rayon::join(|| below.0.fork_count(), || below.1.fork_count());
            1 + left + right
        })
    }
}

/// A tree whose subtrees Heist's tasks are making.
struct Later(Option<Box<(Future<Later>, Future<Later>)>>);

impl Later {
    fn make(depth: u32, form: Form) -> Later {
        let make = move || Later::make(depth - 1, form);
        let below = || match form {
            Form::Async => heist::spawn_async(async move { make() }),
            Form::Fiber => heist::spawn_fiber(make),
            Form::Blocking => future(make),
        };
        Later((depth > 0).then(|| Box::new((below(), below()))))
    }

    fn count(&self) -> u64 {
        let mut count = 0;
        let mut left = vec![self];
        while let Some(tree) = left.pop() {
            count += 1;
            if let Some(below) = &tree.0 {
                left.extend([below.0.get(), below.1.get()]);
            }
        }
        count
    }

    async fn count_async(&self) -> u64 {
        let mut count = 0;
        let mut left = vec![self];
        while let Some(tree) = left.pop() {
            count += 1;
            if let Some(below) = &tree.0 {
                left.extend([(&below.0).await, (&below.1).await]);
            }
        }
        count
    }
}

async fn all_async(depth: u32) -> Vec<u64> {
    let make = |depth| Later::make(depth, Form::Async);
    let (stretch, kept, many) = trees(depth);
    let mut counts = vec![make(stretch).count_async().await];
    let keep = make(kept);
    for (depth, trees) in many {
        let mut count = 0;
        for _ in 0..trees {
            count += make(depth).count_async().await;
        }
        counts.push(count);
    }
    counts.push(keep.count_async().await);
    counts
}

/// A tree whose subtrees Tokio's tasks are making.
struct Promised(Option<Box<(JoinHandle<Promised>, JoinHandle<Promised>)>>);

impl Promised {
    fn make(depth: u32) -> Promised {
        let below = || tokio::spawn(async move { Promised::make(depth - 1) });
        Promised((depth > 0).then(|| Box::new((below(), below()))))
    }

    async fn count(self) -> u64 {
        let mut count = 0;
        let mut left = vec![self];
        while let Some(tree) = left.pop() {
            count += 1;
            if let Some(below) = tree.0 {
                let (first, second) = *below;
                for subtree in [first, second] {
                    left.push(subtree.await.expect("making a tree does not panic"));
                }
            }
        }
        count
    }
}

async fn all_promised(depth: u32) -> Vec<u64> {
    let (stretch, kept, many) = trees(depth);
    let mut counts = vec![Promised::make(stretch).count().await];
    let keep = Promised::make(kept);
    for (depth, trees) in many {
        let mut count = 0;
        for _ in 0..trees {
            count += Promised::make(depth).count().await;
        }
        counts.push(count);
    }
    counts.push(keep.count().await);
    counts
}
