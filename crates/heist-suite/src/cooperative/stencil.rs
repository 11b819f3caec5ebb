//! A five-point stencil on a mesh of doubles, with a block of rows for each task. Between sweeps, all blocks wait at a barrier,
//! or each block waits only for the blocks above and below it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use super::program::{Checked, Entry, in_local_rounds, in_rounds};
use super::rounds::{Local, Rounds, Step};
use super::{Entrant, Input, MOST_THREADS};
use crate::bounds::within;
use crate::noise::unit;
use crate::program::Size;

pub(super) const BARRIER: Entry = Entry {
    name: "stencil",
    about: "a five-point stencil, a task for each block of rows, a barrier of all after each sweep",
    source: "the use of phasers as barriers: Imam and Sarkar (X10 2014), section 1",
    entrants: Entrant::ALL,
    inputs: &[Input::Generated],
    prepare: |_, size, _| Ok(in_rounds(Arc::new(Mesh::new(blocks(size)?)))),
};

pub(super) const NEIGHBOURS: Entry = Entry {
    name: "stencil-neighbours",
    about: "the same stencil, each block waiting only for the blocks above and below it",
    source: "point-to-point phasers, in place of a barrier of all",
    entrants: Entrant::WAITING,
    inputs: &[Input::Generated],
    prepare: |_, size, _| Ok(in_local_rounds(Arc::new(Mesh::new(blocks(size)?)))),
};

fn blocks(size: Size) -> Result<usize, String> {
    within(
        "the number of blocks",
        size.pick(512, 512),
        1..=MOST_THREADS as u64,
    )
}

/// The number of rows of a block. A block has only two rows, and neighbours read both rows. So the cost of waiting is as large as possible
/// relative to the work.
const ROWS: usize = 2;
const COLUMNS: usize = 128;
const SWEEPS: usize = 50;
/// The value above the mesh. At the other sides of the mesh, the value is 0.
const TOP: f64 = 1.0;

/// Returns the new value of a point.
#[inline]
fn point(above: f64, left: f64, here: f64, right: f64, below: f64) -> f64 {
    0.2 * (above + left + here + right + below)
}

/// The kernel: a mesh of blocks of rows.
#[derive(Debug)]
pub struct Mesh {
    /// The private state of each block.
    blocks: Vec<Mutex<Block>>,
    /// The first and the last row of each block, for the neighbouring blocks to read. Each of these rows has two copies, for even and odd
    /// rounds. Neighbours read a copy in the round after the block has written it. So all accesses to the copies are relaxed.
    shown: [Vec<AtomicU64>; 2],
}

#[derive(Debug)]
struct Block {
    rows: Vec<f64>,
    /// The old values of the row above the current row.
    above: Vec<f64>,
    /// The old values of the row below the block.
    below: Vec<f64>,
    next: Vec<f64>,
}

#[derive(Clone, Copy)]
enum Edge {
    First,
    Last,
}

impl Mesh {
    /// Makes a mesh of `blocks` blocks.
    pub fn new(blocks: usize) -> Mesh {
        let block = || {
            Mutex::new(Block {
                rows: vec![0.0; ROWS * COLUMNS],
                above: vec![0.0; COLUMNS],
                below: vec![0.0; COLUMNS],
                next: vec![0.0; COLUMNS],
            })
        };
        let half = || {
            (0..2 * blocks * COLUMNS)
                .map(|_| AtomicU64::new(0))
                .collect()
        };
        let mesh = Mesh {
            blocks: (0..blocks).map(|_| block()).collect(),
            shown: [half(), half()],
        };
        mesh.reset();
        mesh
    }

    /// Returns the values, row by row.
    pub fn values(&self) -> Vec<f64> {
        let block = |block: &Mutex<Block>| lock(block).rows.clone();
        self.blocks.iter().flat_map(block).collect()
    }

    /// Returns the copy of a block's first or last row that the block's neighbours see. `half` is 0 or 1.
    fn edge(&self, half: usize, block: usize, edge: Edge) -> &[AtomicU64] {
        let place = 2 * block + edge as usize;
        &self.shown[half][place * COLUMNS..(place + 1) * COLUMNS]
    }

    fn show(&self, half: usize, block: usize, rows: &[f64]) {
        for (edge, first) in [(Edge::First, 0), (Edge::Last, (ROWS - 1) * COLUMNS)] {
            let shown = self.edge(half, block, edge).iter();
            for (shown, value) in shown.zip(&rows[first..]) {
                shown.store(value.to_bits(), Relaxed);
            }
        }
    }

