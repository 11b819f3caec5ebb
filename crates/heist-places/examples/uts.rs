//! Counts an unbalanced tree over all places: `HEIST_PLACES=4 cargo run --release -p heist-places --example uts -- 10`
//!
//! The tree is T1 of UTS 1.1 (Olivier et al., LCPC 2006), down to the depth in the argument; with depth 10 it has
//! 4,130,071 nodes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use heist_places::{Bag, PlaceError, World, register_bag};
use serde::{Deserialize, Serialize};
use sha1::block_api::compress;

/// The mean number of children of a node.
const B0: f64 = 4.0;
const SEED: u32 = 19;

/// The number of nodes that this process has visited. Relaxed: it is read when the work is done.
static VISITED: AtomicU64 = AtomicU64::new(0);

type State = [u32; 5];

/// Returns the SHA-1 of a message that fills exactly one block after padding.
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

/// A node, and the range of its children that have not been visited.
#[derive(Serialize, Deserialize)]
struct Family {
    state: State,
    height: u32,
    from: u32,
    to: u32,
}

/// A bag: the nodes to visit, and the number of visited nodes.
#[derive(Serialize, Deserialize)]
pub(crate) struct Tree {
    depth: u32,
    families: Vec<Family>,
    pub(crate) nodes: u64,
}

impl Tree {
    pub(crate) fn new(depth: u32) -> Self {
        let mut tree = Tree {
            depth,
            families: Vec::new(),
            nodes: 0,
        };
        tree.visit(hash(&[0, 0, 0, 0, SEED]), 0);
        tree
    }

    fn visit(&mut self, state: State, height: u32) {
        self.nodes += 1;
        if height >= self.depth {
            return;
        }
        let u = f64::from(state[4] & 0x7FFF_FFFF) / 2_147_483_648.0;
        // The inverse of the geometric distribution with this mean.
        let p = 1.0 / (1.0 + B0);
        let children = ((1.0 - u).ln() / (1.0 - p).ln()).floor() as u32;
        if children > 0 {
            self.families.push(Family {
                state,
                height,
                from: 0,
                to: children.min(100),
            });
        }
    }
}

impl Bag for Tree {
    fn process(&mut self, most: usize) -> bool {
        let before = self.nodes;
        for _ in 0..most {
            let Some(last) = self.families.last_mut() else {
                break;
            };
            let [a, b, c, d, e] = last.state;
            let (child, height) = (hash(&[a, b, c, d, e, last.from]), last.height + 1);
            last.from += 1;
            if last.from == last.to {
                self.families.pop();
            }
            self.visit(child, height);
        }
        VISITED.fetch_add(self.nodes - before, Ordering::Relaxed);
        !self.families.is_empty()
    }

    fn split(&mut self) -> Option<Self> {
        let mut given = Vec::new();
        for family in &mut self.families {
            let middle = family.from + (family.to - family.from).div_ceil(2);
            if middle < family.to {
                given.push(Family {
                    from: middle,
                    ..*family
                });
                family.to = middle;
            }
        }
        (!given.is_empty()).then_some(Tree {
            depth: self.depth,
            families: given,
            nodes: 0,
        })
    }

    fn merge(&mut self, mut other: Self) {
        self.families.append(&mut other.families);
        self.nodes += other.nodes;
    }
}

register_bag!(Tree);

pub(crate) fn count(world: &World, depth: u32) -> Result<u64, PlaceError> {
    Ok(world.balance(Tree::new(depth)).wait()?.nodes)
}

pub(crate) fn main() -> Result<(), PlaceError> {
    let depth = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(10);
    heist_places::run(|world| {
        if world.here() == 0 {
            let started = Instant::now();
            let nodes = count(&world, depth)?;
            let (places, workers) = (world.places(), world.workers());
            println!(
                "{nodes} nodes in {:.3?} on {places} places of {workers} workers",
                started.elapsed()
            );
        }
        // While the other places wait in this barrier, their workers process nodes.
        world.barrier().wait()?;
        let visited = world.gather(VISITED.load(Ordering::Relaxed));
        if let Some(visited) = visited.wait()? {
            println!("nodes by place, without the root: {visited:?}");
        }
        Ok(())
    })?
}
