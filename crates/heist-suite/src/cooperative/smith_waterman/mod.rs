//! The best local alignment of two real DNA sequences, after Smith and Waterman: a task for each cell of the table of
//! scores, as in the paper, or for each tile of 32 times 32 cells.

mod alignment;
mod sequences;

use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use super::dag::{Dag, Flow};
use super::program::{Checked, Entry, in_flow};
use super::{Entrant, Input, Instance};
use crate::bounds::within;
use crate::data::Data;
use crate::program::Size;

use sequences::Pair;

pub use alignment::{Alignment, Move, cell, check, matrix};

pub(super) const CELLS: Entry = Entry {
    name: "smith-waterman-cells",
    about: "the best local alignment of two DNA sequences, a future for each cell",
    source: "Imam and Sarkar (X10 2014), figure 3: Smith-Waterman on strings of length 119 and 107",
    entrants: Entrant::ALL,
    inputs: &[Input::Real],
    prepare: |_, size, data| prepare(1, size, (PAPER, PAPER), data),
};

pub(super) const TILES: Entry = Entry {
    name: "smith-waterman",
    about: "the same, a future for each tile of 32 x 32 cells: genes of ribosomal RNA, or mRNA of a receptor",
    source: "the same, coarser; sequences of GenBank",
    entrants: Entrant::ALL,
    inputs: &[Input::Real],
    prepare: |_, size, data| prepare(32, size, (1542, 5616), data),
};

/// Letters of the paper's first string, and of its second.
const PAPER: u64 = 119;
const PAPER_OTHER: usize = 107;

/// The first letters of a sequence and, in the paper's proportion, those of the one it is paired with: of the first
/// pair that is long enough. `usual` are the quick size and the paper's, as far as there are so many letters.
fn pair(size: Size, usual: (u64, u64), data: &Data) -> Result<Pair, String> {
    let sequences = sequences::read(&data.sequences()?)?;
    let longest = sequences.iter().map(|(a, _)| a.len()).max().unwrap_or(0) as u64;
    let n = size.pick(usual.0.min(longest), usual.1.min(longest));
    let n = within("the length of the first sequence", n, 1..=longest)?;
    let (a, b) = sequences
        .into_iter()
        .find(|(a, _)| a.len() >= n)
        .expect("the longest is long enough");
    let other = (n * PAPER_OTHER / PAPER as usize).clamp(1, b.len());
    Ok((a[..n].to_vec(), b[..other].to_vec()))
}

fn prepare(
    tile: usize,
    size: Size,
    usual: (u64, u64),
    data: &Data,
) -> Result<Box<dyn Instance>, String> {
    let (a, b) = pair(size, usual, data)?;
    Ok(in_flow(
        Flow::new(Table::new(a, b, tile)),
        Table::trace_back,
    ))
}

/// What a cell has that has not been computed: far less than any score, and no sum with it wraps.
const UNSET: i32 = i32::MIN / 2;

/// The table of scores, in tiles.
#[derive(Debug)]
pub struct Table {
    a: Vec<u8>,
    b: Vec<u8>,
    /// Cells in a side of a tile.
    tile: usize,
    /// Row by row, with a row and a column of zeros first. A cell is written by one task and read by those that
    /// need that task, so that relaxed orders do.
    scores: Vec<AtomicI32>,
    found: Mutex<Option<Alignment>>,
}

impl Table {
    /// A table for two sequences, in tiles of that many cells a side.
    ///
    /// # Panics
    /// If that is 0.
    pub fn new(a: Vec<u8>, b: Vec<u8>, tile: usize) -> Table {
        assert!(tile > 0, "tiles of no cells");
        let cells = (a.len() + 1) * (b.len() + 1);
        let table = Table {
            scores: (0..cells).map(|_| AtomicI32::new(0)).collect(),
            found: Mutex::new(None),
            a,
            b,
            tile,
        };
        table.reset();
        table
    }

    /// Tiles in a column, and in a row.
    pub fn tiles(&self) -> (usize, usize) {
        (
            self.a.len().div_ceil(self.tile),
            self.b.len().div_ceil(self.tile),
        )
    }

    fn score(&self, i: usize, j: usize) -> &AtomicI32 {
        &self.scores[i * (self.b.len() + 1) + j]
    }

    /// Finds the best alignment, when all tiles have been computed.
    pub fn trace_back(&self) {
        let at = |i, j| self.score(i, j).load(Relaxed);
        let best = Alignment::best(&self.a, &self.b, at);
        *self.found.lock().expect("no panic under the lock") = Some(best);
    }

    /// What [`trace_back`](Table::trace_back) found.
    pub fn found(&self) -> Option<Alignment> {
        self.found.lock().expect("no panic under the lock").clone()
    }
}

impl Dag for Table {
    fn tasks(&self) -> usize {
        let (rows, columns) = self.tiles();
        rows * columns
    }

    fn inputs(&self, task: usize) -> impl Iterator<Item = usize> {
        let (_, columns) = self.tiles();
        let (up, left) = (task >= columns, !task.is_multiple_of(columns));
        [
            (up && left).then(|| task - columns - 1),
            up.then(|| task - columns),
            left.then(|| task - 1),
        ]
        .into_iter()
        .flatten()
    }

    /// Computes a tile.
    fn run(&self, task: usize) {
        let (_, columns) = self.tiles();
        let (row, column) = (task / columns * self.tile, task % columns * self.tile);
        let rows = row + 1..=self.a.len().min(row + self.tile);
        let columns = column + 1..=self.b.len().min(column + self.tile);
        for i in rows {
            let a = self.a[i - 1];
            let mut diagonal = self.score(i - 1, column).load(Relaxed);
            let mut left = self.score(i, column).load(Relaxed);
            for j in columns.clone() {
                let up = self.score(i - 1, j).load(Relaxed);
                left = cell(diagonal, up, left, a, self.b[j - 1]);
                diagonal = up;
                self.score(i, j).store(left, Relaxed);
            }
        }
    }
}

impl Checked for Table {
    fn params(&self) -> String {
        let (a, b, tile) = (self.a.len(), self.b.len(), self.tile);
        format!("letters={a}x{b} tile={tile} tasks={}", self.tasks())
    }

    fn reset(&self) {
        for i in 1..=self.a.len() {
            for j in 1..=self.b.len() {
                self.score(i, j).store(UNSET, Relaxed);
            }
        }
        *self.found.lock().expect("no panic under the lock") = None;
    }

    fn check(&self) -> Result<(), String> {
        let found = self.found().ok_or("there is no result")?;
        let must = matrix(&self.a, &self.b);
        let wrong = (0..)
            .zip(&must)
            .zip(&self.scores)
            .find_map(|((at, &must), is)| {
                let is = is.load(Relaxed);
                (is != must).then_some((at, is, must))
            });
        if let Some((at, is, must)) = wrong {
            let width = self.b.len() + 1;
            let (i, j) = (at / width, at % width);
            return Err(format!("the score at {i}, {j} is {is}, not {must}"));
        }
        check(&self.a, &self.b, &found)
    }
}

#[cfg(test)]
mod tests;