    fn look(&self, half: usize, block: Option<usize>, edge: Edge, outside: f64, into: &mut [f64]) {
        match block.filter(|&block| block < self.blocks.len()) {
            None => into.fill(outside),
            Some(block) => {
                let shown = self.edge(half, block, edge).iter();
                for (value, shown) in into.iter_mut().zip(shown) {
                    *value = f64::from_bits(shown.load(Relaxed));
                }
            }
        }
    }
}

/// Locks a block. Only the steps of a block lock this block, and the steps of one block run one after the other.
fn lock(block: &Mutex<Block>) -> std::sync::MutexGuard<'_, Block> {
    block.try_lock().expect("a block takes one step at a time")
}

impl Block {
    fn sweep(&mut self) {
        for first in (0..ROWS).map(|row| row * COLUMNS) {
            let (done, rest) = self.rows.split_at_mut(first + COLUMNS);
            let here = &mut done[first..];
            let below = if rest.is_empty() {
                &self.below[..]
            } else {
                rest
            };
            for j in 0..COLUMNS {
                let left = if j > 0 { here[j - 1] } else { 0.0 };
                let right = here.get(j + 1).copied().unwrap_or(0.0);
                self.next[j] = point(self.above[j], left, here[j], right, below[j]);
            }
            self.above.copy_from_slice(here);
            here.copy_from_slice(&self.next);
        }
    }
}

impl Rounds for Mesh {
    fn nodes(&self) -> usize {
        self.blocks.len()
    }

    fn step(&self, node: usize, round: usize) -> Step {
        let mut block = lock(&self.blocks[node]);
        let block = &mut *block;
        let last = (round + 1) % 2;
        self.look(last, node.checked_sub(1), Edge::Last, TOP, &mut block.above);
        self.look(last, Some(node + 1), Edge::First, 0.0, &mut block.below);
        block.sweep();
        self.show(round % 2, node, &block.rows);
        if round + 1 == SWEEPS {
            Step::Done
        } else {
            Step::Again
        }
    }
}

impl Local for Mesh {
    /// Returns the blocks above and below. Two copies of the edges are enough: a block overwrites the copy that its neighbours read in the
    /// previous round, and the neighbours have ended that round.
    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> {
        let below = Some(node + 1).filter(|&below| below < self.blocks.len());
        node.checked_sub(1).into_iter().chain(below)
    }
}

impl Checked for Mesh {
    fn params(&self) -> String {
        let blocks = self.blocks.len();
        format!("blocks={blocks} rows={ROWS} columns={COLUMNS} sweeps={SWEEPS}")
    }

    fn reset(&self) {
        for (node, block) in self.blocks.iter().enumerate() {
            let mut block = lock(block);
            let first = node * ROWS * COLUMNS;
            for (place, value) in (first..).zip(&mut block.rows) {
                *value = unit(21, place as u64);
            }
            self.show(1, node, &block.rows);
        }
    }

    fn check(&self) -> Result<(), String> {
        check(&self.values())
    }
}

/// Checks that the values are bit for bit the same as after serial sweeps over a whole mesh of the same size.
///
/// # Errors
/// Returns a one-line error that describes the fault.
pub fn check(values: &[f64]) -> Result<(), String> {
    let rows = values.len() / COLUMNS;
    let width = COLUMNS + 2;
    let mut mesh = vec![0.0; (rows + 2) * width];
    mesh[..width].fill(TOP);
    for place in 0..rows * COLUMNS {
        let (i, j) = (place / COLUMNS, place % COLUMNS);
        mesh[(i + 1) * width + j + 1] = unit(21, place as u64);
    }
    for _ in 0..SWEEPS {
        let before = mesh.clone();
        for at in (1..=rows).flat_map(|i| (1..=COLUMNS).map(move |j| i * width + j)) {
            let (above, below) = (before[at - width], before[at + width]);
            mesh[at] = point(above, before[at - 1], before[at], before[at + 1], below);
        }
    }
    for (place, is) in values.iter().enumerate() {
        let (i, j) = (place / COLUMNS, place % COLUMNS);
        let must = mesh[(i + 1) * width + j + 1];
        if is.to_bits() != must.to_bits() {
            return Err(format!("row {i}, column {j} is {is}, not {must}"));
        }
    }
    Ok(())
}
