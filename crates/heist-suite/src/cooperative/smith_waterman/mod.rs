//! The best local alignment of two real DNA sequences, after Smith and Waterman. The program has three versions. The first version has a
//! future for each cell of the table of scores, and a task for each row. The second version has a task for each cell. The third version has
//! a task for each tile of 32 x 32 cells.

mod alignment;
mod rows;
mod sequences;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use super::dag::{Dag, Flow};
use super::program::{Checked, Entry, in_flow};
use super::{Entrant, Input, Instance};
use crate::bounds::within;
use crate::data::Data;
use crate::program::Size;

use rows::Rows;
use sequences::Pair;

pub use alignment::{Alignment, Move, cell, check, matrix};

pub(super) const CELLS: Entry = Entry {
    name: "smith-waterman-cells",
    about: "the best local alignment of two DNA sequences, a future for each cell, a task for each row",
    source: "Imam and Sarkar (X10 2014), figure 3: Smith-Waterman on strings of length 119 and 107",
    entrants: Entrant::ALL,
    inputs: &[Input::Real],
    prepare: |_, size, data| {
        let (a, b) = pair(size, (PAPER, PAPER), data)?;
        Ok(Box::new(Rows::new(Table::new(a, b, 1))))
    },
};

pub(super) const TASKS: Entry = Entry {
    name: "smith-waterman-tasks",
    about: "the same, a task and a future for each cell",
    source: "the same",
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

/// The numbers of letters of the paper's first string and of its second string.
const PAPER: u64 = 119;
const PAPER_OTHER: usize = 107;

/// The maximum number of letters of a sequence. A table for two sequences of this length takes 1.6 GB.
const LONGEST: u64 = 20_000;

/// Finds the first pair of sequences that is long enough, and returns a prefix of each sequence. The ratio of the lengths of the two
/// prefixes is that of the paper's strings. `usual` has two lengths: for the quick size, and for the paper's size. If the first sequences
/// of all pairs are shorter, the function uses the whole length of the longest first sequence instead.
fn pair(size: Size, usual: (u64, u64), data: &Data) -> Result<Pair, String> {
    let sequences = sequences::read(&data.sequences()?)?;
    let longest = sequences.iter().map(|(a, _)| a.len()).max().unwrap_or(0);
    let longest = LONGEST.min(longest as u64);
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

/// The value of a cell that has not been computed. The value is far less than any score, but a sum of this value and a score does not wrap.
const UNSET: i32 = i32::MIN / 2;

/// The table of scores, which is divided into tiles.
#[derive(Debug)]
pub struct Table {
    a: Vec<u8>,
    b: Vec<u8>,
    /// The number of cells in a side of a tile.
    tile: usize,
    /// The scores row by row, after a first row and a first column of zeros. Only one task writes a cell, and only tasks that wait for this
    /// task read the cell. So all accesses to the cells are relaxed.
    scores: Vec<AtomicI32>,
    /// The best cell of each tile, packed into a number. A cell with a better score has a larger number. Among cells with the same score,
    /// the first cell has the largest number.
    best: Vec<AtomicU64>,
    found: Mutex<Option<Alignment>>,
}

impl Table {
    /// Makes a table for two sequences, in tiles whose sides have `tile` cells.
    ///
    /// # Panics
    /// Panics if `tile` is 0, if a sequence is empty, or if the table has 2^32 cells or more.
    pub fn new(a: Vec<u8>, b: Vec<u8>, tile: usize) -> Table {
        let some = tile > 0 && !a.is_empty() && !b.is_empty();
        assert!(some, "a table, or tiles, of no cells");
        let cells = (a.len() + 1) * (b.len() + 1);
        assert!(cells < 1 << 32, "a table of {cells} cells");
        let tiles = a.len().div_ceil(tile) * b.len().div_ceil(tile);
        let table = Table {
            best: (0..tiles).map(|_| AtomicU64::new(0)).collect(),
            scores: (0..cells).map(|_| AtomicI32::new(0)).collect(),
            found: Mutex::new(None),
            a,
            b,
            tile,
        };
        table.reset();
        table
    }

    /// Returns the number of tiles in a column and the number of tiles in a row.
    pub fn tiles(&self) -> (usize, usize) {
        (
            self.a.len().div_ceil(self.tile),
            self.b.len().div_ceil(self.tile),
        )
    }

    fn score(&self, i: usize, j: usize) -> &AtomicI32 {
        &self.scores[i * (self.b.len() + 1) + j]
    }

    /// Returns the scores of some columns in row `i`, and the score to the left of these columns.
    fn row(&self, i: usize, columns: &Range<usize>) -> (&AtomicI32, &[AtomicI32]) {
        let first = i * (self.b.len() + 1);
        let row = &self.scores[first + columns.start - 1..first + columns.end];
        (&row[0], &row[1..])
    }

    /// Computes a rectangle of cells, and returns its best cell. The cells to the left of the rectangle and above it must have been
    /// computed.
    fn fill(&self, rows: Range<usize>, columns: Range<usize>) -> End {
        let mut best = End::default();
        let letters = &self.b[columns.start - 1..columns.end - 1];
        for i in rows {
            let a = self.a[i - 1];
            let (corner, above) = self.row(i - 1, &columns);
            let (before, here) = self.row(i, &columns);
            let mut diagonal = corner.load(Relaxed);
            let mut left = before.load(Relaxed);
            for (j, ((above, here), &b)) in above.iter().zip(here).zip(letters).enumerate() {
                let up = above.load(Relaxed);
                left = cell(diagonal, up, left, a, b);
                diagonal = up;
                here.store(left, Relaxed);
                if left > best.score {
                    let j = columns.start + j;
                    best = End { score: left, i, j };
                }
            }
        }
        best
    }

    fn pack(&self, end: End) -> u64 {
        let place = end.i * (self.b.len() + 1) + end.j;
        (end.score as u64) << 32 | u64::from(u32::MAX - place as u32)
    }

    /// Finds the best alignment, after all tiles have been computed. If several cells have the best score, the alignment ends at the first
    /// of them, row by row.
    pub fn trace_back(&self) {
        let best = self.best.iter().map(|best| best.load(Relaxed)).max();
        let place = (u32::MAX - best.unwrap_or(0) as u32) as usize;
        let width = self.b.len() + 1;
        let end = (place / width, place % width);
        let at = |i, j| self.score(i, j).load(Relaxed);
        let best = Alignment::ending(end, &self.a, &self.b, at);
        *self.found.lock().expect("no panic under the lock") = Some(best);
    }

    /// Returns the alignment that [`trace_back`](Table::trace_back) found.
    pub fn found(&self) -> Option<Alignment> {
        self.found.lock().expect("no panic under the lock").clone()
    }
}

/// A cell where an alignment may end, and its score.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    score: i32,
    i: usize,
    j: usize,
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
        let rows = row + 1..self.a.len().min(row + self.tile) + 1;
        let columns = column + 1..self.b.len().min(column + self.tile) + 1;
        let best = self.fill(rows, columns);
        self.best[task].store(self.pack(best), Relaxed);
    }

    /// Computes the whole table with two plain loops.
    fn run_all(&self) {
        let best = self.fill(1..self.a.len() + 1, 1..self.b.len() + 1);
        self.best[0].store(self.pack(best), Relaxed);
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
        let nothing = self.pack(End::default());
        self.best
            .iter()
            .for_each(|best| best.store(nothing, Relaxed));
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
